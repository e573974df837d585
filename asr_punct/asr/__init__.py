"""Speech recognisers and CTC models of other packages, opened by the names that users give them.

A recogniser is `pocketsphinx`, or a package and a model, such as `nemo:stt_es_conformer_ctc_large`, `whisper:small.en`
or `transformers:facebook/wav2vec2-base-960h`.
"""

from __future__ import annotations

import logging
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from asr_punct.errors import ArgumentError, AsrPunctError, MissingExtraError, Setting, either, first_line
from asr_punct.languages import describe_languages, parse_language

if TYPE_CHECKING:
    from asr_punct.align.ctc_model import AcousticModel
    from asr_punct.align.methods import Aligner
    from asr_punct.asr.transcribe import Recogniser

_LOG = logging.getLogger(__name__)


class _Package(NamedTuple):
    """A recogniser's class in the module of this package with its name.

    Attributes:
        class_name: the class.
        needed: the package that it needs.
        extras: the extras that install that package and read audio.
        has_models: whether users name a model of it.
    """

    class_name: str
    needed: str
    extras: str
    has_models: bool = True


_RECOGNISERS = {
    "pocketsphinx": _Package("PocketSphinx", "pocketsphinx", "pocketsphinx", has_models=False),
    "nemo": _Package("NemoRecogniser", "nemo", "audio,nemo"),
    "whisper": _Package("FasterWhisper", "faster_whisper", "whisper"),
    "transformers": _Package("TransformersRecogniser", "transformers", "audio,train"),
}
RECOGNISER_FORMS = tuple(f"{name}:NAME" if each.has_models else name for name, each in _RECOGNISERS.items())
EXPECTED_RECOGNISER = either(RECOGNISER_FORMS)
"""Forms of the names of recognisers, for help and error messages."""
RECOGNISERS_WITH_EXTRAS = either(
    f"{form} ({each.extras})" for form, each in zip(RECOGNISER_FORMS, _RECOGNISERS.values(), strict=True)
)
METHODS = ("dtw", "ctc")
"""Methods of alignment."""
_AUDIO_PACKAGES = ("soundfile", "av")
_CTC_MODEL = "a CTC model: a directory or org/name of transformers, FILE.nemo, or nemo:NAME"
_LANGUAGE = re.compile(r"(?:^|/)stt_([a-z]{2})_|\.(en)$")
"""Language in a model name: `stt_es_conformer_ctc_large` of NeMo, `small.en` of Whisper."""


def check_installed(asr: str) -> None:
    """Check that the packages of the recogniser named `asr` are installed, without importing them.

    Raises ArgumentError for an unknown kind of recogniser, and MissingExtraError for a missing package.
    """
    package = _RECOGNISERS[_split_name(asr)[0]]
    for needed in (package.needed, *_AUDIO_PACKAGES):
        if sys.modules.get(needed) is None and find_spec(needed) is None:
            raise MissingExtraError(f"the recogniser {asr}", package.extras, needed)


def open_recogniser(asr: str, device: str | None = None, language: str | None = None) -> Recogniser:
    """Load the recogniser named `asr`.

    `device` is one of torch (None: the CPU), `language` the code of the spoken language (None: that in the name, if
    any). Logs a warning if the recogniser is for another language. Raises ArgumentError for an unknown kind, model or
    device; MissingExtraError for a missing package.
    """
    from asr_punct.hub import check_path, check_transformers_name

    package, model = _split_name(asr)
    if package == "transformers":
        check_transformers_name(model, "a CTC model or Whisper: a directory or org/name of transformers")
    elif model:
        check_path(model, f"a model of {package}")
    class_name, _, extras, _ = _RECOGNISERS[package]
    try:
        recogniser_class = getattr(import_module(f"asr_punct.asr.{package}"), class_name)
        given, named = parse_language(language), named_language(model)
        recogniser: Recogniser = recogniser_class(model, given or named, device or "cpu")
        _warn_if_other(asr, given, named or recogniser.language or "")
        return recogniser
    except AsrPunctError:
        raise
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the recogniser {asr}", extras, str(error.name)) from None
    except (OSError, ValueError, RuntimeError, LookupError) as error:  # errors of the packages
        raise ArgumentError("asr", repr(asr), f"a model that {package} can load: {first_line(error)}") from None


def _warn_if_other(recogniser: str, given: str, own: str) -> None:
    """Warn if none of the given languages is one of the recogniser's own."""
    if given and not set(given.split("+")) & set(own.split("+")):
        language, recognised = (describe_languages(codes.split("+")) for codes in (given, own))
        _LOG.warning("the language is %s: used the recogniser %s, which is for %s", language, recogniser, recognised)


def _split_name(name: str) -> tuple[str, str]:
    kind, _, model = name.partition(":")
    if kind not in _RECOGNISERS or bool(model) != _RECOGNISERS[kind].has_models:
        raise ArgumentError("asr", repr(name), EXPECTED_RECOGNISER)
    return kind, model


def named_language(model: str) -> str | None:
    """Return the language code in the name of a model, or None."""
    match = _LANGUAGE.search(model)
    return match and (match[1] or match[2])


def open_aligner(method: str, language: str, acoustic_model: str | None = None, device: str | None = None) -> Aligner:
    """Return the aligner of one of `METHODS`: dtw uses `language`, ctc uses `acoustic_model` and `device`.

    Raises ArgumentError for an unknown method, or arguments of the other method; ModelError for an unusable model.
    """
    from asr_punct.align.methods import ctc_aligner, dtw_aligner

    if method not in METHODS:
        raise ArgumentError("method", repr(method), " or ".join(METHODS))
    if method == "dtw":
        if given := "acoustic_model" if acoustic_model else "device" if device else None:
            raise ArgumentError(given, "it with the method dtw", "the method ctc", Setting("method", "ctc"))
        return dtw_aligner(language)
    if not acoustic_model:
        raise ArgumentError("acoustic_model", "none", "a CTC model of transformers or NeMo for the method ctc")
    return ctc_aligner(open_acoustic_model(acoustic_model, device))


def open_acoustic_model(name: str, device: str | None = None) -> AcousticModel:
    """Load a CTC model: a directory or `org/name` of transformers, `transformers:NAME`, `FILE.nemo` or `nemo:NAME`.

    `device` is one of torch (None: the CPU). Raises ModelError if it is no CTC model or is missing; MissingExtraError
    without NeMo.
    """
    from asr_punct.hub import NEMO_FILE, check_path, check_transformers_name

    model = name.removeprefix("nemo:")
    if model == name and Path(name).suffix != NEMO_FILE:
        model = name.removeprefix("transformers:")
        check_transformers_name(model, _CTC_MODEL)
        from asr_punct.asr.transformers import open_ctc_model

        return open_ctc_model(model, device or "cpu")
    check_path(model, _CTC_MODEL)
    try:
        from asr_punct.asr.nemo import NemoCtcModel, load_recogniser
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the acoustic model {name!r}", "nemo", str(error.name)) from None
    return NemoCtcModel(model, load_recogniser(model, device or "cpu"))
