"""Models by name: a directory, one that ships with the package, or one of the Hugging Face hub."""

from __future__ import annotations

import re
from pathlib import Path

from asr_punct import shipped
from asr_punct.checkpoint import CARD, CONFIG, FILES, WEIGHTS, has_file, read_info
from asr_punct.errors import AsrPunctError, first_line
from asr_punct.hub import reach_hub

_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def find_model(name: str | None) -> Path:
    """Directory of a model: an existing directory, then a shipped name, then `org/name` of the Hugging Face hub.

    Without a name it is the shipped default model.

    Raises:
        AsrPunctError: there is no such model. A name whose parent directory exists is not looked for on the hub.
    """
    known = shipped.shipped_models()
    expected = f"expected a model directory, {''.join(f'{each}, ' for each in known)}or org/name of the hub"
    if not name:
        if shipped.DEFAULT_MODEL not in known:
            raise AsrPunctError(f"model: found none, {expected}")
        return known[shipped.DEFAULT_MODEL]
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


def model_of_language(language: str | None) -> str:
    """Name of the shipped model that writes a language.

    Raises:
        AsrPunctError: the language is not known, or no model has it.
    """
    known = shipped.shipped_models()
    for name, directory in known.items():
        if language in read_info(directory).model.language.split("+"):
            return name
    found = "a recogniser whose language is not known" if language is None else f"no shipped model of {language!r}"
    expected = ", ".join((*known, "a directory or org/name of the hub"))
    raise AsrPunctError(f"found no --model and {found}, expected --model {expected}")


def find_trainable_model(name: str) -> Path:
    """Directory of a model with weights to train on; a shipped model's are in a checkout, not in the wheel.

    Raises:
        AsrPunctError: there is no such model, or it is a shipped one outside a checkout.
    """
    directory = find_model(name)
    if directory.parent != shipped.PRETRAINED or has_file(read_info(directory), WEIGHTS):
        return directory
    trainable = shipped.TRAINABLE / directory.name
    if (trainable / CONFIG).is_file():
        return trainable
    expected = f"its directory egs/models/{directory.name} of a checkout of this project's repository"
    raise AsrPunctError(f"model {name!r}: found no weights to train on in the installed package, expected {expected}")


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    reached = reach_hub()
    try:
        return Path(snapshot_download(name, allow_patterns=[CONFIG, CARD, *FILES]))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        found = "no such directory or shipped model, and none that could be downloaded"
        reason = first_line(error) if reached else "no connection to the hub"
        raise AsrPunctError(f"model {name!r}: found {found}: {reason}") from None
