"""The most probable CTC path through given labels (Graves et al. 2006), exact and in bounded memory.

For N labels there are 2 N + 1 states: a blank, the first label, a blank, ..., the last label, a blank. At each frame a
path stays in its state, moves to the next one, or skips the blank between two different labels. Nothing is pruned.

For F frames, N labels and C columns the time is O(F N). Kept in memory are the emissions (F C numbers), the scores of
all states at the start of every block of B = 2048 frames (F / B * (2 N + 1) numbers), and the back pointers of one
block (at most B * (2 B + 1) bytes, because a path passes at most B labels in B frames). For an hour at 20 ms a frame,
60,000 labels and 40 columns that is 29 + 42 + 8 MB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asr_punct.errors import AsrPunctError

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BLOCK = 2048
BLANK, FILLER = 0, 1
"""Columns of the emissions for the blank and for the filler. Two fillers may follow each other without a blank."""


class NoPathError(AsrPunctError):
    """There is no path through the labels: there are too few frames, or every path has probability 0."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        super().__init__(f"found no path through {frames} frames, expected one of some probability")


@dataclass(frozen=True)
class CtcPath:
    """First and last frame of each label on the best path, (labels,)."""

    first: Ints
    last: Ints
    frames: int
    """Number of frames of the recording."""


@dataclass(frozen=True)
class _States:
    """Emission column of each state, and 0 where a path may skip the state before it, else -inf; both (states,)."""

    columns: Ints
    skip: Floats

    def __getitem__(self, states: slice) -> _States:
        return _States(self.columns[states], self.skip[states])


def least_frames(labels: Ints) -> int:
    """Return the smallest number of frames that a path through the labels needs."""
    return len(labels) + int(_needs_blank(labels).sum())


def viterbi(emissions: Iterable[Floats], labels: Ints, block_frames: int = BLOCK) -> CtcPath:
    """Find the most probable path. Raises NoPathError if there is none.

    `emissions` are float32 (frames, columns) log-probabilities in consecutive chunks; -inf is allowed, NaN is not.
    `labels` has the column of each label, at least one. `block_frames` is the block size B of the module docstring.
    """
    states = _states_of(labels)
    scores = np.full(len(states.columns), -np.inf, np.float32)
    scores[0] = 0
    blocks, starts = list[Floats](), list[Floats]()
    for block in _blocks(emissions, block_frames):
        blocks.append(block)
        starts.append(scores)
        scores = _forward(scores, block, states)
        if np.isfinite(best := scores.max()):
            scores -= best  # float32 then stays exact enough near the best score after any number of frames
    end = sum(map(len, blocks))
    if not blocks or not np.isfinite(scores[-2:].max()):
        raise NoPathError(end)
    path = np.empty(end, np.int64)
    state = len(scores) - 1 - int(scores[-2] >= scores[-1])
    for block, start in zip(reversed(blocks), reversed(starts), strict=True):
        begin = end - len(block)
        state = _trace_block(path[begin:end], start, block, states, state)
        end = begin
    return _label_frames(path, len(labels))


def _states_of(labels: Ints) -> _States:
    columns = np.full(2 * len(labels) + 1, BLANK)
    columns[1::2] = labels
    skip = np.full(len(columns), -np.inf, np.float32)
    skip[1::2][~_needs_blank(labels)] = 0
    return _States(columns, skip)


def _needs_blank(labels: Ints) -> npt.NDArray[np.bool_]:
    """Return which labels equal the label before them, so that a blank must separate the two."""
    return np.append(False, (labels[1:] == labels[:-1]) & (labels[1:] != FILLER))


def _blocks(chunks: Iterable[Floats], size: int) -> Iterator[Floats]:
    """Regroup chunks of frames into blocks of `size` frames, the last one shorter."""
    held, frames = list[Floats](), 0
    for chunk in chunks:
        held.append(chunk)
        frames += len(chunk)
        while frames >= size:
            joined = np.concatenate(held)
            yield joined[:size].copy()
            held, frames = [joined[size:]], frames - size
    if frames:
        yield np.concatenate(held)


def _forward(scores: Floats, block: Floats, states: _States, back: npt.NDArray[np.int8] | None = None) -> Floats:
    """Return the scores after a block. `back` (frames, states) gets the number of states that each step moves."""
    padded = np.full(len(scores) + 2, -np.inf, np.float32)
    padded[2:] = scores
    stay, moved, two_before = padded[2:], padded[1:-1], padded[:-2]
    for frame, row in enumerate(block):
        skipped = two_before + states.skip
        best = np.maximum(stay, moved)
        if back is not None:
            back[frame] = moved > stay
            back[frame][skipped > best] = 2
        np.maximum(best, skipped, out=best)
        np.add(best, row[states.columns], out=stay)
    return stay.copy()


def _trace_block(path: Ints, start: Floats, block: Floats, states: _States, state: int) -> int:
    """Write the states of a block that ends in `state` to `path` (frames,). Return the state before the block."""
    lowest = max(0, state - 2 * len(block))
    back = np.empty((len(block), state + 1 - lowest), np.int8)
    _forward(start[lowest : state + 1], block, states[lowest : state + 1], back)
    for frame in range(len(block) - 1, -1, -1):
        path[frame] = state
        state -= int(back[frame, state - lowest])
    return state


def _label_frames(path: Ints, labels: int) -> CtcPath:
    """Find the first and last frame of each label in the states of all frames."""
    states = 2 * np.arange(labels) + 1
    return CtcPath(np.searchsorted(path, states), np.searchsorted(path, states, side="right") - 1, len(path))
