"""Fit the decoder's settings on a development corpus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from asr_punct.decode.calibration import calibration_error, fit_calibration
from asr_punct.decode.decoder import Decoder
from asr_punct.decode.inputs import (
    CAPITAL_MARKS,
    BoolArray,
    FlagArray,
    FloatArray,
    IntArray,
    WordFlag,
    calibrated_logits,
    case_logits,
    has_flag,
    sigmoid,
)
from asr_punct.decode.settings import DecodeSettings, new_settings
from asr_punct.decode.thresholds import (
    MIN_COUNT,
    climb,
    fit_case_bias,
    fit_class_weights,
    fit_thresholds,
    pooled_f1,
)
from asr_punct.languages import DEFAULT_LANGUAGE
from asr_punct.marks import CASES, MARKS, Case, Mark

_PENALTIES = (0.0, 1.0, 3.0, 4.0, 6.0)
"""Candidates for `DecodeSettings.unopened`."""
_THRESHOLD_STEPS = (-0.5, -0.25, 0.25, 0.5)
"""Candidates for a change of a threshold's logit."""
_MIN_CAPITALS = 0.9
"""Smallest share of capitals after . and ? for which `DecodeSettings.sentence_capitals` is tried."""
_Change = Callable[[DecodeSettings], Sequence[DecodeSettings]]


@dataclass(frozen=True)
class DevSet:
    """A model's probabilities for a development corpus, and its labels.

    Attributes:
        labels: probabilities of marks or of classes, (words, labels).
        cases: probabilities of cases, (words, cases).
        true_marks: marks of the reference, (words, marks).
        true_cases: indices of the reference's cases, (words,).
        ends: index after the last word of each document.
        flags: flags of the words, (words,).
        classes: names of the classes; empty if the labels are marks.
        language: code of the model's language.
    """

    labels: FloatArray
    cases: FloatArray
    true_marks: BoolArray
    true_cases: IntArray
    ends: tuple[int, ...]
    flags: FlagArray
    classes: tuple[str, ...] = ()
    language: str = DEFAULT_LANGUAGE


def fit_settings(dev: DevSet) -> DecodeSettings:
    """Return the settings with the highest micro F1.

    For a model of classes, fit class weights. For other models, fit calibration and thresholds, then try small changes
    of thresholds and, in languages with ¿ and ¡, penalties, and keep those that improve the decoder's output. Case
    biases are fitted for both.
    """
    return _fit_class_weights(dev) if dev.classes else _fit_thresholds(dev)


def decoded_f1(dev: DevSet, settings: DecodeSettings) -> float:
    """Return the micro F1 over all marks of the decoder's output."""
    decoder, first, hits, count = Decoder(settings, dev.classes), 0, 0, 0
    for end in dev.ends:
        labels = decoder.push(dev.labels[first:end], dev.cases[first:end], dev.flags[first:end], True)
        for label, true in zip(labels, dev.true_marks[first:end], strict=True):
            count += len(label.marks)
            hits += sum(bool(true[MARKS.index(mark)]) for mark in label.marks)
        first = end
    return float(pooled_f1(hits, count, float(dev.true_marks.sum())))


def calibration_errors(dev: DevSet, settings: DecodeSettings) -> list[float]:
    """Return the expected calibration error of each mark, or an empty list for a model of classes."""
    if dev.classes:
        return []
    probabilities = sigmoid(calibrated_logits(dev.labels, settings.calibration))
    return [calibration_error(probabilities[:, i], dev.true_marks[:, i]) for i in range(len(MARKS))]


def _fit_class_weights(dev: DevSet) -> DecodeSettings:
    start = new_settings(dev.language)
    settings = replace(start, class_weights=fit_class_weights(dev.labels, dev.classes, dev.true_marks))
    settings = replace(settings, case_bias=_case_bias(dev, settings))
    changed = [replace(settings, sentence_capitals=True)] if _sentences_begin_with_capitals(dev) else []
    return climb(settings, [lambda _: changed], lambda candidate: decoded_f1(dev, candidate))


def _fit_thresholds(dev: DevSet) -> DecodeSettings:
    calibration = fit_calibration(dev.labels, dev.cases, dev.true_marks, dev.true_cases)
    limits = sigmoid(fit_thresholds(calibrated_logits(dev.labels, calibration), dev.true_marks))
    start = new_settings(dev.language)
    start = replace(start, thresholds=dict(zip(MARKS, limits.tolist(), strict=True)), calibration=calibration)
    start = replace(start, case_bias=_case_bias(dev, start), sentence_capitals=_sentences_begin_with_capitals(dev))
    support = dev.true_marks.sum(axis=0).tolist()
    frequent = [mark for mark, count in zip(MARKS, support, strict=True) if count >= MIN_COUNT]
    changes = [_penalty_change(mark) for mark, penalty in start.unopened.items() if penalty and mark in frequent]
    changes += [_threshold_change(mark) for mark in frequent]
    return climb(start, changes, lambda settings: decoded_f1(dev, settings))


def _penalty_change(mark: Mark) -> _Change:
    return lambda settings: [replace(settings, unopened={**settings.unopened, mark: value}) for value in _PENALTIES]


def _threshold_change(mark: Mark) -> _Change:
    def candidates(settings: DecodeSettings) -> Sequence[DecodeSettings]:
        odds = settings.thresholds[mark] / (1 - settings.thresholds[mark])
        moved = [odds * float(np.exp(step)) for step in _THRESHOLD_STEPS]
        return [replace(settings, thresholds={**settings.thresholds, mark: new / (1 + new)}) for new in moved]

    return candidates


def _case_bias(dev: DevSet, settings: DecodeSettings) -> dict[Case, float]:
    bias = fit_case_bias(case_logits(dev.cases, settings), dev.true_cases)
    return dict(zip(CASES, bias.tolist(), strict=True))


def _sentences_begin_with_capitals(dev: DevSet) -> bool:
    """Return whether nearly all words after a . or ? inside a document have a capital."""
    ended = np.asarray(dev.true_marks[:, CAPITAL_MARKS].any(axis=1))
    ended[np.array(dev.ends, dtype=int) - 1] = False
    following = dev.true_cases[1:][ended[:-1] & ~has_flag(dev.flags[1:], WordFlag.CASE_FIXED)]
    return len(following) >= MIN_COUNT and float((following > 0).mean()) >= _MIN_CAPITALS
