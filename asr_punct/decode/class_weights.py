"""Class weights with the highest F1 on a development corpus (Poláček et al. 2023, sections 3.5 and 4.2).

As the weight of one class grows, it becomes the most likely class of one word after the other: a word switches where
the logarithm of the weight exceeds the log-probability of its best other class minus that of this class. With the other
weights fixed, the best weight follows exactly from these differences; this is repeated for each class until nothing
changes (coordinate ascent). `O` and classes with fewer than 20 words in the reference keep the weight 1.
"""

from __future__ import annotations

import numpy as np

from asr_punct.decode.classes import class_marks, weighted_logs
from asr_punct.decode.settings import Float64Array, FloatArray
from asr_punct.decode.thresholds import MIN_COUNT, f1
from asr_punct.decode.word_marks import BoolArray, IntArray
from asr_punct.marks import NO_MARKS

_ITERATIONS = 20
_MIN_GAIN = 1e-6
_MIN_GAP = 1e-9
_MAX_LOG_WEIGHT = np.log(100.0)


def fit_class_weights(probabilities: FloatArray, classes: tuple[str, ...], true_marks: BoolArray) -> dict[str, float]:
    """Return the weight of each class that gives the highest micro F1 of the most likely weighted class.

    `probabilities` are (words, classes), with `O` among the classes; `true_marks` of the reference are (words, marks).
    """
    contains = class_marks(classes)
    logs = weighted_logs(probabilities, [1.0] * len(classes))
    hits = true_marks.astype(np.int64) @ contains.T.astype(np.int64)
    sizes, support = contains.sum(axis=1), float(true_marks.sum())
    counts = [int((true_marks == marks).all(axis=1).sum()) for marks in contains]
    frequent = [i for i, name in enumerate(classes) if name != NO_MARKS and counts[i] >= MIN_COUNT]
    log_weights = np.zeros(len(classes))
    best = -1.0
    for _ in range(_ITERATIONS):
        before = best
        for index in frequent:
            log_weights[index], best = _best_weight(logs + log_weights, index, log_weights[index], hits, sizes, support)
        if best <= before + _MIN_GAIN:
            break
    return {name: float(np.exp(weight)) for name, weight in zip(classes, log_weights, strict=True)}


def _best_weight(
    logs: Float64Array, index: int, current: float, hits: IntArray, sizes: IntArray, support: float
) -> tuple[float, float]:
    """Return the logarithm of the best weight of one class, and its F1.

    `logs` are logarithms of the weighted probabilities, (words, classes), and `current` that of the weight that the
    class has in them. `hits` has the number of right marks if a word gets a class, (words, classes), `sizes` the number
    of marks of each class, (classes,), and `support` that of the reference.
    """
    others = logs.copy()
    others[:, index] = -np.inf
    best_other = others.argmax(axis=1)
    switch_at = others[np.arange(len(logs)), best_other] - logs[:, index] + current
    order = np.argsort(switch_at, kind="stable")
    limits = switch_at[order]
    new_hits = hits[order, index] - hits[order, best_other[order]]
    new_marks = sizes[index] - sizes[best_other[order]]
    true_positives = hits[np.arange(len(logs)), best_other].sum() + np.concatenate([[0], np.cumsum(new_hits)])
    predicted = sizes[best_other].sum() + np.concatenate([[0], np.cumsum(new_marks)])
    scores = f1(true_positives, predicted, support)
    bounds = np.clip([-np.inf, *limits, np.inf], -_MAX_LOG_WEIGHT, _MAX_LOG_WEIGHT)
    reachable = np.where(np.diff(bounds) > _MIN_GAP, scores, -1.0)
    best = int(reachable.argmax())
    unchanged = float(scores[np.searchsorted(limits, current)])
    if reachable[best] <= unchanged:
        return current, unchanged
    return float((bounds[best] + bounds[best + 1]) / 2), float(reachable[best])
