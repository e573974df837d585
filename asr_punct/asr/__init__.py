"""Speech recognisers that are installed beside this package: audio in, words with times out, through one interface.

A recogniser is named as `--asr` has it: `pocketsphinx`, or a kind and what the model is called there, such as
`nemo:stt_es_conformer_ctc_large`, `whisper:small.en` or `transformers:facebook/wav2vec2-base-960h`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from asr_punct.errors import AsrPunctError, MissingExtraError, first_line

if TYPE_CHECKING:
    from asr_punct.asr.transcribe import Recogniser

FORMS = ("pocketsphinx", "nemo:NAME", "whisper:NAME", "transformers:NAME")
NAMES = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"
"""What `--asr` takes, for people."""
_LANGUAGE = re.compile(r"(?:^|/)stt_([a-z]{2})_|\.(en)$")
"""What the names of NeMo's models begin with, and those of English Whisper models end in."""
_Opener = Callable[[str, str | None, str], "Recogniser"]
"""Model, language and device."""


def open_recogniser(name: str, device: str | None = None) -> Recogniser:
    """The recogniser of that name, with its model loaded.

    Args:
        name: as `--asr` has it.
        device: where it runs; the CPU by default.

    Raises:
        AsrPunctError: there is no such kind, model or device.
        MissingExtraError: its package is not installed.
    """
    kind, _, model = name.partition(":")
    if kind not in _OPENERS or bool(model) == (kind == "pocketsphinx"):
        raise AsrPunctError(f"--asr: found {name!r}, expected {NAMES}")
    _check_name(kind, model)
    try:
        return _OPENERS[kind](model, named_language(model), device or "cpu")
    except AsrPunctError:
        raise
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the recogniser {name}", _EXTRAS[kind], str(error.name)) from None
    except (OSError, ValueError, RuntimeError, LookupError) as error:  # each library has its own
        reason = first_line(error)
        raise AsrPunctError(f"--asr: found {name!r}, expected a model that {kind} can load: {reason}") from None


def _check_name(kind: str, model: str) -> None:
    from asr_punct.asr.names import check_path, check_transformers_name

    if kind == "transformers":
        check_transformers_name(model, "a CTC model or Whisper: a directory or org/name of transformers")
    elif model:
        check_path(model, f"a model of {kind}")


def named_language(model: str) -> str | None:
    """The language that the name of a model says, None where it says none."""
    found = _LANGUAGE.search(model)
    return found and (found[1] or found[2])


def _open_pocketsphinx(_model: str, _language: str | None, device: str) -> Recogniser:
    from asr_punct.asr.pocketsphinx import PocketSphinx

    return PocketSphinx(device)


def _open_nemo(model: str, language: str | None, device: str) -> Recogniser:
    from asr_punct.asr.nemo import NemoRecogniser

    return NemoRecogniser(model, language, device)


def _open_whisper(model: str, language: str | None, device: str) -> Recogniser:
    from asr_punct.asr.whisper import open_whisper

    return open_whisper(model, language, device)


def _open_transformers(model: str, language: str | None, device: str) -> Recogniser:
    from asr_punct.asr.transformers import TransformersRecogniser

    return TransformersRecogniser(model, language, device)


_OPENERS: dict[str, _Opener] = {
    "pocketsphinx": _open_pocketsphinx,
    "nemo": _open_nemo,
    "whisper": _open_whisper,
    "transformers": _open_transformers,
}
_EXTRAS = {"pocketsphinx": "pocketsphinx", "nemo": "nemo", "whisper": "whisper", "transformers": "train"}
"""What brings each kind's package."""
