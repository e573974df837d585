"""Dynamic time warping of spoken frames onto the frames of a recording, which may leave frames out between words.

The textbook recurrence (Sakoe and Chiba 1978) with the steps (1, 1), (1, 0) and (0, 1) at equal weights, in a grid
that has one more column before every word and at the end: there a frame of the recording costs what is given for it,
and passing by is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Costs = npt.NDArray[np.float64]

_BLOCK = 256
"""Rows of the grid whose distances are held at a time."""
_BOTH, _DOWN, _RIGHT = 0, 1, 2


@dataclass(frozen=True)
class Path:
    """Where the best path meets each spoken frame.

    Attributes:
        first: (spoken,), first frame of the recording on it, -1 where the path ends before.
        last: (spoken,), last frame of the recording on it.
        cost: the path's cost, relative to one on which every frame of the recording meets its most similar one.
    """

    first: Ints
    last: Ints
    cost: float


def warp(recording: Floats, spoken: Floats, outside: Costs, starts: Ints, *, whole: bool = True) -> Path:
    """Find the cheapest path through all frames of the recording.

    Args:
        recording: (frames, features), at least one frame.
        spoken: (spoken, features), at least one frame.
        outside: (frames,), cost of leaving a frame out, relative to the typical distance of a frame of the recording
            to the most similar spoken one.
        starts: first spoken frames of the words.
        whole: the path ends at the last spoken frame; otherwise at the end of any word.
    """
    columns = np.insert(np.arange(len(spoken)), np.unique(np.append(starts, len(spoken))), -1)
    between = columns < 0
    sample = recording[:: max(1, len(recording) // 500)]
    scale = float(np.median(_distances(sample, spoken).min(axis=1))) + 1e-6
    steps, costs = _fill(recording, spoken, outside * scale, columns)
    ends = np.flatnonzero(between)
    end = int(ends[-1] if whole else ends[np.argmin(costs[ends])])
    first, last = _trace(steps, end)
    return Path(first[~between], last[~between], float(costs[end]) / scale / len(recording))


def _distances(recording: Floats, spoken: Floats) -> Floats:
    """Euclidean distances (frames, spoken)."""
    squares = np.square(recording).sum(axis=1)[:, None] + np.square(spoken).sum(axis=1) - 2 * recording @ spoken.T
    return np.asarray(np.sqrt(np.maximum(squares, 0)), np.float32)


def _fill(recording: Floats, spoken: Floats, outside: Costs, columns: Ints) -> tuple[npt.NDArray[np.int8], Costs]:
    """The step into every cell (frames, columns), and the cost of the best path to each cell of the last row.

    A row is filled at once: the cheapest way of entering a row left of a column and then going right is a running
    minimum of (cost of entering - sum of the row up to there), plus the sum up to the column.
    """
    between = columns < 0
    steps = np.empty((len(recording), len(columns)), np.int8)
    before = np.full(len(columns), np.inf)
    for begin in range(0, len(recording), _BLOCK):
        cost = _distances(recording[begin : begin + _BLOCK], spoken)[:, np.maximum(columns, 0)].astype(np.float64)
        sums = np.cumsum(np.where(between, 0.0, cost), axis=1)
        cost[:, between] = outside[begin : begin + len(cost), None]
        for row in range(len(cost)):
            down, both = before + cost[row], np.append(np.inf, before[:-1]) + cost[row]
            if begin + row == 0:
                both[:2] = cost[0, :2]
            entry = np.minimum(down, both) - sums[row]
            best = np.minimum.accumulate(entry)
            steps[begin + row] = np.where(entry > best, _RIGHT, np.where(down < both, _DOWN, _BOTH))
            before = best + sums[row]
    return steps, before


def _trace(steps: npt.NDArray[np.int8], end: int) -> tuple[Ints, Ints]:
    """First and last row of the path in every column, going back from column `end` of the last row; else -1."""
    first, last = np.full((2, steps.shape[1]), -1)
    row, column = len(steps) - 1, end
    while True:
        first[column] = row
        if last[column] < 0:
            last[column] = row
        step = steps[row, column]
        if row == 0 and step != _RIGHT:
            return first, last
        row -= step != _RIGHT
        column -= step != _DOWN
