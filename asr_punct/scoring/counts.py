"""Counts behind the scores, by utterance, so that any sample of utterances can be scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asr_punct.marks import CASES, Case
from asr_punct.scoring.mark_classes import MarkClasses
from asr_punct.scoring.pairing import WordPair

Array = NDArray[np.float64]
CASE_CLASSES = tuple(case for case in CASES if case is not Case.O)
_SUBSTITUTED, _DELETED, _INSERTED = range(3)  # last axis of `Counts.word_errors`


@dataclass(frozen=True)
class Counts:
    """Counts of each unit (utterance); tp, fp, fn are true positives, false positives and false negatives.

    `total` returns arrays without the first axis, `weighted` can return arrays whose first axis is samples.

    Attributes:
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
        """Number of units: utterances, of which samples are drawn."""
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
    """Apply `function` to the same array of all parts, for each array."""
    names = _shapes(parts[0].classes)
    arrays: dict[str, Any] = {name: function([getattr(part, name) for part in parts]) for name in names}
    return replace(parts[0], **arrays)


def _shapes(classes: MarkClasses) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of one unit."""
    return {
        "marks": (len(classes.names), 3),
        "one_class": (3,),
        "edits": (4,),
        "case": (len(CASE_CLASSES), 3),
        "surface": (3,),
        "words": (),
        "word_errors": (3,),
        "written_errors": (),
    }


def count(
    pairs: Sequence[WordPair], written_error_units: Sequence[int], classes: MarkClasses, units: int, is_aligned: bool
) -> Counts:
    """Return the counts of each of the `units`, by the definitions of `asr_punct.scoring.scores`."""
    arrays = {name: np.zeros((units, *shape)) for name, shape in _shapes(classes).items()}
    counts = Counts(classes, **arrays, has_word_errors=is_aligned)
    _count_labels(counts, [pair for pair in pairs if pair.hypothesis])
    np.add.at(counts.written_errors, np.array(written_error_units, np.int64), 1)
    for pair in pairs:
        counts.words[pair.unit] += pair.reference is not None
        if not pair.is_equal:
            kind = _DELETED if pair.hypothesis is None else _INSERTED if pair.reference is None else _SUBSTITUTED
            counts.word_errors[pair.unit, kind] += 1
        for mark in pair.lost:
            counts.marks[pair.unit, classes.marks.index(mark), 2] += 1  # a false negative
            counts.edits[pair.unit, 2] += 1  # a deletion
    return counts


def _count_labels(counts: Counts, pairs: Sequence[WordPair]) -> None:
    classes, units = counts.classes, np.array([pair.unit for pair in pairs], np.int64)
    expected, found = [pair.expected for pair in pairs], [pair.labels for pair in pairs]
    wanted, written = (_matrix([label.marks for label in labels], classes.marks) for labels in (expected, found))
    np.add.at(counts.marks, units, _tp_fp_fn(wanted, written))
    for side in map(list, classes.sides):
        has_mark = (np.any(marks[:, side], axis=1) for marks in (wanted, written))
        np.add.at(counts.one_class, units, _tp_fp_fn(*has_mark))
        np.add.at(counts.edits, units, _edits(wanted[:, side], written[:, side]))
    cases = (_matrix([(label.case,) for label in labels], CASE_CLASSES) for labels in (expected, found))
    np.add.at(counts.case, units, _tp_fp_fn(*cases))
    surface = [_surface(pair.expected_form, pair.form) for pair in pairs]
    np.add.at(counts.surface, units, np.array(surface, np.int64).reshape(-1, 3))


def _matrix(labels: Sequence[Collection[object]], classes: Sequence[object]) -> NDArray[np.bool_]:
    """Return which classes each word has, (words, classes)."""
    cells = (each in of_word for of_word in labels for each in classes)
    return np.fromiter(cells, np.bool_).reshape(len(labels), len(classes))


def _tp_fp_fn(reference: NDArray[np.bool_], hypothesis: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return true positives, false positives, false negatives; (…,) -> (…, 3)."""
    counted = [reference & hypothesis, ~reference & hypothesis, reference & ~hypothesis]
    return np.stack(counted, axis=-1).astype(np.int64)


def _edits(reference: NDArray[np.bool_], hypothesis: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return correct slots, substitutions, deletions, insertions of (words, classes of one side); (words, 4)."""
    missing = np.count_nonzero(reference & ~hypothesis, axis=1)
    extra = np.count_nonzero(~reference & hypothesis, axis=1)
    substituted = np.minimum(missing, extra)
    correct = np.count_nonzero(reference & hypothesis, axis=1)
    return np.stack([correct, substituted, missing - substituted, extra - substituted], axis=1)


def _surface(expected: str, found: str) -> tuple[bool, bool, bool]:
    """Return true positive, false positive, false negative of a word written with capitals.

    Different capitals of one word are both a false positive and a false negative.
    """
    wanted, written, same = expected != expected.lower(), found != found.lower(), expected == found
    return wanted and same, written and not same, wanted and not same
