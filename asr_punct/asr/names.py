"""Checks of model names before a heavy library is loaded, which would look for them on the network."""

from __future__ import annotations

from pathlib import Path

from asr_punct.errors import ModelError
from asr_punct.shipped import shipped_models

NEMO_FILE = ".nemo"


def check_path(name: str, expected: str) -> None:
    """Check that a name that can only be a path exists.

    It can only be a path if it is not `org/name`, if its folder exists, or if it ends in `.nemo`. Raises ModelError
    with the `expected` kinds of models.
    """
    path = Path(name)
    parts = name.split("/")
    local = len(parts) > 1 and (len(parts) > 2 or not all(parts) or path.parent.exists())
    if (local or path.suffix == NEMO_FILE) and not path.exists():
        raise ModelError(name, "no such file or directory", expected)


def check_transformers_name(name: str, expected: str) -> None:
    """Raise ModelError unless a name is a directory or may be `org/name` of the hub."""
    check_path(name, expected)
    path = Path(name)
    if name in shipped_models():
        raise ModelError(name, "a punctuation model", expected)
    if path.is_file():
        raise ModelError(name, "a file", expected)
    if "/" not in name and not path.is_dir():
        raise ModelError(name, "no such directory", expected)
