"""How the numbers on a page of results came about."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from datetime import datetime
from importlib import metadata
from pathlib import Path

_PACKAGES = ("asr-punct", "torch", "onnxruntime")


def circumstances(command: str) -> Iterator[str]:
    """Lines of a list: the command, the date, the machine, and the versions of Python and what computes.

    Args:
        command: what was run.

    Raises:
        PackageNotFoundError: torch is not installed, without which nothing is trained.
    """
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
    yield f"* Command: `{command}`"
    yield f"* Date: {datetime.now().astimezone().isoformat(sep=' ', timespec='minutes')}"
    yield f"* Machine: {_processor()}, {os.cpu_count()} cores, {_memory_gib():.0f} GiB of memory"
    yield f"* Software: Python {platform.python_version()}, {versions}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
