"""Transcription of recordings by a recogniser, with pauses refined on the audio.

A recogniser gets one segment at a time, so that memory does not grow with the length of the recording. A segment is
speech between pauses of 0.5 s or more, with 0.25 s of pause at both ends. Long segments are cut where they are
quietest, and short neighbours may be merged.
"""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from asr_punct import audio as sound
from asr_punct import progress
from asr_punct.audio import FRAMES_A_SECOND, Pathlike, Samples
from asr_punct.errors import ArgumentError, InputError
from asr_punct.files import recording_name
from asr_punct.formats.entries import entry_words
from asr_punct.formats.time_sources import time_source_of
from asr_punct.languages import facts_of
from asr_punct.pauses import silent_frames, smooth, with_refined_pauses
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_LOG = logging.getLogger(__name__)
LONGEST_SEGMENT: Seconds = 30.0
"""Maximum length of a segment: Whisper's window, and about the longest training segments of other models."""
_PAUSE: Seconds = 0.5
_LOUD_PERCENTILE, _UNDER_LOUD_DB, _SILENCE_DB = 99, 10.0, -70.0
"""Every frame of a pause is 10 dB under the 99th percentile of the recording's energy, or under -70 dB."""
_MARGIN = FRAMES_A_SECOND // 4
"""Frames of pause at both ends of a segment: 0.25 s."""
_SMOOTHING = 3 * FRAMES_A_SECOND // 10
"""Frames averaged to find where to cut: 0.3 s."""
_SPEECH_LEVEL_PERCENTILE = 99.5
"""Percentile of the energy that is the level of a channel's speech."""
_HEARD_DB, _ALONE_DB, _ALONE = 30.0, 10.0, 0.02
"""Two channels are sides if each is this much louder than the other one, relative to its speech, in this share of the
frames that are at most `_HEARD_DB` under the loudest."""
_CROSSTALK_DB = 20.0
"""Where the other side is this much louder, relative to the speech of each, this side has only what it hears of it."""
_REMOVED_DB = -100.0
"""Energy of a frame without sound, the lowest of `audio.log_energy`."""
Floats = npt.NDArray[np.floating]
_Span = tuple[int, int]
"""First frame and end (exclusive), in frames of 10 ms."""


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
    code = facts_of(language).whisper_code
    return language if code == "" else code


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


class AudioSegment(NamedTuple):
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
    threshold = max(float(np.percentile(energy, _LOUD_PERCENTILE)) - _UNDER_LOUD_DB, _SILENCE_DB)
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


