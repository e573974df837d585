"""Find models and configurations: shipped with the package, in a directory, or on the Hugging Face hub.

`asr_punct.checkpoint` is imported inside functions: shell completion needs only the names.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Timer

from asr_punct.errors import ArgumentError, ModelError, first_line

_LOG = logging.getLogger(__name__)
AUTO = "auto"
"""Instead of a model's name: choose the shipped model by the language of each document."""
DEFAULT_MODEL = "es-eu"
MODEL_PATH = "ASR_PUNCT_MODELS"
"""Environment variable with folders of models that are found by name and chosen by language, as the shipped ones."""
NEMO_FILE = ".nemo"
_PACKAGE = Path(__file__).parent
PRETRAINED = _PACKAGE / "pretrained"
"""The shipped models, without weights."""
TRAINABLE = _PACKAGE.parent / "egs" / "models"
"""The shipped models with weights, in a checkout only."""
_CONFIGURATIONS = (_PACKAGE / "conf", _PACKAGE.parent / "conf")
"""Directories of the shipped configurations: in an installed wheel, and in a checkout."""
_CONFIG = "config.json"
_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")  # org/name
_TIMEOUT_S = 5.0
"""Seconds to wait for an answer of the hub."""
_SILENT_S = 3.0
"""After this time, a line says that a model is being waited for: its library tries again for minutes, in silence."""


def shipped_models() -> dict[str, Path]:
    """Return the directories of the shipped models by name."""
    return {path.parent.name: path.parent for path in sorted(PRETRAINED.glob(f"*/{_CONFIG}"))}


def named_models() -> dict[str, Path]:
    """Return the directories of the models that have a name: the shipped ones, and those in folders of the model path.

    The model path is the environment variable ASR_PUNCT_MODELS, folders joined as in PATH. Of models with the same name
    the first counts.
    """
    found = shipped_models()
    for folder in _model_path():
        for path in sorted(folder.glob(f"*/{_CONFIG}")):
            found.setdefault(path.parent.name, path.parent)
    return found


def _model_path() -> list[Path]:
    return [Path(folder) for folder in os.environ.get(MODEL_PATH, "").split(os.pathsep) if folder]


def shipped_configurations() -> dict[str, Path]:
    """Return the files of the shipped configurations by name."""
    files = (path for folder in reversed(_CONFIGURATIONS) for path in sorted(folder.glob("*.yaml")))
    return {path.stem: path for path in files}


def configuration_directory(name: str) -> Path:
    """Return the directory with this name, such as `nemo`, among the shipped configurations."""
    return next(path for folder in _CONFIGURATIONS if os.path.isdir(path := folder / name))


def find_model(name: str | None) -> Path:
    """Return the directory of a model; without a name or for `auto`, of the default model.

    A name is an existing directory, one of `named_models`, or `org/name` of the hub, tried in this order. `org/name` is
    not looked up if the directory `org` exists. Raises ArgumentError if there is no such model.
    """
    known = named_models()
    expected = f"a model directory, {''.join(f'{each}, ' for each in known)}or org/name of the hub"
    if not name or name == AUTO:
        if DEFAULT_MODEL not in known:
            raise ArgumentError("model", "none", expected)
        return known[DEFAULT_MODEL]
    path = Path(name)
    if os.path.isdir(path):
        return path
    if name in known:
        return known[name]
    if os.path.exists(path):
        raise ArgumentError("model", f"{name!r}, a file", expected)
    if _HUB_NAME.fullmatch(name) and not os.path.exists(path.parent):
        return _download(name)
    raise ArgumentError("model", f"{name!r}, no such model directory", expected)


