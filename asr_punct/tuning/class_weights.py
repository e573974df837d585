"""Weights of classes of the highest F1 on a development corpus (Poláček et al. 2023, sections 3.5 and 4.2).

As a class's weight grows, words change to it one after the other, in the order of how much it lacks to the likeliest
other class. So its best weight, the others held, is found exactly from these distances; going round the classes until
nothing changes is coordinate ascent. `O` keeps 1, and so does a class with fewer than 20 words in the reference.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from asr_punct.decode.classes import class_marks, weighted_logs
from asr_punct.decode.settings import FloatArray, ScoreArray
from asr_punct.decode.words import BoolArray, IntArray
from asr_punct.marks import NO_MARKS
from asr_punct.tuning.thresholds import FEWEST, f1

_ROUNDS = 20
_LEAST_GAIN = 1e-6
_LEAST_GAP = 1e-9
_LARGEST = np.log(100.0)
"""Of the logarithm of a weight."""


def fit_class_weights(probabilities: FloatArray, classes: tuple[str, ...], true_marks: BoolArray) -> dict[str, float]:
    """Weight of each class of the highest micro F1 over all marks, where the likeliest weighted class is set.

    Args:
        probabilities: of the classes, (words, classes).
        classes: their names, `O` among them.
        true_marks: marks of the reference, (words, marks).
    """
    held = class_marks(classes)
    logs = weighted_logs(probabilities, [1.0] * len(classes))
    hits = (true_marks.astype(np.int64) @ held.T.astype(np.int64)).astype(np.int64)
    sizes, support = held.sum(axis=1), float(true_marks.sum())
    words = [int((true_marks == marks).all(axis=1).sum()) for marks in held]
    weights = np.zeros(len(classes))
    reached = -1.0
    for _ in range(_ROUNDS):
        before = reached
        for number in range(len(classes)):
            if classes[number] != NO_MARKS and words[number] >= FEWEST:
                weights[number], reached = _best_weight(logs + weights, number, weights[number], hits, sizes, support)
        if reached <= before + _LEAST_GAIN:
            break
    return {name: float(np.exp(weight)) for name, weight in zip(classes, weights, strict=True)}


def _best_weight(
    scores: ScoreArray, number: int, own: float, hits: IntArray, sizes: npt.NDArray[np.integer], support: float
) -> tuple[float, float]:
    """Logarithm of the best weight of one class, and the F1 that it gives.

    Args:
        scores: weighted logarithms, (words, classes).
        number: which class.
        own: logarithm of its weight in them.
        hits: marks that each class finds rightly, (words, classes).
        sizes: marks of each class, (classes,).
        support: marks of the reference.
    """
    rest = scores.copy()
    rest[:, number] = -np.inf
    other = rest.argmax(axis=1)
    lacking = rest[np.arange(len(rest)), other] - scores[:, number] + own
    order = np.argsort(lacking, kind="stable")
    limits = lacking[order]
    gained = hits[order, number] - hits[order, other[order]]
    added = sizes[number] - sizes[other[order]]
    right = hits[np.arange(len(rest)), other].sum() + np.concatenate([[0], np.cumsum(gained)])
    found = sizes[other].sum() + np.concatenate([[0], np.cumsum(added)])
    bounds = np.concatenate([[-_LARGEST], np.clip(limits, -_LARGEST, _LARGEST), [_LARGEST]])
    values = np.where(np.diff(bounds) > _LEAST_GAP, f1(right, found, support), -1.0)
    best = int(values.argmax())
    kept = float(f1(right, found, support)[np.searchsorted(limits, own)])
    if values[best] <= kept:
        return own, kept
    return float((bounds[best] + bounds[best + 1]) / 2), float(values[best])
