"""Speech recognisers and CTC models of other packages, behind one interface.

`--asr` names a recogniser: `pocketsphinx`, or a package and a model, such as `nemo:stt_es_conformer_ctc_large`,
`whisper:small.en` or `transformers:facebook/wav2vec2-base-960h`.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from asr_punct.errors import AsrPunctError, MissingExtraError, first_line

if TYPE_CHECKING:
    from asr_punct.asr.transcribe import Recogniser

FORMS = ("pocketsphinx", "nemo:NAME", "whisper:NAME", "transformers:NAME")
NAMES = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"
"""Values of `--asr`, for error messages."""
_RECOGNISERS = {
    "pocketsphinx": ("PocketSphinx", "pocketsphinx", "pocketsphinx"),
    "nemo": ("NemoRecogniser", "nemo", "audio,nemo"),
    "whisper": ("FasterWhisper", "faster_whisper", "whisper"),
    "transformers": ("TransformersRecogniser", "transformers", "audio,train"),
}
"""Module of this package: its class, the package that it needs, and the extras that install it and read audio."""
_AUDIO_PACKAGES = ("soundfile", "av")
_LANGUAGE = re.compile(r"(?:^|/)stt_([a-z]{2})_|\.(en)$")
"""Language in a model name: `stt_es_conformer_ctc_large` of NeMo, `small.en` of Whisper."""


def check_installed(name: str) -> None:
    """Check that the packages of a recogniser are installed, without importing them.

    `name` is the value of `--asr`. Raises AsrPunctError for an unknown kind of recogniser, and MissingExtraError if a
    package is not installed.
    """
    _, package, extras = _RECOGNISERS[_split_name(name)[0]]
    for needed in (package, *_AUDIO_PACKAGES):
        if sys.modules.get(needed) is None and find_spec(needed) is None:
            raise MissingExtraError(f"the recogniser {name}", extras, needed)


def open_recogniser(name: str, device: str | None = None, language: str | None = None) -> Recogniser:
    """Load a recogniser.

    `name` is the value of `--asr`, `device` one of torch (None: the CPU), `language` the code of the spoken language
    (None: that in the model's name, if any). Raises AsrPunctError for an unknown kind, model or device;
    MissingExtraError if a package is not installed.
    """
    package, model = _split_name(name)
    _check_name(package, model)
    class_name, _, extras = _RECOGNISERS[package]
    try:
        kind = getattr(import_module(f"asr_punct.asr.{package}"), class_name)
        recogniser: Recogniser = kind(model, language or named_language(model), device or "cpu")
        return recogniser
    except AsrPunctError:
        raise
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the recogniser {name}", extras, str(error.name)) from None
    except (OSError, ValueError, RuntimeError, LookupError) as error:  # errors of the four packages
        reason = first_line(error)
        raise AsrPunctError(f"--asr: found {name!r}, expected a model that {package} can load: {reason}") from None


def _split_name(name: str) -> tuple[str, str]:
    """Return the kind and the model of a value of `--asr`."""
    kind, _, model = name.partition(":")
    if kind not in _RECOGNISERS or bool(model) == (kind == "pocketsphinx"):
        raise AsrPunctError(f"--asr: found {name!r}, expected {NAMES}")
    return kind, model


def _check_name(package: str, model: str) -> None:
    from asr_punct.hub import check_path, check_transformers_name

    if package == "transformers":
        check_transformers_name(model, "a CTC model or Whisper: a directory or org/name of transformers")
    elif model:
        check_path(model, f"a model of {package}")


def named_language(model: str) -> str | None:
    """Return the language code in the name of a model, or None."""
    match = _LANGUAGE.search(model)
    return match and (match[1] or match[2])