def find_trainable_model(name: str) -> Path:
    """Return the directory of a model with weights.

    Those of a shipped model are found by its name in a checkout (`egs/models`), or in a folder of ASR_PUNCT_MODELS.
    Raises ArgumentError if there is no such model, ModelError if it has no weights.
    """
    from asr_punct.checkpoint import WEIGHTS, read_info

    directory = find_model(name)
    if WEIGHTS in read_info(directory).files:
        return directory
    if directory.parent != PRETRAINED:
        raise ModelError(directory, f"no {WEIGHTS}, only graphs", f"{WEIGHTS}, which asr-punct train writes")
    for trainable in (folder / directory.name for folder in (*_model_path(), TRAINABLE)):
        if os.path.isfile(trainable / WEIGHTS) and os.path.isfile(trainable / _CONFIG):
            return trainable
    found = f"no {WEIGHTS} in the installed package, which has graphs only"
    folder = f"{directory.name} of a checkout's egs/models or the release's weights in a folder of {MODEL_PATH}"
    raise ModelError(name, found, f"{folder}, or another model directory or org/name with {WEIGHTS}")


def named_languages() -> dict[str, list[str]]:
    """Return the language codes of `named_models` by name."""
    from asr_punct.checkpoint import read_info

    return {name: read_info(directory).model.language.split("+") for name, directory in named_models().items()}


def models_by_language() -> dict[str, str]:
    """Return the model of each language code: the first of `named_models`, so `es-eu` before `es-eu-small`."""
    models = dict[str, str]()
    for name, codes in named_languages().items():
        for code in codes:
            models.setdefault(code, name)
    return models


def check_path(name: str, expected: str) -> None:
    """Raise ModelError if the name of a recogniser's or aligner's model must be a path, and there is no such path.

    It must be one if it ends with `.nemo`, is neither `name` nor `org/name`, or `org` is an existing directory.
    `expected` is for the error message.
    """
    path = Path(name)
    parts = name.split("/")
    is_hub_name = len(parts) == 1 or (len(parts) == 2 and all(parts) and not os.path.exists(path.parent))
    if (path.suffix == NEMO_FILE or not is_hub_name) and not os.path.exists(path):
        raise ModelError(name, "no such file or directory", expected)


def check_transformers_name(name: str, expected: str) -> None:
    """Raise ModelError unless the name is a directory or `org/name`; arguments as in `check_path`."""
    check_path(name, expected)
    path = Path(name)
    if name in shipped_models():
        raise ModelError(name, "a punctuation model", expected)
    if os.path.isfile(path):
        raise ModelError(name, "a file", expected)
    if "/" not in name and not os.path.isdir(path):
        raise ModelError(name, "no such directory", expected)


def reach_hub() -> bool:
    """Return whether the hub answers. `HF_ENDPOINT`, `HF_HUB_OFFLINE` and proxies are respected."""
    from huggingface_hub import constants

    return not constants.HF_HUB_OFFLINE and _answers(constants.ENDPOINT)


@cache
def _answers(endpoint: str) -> bool:
    from huggingface_hub import get_session

    try:
        get_session().head(endpoint, timeout=_TIMEOUT_S)
    except Exception:  # of requests or httpx, depending on the version of the library
        return False
    return True


def local_copy(name: str) -> str:
    """Return a model's name or, if the hub does not answer, the directory of its copy in the hub's cache.

    Raises OSError if it has none.
    """
    from huggingface_hub import snapshot_download

    return name if os.path.isdir(name) or reach_hub() else str(snapshot_download(name, local_files_only=True))


@contextmanager
def _said_if_slow(name: str) -> Iterator[None]:
    """Log that a model of the hub is waited for, if it takes long."""
    from huggingface_hub import constants

    timer = Timer(_SILENT_S, _LOG.warning, ("waiting for the model %s of %s", name, constants.ENDPOINT))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    from asr_punct.checkpoint import CARD, CONFIG, FILES

    reached = False
    try:
        with _said_if_slow(name):
            reached = reach_hub()
            return Path(snapshot_download(name, allow_patterns=[CONFIG, CARD, *FILES], local_files_only=not reached))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        reason = first_line(error) if reached else "no connection to the hub"
        found = f"{name!r}, no such directory or shipped model, and none that could be downloaded: {reason}"
        raise ArgumentError("model", found, "a model directory, a shipped model or org/name of the hub") from None
