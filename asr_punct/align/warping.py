"""Dynamic time warping of synthetic speech onto a recording, in which frames between words may be skipped.

The recurrence is that of Sakoe and Chiba (1978) with the steps (1, 1), (1, 0) and (0, 1) at equal weights. Rows are
frames of the recording, columns are synthetic frames. One extra column before every word and one at the end are
for skipped frames: a frame that is matched with an extra column has its skip cost, and passing an extra column is free.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats64 = npt.NDArray[np.float64]

BAND = 5000
"""Minimum number of columns computed in each row, if there are so many."""
MIN_SPEECH = 0.1
"""Added to every frame's share of speech where frames are weighted by it: a quiet frame may still be speech."""
_BLOCK = 256
"""Rows whose distances are in memory at a time."""
_SAMPLE = 1000
"""Number of frames of the recording and of the synthetic speech from which the typical distance is estimated."""
_DIAGONAL, _DOWN, _RIGHT = 0, 1, 2


@dataclass(frozen=True)
class WarpingPath:
    """First and last frame of the recording that each synthetic frame is matched with, (synthetic,)."""

    first: Ints
    last: Ints
    cost: float
    """Mean cost of a frame of the recording."""


def warp(recording: Floats, synthetic: Floats, skip_costs: Floats64, starts: Ints, speech: Floats64) -> WarpingPath:
    """Find the cheapest path through all frames of the recording and of the synthetic speech.

    In every row only about `BAND` columns are computed, around the one expected at a constant speaking rate: 50 s at 10
    ms a frame. `recording` and `synthetic` are (frames, features), of at least one frame. `skip_costs`, in units of
    `_typical_distance`, and the share of `speech`, 0 to 1, are (frames of the recording,); `starts` has the first
    synthetic frame of each word.
    """
    columns = np.insert(np.arange(len(synthetic)), np.unique(np.append(starts, len(synthetic))), -1)
    scale = _typical_distance(recording, synthetic)
    left, width = _band(len(columns), np.cumsum(speech + MIN_SPEECH))
    steps, cost = _fill(recording, synthetic, skip_costs * scale, columns, left, width)
    first, last = _trace(steps, left, len(columns))
    return WarpingPath(first[columns >= 0], last[columns >= 0], cost / len(recording))


def _typical_distance(recording: Floats, synthetic: Floats) -> float:
    """Return the median distance of a frame of the recording to the most similar synthetic frame, from a sample."""
    sampled = [frames[:: max(1, len(frames) // _SAMPLE)] for frames in (recording, synthetic)]
    return float(np.median(_distances(*sampled).min(axis=1))) + 1e-6


def _band(column_count: int, cumulative_speech: Floats64) -> tuple[Ints, int]:
    """Return the first column of the band in every row, and its width. `cumulative_speech` is a sum over rows."""
    spoken = cumulative_speech - cumulative_speech[0]
    share = spoken / max(float(spoken[-1]), MIN_SPEECH)
    centre = np.round(share * column_count).astype(np.int64)
    # Four times the largest step, so that the bands of consecutive rows overlap.
    width = max(BAND, 4 * int(np.diff(centre).max(initial=0))) if len(spoken) > 1 else column_count
    width = min(width, column_count)
    return np.clip(centre - width // 2, 0, column_count - width), width


def _distances(recording: Floats, synthetic: Floats) -> Floats:
    """Return the Euclidean distances, (frames, synthetic)."""
    squares = np.square(recording).sum(axis=1)[:, None] + np.square(synthetic).sum(axis=1) - 2 * recording @ synthetic.T
    return np.asarray(np.sqrt(np.maximum(squares, 0)), np.float32)


def _fill(
    recording: Floats, synthetic: Floats, skip_costs: Floats64, columns: Ints, left: Ints, width: int
) -> tuple[npt.NDArray[np.int8], float]:
    """Return the best step into every cell of the band, (frames, width), and the cost of the best path.

    `columns` has the synthetic frame of each column, -1 for an extra one. A path enters a row from above or diagonally
    and then goes right. The cheapest cost at column c is the sum of the row up to c plus the running minimum of (cost
    at the entry column - sum of the row up to there), so that no loop over columns is needed.
    """
    steps = np.empty((len(recording), width), np.int8)
    previous = np.full(width, np.inf)
    for begin in range(0, len(recording), _BLOCK):
        rows = left[begin : begin + _BLOCK]
        block = columns[rows[0] : rows[-1] + width]
        cost = _distances(recording[begin : begin + _BLOCK], synthetic[block.clip(0)]).astype(np.float64)
        sums = np.cumsum(np.where(block < 0, 0.0, cost), axis=1)
        cost[:, block < 0] = skip_costs[begin : begin + len(cost), None]
        for row, offset in enumerate(rows - rows[0]):
            # The band of this row begins `band_shift` columns after that of the row above: cell i of this row is below
            # cell i + band_shift + 1 of `above`, whose first cell is left of that band.
            band_shift = rows[row] - left[max(begin + row - 1, 0)]
            above = np.concatenate([[np.inf], previous, np.full(band_shift, np.inf)])
            here = cost[row, offset : offset + width]
            down, diagonal = above[band_shift + 1 :] + here, above[band_shift:-1] + here
            if begin + row == 0:
                diagonal[:2] = here[:2]  # a path begins in the first extra column or the first synthetic frame
            entry = np.minimum(down, diagonal) - sums[row, offset : offset + width]
            best = np.minimum.accumulate(entry)
            steps[begin + row] = np.where(entry > best, _RIGHT, np.where(down < diagonal, _DOWN, _DIAGONAL))
            previous = best + sums[row, offset : offset + width]
    return steps, float(previous[-1])


def _trace(steps: npt.NDArray[np.int8], left: Ints, column_count: int) -> tuple[Ints, Ints]:
    """Trace the path back from the last cell. Return its first and last row in every column."""
    first, last = np.full((2, column_count), -1)
    row, column = len(steps) - 1, column_count - 1
    while True:
        first[column] = row
        if last[column] < 0:
            last[column] = row
        step = steps[row, column - left[row]]
        if row == 0 and step != _RIGHT:
            return first, last
        row -= step != _RIGHT
        column -= step != _DOWN
