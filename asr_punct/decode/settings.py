"""The decoder's settings, and the conversion of probabilities to logits.

The logit of a mark is logit(p) - logit(threshold), where p is the calibrated probability, so a mark is set where its
logit is above 0. Multiplying the odds of p by w equals dividing the odds of the threshold by w, so class weights of a
model that decides each mark on its own change its thresholds. `decode.classes` is for models of classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from asr_punct.marks import CASES, MARKS, Case, Mark

FloatArray = npt.NDArray[np.float32]
Float64Array = npt.NDArray[np.float64]
_MIN_PROBABILITY = 1e-6
UNOPENED_PENALTY = 2.0
"""Default penalty of a ? or ! without its opening mark."""
CAPITAL_FOLLOWS = (Mark.PERIOD, Mark.QUESTION)
"""Marks after which the next word has a capital; after ! it often has none."""


@dataclass(frozen=True)
class Calibration:
    """Platt scaling of each mark and temperature of the case (Platt 1999; Guo et al. 2017); none by default.

    `scale`, above 0, is a factor on the logit of each mark, and `bias` is added to the scaled logit.
    `case_temperature`, above 0, divides the log-probabilities of cases.
    """

    scale: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 1.0))
    bias: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.0))
    case_temperature: float = 1.0


@dataclass(frozen=True)
class DecodeSettings:
    """The decoder's settings.

    Attributes:
        thresholds: calibrated probability from which a mark is set, by mark; a threshold above 1 switches it off (see
            `switched_off`).
        unopened: penalty in logits for a QUESTION or EXCLAMATION that no ¿ or ¡ opens, by mark; 0 or more.
        calibration: calibration of the probabilities.
        case_bias: added to the calibrated log-probability of each case.
        sentence_capitals: whether . and ? need a capital after them (see `decode.capitals`).
        class_weights: factors on the probabilities of a model's classes, by name; above 0, 1 by default.
    """

    thresholds: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.5))
    unopened: Mapping[Mark, float] = field(
        default_factory=lambda: {Mark.QUESTION: UNOPENED_PENALTY, Mark.EXCLAMATION: UNOPENED_PENALTY}
    )
    calibration: Calibration = field(default_factory=Calibration)
    case_bias: Mapping[Case, float] = field(default_factory=lambda: dict.fromkeys(CASES, 0.0))
    sentence_capitals: bool = False
    class_weights: Mapping[str, float] = field(default_factory=dict)


def switched_off(threshold: float) -> float:
    """Return the threshold that switches a mark off: 1 more, so that `unwritten_end_logits` knows the threshold."""
    return 1 + max(threshold, _MIN_PROBABILITY)


def logits(probabilities: npt.NDArray[np.floating]) -> Float64Array:
    """Return log(p / (1 - p)), with p clipped to [1e-6, 1 - 1e-6]."""
    clipped = np.clip(probabilities.astype(np.float64), _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def sigmoid(values: Float64Array) -> Float64Array:
    """Return the probabilities of logits, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(values / 2)))


def calibrated_logits(probabilities: FloatArray, calibration: Calibration) -> Float64Array:
    """Return the calibrated logits of marks, (words, marks)."""
    scale = np.array([calibration.scale[mark] for mark in MARKS])
    return np.asarray(logits(probabilities) * scale + [calibration.bias[mark] for mark in MARKS])


def mark_logits(probabilities: FloatArray, settings: DecodeSettings) -> Float64Array:
    """Return calibrated logits minus those of the thresholds, (words, marks); -inf for marks that are switched off."""
    thresholds = np.array([settings.thresholds[mark] for mark in MARKS], dtype=np.float32)
    relative = calibrated_logits(probabilities, settings.calibration) - logits(thresholds)
    return np.asarray(np.where(thresholds <= 1, relative, -np.inf))


def case_logs(probabilities: FloatArray) -> Float64Array:
    """Return the log-probabilities of cases, (words, cases), with p at least 1e-6."""
    return np.asarray(np.log(np.maximum(probabilities.astype(np.float64), _MIN_PROBABILITY)))


def case_logits(probabilities: FloatArray, settings: DecodeSettings) -> Float64Array:
    """Return calibrated log-probabilities of cases plus their biases, (words, cases)."""
    bias = [settings.case_bias[case] for case in CASES]
    return np.asarray(case_logs(probabilities) / settings.calibration.case_temperature + bias)


def case_probabilities(probabilities: FloatArray, calibration: Calibration) -> Float64Array:
    """Return calibrated probabilities of cases, (words, cases)."""
    weights = np.exp(case_logs(probabilities) / calibration.case_temperature)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
