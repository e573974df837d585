"""Audio in pieces that a recogniser takes one at a time, cut where nobody speaks: memory does not grow with its length.

A piece is a stretch of speech between pauses of half a second, with a quarter of a second of them at both ends. A
longer stretch is cut where it is quietest; several short ones become one piece where a recogniser wants more at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from asr_punct import audio as sound
from asr_punct.audio import FRAMES_A_SECOND, Pathlike, Samples
from asr_punct.pauses import silences
from asr_punct.words import Seconds

LONGEST: Seconds = 30.0
"""Length of the longest pieces: what Whisper takes at a time, and the most that other models were trained on."""
_PAUSE: Seconds = 0.5
_UNDER_LOUD_DB, _SILENCE_DB = 10.0, -70.0
"""A pause is so far under the loudest hundredth of the recording, or under this level."""
_MARGIN = FRAMES_A_SECOND // 4
_SMOOTHED = 3 * FRAMES_A_SECOND // 10
"""Frames that are averaged to find a quiet place."""
_Span = tuple[int, int]
"""First frame and the one after the last, 10 ms each."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a recording.

    Attributes:
        start: when it begins.
        samples: float32 (samples,), in -1..1.
    """

    start: Seconds
    samples: Samples


def plan_pieces(energy: npt.NDArray[np.floating], joined: Seconds = 0.0) -> list[_Span]:
    """Where the pieces are, in order and without overlap; none where nobody speaks.

    Args:
        energy: (frames,), from `audio.log_energy`.
        joined: neighbouring stretches become one piece of at most so many seconds.
    """
    if not len(energy):
        return []
    kernel = np.full(_SMOOTHED, 1 / _SMOOTHED)
    level = np.convolve(np.pad(energy, _SMOOTHED // 2, mode="edge"), kernel, mode="valid")
    spans = [part for span in _stretches(energy) for part in _divided(span, level)]
    pieces: list[_Span] = []
    for first, last in spans:
        if pieces and last - pieces[-1][0] <= joined * FRAMES_A_SECOND:
            pieces[-1] = (pieces[-1][0], last)
        else:
            pieces.append((first, last))
    return pieces


def _stretches(energy: npt.NDArray[np.floating]) -> Iterator[_Span]:
    """What is between long silences, with a margin."""
    level = max(float(np.percentile(energy, 99)) - _UNDER_LOUD_DB, _SILENCE_DB)
    silent = np.rint(silences(energy) * FRAMES_A_SECOND).astype(int).tolist()
    long = [
        (first, last)
        for first, last in silent
        if last - first >= _PAUSE * FRAMES_A_SECOND and energy[first:last].mean() < level
    ]
    for (_, first), (last, _) in pairwise([(0, 0), *long, (len(energy), len(energy))]):
        if first < last:
            yield max(0, first - _MARGIN), min(len(energy), last + _MARGIN)


def _divided(span: _Span, level: npt.NDArray[np.floating]) -> Iterator[_Span]:
    """The span in parts of `LONGEST` at most, each cut at the quietest frame of its second half."""
    first, last = span
    longest = round(LONGEST * FRAMES_A_SECOND)
    while last - first > longest:
        half = first + longest // 2
        cut = half + int(np.argmin(level[half : first + longest]))
        yield first, cut
        first = cut
    yield first, last


def read_pieces(path: Pathlike, rate: int, spans: Iterable[_Span]) -> Iterator[Piece]:
    """The pieces of a file at `rate` samples a second, decoded once from its beginning.

    Raises:
        AudioError: it cannot be read to its end.
    """
    blocks = sound.blocks(path, rate)
    held, offset = np.zeros(0, np.float32), 0
    for span in spans:
        begin, end = (frame * rate // FRAMES_A_SECOND for frame in span)
        while offset + len(held) < end and (block := next(blocks, None)) is not None:
            passed = min(max(begin - offset, 0), len(held))
            held, offset = np.concatenate([held[passed:], block]), offset + passed
        yield Piece(span[0] / FRAMES_A_SECOND, held[begin - offset : end - offset])
