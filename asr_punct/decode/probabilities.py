"""How likely each label is by a model, whatever was decided.

These are the probabilities that the model gives, calibrated where it has a calibration (`decode.settings`): before
thresholds, class weights, the balance of pairs and the search for a sentence's case, all of which decide by more than
what is likely. A word carries those of the labels that it was given and of all others that are at least `LEAST` likely.
Which are listed so depends on the probability alone: of what is listed with 0.3, three in ten should be right, whether
it was set or not, and a reliability diagram of it from `LEAST` on is that of all decisions. Listing the likeliest label
alone would leave out second ones, and listing those that were set would show none of the marks that are missing.

What was no decision of the model has no probability: marks that are switched off or cannot stand beside those of the
input, and the case of a word that came with a capital or can have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asr_punct.decode.classes import class_marks, possible_marks
from asr_punct.decode.decoder import CASE_FIXED, IS_LEFT, LEFT_TAKEN, RIGHT_TAKEN, Flags
from asr_punct.decode.settings import (
    DecodeSettings,
    FloatArray,
    ScoreArray,
    calibrated_logits,
    case_probabilities,
    sigmoid,
)
from asr_punct.marks import MARKS, Case, Labels
from asr_punct.words import PROBABLE, Probabilities

LEAST = 0.05
"""Least probability of a label that was not set, but is listed."""
_DECIMALS = 4


def label_probabilities(
    labels: FloatArray,
    cases: FloatArray,
    flags: Flags,
    settings: DecodeSettings,
    classes: tuple[str, ...],
    case: bool,
) -> ScoreArray:
    """Probabilities of marks and capitals, (words, marks and capitals), NaN where nothing is decided.

    Args:
        labels: of the marks, (words, marks), or of their classes, as the model gives them.
        cases: of the cases, (words, cases).
        flags: of what stands in the input, (words,).
        settings: of the model.
        classes: the model's; none where it decides each mark on its own.
        case: whether capitals may be added.
    """
    if classes:
        marks = labels.astype(np.float64) @ class_marks(classes)
    else:
        marks = sigmoid(calibrated_logits(labels, settings.calibration))
    enabled = possible_marks(settings, classes)
    marks[:, [mark not in enabled for mark in MARKS]] = np.nan
    for flag, side in ((LEFT_TAKEN, IS_LEFT), (RIGHT_TAKEN, ~IS_LEFT)):
        marks[np.outer(flags & flag > 0, side)] = np.nan
    capitals = case_probabilities(cases, settings.calibration)[:, 1:]
    capitals[(flags & CASE_FIXED > 0) | (not case)] = np.nan
    return np.concatenate([marks, capitals], axis=1)


def listed_probabilities(
    row: Sequence[float] | None, own: Probabilities | None, given: Labels, labels: Labels
) -> Probabilities | None:
    """What a word carries.

    Args:
        row: its probabilities, of marks and capitals; None of a token that is marks alone.
        own: those that it came with, or None.
        given: labels that it came with.
        labels: its labels now.
    """
    if row is None:
        return own
    added = {*(labels.marks - given.marks), *({labels.case} - {given.case, Case.O})}
    known = zip(PROBABLE, row, strict=True)
    new = {name: round(value, _DECIMALS) for name, value in known if value >= LEAST or (name in added and value >= 0)}
    return {**(own or {}), **new}
