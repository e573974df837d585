"""Models whose labels are classes, each a set of marks: class weights, and logits of marks.

Class probabilities are multiplied by class weights, and the most likely class is chosen (Poláček et al. 2023, section
3.5).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from asr_punct.decode.settings import DecodeSettings, Float64Array, FloatArray
from asr_punct.decode.word_marks import BoolArray
from asr_punct.errors import AsrPunctError
from asr_punct.marks import MARKS, Mark, parse_marks

_MIN_PROBABILITY = np.finfo(np.float32).tiny


@cache
def class_marks(classes: tuple[str, ...]) -> BoolArray:
    """Return whether each class contains each mark, (classes, marks)."""
    return np.array([[mark in parse_marks(name) for mark in MARKS] for name in classes], dtype=bool)


def log_probabilities(probabilities: FloatArray) -> Float64Array:
    """Return logarithms of probabilities; that of 0 is finite."""
    return np.asarray(np.log(np.maximum(probabilities.astype(np.float64), _MIN_PROBABILITY)))


def weighted_logs(probabilities: FloatArray, weights: Sequence[float]) -> Float64Array:
    """Return the logarithms of weighted class probabilities, (words, classes)."""
    return np.asarray(log_probabilities(probabilities) + np.log(weights))


def class_mark_logits(probabilities: FloatArray, classes: tuple[str, ...], settings: DecodeSettings) -> Float64Array:
    """Return logits of marks, (words, marks): only the marks of the most likely weighted class are above 0.

    The logit of a mark is the log-probability of the most likely weighted class that contains it minus that of the most
    likely one that does not. Marks that are switched off get -inf, but their classes still compete: where one of them
    is most likely, the word gets no other mark instead.

    `probabilities` are (words, classes), with `O` among the classes. The settings give class weights, and thresholds
    above 1 for marks that are switched off.
    """
    contains = class_marks(classes)
    logs = weighted_logs(probabilities, [settings.class_weights.get(name, 1.0) for name in classes])
    result = np.full((len(logs), len(MARKS)), -np.inf)
    for mark in map(MARKS.index, possible_marks(settings, classes)):
        result[:, mark] = logs[:, contains[:, mark]].max(axis=1) - logs[:, ~contains[:, mark]].max(axis=1)
    return result


def possible_marks(settings: DecodeSettings, classes: tuple[str, ...]) -> Collection[Mark]:
    """Return the marks that are not switched off and, for a model of classes, are in one of them."""
    contained: BoolArray = class_marks(classes).max(axis=0) if classes else np.ones(len(MARKS), dtype=bool)
    return [mark for mark, known in zip(MARKS, contained, strict=True) if known and settings.thresholds[mark] <= 1]


def with_class_weights(
    settings: DecodeSettings, weights: Mapping[str, float], classes: tuple[str, ...]
) -> DecodeSettings:
    """Return the settings with their class weights multiplied by these.

    `classes` are empty for a model that decides each mark on its own: its weights are by mark, and the odds of the
    mark's threshold are divided by the weight. Raises AsrPunctError for an unknown class or mark, or a weight that is
    not above 0.
    """
    names = classes or MARKS
    for name, weight in weights.items():
        if name.upper() not in names:
            raise AsrPunctError(f"class weights: found {name!r}, expected names from {','.join(names)}")
        if not (math.isfinite(weight) and weight > 0):
            raise AsrPunctError(f"class weights: found {weight} for {name}, expected a number above 0")
    weights = {name.upper(): weight for name, weight in weights.items()}
    if classes:
        current = settings.class_weights
        product = {name: current.get(name, 1.0) * weight for name, weight in weights.items()}
        return replace(settings, class_weights={**current, **product})
    thresholds = {mark: _divide_odds(limit, weights.get(mark, 1.0)) for mark, limit in settings.thresholds.items()}
    return replace(settings, thresholds=thresholds)


def parse_class_weights(text: str) -> dict[str, float]:
    """Parse class weights such as `QUESTION=2,COMMA=0.8`.

    Raises AsrPunctError if the text has another form, or a name occurs twice.
    """
    weights: dict[str, float] = {}
    for item in text.split(","):
        name, _, weight = map(str.strip, item.partition("="))
        if name.upper() in map(str.upper, weights):
            raise AsrPunctError(f"--class-weights: found {name} twice, expected each name once")
        try:
            weights[name] = float(weight)
        except ValueError:
            raise AsrPunctError(f"--class-weights: found {item!r}, expected a name and a number as COMMA=0.8") from None
    return weights


def _divide_odds(threshold: float, weight: float) -> float:
    """Divide the odds of a threshold by a weight; a threshold above 1, which switches a mark off, does not change."""
    return threshold if threshold > 1 else threshold / (threshold + weight * (1 - threshold))
