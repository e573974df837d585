"""Calibrated probabilities of the labels of each word, as `punctuate --probabilities` lists them.

They are the model's probabilities after calibration, before thresholds, class weights and the rules of pairs. Each word
lists the labels that the model set and all others with a probability of at least `MIN_LISTED`, so that three in ten of
the labels listed with 0.3 should be right, whether they are set or not.

Labels that the model did not decide have no probability: marks that are switched off or on a side that has marks in the
input, and the case of a word that already has a capital or cannot have one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asr_punct.decode.classes import class_marks, possible_marks
from asr_punct.decode.decoder import blocked_marks
from asr_punct.decode.flags import FlagArray, WordFlag, has_flag
from asr_punct.decode.settings import (
    DecodeSettings,
    Float64Array,
    FloatArray,
    calibrated_logits,
    case_probabilities,
    sigmoid,
)
from asr_punct.marks import MARKS, Case, Labels
from asr_punct.words import PROBABLE_LABELS, Probabilities

MIN_LISTED = 0.05
"""Minimum probability of a label that is listed without being set."""
_DECIMALS = 4


def label_probabilities(
    labels: FloatArray,
    cases: FloatArray,
    flags: FlagArray,
    settings: DecodeSettings,
    classes: tuple[str, ...],
    case: bool,
) -> Float64Array:
    """Return the probabilities of marks and capitals, (words, marks + capitals); NaN for those not decided.

    `labels`, `cases`, `flags` and `classes` are as in `Decoder`; `case` is whether capitals may be added.
    """
    if classes:
        marks = labels.astype(np.float64) @ class_marks(classes)
    else:
        marks = sigmoid(calibrated_logits(labels, settings.calibration))
    enabled = possible_marks(settings, classes)
    marks[:, [mark not in enabled for mark in MARKS]] = np.nan
    marks[blocked_marks(flags)] = np.nan
    capitals = case_probabilities(cases, settings.calibration)[:, 1:]
    capitals[has_flag(flags, WordFlag.CASE_FIXED) | (not case)] = np.nan
    return np.concatenate([marks, capitals], axis=1)


def list_probabilities(
    row: Sequence[float], given: Probabilities | None, given_labels: Labels, labels: Labels
) -> Probabilities:
    """Return the probabilities that a word lists.

    `row` has those of its marks and capitals, in the order of `PROBABLE_LABELS`. The probabilities and labels `given`
    are those of the input, `labels` those of the output.
    """
    added = (labels.marks - given_labels.marks) | ({labels.case} - {given_labels.case, Case.O})
    named = zip(PROBABLE_LABELS, row, strict=True)
    new = {
        name: round(value, _DECIMALS) for name, value in named if value >= MIN_LISTED or (name in added and value >= 0)
    }
    return {**(given or {}), **new}
