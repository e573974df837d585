"""Transcription of recordings by a recogniser, with pauses refined on the sound."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from asr_punct import audio as sound
from asr_punct import progress
from asr_punct.asr.segments import Segment, plan_segments, read_segments
from asr_punct.audio import Pathlike, Samples
from asr_punct.errors import InputError
from asr_punct.formats.time_sources import time_source_of
from asr_punct.formats.tokens import entry_words, recording_name
from asr_punct.pauses import with_refined_pauses
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_LOG = logging.getLogger(__name__)


class Recogniser(Protocol):
    """A speech recogniser, called with one segment of a recording at a time."""

    rate: int
    """Sample rate of its input."""
    time_source: TimeSource
    language: str | None
    """Code of the language it writes (`en`), None if unknown."""
    merge_up_to: Seconds
    """Length up to which it gets neighbouring stretches of speech in one segment; 0: never."""

    def words(self, samples: Samples) -> Iterable[Word]:
        """Return the words of float32 (samples,) in -1..1, with times in seconds from the first sample."""


def recognised_words(
    text: str, start: Seconds | None, end: Seconds | None, confidence: float | None = None
) -> Iterator[Word]:
    """Yield the words of one token of a recogniser, usually one; numbers may be numpy's or torch's.

    An end before the start, which Whisper returns now and then, and a confidence of NaN become None.
    """
    first, last, known = (None if value is None else float(value) for value in (start, end, confidence))
    if first is not None and last is not None and last < first:
        last = None
    if known is not None and math.isnan(known):
        known = None
    yield from entry_words(text, first, last, known, "the recogniser")


def transcribe(audio: Pathlike, recogniser: Recogniser) -> Iterator[Utterance]:
    """Transcribe a recording: an utterance for each segment with words, named after the file.

    Times are seconds from the beginning of the file, inside the segment; pauses are refined on the sound
    (`pauses.refine`). A recording without words is logged. All its words are in memory, its samples are not.

    Raises:
        InputError: no such file.
        AudioError: the audio cannot be read.
    """
    with progress.step(f"looking for speech in {audio}"):
        energy = sound.energy(audio)
    spans = plan_segments(energy, recogniser.merge_up_to)
    name, path = recording_name(audio), str(audio).encode(errors="replace").decode()
    segments = progress.counted(read_segments(audio, recogniser.rate, spans), f"segments of {name}", total=len(spans))
    found = (_placed(recogniser.words(segment.samples), segment, recogniser.rate) for segment in segments)
    held = [
        Utterance(
            words,
            f"{name}-{number}",
            recording=name,
            time_source=time_source_of(words, recogniser.time_source),
            audio=path,
        )
        for number, words in enumerate(filter(None, found), start=1)
    ]
    if held:
        yield from with_refined_pauses(held, energy)
    else:
        _LOG.info("%s: no words were recognised", audio)


def _placed(words: Iterable[Word], segment: Segment, rate: int) -> tuple[Word, ...]:
    """The words with times in the recording, in order and inside their segment.

    Whisper places words after the end of its input, and leaves the end of the last word open.
    """
    placed, last, length = list[Word](), 0.0, len(segment.samples) / rate
    for word in words:
        start = last if word.start is None else min(max(word.start, last), length)
        end = length if word.end is None else min(max(word.end, start), length)
        placed.append(replace(word, start=round(segment.start + start, 3), end=round(segment.start + end, 3)))
        last = start
    return tuple(placed)


def check_recordings(audio: Sequence[Pathlike], one: bool) -> None:
    """Check before any work that all files are audio and have different names, and that there is one if `one` is true.

    Raises:
        InputError, AudioError: otherwise.
    """
    if one and len(audio) > 1:
        raise InputError("AUDIO", f"{len(audio)} recordings", "one, for a file of this format")
    seen: dict[str, Pathlike] = {}
    for path in audio:
        sound.duration(path)
        other = seen.setdefault(recording_name(path), path)
        if other is not path:
            raise InputError(path, f"the name of {other}", "recordings with different names")
