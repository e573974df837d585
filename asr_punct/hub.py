"""Where models and configurations are found: shipped with the package, a directory, or the Hugging Face hub.

`asr_punct.checkpoint` is imported inside functions: shell completion needs only the names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from asr_punct.errors import AsrPunctError, ModelError, first_line

DEFAULT_MODEL = "es-eu"
NEMO_FILE = ".nemo"
_PACKAGE = Path(__file__).parent
PRETRAINED = _PACKAGE / "pretrained"
TRAINABLE = _PACKAGE.parent / "egs" / "models"
"""Weights of the shipped models, in a checkout only."""
_CONFIGURATIONS = (_PACKAGE / "conf", _PACKAGE.parent / "conf")
"""In an installed wheel, and in a checkout."""
_CONFIG = "config.json"
_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_TIMEOUT = 5.0
"""Seconds that the hub has to answer."""


def shipped_models() -> dict[str, Path]:
    """Return the directories of the shipped models by name."""
    return {path.parent.name: path.parent for path in sorted(PRETRAINED.glob(f"*/{_CONFIG}"))}


def shipped_configurations() -> dict[str, Path]:
    """Return the files of the shipped configurations by name."""
    files = (path for folder in reversed(_CONFIGURATIONS) for path in sorted(folder.glob("*.yaml")))
    return {path.stem: path for path in files}


def configuration_directory(name: str) -> Path:
    """Return the folder of that name among the shipped configurations."""
    return next(path for folder in _CONFIGURATIONS if (path := folder / name).is_dir())


def find_model(name: str | None) -> Path:
    """Return the directory of a model: an existing directory, a shipped name, or `org/name` of the hub, in this order.

    Without a name it is the default model. A name whose parent directory exists is never looked up on the hub.

    Raises:
        AsrPunctError: there is no such model.
    """
    known = shipped_models()
    expected = f"expected a model directory, {''.join(f'{each}, ' for each in known)}or org/name of the hub"
    if not name:
        if DEFAULT_MODEL not in known:
            raise AsrPunctError(f"model: found none, {expected}")
        return known[DEFAULT_MODEL]
    path = Path(name)
    if path.is_dir():
        return path
    if name in known:
        return known[name]
    if path.exists():
        raise AsrPunctError(f"model {name!r}: found a file, {expected}")
    if _HUB_NAME.fullmatch(name) and not path.parent.exists():
        return _download(name)
    raise AsrPunctError(f"model {name!r}: found no such model directory, {expected}")


def find_trainable_model(name: str) -> Path:
    """Return the directory of a model with weights. Weights of shipped models are in a checkout, not in the wheel.

    Raises:
        AsrPunctError: there is no such model, or it is a shipped one outside a checkout.
    """
    from asr_punct.checkpoint import WEIGHTS, is_listed, read_info

    directory = find_model(name)
    if directory.parent != PRETRAINED or is_listed(read_info(directory), WEIGHTS):
        return directory
    trainable = TRAINABLE / directory.name
    if (trainable / _CONFIG).is_file():
        return trainable
    expected = f"its directory egs/models/{directory.name} of a checkout of this project's repository"
    raise AsrPunctError(f"model {name!r}: found no weights to train on in the installed package, expected {expected}")


def model_of_language(language: str | None) -> str:
    """Return the name of the shipped model for a language.

    Raises:
        AsrPunctError: the language is unknown, or no model has it.
    """
    from asr_punct.checkpoint import read_info

    known = shipped_models()
    for name, directory in known.items():
        if language in read_info(directory).model.language.split("+"):
            return name
    found = "a recogniser whose language is not known" if language is None else f"no shipped model of {language!r}"
    expected = ", ".join((*known, "a directory or org/name of the hub"))
    raise AsrPunctError(f"found no --model and {found}, expected --model {expected}")


def check_path(name: str, expected: str) -> None:
    """Refuse the name of another package's model if it can only be a path and the path does not exist.

    Args:
        name: a path or a name.
        expected: what it may be, for the error message.

    Raises:
        ModelError: a missing path: more than `org/name`, in an existing folder, or ending in `.nemo`.
    """
    path = Path(name)
    parts = name.split("/")
    is_local = len(parts) > 1 and (len(parts) > 2 or not all(parts) or path.parent.exists())
    if (is_local or path.suffix == NEMO_FILE) and not path.exists():
        raise ModelError(name, "no such file or directory", expected)


def check_transformers_name(name: str, expected: str) -> None:
    """Refuse a name that is neither a directory nor `org/name`; the arguments are those of `check_path`.

    Raises:
        ModelError: it is neither, or a shipped punctuation model.
    """
    check_path(name, expected)
    path = Path(name)
    if name in shipped_models():
        raise ModelError(name, "a punctuation model", expected)
    if path.is_file():
        raise ModelError(name, "a file", expected)
    if "/" not in name and not path.is_dir():
        raise ModelError(name, "no such directory", expected)


def reach_hub(name: str | None = None) -> bool:
    """Return whether the hub answers; if not, its library is offline from now on and uses only its cache.

    The library logs only errors afterwards. It respects `HF_ENDPOINT`, `HF_HUB_OFFLINE` and proxies.

    Args:
        name: the model to be loaded; a directory needs no hub, which is then not asked.
    """
    if name and Path(name).is_dir():
        return True
    from huggingface_hub import constants, get_session
    from huggingface_hub.utils import logging

    cast(Any, logging).set_verbosity_error()
    if not constants.HF_HUB_OFFLINE:
        try:
            get_session().head(constants.ENDPOINT, timeout=_TIMEOUT)
        except Exception:  # of requests or httpx, by the version of the library
            constants.HF_HUB_OFFLINE = True
    return not constants.HF_HUB_OFFLINE


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    from asr_punct.checkpoint import CARD, CONFIG, FILES

    reached = reach_hub()
    try:
        return Path(snapshot_download(name, allow_patterns=[CONFIG, CARD, *FILES]))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        found = "no such directory or shipped model, and none that could be downloaded"
        reason = first_line(error) if reached else "no connection to the hub"
        raise AsrPunctError(f"model {name!r}: found {found}: {reason}") from None
