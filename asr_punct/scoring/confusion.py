"""Which marks stand where others should."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.marks import Labels
from asr_punct.scoring.classes import MarkClasses
from asr_punct.scoring.pairing import SideBySide


@dataclass(frozen=True)
class Confusion:
    """Marks of the reference by marks of the hypothesis.

    Attributes:
        names: names of the classes of marks.
        counts: row: class in the reference, column: class in the hypothesis, the last of both "none";
            (classes + 1, classes + 1). The diagonal is what is right, "none" by "none" the sides of words without any
            mark.
    """

    names: Sequence[str]
    counts: NDArray[np.int64]


def confusion(pairs: Iterable[SideBySide], classes: MarkClasses) -> Confusion:
    """Count marks by marks, such that sums over the matrix are the counts of `asr_punct.scoring.metrics`.

    Left and right of a word are two positions. Where marks are missing at one and others stand there, the first
    missing goes with the first that is extra, in the order of the classes, and so on; what is left of either is with
    "none".
    """
    counts = np.zeros((len(classes.names) + 1, len(classes.names) + 1), np.int64)
    number = {mark: index for index, mark in enumerate(classes.marks)}
    for pair in pairs:
        for expected, found in zip(pair.reference, pair.hypothesis, strict=True):
            if expected.marks or found.marks:
                _add_word(counts, expected, found, classes)
            else:
                counts[-1, -1] += 2
        for _, mark in pair.lost:
            counts[number[mark], -1] += 1
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
        counts[-1, -1] += not (wanted or written)
