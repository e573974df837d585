"""Dynamic time warping of synthetic frames onto a recording, whose frames may be left out between words.

The textbook recurrence (Sakoe and Chiba 1978) with the steps (1, 1), (1, 0) and (0, 1) at equal weights, on a grid
with one extra column before every word and at the end. A frame of the recording in an extra column has the given
cost, and passing one is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Costs = npt.NDArray[np.float64]

BAND = 5000
"""Columns computed in a row."""
LEAST_SPEECH = 0.1
"""Weight of a silent frame where frames are weighted by speech: the energy may mislead."""
_BLOCK = 256
"""Rows whose distances are in memory at a time."""
_SAMPLE = 1000
"""Number of frames of either side that the typical distance is estimated from."""
_BOTH, _DOWN, _RIGHT = 0, 1, 2


@dataclass(frozen=True)
class Path:
    """First and last frame of the recording for each synthetic frame, (synthetic,), and the mean distance a frame."""

    first: Ints
    last: Ints
    cost: float


def warp(recording: Floats, synthetic: Floats, outside: Costs, starts: Ints, speech: Costs) -> Path:
    """Find the cheapest path through all frames of both.

    In every row `BAND` columns are computed, around the one expected there if all words are equally fast. A minute of
    speech at 10 ms fits, and memory grows with the recording alone.

    Args:
        recording: (frames, features), at least one frame.
        synthetic: (synthetic, features), at least one frame.
        outside: (frames,), cost of leaving a frame out, relative to the typical distance of a frame of the recording
            to the most similar synthetic one.
        starts: first synthetic frame of each word.
        speech: (frames,), share of speech in each frame.
    """
    columns = np.insert(np.arange(len(synthetic)), np.unique(np.append(starts, len(synthetic))), -1)
    scale = _typical_distance(recording, synthetic)
    left, width = _band(len(columns), np.cumsum(speech + LEAST_SPEECH))
    steps, cost = _fill(recording, synthetic, outside * scale, columns, left, width)
    first, last = _trace(steps, left, len(columns))
    return Path(first[columns >= 0], last[columns >= 0], cost / len(recording))


def _typical_distance(recording: Floats, synthetic: Floats) -> float:
    """Median distance of a frame of the recording to the most similar synthetic one, from a sample."""
    sample, among = (frames[:: max(1, len(frames) // _SAMPLE)] for frames in (recording, synthetic))
    return float(np.median(_distances(sample, among).min(axis=1))) + 1e-6


def _band(columns: int, speech: Costs) -> tuple[Ints, int]:
    """First column of the band in every row and the band's width, given the speech up to each row."""
    share = (speech - speech[0]) / max(float(speech[-1] - speech[0]), LEAST_SPEECH)
    centre = np.round(share * columns).astype(np.int64)
    width = max(BAND, 4 * int(np.diff(centre).max(initial=0))) if len(speech) > 1 else columns
    width = min(width, columns)
    return np.clip(centre - width // 2, 0, columns - width), width


def _distances(recording: Floats, synthetic: Floats) -> Floats:
    """Euclidean distances: (frames, synthetic)."""
    squares = np.square(recording).sum(axis=1)[:, None] + np.square(synthetic).sum(axis=1) - 2 * recording @ synthetic.T
    return np.asarray(np.sqrt(np.maximum(squares, 0)), np.float32)


def _fill(
    recording: Floats, synthetic: Floats, outside: Costs, columns: Ints, left: Ints, width: int
) -> tuple[npt.NDArray[np.int8], float]:
    """The step into every cell of the band, (frames, width), and the cost of the best path.

    A row is computed at once: the cheapest way to enter it somewhere to the left and then go right is a running
    minimum of (cost of entering - sum of the row up to there), plus the sum up to the column.
    """
    steps = np.empty((len(recording), width), np.int8)
    before = np.full(width, np.inf)
    for begin in range(0, len(recording), _BLOCK):
        rows = left[begin : begin + _BLOCK]
        block = columns[rows[0] : rows[-1] + width]
        cost = _distances(recording[begin : begin + _BLOCK], synthetic[block.clip(0)]).astype(np.float64)
        sums = np.cumsum(np.where(block < 0, 0.0, cost), axis=1)
        cost[:, block < 0] = outside[begin : begin + len(cost), None]
        for row, at in enumerate(rows - rows[0]):
            moved = rows[row] - left[max(begin + row - 1, 0)]
            above = np.concatenate([[np.inf], before, np.full(moved, np.inf)])
            here = cost[row, at : at + width]
            down, both = above[moved + 1 :] + here, above[moved:-1] + here
            if begin + row == 0:
                both[:2] = here[:2]
            entry = np.minimum(down, both) - sums[row, at : at + width]
            best = np.minimum.accumulate(entry)
            steps[begin + row] = np.where(entry > best, _RIGHT, np.where(down < both, _DOWN, _BOTH))
            before = best + sums[row, at : at + width]
    return steps, float(before[-1])


def _trace(steps: npt.NDArray[np.int8], left: Ints, columns: int) -> tuple[Ints, Ints]:
    """First and last row of the path in every column, traced back from the last column of the last row."""
    first, last = np.full((2, columns), -1)
    row, column = len(steps) - 1, columns - 1
    while True:
        first[column] = row
        if last[column] < 0:
            last[column] = row
        step = steps[row, column - left[row]]
        if row == 0 and step != _RIGHT:
            return first, last
        row -= step != _RIGHT
        column -= step != _DOWN
