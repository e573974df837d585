"""Opens the aligner of `--method` and the CTC model of `--acoustic-model`."""

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
    """Return the aligner of one of `METHODS`: dtw uses `language`, ctc uses `acoustic_model` and `device`.

    Raises AsrPunctError for an unknown method, an unusable model, or options of the other method; MissingExtraError if
    NeMo is not installed.
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
    """Load a CTC model.

    `name` is a directory or `org/name` of transformers, `transformers:NAME`, `FILE.nemo`, or `nemo:NAME`; `device` is
    one of torch, None for the CPU. Raises ModelError if there is no such model, or it is not a CTC model;
    MissingExtraError if NeMo is not installed.
    """
    from asr_punct.hub import NEMO_FILE, check_path, check_transformers_name

    if not name.startswith(_NEMO) and Path(name).suffix != NEMO_FILE:
        name = name.removeprefix(_TRANSFORMERS)
        check_transformers_name(name, _EXPECTED)
        from asr_punct.asr.transformers import open_ctc_model

        return open_ctc_model(name, device or "cpu")
    check_path(name.removeprefix(_NEMO), _EXPECTED)
    try:
        from asr_punct.asr.nemo import NemoCtcModel, load_recogniser
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the acoustic model {name!r}", "nemo", str(error.name)) from None
    name = name.removeprefix(_NEMO)
    return NemoCtcModel(name, load_recogniser(name, device or "cpu"))
