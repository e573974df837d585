"""Devices of torch."""

import platform
import re

import torch

from asr_punct.errors import AsrPunctError, first_line


def open_device(name: str) -> torch.device:
    """Return the device with this name (`cpu`, `cuda`, `cuda:1`, `mps`), after an allocation on it as a test.

    Raises AsrPunctError if there is no such device.
    """
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", name):
        raise AsrPunctError(f"--device: found {name!r}, expected cpu, cuda, cuda:N or mps")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts that it was built for the device
        reason = first_line(error)
        raise AsrPunctError(f"--device: found {name!r}, expected a device that torch finds: {reason}") from None
    return device


def has_bf16(device_type: str) -> bool:
    """Whether devices of this type (`cpu`, `cuda`, …) compute bf16 natively. Emulated bf16 is slower than fp32."""
    if device_type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device_type != "cpu":
        return False
    if platform.machine().lower() in ("x86_64", "amd64"):
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
