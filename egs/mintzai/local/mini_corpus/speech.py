"""Synthesise segments with espeak-ng; the true times of their words are known."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from asr_punct import audio
from asr_punct.align.espeak import synthesise
from asr_punct.audio import Samples
from asr_punct.marks import LEFT, Mark
from asr_punct.text import parse
from asr_punct.words import Seconds, Utterance, Word
from mini_corpus.transcripts import Segment

RATE = 16000
VARIANTS = {
    "train": ("m1", "m2", "m3", "m4", "m5", "f1", "f2", "f3"),
    "dev": ("m6", "f4"),
    "test": ("m7", "m8", "f5"),
}
"""Voice variants of espeak-ng; dev and test have voices that train lacks."""
_PAUSES: Mapping[Mark | None, tuple[float, Seconds]] = {
    Mark.ELLIPSIS: (0.9, 0.7),
    Mark.QUESTION: (0.95, 0.6),
    Mark.EXCLAMATION: (0.95, 0.6),
    Mark.PERIOD: (0.95, 0.6),
    Mark.COLON: (0.8, 0.4),
    Mark.SEMICOLON: (0.8, 0.4),
    Mark.DASH: (0.7, 0.3),
    Mark.COMMA: (0.7, 0.25),
    Mark.OPEN_QUOTE: (0.4, 0.25),
    Mark.QUOTE: (0.4, 0.25),
    None: (0.02, 0.25),
}
"""Probability and median length of a pause, by the first key (in order) among the marks between two words (None: none).

Chosen by hand and more regular than real speech, so that a model learns from few words. In an interview of 5,491 words
there were pauses over 0.15 s after 38 % of commas, 70 % of periods, 72 % of question marks, 4.6 % of other words.
"""
_TUNES = {Mark.QUESTION: "?", Mark.EXCLAMATION: "!", Mark.PERIOD: "."}
"""Character at the end of a phrase, for the intonation of espeak-ng; a comma for every other mark."""
_EDGE: Seconds = 0.008
"""Sound that is kept before and after the words of a phrase, and faded to avoid clicks."""
_Span = tuple[Seconds, Seconds]


@dataclass(frozen=True, slots=True)
class Speaker:
    """Voice and habits: noise is relative to the peak level, slowness is a factor on the length of pauses."""

    variant: str
    words_per_minute: float
    pitch: int
    gain_db: float
    noise_db: float
    slowness: float


def draw_speaker(part: str, rng: random.Random) -> Speaker:
    """Draw a speaker with one of the voices of a part."""
    return Speaker(
        variant=rng.choice(VARIANTS[part]),
        words_per_minute=rng.uniform(210, 290),
        pitch=rng.randint(35, 65),
        gain_db=rng.uniform(-14, -3),
        noise_db=rng.uniform(-60, -38),
        slowness=rng.lognormvariate(0, 0.2),
    )


def speak_segment(segment: Segment, language: str, speaker: Speaker, rng: random.Random) -> tuple[Samples, Utterance]:
    """Return float32 (samples,) at `RATE`, and the words of `text.parse` with their times."""
    parsed = parse(segment.text, language)
    languages = [token.language for token in segment.tokens if re.search(r"\w", token.text)]
    marks = [labels.marks for labels in parsed.labels]
    sounds, spans, pause, rate = list[Samples](), list[_Span](), rng.uniform(0.05, 0.3), RATE
    for phrase, language_of_phrase, following in _phrases(parsed.words, languages, marks, rng):
        sound, spans_in_phrase, rate = _synthesise(phrase, f"{language_of_phrase}+{speaker.variant}", speaker, rng)
        sounds.append(np.zeros(max(round((pause - 2 * _EDGE) * rate), 0), np.float32))
        begin = sum(map(len, sounds)) / rate
        if spans and not pause:  # the previous word lasts until this one starts
            spans[-1] = (spans[-1][0], begin + spans_in_phrase[0][0])
        spans += [(begin + start, begin + end) for start, end in spans_in_phrase]
        sounds.append(sound)
        pause = speaker.slowness * following
    sounds.append(np.zeros(round(rng.uniform(0.05, 0.3) * rate), np.float32))
    samples = audio.require("soxr", "making speech").resample(np.concatenate(sounds), rate, RATE)
    words = tuple(Word(word, *span) for word, span in zip(parsed.words, spans, strict=True))
    return _record(samples, speaker, rng), Utterance(words, id=segment.name)


def _phrases(
    words: Sequence[str], languages: Sequence[str], marks: Sequence[frozenset[Mark]], rng: random.Random
) -> Iterator[tuple[str, str, Seconds]]:
    """Cut after closing marks, at pauses, and where the language changes; yield text, language and pause after it."""
    begin = 0
    for i, here in enumerate(marks):
        last, closing = i + 1 == len(words), here.difference(LEFT)
        pause = 0.0 if last else _draw_pause(closing | marks[i + 1].intersection(LEFT), rng)
        tune = next((tune for mark, tune in _TUNES.items() if mark in closing), "," if closing else "")
        if last or pause or tune or languages[i] != languages[i + 1]:
            yield " ".join(words[begin : i + 1]) + tune, languages[i], pause
            begin = i + 1


def _draw_pause(marks: frozenset[Mark], rng: random.Random) -> Seconds:
    probability, median = next((_PAUSES[mark] for mark in _PAUSES if mark in marks), _PAUSES[None])
    return rng.lognormvariate(math.log(median), 0.35) if rng.random() < probability else 0.0


def _synthesise(text: str, voice: str, speaker: Speaker, rng: random.Random) -> tuple[Samples, list[_Span], int]:
    """Return a phrase's sound without the silence around it, start and end of its words, and the sample rate."""
    words_per_minute = round(speaker.words_per_minute * rng.uniform(0.9, 1.1))
    speech = synthesise(text, voice, words_per_minute=words_per_minute, pitch=speaker.pitch + rng.randint(-3, 3))
    spans = [(word.start, word.end) for word in speech.words if word.start is not None and word.end is not None]
    begin = max(round((spans[0][0] - _EDGE) * speech.rate), 0)
    sound = speech.samples[begin : round((spans[-1][1] + _EDGE) * speech.rate)].copy()
    fade = np.linspace(0, 1, round(_EDGE * speech.rate), dtype=np.float32)
    sound[: len(fade)] *= fade
    sound[-len(fade) :] *= fade[::-1]
    return sound, [(start - begin / speech.rate, end - begin / speech.rate) for start, end in spans], speech.rate


def _record(samples: Samples, speaker: Speaker, rng: random.Random) -> Samples:
    """Return the sound at the speaker's level, with background noise."""
    noise = np.random.default_rng(rng.getrandbits(32)).standard_normal(len(samples), np.float32)
    peak = 10 ** (speaker.gain_db / 20)
    return np.asarray(peak * (samples / np.abs(samples).max() + 10 ** (speaker.noise_db / 20) * noise), np.float32)
