"""The device that a model runs on."""

from __future__ import annotations

import re

import torch

from asr_punct.errors import AsrPunctError, first_line


def open_device(name: str) -> torch.device:
    """The device of that name (`cpu`, `cuda`, `cuda:1`, `mps`), which has been tried.

    Raises:
        AsrPunctError: there is no such device.
    """
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", name):
        raise AsrPunctError(f"--device: found {name!r}, expected cpu, cuda, cuda:N or mps")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts where it was built without the device
        reason = first_line(error)
        raise AsrPunctError(f"--device: found {name!r}, expected a device that torch finds: {reason}") from None
    return device
