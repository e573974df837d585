"""Names of recognisers' models, looked at before a library is loaded that would look for them far away."""

from __future__ import annotations

from pathlib import Path

from asr_punct.checkpoint import read_info
from asr_punct.errors import AsrPunctError, ModelError
from asr_punct.shipped import MODEL_CONFIG, shipped_models

NEMO_FILE = ".nemo"


def check_path(name: str, expected: str) -> None:
    """See that a name which can only be a path is one of something.

    Args:
        name: of a model.
        expected: what it may be, for the error.

    Raises:
        ModelError: it is not there, and is no `org/name`, or one whose folder is there, or ends in `.nemo`.
    """
    path = Path(name)
    parts = name.split("/")
    local = len(parts) > 1 and (len(parts) > 2 or not all(parts) or path.parent.exists())
    if (local or path.suffix == NEMO_FILE) and not path.exists():
        raise ModelError(name, "no such file or directory", expected)


def check_transformers_name(name: str, expected: str) -> None:
    """See that a name is a directory, or could be `org/name` of the hub; arguments as of `check_path`.

    Raises:
        ModelError: it is neither, or a punctuation model.
    """
    check_path(name, expected)
    path = Path(name)
    if name in shipped_models() or _is_punctuation_model(path):
        raise ModelError(name, "a punctuation model", expected)
    if path.is_file():
        raise ModelError(name, "a file", expected)
    if "/" not in name and not path.is_dir():
        raise ModelError(name, "no such directory", expected)


def _is_punctuation_model(path: Path) -> bool:
    if not (path / MODEL_CONFIG).is_file():
        return False
    try:
        read_info(path)
    except AsrPunctError:
        return False
    return True
