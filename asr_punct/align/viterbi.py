"""The most probable CTC path through given labels (Graves et al. 2006), exact and in little memory.

For N labels there are 2 N + 1 states: a blank, the first label, a blank, ..., the last label, a blank. At each frame a
path stays in its state, moves to the next one, or skips the blank between two different labels. Nothing is pruned.

For F frames, N labels and emissions with C columns the time is O(F N). Kept in memory are the emissions (F C numbers),
the scores of all states at the start of every block of B = 2048 frames (F / B * (2 N + 1) numbers), and the back
pointers of one block (at most B * (2 B + 1) bytes, because a path passes at most B labels in B frames). For an hour at
20 ms a frame, 60,000 labels and 40 columns that is 29 + 42 + 8 MB.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asr_punct.audio import regroup
from asr_punct.errors import InputError

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BLOCK = 2048
BLANK, FILLER = 0, 1
"""Columns of the emissions for the blank and for the filler. Two fillers may follow each other without a blank."""


class NoPathError(InputError):
    """There is no path through the labels: there are too few frames, or every path has probability 0."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        super().__init__("", f"no path through {frames} frames", "one with a probability above 0")


@dataclass(frozen=True)
class CtcPath:
    """First and last frame of each label on the best path, (labels,), and the number of frames of the recording."""

    first: Ints
    last: Ints
    frames: int


def min_frames(labels: Ints) -> int:
    """Return the smallest number of frames that a path through the labels needs."""
    return len(labels) + int(_needs_blank(labels).sum())


def viterbi(emissions: Iterable[Floats], labels: Ints, block_frames: int = BLOCK) -> CtcPath:
    """Find the most probable path. Raises NoPathError if there is none.

    `emissions` are float32 (frames, columns) log-probabilities in consecutive chunks; -inf is allowed, NaN is not.
    `labels` has the column of each label, at least one. `block_frames` is the block size B of the module docstring.
    """
    columns = np.full(2 * len(labels) + 1, BLANK)  # column of each state
    columns[1::2] = labels
    skip = np.full(len(columns), -np.inf, np.float32)  # 0 for states that a path may enter from two states before
    skip[1::2][~_needs_blank(labels)] = 0
    scores = np.full(len(columns), -np.inf, np.float32)
    scores[0] = 0
    blocks = list[tuple[Floats, Floats]]()  # of each block: the emissions, and the scores before its first frame
    for block in regroup(emissions, block_frames):
        blocks.append((block, scores))
        scores = _forward(scores, block, columns, skip)
        if np.isfinite(best := scores.max()):
            scores -= best  # float32 then stays exact enough near the best score after any number of frames
    frames = sum(len(block) for block, _ in blocks)
    if not blocks or not np.isfinite(scores[-2:].max()):
        raise NoPathError(frames)
    path, end = np.empty(frames, np.int64), frames
    state = len(scores) - 1 - int(scores[-2] >= scores[-1])
    for block, start in reversed(blocks):
        begin = end - len(block)
        state = _trace_block(path[begin:end], start, block, columns, skip, state)
        end = begin
    label_states = 2 * np.arange(len(labels)) + 1
    first, end_frames = (np.searchsorted(path, label_states, side=side) for side in ("left", "right"))
    return CtcPath(first, end_frames - 1, frames)


def _needs_blank(labels: Ints) -> npt.NDArray[np.bool_]:
    """Return which labels equal the label before them, so that a blank must separate the two."""
    return np.append(False, (labels[1:] == labels[:-1]) & (labels[1:] != FILLER))


def _forward(
    scores: Floats, block: Floats, columns: Ints, skip: Floats, back: npt.NDArray[np.int8] | None = None
) -> Floats:
    """Return the scores after a block.

    If given, `back` (frames, states) is filled with back pointers: how many states the best path to each state moves
    forward at each frame, 0 to 2.
    """
    padded = np.full(len(scores) + 2, -np.inf, np.float32)
    padded[2:] = scores
    stay, one_before, two_before = padded[2:], padded[1:-1], padded[:-2]  # views: writing `stay` updates all
    for frame, row in enumerate(block):
        skipped = two_before + skip
        best = np.maximum(stay, one_before)
        if back is not None:
            back[frame] = one_before > stay
            back[frame][skipped > best] = 2
        np.maximum(best, skipped, out=best)
        np.add(best, row[columns], out=stay)
    return stay.copy()


def _trace_block(path: Ints, start: Floats, block: Floats, columns: Ints, skip: Floats, state: int) -> int:
    """Write the states of a block that ends in `state` to `path` (frames,). Return the state before the block."""
    lowest = max(0, state - 2 * len(block))
    reachable = slice(lowest, state + 1)
    back = np.empty((len(block), state + 1 - lowest), np.int8)
    _forward(start[reachable], block, columns[reachable], skip[reachable], back)
    for frame in range(len(block) - 1, -1, -1):
        path[frame] = state
        state -= int(back[frame, state - lowest])
    return state
