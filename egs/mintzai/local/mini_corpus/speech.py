"""A segment as sound, with the true times of its words; the pauses are the speaker's, not espeak's."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from asr_punct import audio
from asr_punct.align.espeak import synthesise
from asr_punct.text import parse
from asr_punct.words import Seconds, Utterance, Word
from mini_corpus.delivery import Phrase, Speaker, plan_phrases
from mini_corpus.speeches import Segment

RATE = 16000
_FILLERS = {"es": "eh", "eu": "eee"}
_EDGE: Seconds = 0.008
"""Kept around the words of a phrase, and faded, so that nothing clicks."""
_MARGIN: tuple[Seconds, Seconds] = (0.05, 0.3)
"""Silence at a segment's ends, whatever its last mark."""
_Span = tuple[Seconds, Seconds]
Samples = npt.NDArray[np.float32]


def speak_segment(segment: Segment, language: str, speaker: Speaker, rng: random.Random) -> tuple[Samples, Utterance]:
    """Sound of a segment and the times of its words.

    Args:
        segment: written text.
        language: of the recording.
        speaker: who says it.
        rng: draws pauses, hesitations, paces.

    Returns:
        float32 (samples,) at `RATE`, and the words as `text.parse` gives them.
    """
    parsed = parse(segment.text, language)
    spoken = [token.language for token in segment.tokens if re.search(r"[\w%]", token.text)]
    marks = [label.marks for label in parsed.labels]
    phrases = list(plan_phrases(parsed.words, spoken, marks, speaker, rng))
    sound, times = _assemble(phrases, speaker, rng)
    words = tuple(Word(word, *time) for word, time in zip(parsed.words, times, strict=True))
    return _record(sound, speaker, rng), Utterance(words, id=segment.name)


def _assemble(phrases: Sequence[Phrase], speaker: Speaker, rng: random.Random) -> tuple[Samples, list[_Span]]:
    """Phrases and silences one after the other: samples at `RATE`, and start and end of every written word."""
    rate, paused, pieces, times = 0, True, list[Samples](), list[_Span]()
    for phrase in phrases:
        sound, spans, rate = _synthesise(phrase, speaker, rng)
        if not pieces:
            pieces.append(_silence(rng.uniform(*_MARGIN), rate))
        position = sum(map(len, pieces)) / rate
        if times and not paused:
            times[-1] = (times[-1][0], position + spans[0][0])
        paused = phrase.pause > 0
        times += [(position + start, position + end) for start, end in spans]
        pieces.append(sound)
        pieces += _rest(phrase, speaker, rate, rng)
    pieces.append(_silence(rng.uniform(*_MARGIN), rate))
    resampled = audio.require("soxr", "making speech").resample(np.concatenate(pieces), rate, RATE)
    return np.asarray(resampled, np.float32), times


def _rest(phrase: Phrase, speaker: Speaker, rate: int, rng: random.Random) -> list[Samples]:
    """The pause after a phrase, its filler in the middle."""
    if not phrase.filler:
        return [_silence(phrase.pause - 2 * _EDGE, rate)]
    half = _silence(phrase.pause / 2, rate)
    sound, _, _ = _synthesise(replace(phrase, words=(_FILLERS[phrase.language],), tune="", pace=0.7), speaker, rng)
    return [half, sound, half]


def _synthesise(phrase: Phrase, speaker: Speaker, rng: random.Random) -> tuple[Samples, list[_Span], int]:
    """Sound of a phrase cut to its words, start and end of every written word in it, sample rate."""
    speech = synthesise(
        " ".join(phrase.words) + phrase.tune,
        speaker.voices[phrase.language],
        words_per_minute=round(speaker.words_per_minute * phrase.pace),
        pitch=speaker.pitch + rng.randint(-3, 3),
    )
    spoken, spans = iter(speech.words), list[_Span]()
    for word in phrase.words:
        parts = [next(spoken) for _ in word.split()]
        said = [(part.start, part.end) for part in parts if part.start is not None and part.end is not None]
        spans.append((said[0][0], said[-1][1]))
    begin = max(round((spans[0][0] - _EDGE) * speech.rate), 0)
    end = round((spans[-1][1] + _EDGE) * speech.rate)
    sound = speech.samples[begin:end].copy()
    fade = np.linspace(0, 1, round(_EDGE * speech.rate), dtype=np.float32)
    sound[: len(fade)] *= fade
    sound[-len(fade) :] *= fade[::-1]
    return sound, [(start - begin / speech.rate, end - begin / speech.rate) for start, end in spans], speech.rate


def _silence(seconds: Seconds, rate: int) -> Samples:
    return np.zeros(max(round(seconds * rate), 0), np.float32)


def _record(sound: Samples, speaker: Speaker, rng: random.Random) -> Samples:
    """The sound at the speaker's level, with noise that is duller than white."""
    noise = np.random.default_rng(rng.getrandbits(32)).standard_normal(len(sound) + 3).astype(np.float32)
    dull = np.convolve(noise, np.full(4, 0.5, np.float32), "valid")
    peak = 10 ** (speaker.gain_db / 20)
    return np.asarray(peak * (sound / np.abs(sound).max() + 10 ** (speaker.noise_db / 20) * dull), np.float32)
