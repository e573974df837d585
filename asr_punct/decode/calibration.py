"""Calibrate a model's probabilities on a development corpus, and measure how well calibrated they are.

Platt scaling (Platt 1999) fits p' = sigmoid(a logit(p) + b) for each mark by maximum likelihood, with a normal prior
around a = 1, b = 0 so that rare marks hardly change. Cases have one temperature (Guo et al. 2017, On calibration of
modern neural networks, section 4.2).
"""

import numpy as np

from asr_punct.decode.inputs import BoolArray, Float64Array, FloatArray, IntArray, case_logs, logits, sigmoid
from asr_punct.decode.settings import Calibration
from asr_punct.marks import MARKS

_ITERATIONS = 25
_PRIOR = 10.0
"""Precision (inverse variance) of the prior; its standard deviation is 0.3."""
_BINS = 20
_MIN_SCALE, _MAX_SCALE = 0.2, 5.0
"""Bounds of scales and temperatures."""


def fit_calibration(
    mark_probabilities: FloatArray, case_probabilities: FloatArray, true_marks: BoolArray, true_cases: IntArray
) -> Calibration:
    """Fit the calibration of all marks and of the case.

    Args:
        mark_probabilities: (words, marks).
        case_probabilities: (words, cases).
        true_marks: whether the reference has each mark, (words, marks).
        true_cases: index of the reference's case, (words,).
    """
    values = logits(mark_probabilities)
    fitted = [fit_platt(values[:, i], true_marks[:, i]) for i in range(len(MARKS))]
    return Calibration(
        scale={mark: scale for mark, (scale, _) in zip(MARKS, fitted, strict=True)},
        bias={mark: bias for mark, (_, bias) in zip(MARKS, fitted, strict=True)},
        case_temperature=fit_temperature(case_probabilities, true_cases),
    )


def fit_platt(values: Float64Array, present: BoolArray) -> tuple[float, float]:
    """Return scale and bias of one mark, fitted by Newton's method.

    `values` are its logits, and `present` whether the reference has it, both (words,).
    """
    inputs = np.stack([values, np.ones_like(values)])
    start = np.array([1.0, 0.0])
    weights = start.copy()
    for _ in range(_ITERATIONS):
        probabilities = sigmoid(weights @ inputs)
        gradient = inputs @ (probabilities - present) + _PRIOR * (weights - start)
        hessian = (inputs * (probabilities * (1 - probabilities))) @ inputs.T + _PRIOR * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        weights = weights - step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-6:
            break
    return float(np.clip(weights[0], _MIN_SCALE, _MAX_SCALE)), float(weights[1])


def fit_temperature(probabilities: FloatArray, true_cases: IntArray) -> float:
    """Return the temperature of the case, fitted by Newton's method on its inverse.

    `probabilities` are (words, cases), and `true_cases` the indices of the reference's cases, (words,).
    """
    logs = case_logs(probabilities)
    true = logs[np.arange(len(true_cases)), true_cases]
    inverse = 1.0
    for _ in range(_ITERATIONS):
        weights = np.exp(inverse * logs)
        weights /= weights.sum(axis=1, keepdims=True)
        mean = (weights * logs).sum(axis=1)
        variance = (weights * logs**2).sum(axis=1) - mean**2
        step = ((mean - true).sum() + _PRIOR * (inverse - 1)) / (variance.sum() + _PRIOR)
        inverse = float(np.clip(inverse - np.clip(step, -0.5, 0.5), 1 / _MAX_SCALE, 1 / _MIN_SCALE))
        if abs(step) < 1e-6:
            break
    return 1 / inverse


def calibration_error(probabilities: Float64Array, present: BoolArray) -> float:
    """Return the expected calibration error of one mark over 20 bins of equal numbers of words.

    This is the mean of |share of positives - mean probability|, weighted by bin size (Guo et al. 2017, equation 3; bins
    of equal size: Nixon et al. 2019, Measuring calibration in deep learning). It is 0 for an empty corpus. Both
    arguments are (words,); `present` is whether the reference has the mark.
    """
    order = np.argsort(probabilities, kind="stable")
    bins = zip(np.array_split(probabilities[order], _BINS), np.array_split(present[order], _BINS), strict=True)
    gaps = [abs(float(p.sum()) - float(y.sum())) for p, y in bins]
    return sum(gaps) / max(1, len(order))
