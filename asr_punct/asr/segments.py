"""Segmentation of a recording for a recogniser, so that memory does not grow with its length.

A segment is a stretch of speech between pauses of half a second, with a quarter of a second of pause at both ends.
Long stretches are cut where they are quietest; short neighbours may be merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from asr_punct import audio as sound
from asr_punct.audio import FRAMES_A_SECOND, Pathlike, Samples
from asr_punct.pauses import silent_frames, smooth
from asr_punct.words import Seconds

LONGEST_SEGMENT: Seconds = 30.0
"""Length of the longest segments: Whisper's window, and about the longest training segments of other models."""
_PAUSE: Seconds = 0.5
_UNDER_LOUD_DB, _SILENCE_DB = 10.0, -70.0
"""Every frame of a pause is this far under the 99th percentile of the recording's energy, or under this level."""
_MARGIN = FRAMES_A_SECOND // 4
_SMOOTHED = 3 * FRAMES_A_SECOND // 10
"""Frames averaged to find a quiet place."""
Floats = npt.NDArray[np.floating]
_Span = tuple[int, int]
"""First frame and the one after the last, 10 ms each."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a recording: its start, and float32 (samples,) in -1..1."""

    start: Seconds
    samples: Samples


def plan_segments(energy: Floats, merge_up_to: Seconds = 0.0) -> list[_Span]:
    """Return the segments with speech, in order, given the recording's `audio.log_energy`.

    Neighbours are merged up to a length of `merge_up_to`.
    """
    if not len(energy):
        return []
    kernel = np.full(_SMOOTHED, 1 / _SMOOTHED)
    level = np.convolve(np.pad(energy, _SMOOTHED // 2, mode="edge"), kernel, mode="valid")
    segments: list[_Span] = []
    for stretch in _stretches(energy):
        for first, last in _split(stretch, level):
            if segments and last - segments[-1][0] <= merge_up_to * FRAMES_A_SECOND:
                segments[-1] = (segments[-1][0], last)
            else:
                segments.append((first, last))
    return segments


def _stretches(energy: Floats) -> Iterator[_Span]:
    """The stretches between long silences, with a margin."""
    level = max(float(np.percentile(energy, 99)) - _UNDER_LOUD_DB, _SILENCE_DB)
    quiet = silent_frames(energy) & (smooth(energy) < level)
    silences = np.flatnonzero(np.diff(quiet, prepend=False, append=False)).reshape(-1, 2).tolist()
    long = [(first, last) for first, last in silences if last - first >= _PAUSE * FRAMES_A_SECOND]
    for (_, first), (last, _) in pairwise([(0, 0), *long, (len(energy), len(energy))]):
        if first < last:
            yield max(0, first - _MARGIN), min(len(energy), last + _MARGIN)


def _split(span: _Span, level: Floats) -> Iterator[_Span]:
    """Parts of up to `LONGEST_SEGMENT`, each cut at the quietest frame of its second half."""
    first, last = span
    longest = round(LONGEST_SEGMENT * FRAMES_A_SECOND)
    while last - first > longest:
        half = first + longest // 2
        cut = half + int(np.argmin(level[half : first + longest]))
        yield first, cut
        first = cut
    yield first, last


def read_segments(path: Pathlike, rate: int, spans: Iterable[_Span]) -> Iterator[Segment]:
    """Read the segments of a file at a sample rate; the file is decoded once.

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
        yield Segment(span[0] / FRAMES_A_SECOND, held[begin - offset : end - offset])
