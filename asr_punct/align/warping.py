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

BAND = 5000
"""Columns of a row that are looked at."""
LEAST_SPEECH = 0.1
"""What a silent frame counts for where frames have weights: the energy may be wrong."""
_BLOCK = 256
"""Rows of the grid whose distances are held at a time."""
_SAMPLE = 1000
"""Frames of either side that the typical distance is taken from."""
_BOTH, _DOWN, _RIGHT = 0, 1, 2


@dataclass(frozen=True)
class Path:
    """Where the best path meets each spoken frame.

    Attributes:
        first: (spoken,), first frame of the recording on it.
        last: (spoken,), last frame of the recording on it.
        cost: mean distance on the path, a frame of the recording.
    """

    first: Ints
    last: Ints
    cost: float


def warp(recording: Floats, spoken: Floats, outside: Costs, starts: Ints, speech: Costs) -> Path:
    """Find the cheapest path through all frames of both.

    Of every row `BAND` columns are looked at, around the one that is expected there if all words are equally fast. It
    is no limit for a minute of speech at 10 ms, and lets memory grow with the recording alone.

    Args:
        recording: (frames, features), at least one frame.
        spoken: (spoken, features), at least one frame.
        outside: (frames,), cost of leaving a frame out, relative to the typical distance of a frame of the recording
            to the most similar spoken one.
        starts: first spoken frames of the words.
        speech: (frames,), how much of each frame is taken for speech.
    """
    columns = np.insert(np.arange(len(spoken)), np.unique(np.append(starts, len(spoken))), -1)
    between = columns < 0
    scale = _typical_distance(recording, spoken)
    left, width = _band(len(columns), np.cumsum(speech + LEAST_SPEECH))
    steps, cost = _fill(recording, spoken, outside * scale, columns, left, width)
    first, last = _trace(steps, left, len(columns))
    return Path(first[~between], last[~between], cost / len(recording))


def _typical_distance(recording: Floats, spoken: Floats) -> float:
    """Median distance of a frame of the recording to the most similar spoken one, from a sample."""
    sample, among = (frames[:: max(1, len(frames) // _SAMPLE)] for frames in (recording, spoken))
    return float(np.median(_distances(sample, among).min(axis=1))) + 1e-6


def _band(columns: int, spoken: Costs) -> tuple[Ints, int]:
    """First column of every row that is looked at, and how many are, given how much was spoken up to each row."""
    share = (spoken - spoken[0]) / max(float(spoken[-1] - spoken[0]), LEAST_SPEECH)
    centre = np.round(share * columns).astype(np.int64)
    width = max(BAND, 4 * int(np.diff(centre).max(initial=0))) if len(spoken) > 1 else columns
    width = min(width, columns)
    return np.clip(centre - width // 2, 0, columns - width), width


def _distances(recording: Floats, spoken: Floats) -> Floats:
    """Euclidean distances (frames, spoken)."""
    squares = np.square(recording).sum(axis=1)[:, None] + np.square(spoken).sum(axis=1) - 2 * recording @ spoken.T
    return np.asarray(np.sqrt(np.maximum(squares, 0)), np.float32)


def _fill(
    recording: Floats, spoken: Floats, outside: Costs, columns: Ints, left: Ints, width: int
) -> tuple[npt.NDArray[np.int8], float]:
    """The step into every cell of the band (frames, width), and the cost of the best path to its last one.

    A row is filled at once: the cheapest way of entering a row left of a column and then going right is a running
    minimum of (cost of entering - sum of the row up to there), plus the sum up to the column.
    """
    steps = np.empty((len(recording), width), np.int8)
    before = np.full(width, np.inf)
    for begin in range(0, len(recording), _BLOCK):
        rows = left[begin : begin + _BLOCK]
        block = columns[rows[0] : rows[-1] + width]
        cost = _distances(recording[begin : begin + _BLOCK], spoken[block.clip(0)]).astype(np.float64)
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
    """First and last row of the path in every column, going back from the last column of the last row."""
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
