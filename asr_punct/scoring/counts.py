"""Counts behind the scores, by utterance, so that any sample of utterances can be scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asr_punct.marks import CASES, Case, Labels
from asr_punct.scoring.mark_classes import MarkClasses
from asr_punct.scoring.pairing import PairedUtterances

Array = NDArray[np.float64]
CASE_CLASSES = tuple(case for case in CASES if case is not Case.O)


@dataclass(frozen=True)
class Counts:
    """Counts of each unit (utterance); tp, fp, fn are true positives, false positives and false negatives.

    `total` returns arrays without the first axis, `weighted` can return arrays whose first axis is samples.

    Attributes:
        classes: the classes of marks.
        marks: tp, fp, fn of each class of marks; (units, classes, 3).
        one_class: tp, fp, fn of positions with any mark; (units, 3).
        edits: correct, substituted, deleted and inserted slots; (units, 4).
        case: tp, fp, fn of FIRST_CAP and of ALL_CAPS; (units, 2, 3).
        surface: tp, fp, fn of words written with capitals; (units, 3).
        words: words of the reference; (units,).
        word_errors: substituted, deleted and inserted words; (units, 3).
        written_errors: errors between the written words, with marks and capitals; (units,).
        has_word_errors: whether the hypothesis has a recogniser's words, and so a word error rate.
    """

    classes: MarkClasses
    marks: Array
    one_class: Array
    edits: Array
    case: Array
    surface: Array
    words: Array
    word_errors: Array
    written_errors: Array
    has_word_errors: bool = False

    @property
    def units(self) -> int:
        return len(self.words)

    def total(self) -> Counts:
        """Return the sum over all units."""
        return _combine([self], lambda arrays: arrays[0].sum(axis=0))

    def weighted(self, weights: Array) -> Counts:
        """Return the sums over samples of the units; `weights`: (units,) or (samples, units)."""
        return _combine([self], lambda arrays: np.tensordot(weights, arrays[0], axes=1))


def concatenate(parts: Sequence[Counts]) -> Counts:
    """Join the units of one or more parts with the same classes."""
    return _combine(parts, np.concatenate)


def _combine(parts: Sequence[Counts], function: Callable[[Sequence[Array]], Array]) -> Counts:
    arrays: dict[str, Any] = {name: function([getattr(part, name) for part in parts]) for name in _ARRAYS}
    return replace(parts[0], **arrays)


_ARRAYS = ("marks", "one_class", "edits", "case", "surface", "words", "word_errors", "written_errors")


def count(pairs: Iterable[PairedUtterances], classes: MarkClasses, units: int, has_word_errors: bool = False) -> Counts:
    """Return the counts of each of the `units`, by the definitions of `asr_punct.scoring.metrics`."""
    shapes = [(len(classes.names), 3), (3,), (4,), (len(CASE_CLASSES), 3), (3,), (), (3,), ()]
    arrays = {name: np.zeros((units, *shape)) for name, shape in zip(_ARRAYS, shapes, strict=True)}
    counts = Counts(classes, **arrays, has_word_errors=has_word_errors)
    for pair in pairs:
        _add_labels(counts, pair)
        _add_words(counts, pair)
    return counts


def _add_labels(counts: Counts, pair: PairedUtterances) -> None:
    """Count the labels on the hypothesis' words, and the lost marks as deletions."""
    classes, found, units = counts.classes, pair.hypothesis, np.asarray(pair.units, np.int64)
    reference, hypothesis = _mark_matrix(pair.reference, classes), _mark_matrix(found, classes)
    np.add.at(counts.marks, units, _tp_fp_fn(reference, hypothesis))
    for side in map(list, classes.sides):
        expected, written = reference[:, side], hypothesis[:, side]
        np.add.at(counts.one_class, units, _tp_fp_fn(np.any(expected, axis=1), np.any(written, axis=1)))
        np.add.at(counts.edits, units, _edits(expected, written))
    np.add.at(counts.case, units, _tp_fp_fn(_case_matrix(pair.reference), _case_matrix(found)))
    np.add.at(counts.surface, units, _surface(pair.reference_forms, pair.hypothesis_forms))
    for i, mark in pair.lost:
        unit = pair.reference_units[i]
        counts.marks[unit, classes.marks.index(mark), 2] += 1
        counts.edits[unit, 2] += 1


def _add_words(counts: Counts, pair: PairedUtterances) -> None:
    np.add.at(counts.words, np.asarray(pair.reference_units, np.int64), 1)
    np.add.at(counts.written_errors, np.asarray(pair.written_error_units, np.int64), 1)
    pair_units = np.asarray(pair.pair_units, np.int64)
    for kind, wrong in enumerate(pair.alignment.errors):
        np.add.at(counts.word_errors[:, kind], pair_units[wrong], 1)


def _mark_matrix(labels: Sequence[Labels], classes: MarkClasses) -> NDArray[np.bool_]:
    """Return which marks each word has, (words, classes)."""
    rows = [[mark in label.marks for mark in classes.marks] for label in labels]
    return np.array(rows, np.bool_).reshape(len(labels), len(classes.marks))


def _case_matrix(labels: Sequence[Labels]) -> NDArray[np.bool_]:
    """Return which capitals each word has, (words, 2)."""
    return np.array([[label.case is case for case in CASE_CLASSES] for label in labels], np.bool_).reshape(-1, 2)


def _tp_fp_fn(reference: NDArray[np.bool_], hypothesis: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return true positives, false positives, false negatives; (…,) -> (…, 3)."""
    return np.stack([reference & hypothesis, ~reference & hypothesis, reference & ~hypothesis], axis=-1).astype(
        np.int64
    )


def _edits(reference: NDArray[np.bool_], hypothesis: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return correct slots, substitutions, deletions, insertions on one side of each word; (words, 4)."""
    missing = np.count_nonzero(reference & ~hypothesis, axis=1)
    extra = np.count_nonzero(~reference & hypothesis, axis=1)
    both = np.minimum(missing, extra)
    correct = np.count_nonzero(reference & hypothesis, axis=1)
    return np.stack([correct, both, missing - both, extra - both], axis=1)


def _surface(reference: Sequence[str], hypothesis: Sequence[str]) -> NDArray[np.int64]:
    """Return true positives, false positives, false negatives of words written with capitals; (words, 3).

    Different capitals of one word are both a false positive and a false negative.
    """
    rows = []
    for expected, found in zip(reference, hypothesis, strict=True):
        wanted, written, same = expected != expected.lower(), found != found.lower(), expected == found
        rows.append((wanted and same, written and not same, wanted and not same))
    return np.array(rows, np.int64).reshape(-1, 3)
