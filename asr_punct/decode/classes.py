"""Scores of marks from the probabilities of classes, each of which is a set of marks, and the weights of both.

Probabilities are multiplied by the classes' weights, and the likeliest class wins (Poláček et al. 2023, section 3.5).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from asr_punct.decode.settings import DecodeSettings, FloatArray, ScoreArray, log_probabilities
from asr_punct.decode.words import BoolArray
from asr_punct.errors import AsrPunctError
from asr_punct.marks import MARKS, Mark, parse_marks


@cache
def class_marks(classes: tuple[str, ...]) -> BoolArray:
    """Whether each class holds each mark, (classes, marks)."""
    return np.array([[mark in parse_marks(name) for mark in MARKS] for name in classes], dtype=bool)


def weighted_logs(probabilities: FloatArray, weights: Sequence[float]) -> ScoreArray:
    """Logarithms of the probabilities of classes, (words, classes), times their weights."""
    return np.asarray(log_probabilities(probabilities) + np.log(weights))


def class_scores(probabilities: FloatArray, classes: tuple[str, ...], settings: DecodeSettings) -> ScoreArray:
    """Scores of marks, (words, marks), of which just those of the likeliest weighted class are above 0.

    That of a mark is the logarithm of the likeliest weighted class that holds it, less that of the likeliest one that
    does not. Marks that are switched off have -inf: a class counts without them, so that a word on which one is likely
    is not given another mark in its place.

    Args:
        probabilities: of the classes, (words, classes).
        classes: their names, `O` among them.
        settings: their weights, and thresholds, above 1 for marks that are switched off.
    """
    held = class_marks(classes)
    logs = weighted_logs(probabilities, [settings.class_weights.get(name, 1.0) for name in classes])
    scores = np.full((len(logs), len(MARKS)), -np.inf)
    for mark in map(MARKS.index, possible_marks(settings, classes)):
        scores[:, mark] = logs[:, held[:, mark]].max(axis=1) - logs[:, ~held[:, mark]].max(axis=1)
    return scores


def possible_marks(settings: DecodeSettings, classes: tuple[str, ...]) -> Collection[Mark]:
    """Marks that are not switched off and, where there are classes, that one of them holds."""
    enabled = settings.enabled()
    if not classes:
        return enabled
    held = class_marks(classes).max(axis=0)
    return [mark for mark in enabled if held[MARKS.index(mark)]]


def with_class_weights(
    settings: DecodeSettings, weights: Mapping[str, float], classes: tuple[str, ...]
) -> DecodeSettings:
    """The settings with those weights beside the ones they have, which are multiplied.

    Args:
        settings: of a model.
        weights: by class; for a model without classes by mark, whose threshold's odds are divided by it.
        classes: the model's; none where it decides each mark on its own.

    Raises:
        AsrPunctError: there is no such class or mark, or a weight is not above 0.
    """
    names = classes or MARKS
    for name, weight in weights.items():
        if name not in names:
            raise AsrPunctError(f"--class-weights: found {name!r}, expected names from {','.join(names)}")
        if not (math.isfinite(weight) and weight > 0):
            raise AsrPunctError(f"--class-weights: found {weight} for {name}, expected a number above 0")
    if classes:
        own = settings.class_weights
        return replace(
            settings, class_weights={**own, **{name: own.get(name, 1.0) * weights[name] for name in weights}}
        )
    moved = {mark: _moved(limit, weights.get(mark, 1.0)) for mark, limit in settings.thresholds.items()}
    return replace(settings, thresholds=moved)


def parse_class_weights(text: str) -> dict[str, float]:
    """Weights from `QUESTION=2,COMMA=0.8`.

    Raises:
        AsrPunctError: it has another form, or names one twice.
    """
    found: dict[str, float] = {}
    for item in text.split(","):
        name, _, weight = map(str.strip, item.partition("="))
        if name in found:
            raise AsrPunctError(f"--class-weights: found {name} twice, expected each name once")
        try:
            found[name] = float(weight)
        except ValueError:
            raise AsrPunctError(f"--class-weights: found {item!r}, expected a name and a number as COMMA=0.8") from None
    return found


def _moved(threshold: float, weight: float) -> float:
    """A threshold with its odds divided by a weight; what is never set stays so."""
    return threshold if threshold > 1 else threshold / (threshold + weight * (1 - threshold))
