"""Devices of torch."""

import re
from collections.abc import Mapping
from typing import Any

import torch

from asr_punct.errors import ArgumentError, first_line


def open_device(name: str) -> torch.device:
    """Return the device with this name (`cpu`, `cuda`, `cuda:1`, `mps`), after an allocation on it as a test.

    Raises AsrPunctError if there is no such device.
    """
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", name):
        raise ArgumentError("device", repr(name), "cpu, cuda, cuda:N or mps")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts that it was built for the device
        raise ArgumentError("device", repr(name), f"a device that torch finds: {first_line(error)}") from None
    return device


def has_bf16(device_type: str) -> bool:
    """Whether devices of this type (`cpu`, `cuda`, …) compute bf16 natively. Emulated bf16 is slower than fp32."""
    if device_type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device_type != "cpu":
        return False
    capabilities: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # not in torch 2.9
    return any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))  # the last one on ARM
