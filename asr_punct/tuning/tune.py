"""Fit a model directory's settings of decoding on a development corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from asr_punct.checkpoint import read_info, write_info
from asr_punct.decode import CAPITAL_FOLLOWS, Decoder, DecodeSettings, FloatArray, case_scores
from asr_punct.decode.decoder import CASE_FIXED
from asr_punct.decode.settings import calibrated_logits, sigmoid
from asr_punct.errors import InputError
from asr_punct.formats.tsv import read_tsv
from asr_punct.inference.merge import mark_flags
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import CASES, MARKS, Case, Mark
from asr_punct.tuning.calibration import calibration_error, fit_calibration
from asr_punct.tuning.class_weights import fit_class_weights
from asr_punct.tuning.thresholds import FEWEST, climb, f1, fit_case_bias, fit_thresholds
from asr_punct.words import without_labels

_PENALTIES = (0.0, 1.0, 3.0, 4.0, 6.0)
_STEPS = (-0.5, -0.25, 0.25, 0.5)
_CAPITALS = 0.9
_SENTENCE_ENDS = [MARKS.index(mark) for mark in CAPITAL_FOLLOWS]
_NUMBER = {mark: number for number, mark in enumerate(MARKS)}


@dataclass(frozen=True)
class DevScores:
    """What the model gives for a corpus, and what stands there.

    Attributes:
        labels: probabilities of marks or of classes, (words, labels).
        cases: probabilities, (words, cases).
        true_marks: marks of the reference, (words, marks).
        true_cases: numbers of its cases, (words,).
        ends: the word after the last of each document.
        flags: what the words leave to be decided (`decode.decoder`), (words,).
        classes: the classes; none where the labels are marks.
    """

    labels: FloatArray
    cases: FloatArray
    true_marks: npt.NDArray[np.bool_]
    true_cases: npt.NDArray[np.int64]
    ends: tuple[int, ...]
    flags: npt.NDArray[np.uint8]
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tuning:
    """What tuning did.

    Attributes:
        words: words of the development corpus.
        micro_f1: of all marks, decoded with the settings before and after.
        calibration_error: expected error by mark, before and after; none of a model of classes.
        class_weights: by class; none of a model without classes.
    """

    words: int
    micro_f1: tuple[float, float]
    calibration_error: dict[str, tuple[float, float]]
    class_weights: dict[str, float]


def score_corpus(punctuator: Punctuator, path: Path) -> DevScores:
    """Probabilities and labels of a TSV corpus.

    Raises:
        InputError: it is malformed, has no words, or has words that are marks alone.
    """
    utterances = [utterance for utterance in read_tsv(path) if utterance.words]
    labels = [label for utterance in utterances for label in utterance.labels]
    language = punctuator.info.model.language
    bare = [without_labels(utterance) for utterance in utterances]
    parts = list(punctuator.scores(bare))
    if not labels or sum(len(scores.labels) for scores, _ in parts) != len(labels):
        raise InputError(path, "no words, or words that are marks alone", "a labelled corpus")
    ends = np.cumsum([len(scores.labels) for scores, _ in parts])
    return DevScores(
        labels=np.concatenate([scores.labels for scores, _ in parts]),
        cases=np.concatenate([scores.cases for scores, _ in parts]),
        true_marks=np.array([[mark in label.marks for mark in MARKS] for label in labels]),
        true_cases=np.array([CASES.index(label.case) for label in labels]),
        ends=tuple(int(end) for end, (_, last) in zip(ends, parts, strict=True) if last),
        flags=np.array([flag for utterance in bare for flag in mark_flags(utterance, language)], dtype=np.uint8),
        classes=punctuator.classes,
    )


def fit_settings(dev: DevScores) -> DecodeSettings:
    """The settings of the highest scores on a corpus.

    Class weights where there are classes; else calibration, then thresholds, then what the decoder gains.
    """
    return _fit_class_weights(dev) if dev.classes else _fit_thresholds(dev)


def _fit_class_weights(dev: DevScores) -> DecodeSettings:
    weights = fit_class_weights(dev.labels, dev.classes, dev.true_marks)
    start = DecodeSettings(class_weights=weights)
    start = replace(start, case_bias=_case_bias(dev, start))
    together = [replace(start, sentence_capitals=True)] if _sentences_begin_with_capitals(dev) else []
    return climb(start, [lambda _: together], lambda settings: decoded_f1(dev, settings))


def _case_bias(dev: DevScores, settings: DecodeSettings) -> dict[Case, float]:
    bias = fit_case_bias(case_scores(dev.cases, settings), dev.true_cases)
    return dict(zip(CASES, bias.tolist(), strict=True))


def _fit_thresholds(dev: DevScores) -> DecodeSettings:
    calibration = fit_calibration(dev.labels, dev.cases, dev.true_marks, dev.true_cases)
    limits = fit_thresholds(calibrated_logits(dev.labels, calibration), dev.true_marks)
    start = DecodeSettings(_probabilities(limits), calibration=calibration)
    start = replace(start, case_bias=_case_bias(dev, start), sentence_capitals=_sentences_begin_with_capitals(dev))
    support = dict(zip(MARKS, dev.true_marks.sum(axis=0).tolist(), strict=True))
    frequent = [mark for mark in MARKS if support[mark] >= FEWEST]

    def penalties(mark: Mark, settings: DecodeSettings) -> Sequence[DecodeSettings]:
        return [replace(settings, unopened={**settings.unopened, mark: value}) for value in _PENALTIES]

    def thresholds(mark: Mark, settings: DecodeSettings) -> Sequence[DecodeSettings]:
        odds = settings.thresholds[mark] / (1 - settings.thresholds[mark])
        moved = [odds * float(np.exp(step)) for step in _STEPS]
        return [replace(settings, thresholds={**settings.thresholds, mark: new / (1 + new)}) for new in moved]

    changes = [lambda settings, mark=mark: penalties(mark, settings) for mark in start.unopened if mark in frequent]
    changes += [lambda settings, mark=mark: thresholds(mark, settings) for mark in frequent]
    return climb(start, changes, lambda settings: decoded_f1(dev, settings))


def _sentences_begin_with_capitals(dev: DevScores) -> bool:
    """Whether nearly all words after a . or ? within a document do."""
    ended = np.asarray(dev.true_marks[:, _SENTENCE_ENDS].any(axis=1))
    ended[np.array(dev.ends, dtype=int) - 1] = False
    following = dev.true_cases[1:][ended[:-1] & (dev.flags[1:] & CASE_FIXED == 0)]
    return len(following) >= FEWEST and float((following > 0).mean()) >= _CAPITALS


def decoded_f1(dev: DevScores, settings: DecodeSettings) -> float:
    """Micro F1 over all marks, as the decoder sets them."""
    decoder, first, hits, count = Decoder(settings, dev.classes), 0, 0, 0
    for end in dev.ends:
        labels = decoder.push(dev.labels[first:end], dev.cases[first:end], dev.flags[first:end], True)
        for label, row in zip(labels, range(first, end), strict=True):
            count += len(label.marks)
            hits += sum(bool(dev.true_marks[row, _NUMBER[mark]]) for mark in label.marks)
        first = end
    return float(f1(hits, count, float(dev.true_marks.sum())))


def tune(
    directory: Path, corpus: Path, threads: int = 0, *, device: str | None = None, aggregate: int | None = None
) -> Tuning:
    """Fit the settings of a model directory on a corpus and write them into its `config.json`.

    Args:
        directory: of the model.
        corpus: labelled text that it was not trained on.
        threads: threads on the CPU; 0 for as many as there are cores.
        device: where scores are computed; the CPU by default.
        aggregate: windows whose results for a word are averaged, as in the decoding that the settings are for; without
            it one window decides each word.

    Raises:
        AsrPunctError: the directory is damaged, or the corpus cannot be used; then nothing is written.
    """
    info = read_info(directory)
    punctuator = Punctuator.from_pretrained(directory, device=device, threads=threads, aggregate=aggregate)
    dev = score_corpus(punctuator, corpus)
    settings = fit_settings(dev)
    errors = () if dev.classes else zip(MARKS, _errors(dev, DecodeSettings()), _errors(dev, settings), strict=True)
    result = Tuning(
        words=len(dev.labels),
        micro_f1=(decoded_f1(dev, info.decoding), decoded_f1(dev, settings)),
        calibration_error={str(mark): (before, after) for mark, before, after in errors},
        class_weights=dict(settings.class_weights),
    )
    write_info(directory, replace(info, decoding=settings))
    return result


def _errors(dev: DevScores, settings: DecodeSettings) -> list[float]:
    probabilities = sigmoid(calibrated_logits(dev.labels, settings.calibration))
    return [calibration_error(probabilities[:, i], dev.true_marks[:, i]) for i in range(len(MARKS))]


def _probabilities(limits: npt.NDArray[np.float64]) -> dict[Mark, float]:
    return dict(zip(MARKS, sigmoid(limits).tolist(), strict=True))
