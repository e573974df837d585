"""Speech recognisers and CTC models of other packages, behind one interface.

`--asr` names a recogniser: `pocketsphinx`, or a package and a model, such as `nemo:stt_es_conformer_ctc_large`,
`whisper:small.en` or `transformers:facebook/wav2vec2-base-960h`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from asr_punct.errors import AsrPunctError, MissingExtraError, first_line

if TYPE_CHECKING:
    from asr_punct.asr.transcribe import Recogniser

FORMS = ("pocketsphinx", "nemo:NAME", "whisper:NAME", "transformers:NAME")
NAMES = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"
"""Values of `--asr`, for messages."""
_EXTRAS = {"pocketsphinx": "pocketsphinx", "nemo": "nemo", "whisper": "whisper", "transformers": "train"}
"""The extra that installs each package."""
_LANGUAGE = re.compile(r"(?:^|/)stt_([a-z]{2})_|\.(en)$")
"""NeMo's model names begin with the language, those of English Whisper models end in `.en`."""


def open_recogniser(name: str, device: str | None = None) -> Recogniser:
    """Load a recogniser.

    Args:
        name: value of `--asr`.
        device: the CPU by default.

    Raises:
        AsrPunctError: unknown package, model or device.
        MissingExtraError: the package is not installed.
    """
    package, _, model = name.partition(":")
    if package not in _EXTRAS or bool(model) == (package == "pocketsphinx"):
        raise AsrPunctError(f"--asr: found {name!r}, expected {NAMES}")
    _check_name(package, model)
    try:
        return _open(package, model, device or "cpu")
    except AsrPunctError:
        raise
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the recogniser {name}", _EXTRAS[package], str(error.name)) from None
    except (OSError, ValueError, RuntimeError, LookupError) as error:  # each library raises its own
        reason = first_line(error)
        raise AsrPunctError(f"--asr: found {name!r}, expected a model that {package} can load: {reason}") from None


def _check_name(package: str, model: str) -> None:
    from asr_punct.hub import check_path, check_transformers_name

    if package == "transformers":
        check_transformers_name(model, "a CTC model or Whisper: a directory or org/name of transformers")
    elif model:
        check_path(model, f"a model of {package}")


def _open(package: str, model: str, device: str) -> Recogniser:
    language = named_language(model)
    if package == "pocketsphinx":
        from asr_punct.asr.pocketsphinx import PocketSphinx

        return PocketSphinx(device)
    if package == "nemo":
        from asr_punct.asr.nemo import NemoRecogniser

        return NemoRecogniser(model, language, device)
    if package == "whisper":
        from asr_punct.asr.whisper import FasterWhisper

        return FasterWhisper(model, language, device)
    from asr_punct.asr.transformers import TransformersRecogniser

    return TransformersRecogniser(model, language, device)


def named_language(model: str) -> str | None:
    """Return the language in the name of a model, or None."""
    found = _LANGUAGE.search(model)
    return found and (found[1] or found[2])
