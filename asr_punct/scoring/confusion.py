"""Confusion matrix of marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.marks import Labels
from asr_punct.scoring.mark_classes import MarkClasses
from asr_punct.scoring.pairing import SideBySide


@dataclass(frozen=True)
class Confusion:
    """Confusion matrix.

    Attributes:
        names: names of the classes of marks.
        counts: rows: classes of the reference, columns: classes of the hypothesis, the last of both "none";
            (classes + 1, classes + 1).
    """

    names: Sequence[str]
    counts: NDArray[np.int64]


def confusion(pairs: Iterable[SideBySide], classes: MarkClasses) -> Confusion:
    """Count marks of the reference by marks of the hypothesis; sums over the matrix are the slots of `metrics`.

    The left and the right side of a word are two positions. A missing mark is paired with an extra mark at the same
    position, in the order of the classes; the others are paired with "none". "None" by "none" counts the positions
    without any mark.
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
    return Confusion(classes.names, counts)


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
