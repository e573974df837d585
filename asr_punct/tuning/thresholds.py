"""Thresholds, penalties and case biases of the highest F1 on a development corpus.

The threshold of one mark that maximises F1 pooled over all marks, the others' counts held, is found exactly from its
sorted scores; going round the marks until nothing changes is coordinate ascent. Optimal thresholds of calibrated
probabilities are all half of the best F1 (Lipton et al. 2014, theorem 1), so that is where each mark's threshold is
drawn to, the more the rarer it is: with n in the reference, the logit keeps n / (n + 50) of its distance; one with
fewer than 20 stays there. As marks of one word and of a pair depend on each other, `climb` then tries small changes
with the real decoder and keeps what is better by more than noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from asr_punct.decode.settings import ScoreArray
from asr_punct.decode.words import BoolArray, IntArray

SHRINK, FEWEST = 50, 20
_ROUNDS = 5
_LEAST_GAIN = 1e-4
_CASE_STEPS = np.arange(-2.0, 2.01, 0.1)
_T = TypeVar("_T")


def f1(true_positives: npt.ArrayLike, set_marks: npt.ArrayLike, support: float) -> ScoreArray:
    """2 tp / (marks set + marks of the reference), 0 where there are none."""
    return np.asarray(2 * np.asarray(true_positives) / np.maximum(np.asarray(set_marks) + support, 1))


def fit_thresholds(scores: ScoreArray, present: BoolArray) -> ScoreArray:
    """Threshold of each mark as a logit, (marks,), of the highest micro F1, shrunk as told above.

    Args:
        scores: calibrated logits, (words, marks).
        present: marks of the reference, (words, marks).
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=0)
    hits = np.concatenate([np.zeros((1, scores.shape[1])), np.take_along_axis(present, order, axis=0).cumsum(axis=0)])
    taken = np.array([(ranked[:, mark] >= 0).sum() for mark in range(scores.shape[1])])
    support = float(present.sum())
    number = np.arange(len(scores) + 1)
    marks = np.arange(scores.shape[1])
    for _ in range(_ROUNDS):
        before = taken.copy()
        for mark in marks:
            others = np.delete(marks, mark)
            found = hits[taken[others], others].sum() + hits[:, mark]
            taken[mark] = int(f1(found, taken[others].sum() + number, support).argmax())
        if (before == taken).all():
            break
    best = float(f1(hits[taken, marks].sum(), taken.sum(), support))
    centre = _logit(min(max(best / 2, 0.05), 0.5))
    count = present.sum(axis=0)
    kept = np.where(count < FEWEST, 0.0, count / (count + SHRINK))
    limits = np.array([_between(ranked[:, mark], taken[mark]) for mark in marks])
    return np.asarray(centre + kept * (np.clip(limits, centre - 3, centre + 3) - centre))


def _between(ranked: ScoreArray, taken: int) -> float:
    """A threshold that takes so many of the scores, which fall."""
    low, high = ranked[min(taken, len(ranked) - 1)], ranked[max(taken - 1, 0)]
    return float((low + high) / 2)


def climb(start: _T, changes: Sequence[Callable[[_T], Iterable[_T]]], value: Callable[[_T], float]) -> _T:
    """Coordinate ascent on settings: each change offers others, of which one better by 0.0001 or more is taken."""
    best, reached = start, value(start)
    for change in changes:
        for candidate in change(best):
            found = value(candidate)
            if found > reached + _LEAST_GAIN:
                best, reached = candidate, found
    return best


def fit_case_bias(scores: ScoreArray, cases: IntArray) -> ScoreArray:
    """What is added to each case's score, (cases,), the first one's 0, of the highest micro F1 over the others.

    Args:
        scores: calibrated log-probabilities, (words, cases).
        cases: number of each word's case, (words,).
    """
    bias = np.zeros(scores.shape[1])
    reached = _case_f1(scores + bias, cases)
    for case in range(1, scores.shape[1]):
        if (cases == case).sum() < FEWEST:
            continue
        start = bias.copy()
        for step in sorted(_CASE_STEPS, key=abs):
            candidate = start.copy()
            candidate[case] = step
            found = _case_f1(scores + candidate, cases)
            if found > reached + _LEAST_GAIN:
                bias, reached = candidate, found
    return bias


def _case_f1(scores: ScoreArray, cases: IntArray) -> float:
    chosen = scores.argmax(axis=1)
    return float(f1(((chosen == cases) & (cases > 0)).sum(), (chosen > 0).sum(), float((cases > 0).sum())))


def _logit(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))
