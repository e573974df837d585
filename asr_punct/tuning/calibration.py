"""Calibration of a model's probabilities, and how far from calibrated they are.

Platt scaling (Platt 1999) fits p' = sigmoid(a logit(p) + b) for each mark by maximum likelihood, with a normal prior
around a = 1, b = 0 so that a rare mark is moved little. The case has one temperature (Guo et al. 2017, On calibration
of modern neural networks, section 4.2). Expected calibration error (ibid. equation 3) is the mean over bins of
|share of positives - mean probability|, weighted by the bins' sizes; the bins here hold equal numbers of words
(Nixon et al. 2019, Measuring calibration in deep learning).
"""

from __future__ import annotations

import numpy as np

from asr_punct.decode.settings import Calibration, FloatArray, ScoreArray, case_logits, logits, sigmoid
from asr_punct.decode.words import BoolArray, IntArray
from asr_punct.marks import MARKS

_ROUNDS = 25
_PRIOR = 10.0
"""Weight of the prior on scale and bias: that of a standard deviation of 0.3."""
_BINS = 20
_SCALES, _TEMPERATURES = (0.2, 5.0), (0.2, 5.0)


def fit_platt(scores: ScoreArray, present: BoolArray) -> tuple[float, float]:
    """Scale and bias of one mark by Newton's method.

    Args:
        scores: logits, (words,).
        present: whether the mark stands, (words,).
    """
    inputs = np.stack([scores, np.ones_like(scores)])
    start = np.array([1.0, 0.0])
    weights = start.copy()
    for _ in range(_ROUNDS):
        probabilities = sigmoid(weights @ inputs)
        gradient = inputs @ (probabilities - present) + _PRIOR * (weights - start)
        curvature = (inputs * (probabilities * (1 - probabilities))) @ inputs.T + _PRIOR * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-6:
            break
    return float(np.clip(weights[0], *_SCALES)), float(weights[1])


def fit_temperature(probabilities: FloatArray, cases: IntArray) -> float:
    """Temperature of the case by Newton's method on its inverse.

    Args:
        probabilities: *Shape:* (words, cases).
        cases: number of each word's case, (words,).
    """
    log = case_logits(probabilities)
    true = log[np.arange(len(cases)), cases]
    inverse = 1.0
    for _ in range(_ROUNDS):
        weights = np.exp(inverse * log)
        weights /= weights.sum(axis=1, keepdims=True)
        mean = (weights * log).sum(axis=1)
        variance = (weights * log**2).sum(axis=1) - mean**2
        step = ((mean - true).sum() + _PRIOR * (inverse - 1)) / (variance.sum() + _PRIOR)
        inverse = float(np.clip(inverse - np.clip(step, -0.5, 0.5), 1 / _TEMPERATURES[1], 1 / _TEMPERATURES[0]))
        if abs(step) < 1e-6:
            break
    return 1 / inverse


def fit_calibration(marks: FloatArray, cases: FloatArray, true_marks: BoolArray, true_cases: IntArray) -> Calibration:
    """Calibration of all marks and of the case.

    Args:
        marks: probabilities, (words, marks).
        cases: probabilities, (words, cases).
        true_marks: marks of the reference, (words, marks).
        true_cases: numbers of its cases, (words,).
    """
    scores = logits(marks)
    fitted = [fit_platt(scores[:, i], true_marks[:, i]) for i in range(len(MARKS))]
    return Calibration(
        scale={mark: scale for mark, (scale, _) in zip(MARKS, fitted, strict=True)},
        bias={mark: bias for mark, (_, bias) in zip(MARKS, fitted, strict=True)},
        case_temperature=fit_temperature(cases, true_cases),
    )


def calibration_error(probabilities: ScoreArray, present: BoolArray) -> float:
    """Expected calibration error over 20 bins of equal numbers of words.

    Args:
        probabilities: of one mark, (words,).
        present: whether it stands, (words,).
    """
    order = np.argsort(probabilities, kind="stable")
    bins = zip(np.array_split(probabilities[order], _BINS), np.array_split(present[order], _BINS), strict=True)
    gaps = [abs(float(p.sum()) - float(y.sum())) for p, y in bins]
    return sum(gaps) / max(1, len(order))
