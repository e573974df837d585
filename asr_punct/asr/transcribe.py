"""Transcription of recordings by a recogniser, with pauses refined on the audio."""

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
from asr_punct.files import recording_name
from asr_punct.formats.entries import entry_words
from asr_punct.formats.time_sources import time_source_of
from asr_punct.pauses import with_refined_pauses
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_LOG = logging.getLogger(__name__)
_WHISPER_CODES = {"fil": "tl", "nb": "no", "sh": None}
"""Whisper's code for each code of `languages` that it does not know; None if it has several."""


class Recogniser(Protocol):
    """A speech recogniser, called with one segment of a recording at a time.

    Attributes:
        rate: sample rate of the input.
        time_source: kind of times of the words.
        language: code of the language of the output (`en`), None if unknown.
        merge_segments_up_to: length up to which short neighbouring segments are merged; 0 for never.
    """

    rate: int
    time_source: TimeSource
    language: str | None
    merge_segments_up_to: Seconds

    def words(self, samples: Samples) -> Iterable[Word]:
        """Transcribe a segment, float32 (samples,) in -1..1. Times are in seconds from its first sample."""


def whisper_language(language: str | None) -> str | None:
    """Return Whisper's code of the language, or None if it has to detect the language of each segment.

    It has to for a mixture (`es+eu`), and for Serbo-Croatian, for which it has three codes.
    """
    if language is None or "+" in language:
        return None
    return _WHISPER_CODES.get(language, language)


def recognised_words(
    text: str, start: Seconds | None, end: Seconds | None, confidence: float | None = None
) -> Iterator[Word]:
    """Yield the words of one token of a recogniser, usually one. Numbers may be scalars of numpy or torch.

    An end before the start (Whisper sometimes returns one) and a confidence of NaN become None.
    """
    start, end, confidence = (None if value is None else float(value) for value in (start, end, confidence))
    if start is not None and end is not None and end < start:
        end = None
    if confidence is not None and math.isnan(confidence):
        confidence = None
    yield from entry_words(text, start, end, confidence, "the recogniser")


def transcribe(audio: Pathlike, recogniser: Recogniser) -> Iterator[Utterance]:
    """Transcribe a recording. Yield an utterance for each segment with words, with ids `NAME-1`, `NAME-2` …

    Times are in seconds from the beginning of the file, and pauses are refined on the audio. A recording without words
    is logged. Raises InputError for a missing file, and AudioError if the audio cannot be read.
    """
    with progress.step(f"looking for speech in {audio}"):
        energy = sound.energy(audio)
    spans = plan_segments(energy, recogniser.merge_segments_up_to)
    name, path = recording_name(audio), str(audio).encode(errors="replace").decode()  # no surrogates
    utterances: list[Utterance] = []
    segments = progress.track(read_segments(audio, recogniser.rate, spans), f"segments of {name}", total=len(spans))
    for segment in segments:
        if words := _shift_words(recogniser.words(segment.samples), segment, recogniser.rate):
            source = time_source_of(words, recogniser.time_source)
            id_ = f"{name}-{len(utterances) + 1}"
            utterances.append(Utterance(words, id_, recording=name, time_source=source, audio=path))
    if utterances:
        yield from with_refined_pauses(utterances, energy)
    else:
        _LOG.info("%s: no words were recognised", audio)


def _shift_words(words: Iterable[Word], segment: Segment, rate: int) -> tuple[Word, ...]:
    """Return the words with times in the recording, clipped so that they are in order and inside the segment.

    Whisper may return words after the end of its input, and a last word without an end.
    """
    shifted, previous, length = list[Word](), 0.0, len(segment.samples) / rate
    for word in words:
        start = previous if word.start is None else min(max(word.start, previous), length)
        end = length if word.end is None else min(max(word.end, start), length)
        shifted.append(replace(word, start=round(segment.start + start, 3), end=round(segment.start + end, 3)))
        previous = start
    return tuple(shifted)


def check_recordings(audio: Sequence[Pathlike], one: bool) -> None:
    """Check recordings before they are transcribed.

    Raises InputError for a missing file, two files of the same name, or several files if `one` is true; AudioError if
    a file is not audio.
    """
    if one and len(audio) > 1:
        raise InputError("AUDIO", f"{len(audio)} recordings", "one, for a file of this format")
    seen: dict[str, Pathlike] = {}
    for path in audio:
        sound.duration(path)
        other = seen.setdefault(recording_name(path), path)
        if other is not path:
            raise InputError(path, f"the name of {other}", "recordings with different names")
