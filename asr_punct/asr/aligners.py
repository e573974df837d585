"""CTC models that the aligner listens with, by name: of transformers, or of NeMo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from asr_punct.errors import AsrPunctError, MissingExtraError

if TYPE_CHECKING:
    from asr_punct.align.emissions import AcousticModel
    from asr_punct.align.methods import Aligner

METHODS = ("dtw", "ctc")
_NEMO, _TRANSFORMERS = "nemo:", "transformers:"
_EXPECTED = "a CTC model: a directory or org/name of transformers, FILE.nemo, or nemo:NAME"


def open_aligner(method: str, language: str, acoustic_model: str | None = None, device: str | None = None) -> Aligner:
    """The aligner of a method.

    Args:
        method: one of `METHODS`.
        language: of the text, or several joined by `+`; dtw speaks it.
        acoustic_model: what ctc listens with, as `open_acoustic_model` takes it.
        device: where that runs.

    Raises:
        AsrPunctError: no such method, or the model is missing, not wanted or not to be used.
        MissingExtraError: NeMo is not installed.
    """
    from asr_punct.align.methods import CtcAligner, DtwAligner

    if method not in METHODS:
        raise AsrPunctError(f"--method: found {method!r}, expected {' or '.join(METHODS)}")
    if method == "dtw":
        given = "--acoustic-model" if acoustic_model else "--device" if device else None
        if given:
            raise AsrPunctError(f"{given}: found it with --method dtw, expected --method ctc")
        return DtwAligner(language)
    if not acoustic_model:
        raise AsrPunctError("--method ctc: found no --acoustic-model, expected a CTC model of transformers or NeMo")
    return CtcAligner(open_acoustic_model(acoustic_model, device))


def open_acoustic_model(name: str, device: str | None = None) -> AcousticModel:
    """A CTC model.

    Args:
        name: a directory or `org/name` of transformers (`transformers:` may stand before it), a `.nemo` file, or
            `nemo:` and a name that NeMo knows.
        device: where it runs; on the CPU where none is given.

    Raises:
        ModelError: there is no such model, or it is no CTC model.
        MissingExtraError: NeMo is not installed.
    """
    from asr_punct.asr.names import NEMO_FILE, check_path, check_transformers_name

    if not name.startswith(_NEMO) and Path(name).suffix != NEMO_FILE:
        check_transformers_name(name.removeprefix(_TRANSFORMERS), _EXPECTED)
        from asr_punct.asr.transformers import open_transformers_model

        return open_transformers_model(name.removeprefix(_TRANSFORMERS), device or "cpu")
    check_path(name.removeprefix(_NEMO), _EXPECTED)
    try:
        from asr_punct.asr.nemo import open_nemo_model
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the acoustic model {name!r}", "nemo", str(error.name)) from None
    return open_nemo_model(name.removeprefix(_NEMO), device or "cpu")
