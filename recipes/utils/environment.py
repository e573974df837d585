"""The environment of an experiment, for a recipe's page of results."""

import os
import platform
from collections.abc import Iterator
from datetime import datetime
from importlib import metadata
from pathlib import Path

_PACKAGES = ("asr-punct", "torch", "onnxruntime")


def describe_environment(command: str) -> Iterator[str]:
    """Yield Markdown list items: the command, the date, the machine, and the versions of Python and packages.

    Raises PackageNotFoundError if torch is not installed.
    """
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield f"* Command: `{command}`"
    yield f"* Date: {datetime.now().astimezone().isoformat(sep=' ', timespec='minutes')}"
    yield f"* Machine: {_processor()}, {os.cpu_count()} cores, {memory_gib:.0f} GiB of memory"
    yield f"* Software: Python {platform.python_version()}, {versions}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
