"""Counts behind the scores: whole numbers for each utterance, so that a sum over any sample of them can be scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asr_punct.marks import CASES, Case, Labels
from asr_punct.scoring.classes import MarkClasses
from asr_punct.scoring.pairing import SideBySide

Array = NDArray[np.float64]
CASE_CLASSES = tuple(case for case in CASES if case is not Case.O)
_ONE_CLASS, _EDITS, _CASE, _SURFACE, _WORDS = 3, 4, 3 * len(CASE_CLASSES), 3, 5


@dataclass(frozen=True)
class Counts:
    """Counts of one or more units (utterances), or of samples of them.

    A group of three counts is true positives, false positives, false negatives.

    Attributes:
        classes: the classes of marks.
        values: all counts; (…, columns), whole numbers.
        has_word_errors: whether the hypothesis has words of its own (a recogniser's), so that a word error rate exists.
    """

    classes: MarkClasses
    values: Array
    has_word_errors: bool = False

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self.values)

    @property
    def marks(self) -> Array:
        """Three counts of each class of marks; (…, classes, 3)."""
        wanted = self.values[..., : 3 * len(self.classes.names)]
        return wanted.reshape(*wanted.shape[:-1], -1, 3)

    @property
    def one_class(self) -> Array:
        """Three counts of positions that carry any mark; (…, 3)."""
        return self._after_marks(0, _ONE_CLASS)

    @property
    def edits(self) -> Array:
        """Correct slots, substitutions, deletions, insertions; (…, 4)."""
        return self._after_marks(_ONE_CLASS, _EDITS)

    @property
    def case(self) -> Array:
        """Three counts of FIRST_CAP and of ALL_CAPS; (…, 2, 3)."""
        wanted = self._after_marks(_ONE_CLASS + _EDITS, _CASE)
        return wanted.reshape(*wanted.shape[:-1], -1, 3)

    @property
    def surface(self) -> Array:
        """Three counts of words written with capitals; (…, 3)."""
        return self._after_marks(_ONE_CLASS + _EDITS + _CASE, _SURFACE)

    @property
    def words(self) -> Array:
        """Words of the reference; (…,)."""
        return self.values[..., -_WORDS]

    @property
    def word_errors(self) -> Array:
        """Words that the recogniser got wrong: substitutions, deletions, insertions; (…, 3)."""
        return self.values[..., 1 - _WORDS : -1]

    @property
    def written_errors(self) -> Array:
        """Errors between the written words, with their marks and capitals; (…,)."""
        return self.values[..., -1]

    def _after_marks(self, start: int, width: int) -> Array:
        start += 3 * len(self.classes.names)
        return self.values[..., start : start + width]

    def total(self) -> Counts:
        """The sum over all units; values (columns,)."""
        return replace(self, values=self.values.sum(axis=0))

    def weighted(self, weights: Array) -> Counts:
        """Sums over samples of the units: `weights` (samples, units) -> values (samples, columns)."""
        return replace(self, values=weights @ self.values)


def concatenate(parts: Sequence[Counts]) -> Counts:
    """Counts of the units of all parts, one part after the other; their classes are the same, and there is one."""
    return replace(parts[0], values=np.concatenate([part.values for part in parts]))


def count(pairs: Iterable[SideBySide], classes: MarkClasses, units: int, has_word_errors: bool = False) -> Counts:
    """Count, for each of the `units`, what `asr_punct.scoring.metrics` defines.

    The properties of `Counts` are views of its values, so adding to them fills the values.
    """
    columns = 3 * len(classes.names) + _ONE_CLASS + _EDITS + _CASE + _SURFACE + _WORDS
    counts = Counts(classes, np.zeros((units, columns)), has_word_errors)
    for pair in pairs:
        if pair.units:
            np.add.at(counts.values, np.asarray(pair.units, np.int64), _count_words(pair, classes))
        np.add.at(counts.words, np.asarray(pair.reference_units, np.int64), 1)
        np.add.at(counts.written_errors, np.asarray(pair.written_error_units, np.int64), 1)
        pair_units = np.asarray(pair.pair_units, np.int64)
        for kind, wrong in enumerate(pair.alignment.errors):
            np.add.at(counts.word_errors[:, kind], pair_units[wrong], 1)
        for i, mark in pair.lost:
            unit = pair.reference_units[i]
            counts.marks[unit, classes.marks.index(mark), 2] += 1
            counts.edits[unit, 2] += 1
    return counts


def _count_words(pair: SideBySide, classes: MarkClasses) -> NDArray[np.int64]:
    """Counts of each word; (words, columns), the last ones, which count no labels, 0."""
    reference, hypothesis = _mark_matrix(pair.reference, classes), _mark_matrix(pair.hypothesis, classes)
    sides = [(reference[:, side], hypothesis[:, side]) for side in map(list, classes.sides)]
    positions = np.sum([_three(np.any(ref, axis=1), np.any(hyp, axis=1)) for ref, hyp in sides], axis=0)
    edits = np.sum([_edits(ref, hyp) for ref, hyp in sides], axis=0)
    parts = [
        _three(reference, hypothesis),
        positions,
        edits,
        _three(_case_matrix(pair.reference), _case_matrix(pair.hypothesis)),
        _surface(pair.reference_forms, pair.hypothesis_forms),
        np.zeros((len(reference), _WORDS), np.int64),
    ]
    return np.concatenate(parts, axis=1)


def _mark_matrix(labels: Sequence[Labels], classes: MarkClasses) -> NDArray[np.bool_]:
    """(words, classes)."""
    rows = [[mark in label.marks for mark in classes.marks] for label in labels]
    return np.array(rows, np.bool_).reshape(len(labels), len(classes.marks))


def _case_matrix(labels: Sequence[Labels]) -> NDArray[np.bool_]:
    """(words, 2)."""
    return np.array([[label.case is case for case in CASE_CLASSES] for label in labels], np.bool_).reshape(-1, 2)


def _three(reference: NDArray[np.bool_], hypothesis: NDArray[np.bool_]) -> NDArray[np.int64]:
    """True positives, false positives, false negatives; (words,) or (words, classes) -> (words, 3 × classes)."""
    hits = [reference & hypothesis, ~reference & hypothesis, reference & ~hypothesis]
    return np.stack(hits, axis=-1).astype(np.int64).reshape(len(reference), -1)


def _edits(reference: NDArray[np.bool_], hypothesis: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Correct, substitutions, deletions, insertions on one side of each word; (words, 4)."""
    missing = np.count_nonzero(reference & ~hypothesis, axis=1)
    extra = np.count_nonzero(~reference & hypothesis, axis=1)
    both = np.minimum(missing, extra)
    correct = np.count_nonzero(reference & hypothesis, axis=1)
    return np.stack([correct, both, missing - both, extra - both], axis=1)


def _surface(reference: Sequence[str], hypothesis: Sequence[str]) -> NDArray[np.int64]:
    """True positives, false positives, false negatives of words written with capitals; (words, 3).

    A word with capitals on both sides that are not the same ones is both a false positive and a false negative.
    """
    rows = []
    for expected, found in zip(reference, hypothesis, strict=True):
        wanted, written, same = expected != expected.lower(), found != found.lower(), expected == found
        rows.append((wanted and same, written and not same, wanted and not same))
    return np.array(rows, np.int64).reshape(-1, 3)
