"""The most probable CTC path through given labels (Graves et al. 2006), exact, in memory that is stated.

The states are the labels and a blank before, between and after them. A path stays, goes to the next state, or leaves
out the blank between two labels that differ. Nothing is pruned.

Memory, for F frames, N labels and C columns: the emissions, F * C numbers; the scores of all states at the start of
every block of B = 2048 frames, ceil(F / B) * (2 N + 1) numbers; some rows of 2 N + 1; and, for one block at a time, a
byte for each state that its part of the path can have come through, at most B * (2 B + 1), for in B frames a path
passes no more than B labels. These are found again, going back, from the scores at the block's start. For an hour at
20 ms a frame, 60,000 labels and 40 columns that is 29 + 42 + 8 MB; a byte for every state would be 22 GB. Time grows
with F * N.
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
"""Frames between two rows of scores that are kept."""
BLANK, FILLER = 0, 1
"""Columns of the emissions: the blank's, and that of what may follow itself without a blank between."""
_STAY, _FROM_BLANK, _FROM_LABEL = 0, 1, 2


class NoPathError(AsrPunctError):
    """No path leads through the labels: too few frames, or only paths of probability 0.

    Args:
        frames: how many there are.
    """

    def __init__(self, frames: int) -> None:
        self.frames = frames
        super().__init__(f"found no path through {frames} frames, expected one of some probability")


@dataclass(frozen=True)
class CtcPath:
    """Where the best path meets each label.

    Attributes:
        first: (labels,), first frame of each.
        last: (labels,), last frame of each.
        frames: how many there are.
    """

    first: Ints
    last: Ints
    frames: int


@dataclass(frozen=True)
class _Scores:
    """Of the best path into each state: (labels,), and the blanks before them and after the last, (labels + 1,)."""

    labels: Floats
    blanks: Floats

    def part(self, first: int, last: int) -> _Scores:
        """The labels from `first` up to, not with, `last`."""
        return _Scores(self.labels[first:last], self.blanks[first : last + 1])


@dataclass(frozen=True)
class _Steps:
    """How the path came into each state: int8 (frames, labels), and whether from a label, (frames, labels + 1)."""

    labels: npt.NDArray[np.int8]
    blanks: npt.NDArray[np.bool_]


def least_frames(labels: Ints) -> int:
    """The fewest frames that a path through the labels has."""
    return len(labels) + int(_needs_blank(labels).sum())


def viterbi(emissions: Iterable[Floats], labels: Ints) -> CtcPath:
    """The most probable path.

    Args:
        emissions: float32 (frames, columns) log-probabilities, piece by piece; -inf is allowed, NaN is not.
        labels: their columns, one or more.

    Raises:
        NoPathError: there is none.
    """
    skip = np.zeros(len(labels), np.float32)
    skip[_needs_blank(labels)] = -np.inf
    scores = _Scores(*(np.full(len(labels) + extra, -np.inf, np.float32) for extra in (0, 1)))
    scores.blanks[0] = 0
    blocks, starts = list[Floats](), list[_Scores]()
    for block in _blocks(emissions):
        blocks.append(block)
        starts.append(scores)
        scores = _normalised(_forward(scores, block, labels, skip))
    end = sum(map(len, blocks))
    if not blocks or not np.isfinite(max(scores.blanks[-1], scores.labels[-1])):
        raise NoPathError(end)
    first, last = np.full((2, len(labels)), -1)
    path = CtcPath(first, last, end)
    in_label = bool(scores.labels[-1] >= scores.blanks[-1])
    state = (len(labels) - in_label, in_label)
    for block, start in zip(reversed(blocks), reversed(starts), strict=True):
        end -= len(block)
        state = _trace_block(path, start, block, end, labels, skip, state)
    return path


def _needs_blank(labels: Ints) -> npt.NDArray[np.bool_]:
    """Which labels are the same as the one before, and so need a blank between."""
    return np.append(False, (labels[1:] == labels[:-1]) & (labels[1:] != FILLER))


def _blocks(pieces: Iterable[Floats]) -> Iterator[Floats]:
    """The frames in blocks of `BLOCK`, the last one shorter."""
    held, frames = list[Floats](), 0
    for piece in pieces:
        held.append(piece)
        frames += len(piece)
        while frames >= BLOCK:
            joined = np.concatenate(held)
            yield joined[:BLOCK].copy()
            held, frames = [joined[BLOCK:]], frames - BLOCK
    if frames:
        yield np.concatenate(held)


def _normalised(scores: _Scores) -> _Scores:
    """The scores less the best one, so that float32 holds those near it exactly enough after any number of frames."""
    best = max(scores.blanks.max(), scores.labels.max())
    return _Scores(scores.labels - best, scores.blanks - best) if np.isfinite(best) else scores


def _forward(scores: _Scores, block: Floats, labels: Ints, skip: Floats, steps: _Steps | None = None) -> _Scores:
    """The scores after the frames of a block; how they came about is written into `steps`, where that is wanted."""
    label, blank = scores.labels, scores.blanks
    for frame, row in enumerate(block):
        skipping = label[:-1] + skip[1:]
        entered = np.maximum(label, blank[:-1])
        into_blank = blank.copy()
        np.maximum(blank[1:], label, out=into_blank[1:])
        if steps is not None:
            steps.labels[frame] = np.where(label >= blank[:-1], _STAY, _FROM_BLANK)
            steps.labels[frame, 1:][skipping > entered[1:]] = _FROM_LABEL
            steps.blanks[frame, 1:] = label > blank[1:]
        np.maximum(entered[1:], skipping, out=entered[1:])
        label, blank = entered + row[labels], into_blank + row[BLANK]
    return _Scores(label, blank)


def _trace_block(
    path: CtcPath, start: _Scores, block: Floats, begin: int, labels: Ints, skip: Floats, state: tuple[int, bool]
) -> tuple[int, bool]:
    """Write a block's part of the path, which ends in `state`: its index, and whether it is a label.

    Args:
        path: is written into.
        start: scores before the block.
        block: its emissions.
        begin: its first frame.
        labels: columns of all labels.
        skip: what leaving out the blank before each costs.
        state: where the block's part ends.

    Returns:
        The state before the block.
    """
    index, is_label = state
    lowest, highest = max(0, index - len(block)), index + is_label
    part = start.part(lowest, highest)
    shape = len(block), highest - lowest
    steps = _Steps(np.zeros(shape, np.int8), np.zeros((shape[0], shape[1] + 1), np.bool_))
    _forward(part, block, labels[lowest:highest], skip[lowest:highest], steps)
    for frame in range(len(block) - 1, -1, -1):
        if is_label:
            path.first[index] = begin + frame
            path.last[index] = max(path.last[index], begin + frame)
            step = steps.labels[frame, index - lowest]
            index, is_label = index - int(step == _FROM_LABEL), bool(step != _FROM_BLANK)
        elif steps.blanks[frame, index - lowest]:
            index, is_label = index - 1, True
    return index, is_label
