"""Confusion matrix of marks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.marks import Labels
from asr_punct.scoring.mark_classes import MarkClasses
from asr_punct.scoring.pairing import PairedUtterances


@dataclass(frozen=True)
class Cell:
    """A cell of the confusion matrix."""

    count: int
    share: float
    right: bool


def confusion_rows(pairs: Iterable[PairedUtterances], classes: MarkClasses) -> Mapping[str, list[Cell]]:
    """Return the rows of `confusion_matrix` by class, without classes that do not occur; the last is "none"."""
    counts = confusion_matrix(pairs, classes)
    names = [*classes.names, "none"]
    shown = [i for i, name in enumerate(names) if name == "none" or counts[i].any() or counts[:, i].any()]
    return {
        names[i]: [Cell(int(counts[i, j]), counts[i, j] / (counts[i].sum() or 1), i == j) for j in shown] for i in shown
    }


def confusion_matrix(pairs: Iterable[PairedUtterances], classes: MarkClasses) -> NDArray[np.int64]:
    """Count marks of the reference (rows) by marks of the hypothesis (columns), (classes + 1, classes + 1).

    The left and the right side of a word are two positions. A missing mark is paired with an extra mark at the same
    position, in the order of the classes; other missing and extra marks are paired with "none", the last row and
    column. "None" by "none" counts the positions without marks. Other sums over the matrix are the slots of `metrics`.
    """
    none = len(classes.names)
    counts = np.zeros((none + 1, none + 1), np.int64)
    for pair in pairs:
        for expected, found in zip(pair.reference, pair.hypothesis, strict=True):
            if expected.marks or found.marks:
                _add_word(counts, expected, found, classes)
            else:
                counts[none, none] += 2
        for _, mark in pair.lost:
            counts[classes.marks.index(mark), none] += 1
    return counts


def _add_word(counts: NDArray[np.int64], expected: Labels, found: Labels, classes: MarkClasses) -> None:
    none = len(classes.names)
    for side in classes.sides:
        wanted, written = ([i for i in side if classes.marks[i] in labels.marks] for labels in (expected, found))
        right = [i for i in wanted if i in written]
        missing, extra = ([i for i in marks if i not in right] for marks in (wanted, written))
        longer = max(len(missing), len(extra))
        rows, columns = ([*marks, *[none] * (longer - len(marks))] for marks in (missing, extra))
        for row, column in zip(right + rows, right + columns, strict=True):
            counts[row, column] += 1
        counts[none, none] += not (wanted or written)
