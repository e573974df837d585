"""Thresholds, class weights and case biases with the highest F1 on a development corpus, by coordinate ascent.

Thresholds: with those of the other marks fixed, the threshold of one mark that maximises micro F1 over all marks
follows exactly from its sorted logits; this is repeated for each mark until nothing changes. The best threshold of a
calibrated probability is half of the best F1 (Lipton et al. 2014, theorem 1), so the logit of each threshold is shrunk
towards that value: a mark with n occurrences keeps n / (n + 50) of the distance, and none if n < 20.

Class weights (Poláček et al. 2023, sections 3.5 and 4.2): as the weight of one class grows, it becomes the most likely
class of one word after the other: a word switches where the logarithm of the weight exceeds the log-probability of its
best other class minus that of this class. With the other weights fixed, the best weight follows exactly from these
differences; this too is repeated. `O` and classes with fewer than 20 words in the reference keep the weight 1.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from asr_punct.decode.inputs import BoolArray, Float64Array, FloatArray, IntArray, class_marks, log_probabilities
from asr_punct.marks import NO_MARKS

MIN_COUNT = 20
"""Marks, classes and cases with fewer occurrences in the reference are not fitted."""
_SHRINKAGE = 50
_ITERATIONS = 5
_WEIGHT_ITERATIONS = 20
_MIN_WEIGHT_GAIN = 1e-6
_MIN_GAP = 1e-9
_MAX_LOG_WEIGHT = np.log(100.0)
_MIN_GAIN = 1e-4
_CASE_BIASES = sorted(np.arange(-2.0, 2.01, 0.1), key=abs)
_T = TypeVar("_T")


def pooled_f1(true_positives: npt.ArrayLike, predicted: npt.ArrayLike, support: float) -> Float64Array:
    """Return F1 = 2 tp / (predicted + support), 0 where both are 0."""
    return np.asarray(2 * np.asarray(true_positives) / np.maximum(np.asarray(predicted) + support, 1))


def fit_thresholds(logits: Float64Array, present: BoolArray) -> Float64Array:
    """Return the threshold of each mark as a logit, (marks,).

    Calibrated `logits`, and the marks that are `present` in the reference, are (words, marks).
    """
    order = np.argsort(-logits, axis=0, kind="stable")
    ranked = np.take_along_axis(logits, order, axis=0)
    hits = np.concatenate([np.zeros((1, logits.shape[1])), np.take_along_axis(present, order, axis=0).cumsum(axis=0)])
    predicted = (ranked >= 0).sum(axis=0)
    support = float(present.sum())
    ranks = np.arange(len(logits) + 1)
    marks = np.arange(logits.shape[1])
    for _ in range(_ITERATIONS):
        before = predicted.copy()
        for mark in marks:
            others = np.delete(marks, mark)
            true_positives = hits[predicted[others], others].sum() + hits[:, mark]
            predicted[mark] = int(pooled_f1(true_positives, predicted[others].sum() + ranks, support).argmax())
        if (before == predicted).all():
            break
    best_f1 = float(pooled_f1(hits[predicted, marks].sum(), predicted.sum(), support))
    half = min(max(best_f1 / 2, 0.05), 0.5)
    centre = np.log(half / (1 - half))
    count = present.sum(axis=0)
    kept = np.where(count < MIN_COUNT, 0.0, count / (count + _SHRINKAGE))
    limits = (ranked[np.minimum(predicted, len(ranked) - 1), marks] + ranked[np.maximum(predicted - 1, 0), marks]) / 2
    return np.asarray(centre + kept * (np.clip(limits, centre - 3, centre + 3) - centre))


def climb(start: _T, changes: Sequence[Callable[[_T], Iterable[_T]]], value: Callable[[_T], float]) -> _T:
    """Maximise `value` by coordinate ascent, and return the best of `start` and its changes.

    `changes` are functions that return candidates from the best one so far. A candidate that is better by more than
    0.0001 becomes the best one.
    """
    best, best_value = start, value(start)
    for change in changes:
        for candidate in change(best):
            found = value(candidate)
            if found > best_value + _MIN_GAIN:
                best, best_value = candidate, found
    return best


def fit_case_bias(logits: Float64Array, cases: IntArray) -> Float64Array:
    """Return the bias of each case, (cases,), with the highest micro F1 of capitals; the bias of case O is 0.

    `logits` are calibrated log-probabilities, (words, cases); `cases` are the indices of the reference's cases,
    (words,).
    """

    def with_bias(case: int, bias: Float64Array) -> list[Float64Array]:
        return [np.where(np.arange(len(bias)) == case, value, bias) for value in _CASE_BIASES]

    def case_f1(bias: Float64Array) -> float:
        chosen = (logits + bias).argmax(axis=1)
        hits = ((chosen == cases) & (cases > 0)).sum()
        return float(pooled_f1(hits, (chosen > 0).sum(), float((cases > 0).sum())))

    frequent = [case for case in range(1, logits.shape[1]) if (cases == case).sum() >= MIN_COUNT]
    changes = [lambda bias, case=case: with_bias(case, bias) for case in frequent]
    return climb(np.zeros(logits.shape[1]), changes, case_f1)


def fit_class_weights(probabilities: FloatArray, classes: tuple[str, ...], true_marks: BoolArray) -> dict[str, float]:
    """Return the weight of each class that gives the highest micro F1 of the most likely weighted class.

    `probabilities` are (words, classes), with `O` among the classes; `true_marks` of the reference are (words, marks).
    """
    contains = class_marks(classes)
    logs = log_probabilities(probabilities)
    hits = true_marks.astype(np.int64) @ contains.T.astype(np.int64)
    sizes, support = contains.sum(axis=1), float(true_marks.sum())
    counts = [int((true_marks == marks).all(axis=1).sum()) for marks in contains]
    frequent = [i for i, name in enumerate(classes) if name != NO_MARKS and counts[i] >= MIN_COUNT]
    log_weights = np.zeros(len(classes))
    best = -1.0
    for _ in range(_WEIGHT_ITERATIONS):
        before = best
        for index in frequent:
            log_weights[index], best = _best_weight(logs + log_weights, index, log_weights[index], hits, sizes, support)
        if best <= before + _MIN_WEIGHT_GAIN:
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
    scores = pooled_f1(true_positives, predicted, support)
    bounds = np.clip([-np.inf, *limits, np.inf], -_MAX_LOG_WEIGHT, _MAX_LOG_WEIGHT)
    reachable = np.where(np.diff(bounds) > _MIN_GAP, scores, -1.0)
    best = int(reachable.argmax())
    unchanged = float(scores[np.searchsorted(limits, current)])
    if reachable[best] <= unchanged:
        return current, unchanged
    return float((bounds[best] + bounds[best + 1]) / 2), float(reachable[best])
