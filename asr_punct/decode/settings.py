"""What turns a model's probabilities into scores that can be added up: calibration, thresholds, penalties.

The score of a mark on a word is logit(p) - logit(threshold) with p the calibrated probability: above 0 the mark is
worth setting. A class weight w on the odds is the same as a threshold whose odds are divided by w, so thresholds are
the only class weights of models that decide each mark on its own. Those of models of classes: `decode.classes`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from asr_punct.marks import CASES, MARKS, Case, Mark

FloatArray = npt.NDArray[np.float32]
ScoreArray = npt.NDArray[np.float64]
_SMALLEST = 1e-6
_LEAST_PROBABILITY = np.finfo(np.float32).tiny
UNOPENED = 2.0
"""Penalty of a ? or ! without its opening mark where none was tuned."""

CAPITAL_FOLLOWS = (Mark.PERIOD, Mark.QUESTION)
"""Marks after which a sentence begins; after a ! often none does."""


@dataclass(frozen=True)
class Calibration:
    """Platt scaling of each mark and temperature of the case (Platt 1999; Guo et al. 2017); none by default.

    Attributes:
        scale: factor on the logit, by mark; above 0.
        bias: what is added to the logit after that, by mark.
        case_temperature: the case's log-probabilities are divided by it; above 0.
    """

    scale: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 1.0))
    bias: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.0))
    case_temperature: float = 1.0


@dataclass(frozen=True)
class DecodeSettings:
    """What decoding a model's probabilities needs.

    Attributes:
        thresholds: calibrated probability from which a mark is set, by mark; above 1 it never is.
        unopened: what a ? or ! costs without ¿ or ¡ before it, in logits; 0 or more.
        calibration: of the probabilities.
        case_bias: what is added to the calibrated log-probability of a case.
        sentence_capitals: whether the word after a . or ? has a capital. Both are then decided together: what the
            capital costs that word is taken off the mark's score.
        class_weights: factors on the probabilities of a model's classes, by name; above 0, and 1 where none is given.
    """

    thresholds: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.5))
    unopened: Mapping[Mark, float] = field(
        default_factory=lambda: {Mark.QUESTION: UNOPENED, Mark.EXCLAMATION: UNOPENED}
    )
    calibration: Calibration = field(default_factory=Calibration)
    case_bias: Mapping[Case, float] = field(default_factory=lambda: dict.fromkeys(CASES, 0.0))
    sentence_capitals: bool = False
    class_weights: Mapping[str, float] = field(default_factory=dict)

    def enabled(self) -> Collection[Mark]:
        """Marks that are not switched off."""
        return [mark for mark in MARKS if self.thresholds[mark] <= 1]


def logits(probabilities: npt.NDArray[np.floating]) -> ScoreArray:
    """log(p / (1 - p)) with p kept from 0 and 1 by a millionth."""
    clipped = np.clip(probabilities.astype(np.float64), _SMALLEST, 1 - _SMALLEST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def case_logits(probabilities: FloatArray) -> ScoreArray:
    """Logits of cases, (words, cases): log p with p kept from 0 by a millionth."""
    return np.asarray(np.log(np.maximum(probabilities.astype(np.float64), _SMALLEST)))


def sigmoid(values: ScoreArray) -> ScoreArray:
    """Inverse of `logits`: probabilities; no logit is too large."""
    return np.asarray(0.5 * (1 + np.tanh(values / 2)))


def log_probabilities(probabilities: FloatArray) -> ScoreArray:
    """Logarithms of probabilities; that of 0 is finite."""
    return np.asarray(np.log(np.maximum(probabilities.astype(np.float64), _LEAST_PROBABILITY)))


def calibrated_logits(probabilities: FloatArray, calibration: Calibration) -> ScoreArray:
    """Logits of the calibrated probabilities of marks, (words, marks)."""
    scale = np.array([calibration.scale[mark] for mark in MARKS])
    return np.asarray(logits(probabilities) * scale + [calibration.bias[mark] for mark in MARKS])


def mark_scores(probabilities: FloatArray, settings: DecodeSettings) -> ScoreArray:
    """Scores of marks, (words, marks): logit(p) - logit(threshold), -inf for marks that are switched off."""
    thresholds = np.array([settings.thresholds[mark] for mark in MARKS], dtype=np.float32)
    scores = calibrated_logits(probabilities, settings.calibration) - logits(thresholds)
    return np.asarray(np.where(thresholds <= 1, scores, -np.inf))


def case_scores(probabilities: FloatArray, settings: DecodeSettings) -> ScoreArray:
    """Scores of cases, (words, cases); the highest is the word's case."""
    bias = [settings.case_bias[case] for case in CASES]
    return np.asarray(_calibrated_case_logs(probabilities, settings.calibration) + bias)


def case_probabilities(probabilities: FloatArray, calibration: Calibration) -> ScoreArray:
    """Calibrated probabilities of cases, (words, cases)."""
    weights = np.exp(_calibrated_case_logs(probabilities, calibration))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _calibrated_case_logs(probabilities: FloatArray, calibration: Calibration) -> ScoreArray:
    return np.asarray(case_logits(probabilities) / calibration.case_temperature)
