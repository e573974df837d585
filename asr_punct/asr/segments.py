"""Segmentation of a recording for a recogniser, so that memory does not grow with the length of the recording.

A segment is speech between pauses of 0.5 s or more, with 0.25 s of pause at both ends. Long segments are cut where they
are quietest, and short neighbours may be merged.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from asr_punct import audio as sound
from asr_punct.audio import FRAMES_A_SECOND, Pathlike, Samples
from asr_punct.pauses import silent_frames, smooth
from asr_punct.words import Seconds

LONGEST_SEGMENT: Seconds = 30.0
"""Maximum length of a segment: Whisper's window, and about the longest training segments of other models."""
_PAUSE: Seconds = 0.5
_UNDER_LOUD_DB, _SILENCE_DB = 10.0, -70.0
"""Every frame of a pause is 10 dB under the 99th percentile of the recording's energy, or under -70 dB."""
_MARGIN = FRAMES_A_SECOND // 4
"""Frames of pause at both ends of a segment: 0.25 s."""
_SMOOTHING = 3 * FRAMES_A_SECOND // 10
"""Frames averaged to find where to cut: 0.3 s."""
Floats = npt.NDArray[np.floating]
_Span = tuple[int, int]
"""First frame and end (exclusive), in frames of 10 ms."""


class Segment(NamedTuple):
    """A part of a recording: its start in the recording, and its samples, float32 (samples,) in -1..1."""

    start: Seconds
    samples: Samples


def plan_segments(energy: Floats, merge_up_to: Seconds = 0.0) -> list[_Span]:
    """Return the segments of a recording with speech, in order; neighbours are merged up to `merge_up_to` seconds.

    `energy` is (frames,) from `audio.log_energy`.
    """
    if not len(energy):
        return []
    kernel = np.full(_SMOOTHING, 1 / _SMOOTHING)
    level = np.convolve(np.pad(energy, _SMOOTHING // 2, mode="edge"), kernel, mode="valid")
    segments: list[_Span] = []
    for span in _speech_spans(energy):
        for first, last in _split(span, level):
            if segments and last - segments[-1][0] <= merge_up_to * FRAMES_A_SECOND:
                segments[-1] = (segments[-1][0], last)
            else:
                segments.append((first, last))
    return segments


def _speech_spans(energy: Floats) -> Iterator[_Span]:
    threshold = max(float(np.percentile(energy, 99)) - _UNDER_LOUD_DB, _SILENCE_DB)
    quiet = silent_frames(energy) & (smooth(energy) < threshold)
    silences = np.flatnonzero(np.diff(quiet, prepend=False, append=False)).reshape(-1, 2).tolist()
    pauses = [(first, last) for first, last in silences if last - first >= _PAUSE * FRAMES_A_SECOND]
    for (_, pause_end), (next_pause, _) in pairwise([(0, 0), *pauses, (len(energy), len(energy))]):
        if pause_end < next_pause:
            yield max(0, pause_end - _MARGIN), min(len(energy), next_pause + _MARGIN)


def _split(span: _Span, level: Floats) -> Iterator[_Span]:
    """Split a span into parts of up to `LONGEST_SEGMENT`, cut at the quietest frame of the second half of each."""
    first, last = span
    longest = round(LONGEST_SEGMENT * FRAMES_A_SECOND)
    while last - first > longest:
        half = first + longest // 2
        cut = half + int(np.argmin(level[half : first + longest]))
        yield first, cut
        first = cut
    yield first, last


def read_segments(path: Pathlike, rate: int, spans: Iterable[_Span]) -> Iterator[Segment]:
    """Read segments of a file at `rate`, decoding it once. Raises AudioError if it cannot be read to its end."""
    blocks = sound.blocks(path, rate)
    buffer, offset = np.zeros(0, np.float32), 0  # samples, and the place of the first of them in the file
    for span in spans:
        begin, end = (frame * rate // FRAMES_A_SECOND for frame in span)
        while offset + len(buffer) < end and (block := next(blocks, None)) is not None:
            passed = min(max(begin - offset, 0), len(buffer))
            buffer, offset = np.concatenate([buffer[passed:], block]), offset + passed
        yield Segment(span[0] / FRAMES_A_SECOND, buffer[begin - offset : end - offset])