def read_audio_segments(
    path: Pathlike, rate: int, spans: Iterable[_Span], channel: int | None = None
) -> Iterator[AudioSegment]:
    """Read segments of a file at `rate`, decoding it once. Raises AudioError if it cannot be read to its end."""
    blocks = sound.blocks(path, rate, channel=channel)
    buffer, offset = np.zeros(0, np.float32), 0  # samples, and the place of the first of them in the file
    for span in spans:
        begin, end = (frame * rate // FRAMES_A_SECOND for frame in span)
        while offset + len(buffer) < end and (block := next(blocks, None)) is not None:
            passed = min(max(begin - offset, 0), len(buffer))
            buffer, offset = np.concatenate([buffer[passed:], block]), offset + passed
        yield AudioSegment(span[0] / FRAMES_A_SECOND, buffer[begin - offset : end - offset])


def recognise(audio: Pathlike, recogniser: Recogniser, channel: str | None = None) -> Iterator[Utterance]:
    """Recognise a recording. Yield an utterance for each segment with words, with ids `NAME-1`, `NAME-2` …

    Times are in seconds from the beginning of the file, and pauses are refined on the audio. `channel` is the number of
    a channel, from 1, or `mix` for the mean of all; None: both of a recording of two if each has speech of its own
    (which is logged), else the mean. Utterances are in the order of time. A recording without words is logged. Raises
    InputError for a missing file, and AudioError if the audio cannot be read or has no such channel.
    """
    with progress.step(f"looking for speech in {audio}"):
        energies = _energies(audio, channel)
    utterances = list[Utterance]()
    for index, (energy, speech) in energies.items():
        utterances += with_refined_pauses(list(_recognise_channel(audio, recogniser, index, speech)), energy)
    if not utterances:
        _LOG.info("%s: no words were recognised", audio)
    for number, utterance in enumerate(sorted(utterances, key=lambda each: each.words[0].start or 0.0), start=1):
        yield replace(utterance, id=f"{recording_name(audio)}-{number}")


def parse_channel(channel: str | None) -> int | None:
    """Return the index of a channel, None for the mean. Raises ArgumentError unless it is a number from 1 or `mix`."""
    if channel not in (None, "mix") and not (channel.isdecimal() and int(channel)):
        raise ArgumentError("channel", repr(channel), "the number of a channel, from 1, or mix")
    return None if channel in (None, "mix") else int(channel) - 1


def _energies(audio: Pathlike, channel: str | None) -> dict[int | None, tuple[Floats, Floats]]:
    """Return the energy of each channel to transcribe, and that without crosstalk; None is the mean of all."""
    index = parse_channel(channel)
    if channel != "mix" and index in (None, 0, 1) and sound.channel_count(audio) == 2:
        first, second = sound.energy(audio, 0), sound.energy(audio, 1)
        if are_sides(first, second):
            sides: dict[int | None, tuple[Floats, Floats]]
            sides = {0: (first, _without_crosstalk(first, second)), 1: (second, _without_crosstalk(second, first))}
            if index is not None:
                return {index: sides[index]}
            _LOG.warning("%s: each of the two channels has speech of its own: transcribed one by one", audio)
            return sides
    energy = sound.energy(audio, index)
    return {index: (energy, energy)}


def are_sides(first: Floats, second: Floats) -> bool:
    """Whether each of two channels often has speech that the other lacks, as those of a call have.

    `first` and `second` are (frames,) from `audio.log_energy`.
    """
    loudest = smooth(np.maximum(first, second))
    heard = loudest > max(float(np.percentile(loudest, _SPEECH_LEVEL_PERCENTILE)) - _HEARD_DB, _SILENCE_DB)
    difference = (_relative(first) - _relative(second))[heard]
    return bool(len(difference)) and min((difference > _ALONE_DB).mean(), (difference < -_ALONE_DB).mean()) > _ALONE


def _relative(energy: Floats) -> Floats:
    """Return the smoothed energy in dB relative to the channel's speech, (frames,)."""
    return smooth(energy) - np.percentile(energy, _SPEECH_LEVEL_PERCENTILE)


def _without_crosstalk(energy: Floats, other: Floats) -> Floats:
    """Return the energy of a side; where only the other side is heard in it, it is `_REMOVED_DB`."""
    return np.where(_relative(other) - _relative(energy) > _CROSSTALK_DB, _REMOVED_DB, energy)


def _recognise_channel(
    audio: Pathlike, recogniser: Recogniser, channel: int | None, energy: Floats
) -> Iterator[Utterance]:
    """Yield an utterance for each segment of a channel with words."""
    spans = plan_segments(energy, recogniser.merge_segments_up_to)
    name, path = recording_name(audio), str(audio).encode(errors="replace").decode()  # no surrogates
    segments = progress.track(
        read_audio_segments(audio, recogniser.rate, spans, channel), f"segments of {name}", total=len(spans)
    )
    for segment in segments:
        if words := _shift_words(recogniser.words(segment.samples), segment, recogniser.rate):
            source, number = time_source_of(words, recogniser.time_source), str((channel or 0) + 1)
            yield Utterance(words, recording=name, channel=number, time_source=source, audio=path)


def _shift_words(words: Iterable[Word], segment: AudioSegment, rate: int) -> tuple[Word, ...]:
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
