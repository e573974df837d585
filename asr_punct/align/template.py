"""Acoustic features of the words in espeak-ng's voice, which are aligned with those of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from asr_punct.align.espeak import Speech, synthesise
from asr_punct.align.warping import Floats, Floats64, Ints
from asr_punct.audio import FRAMES_A_SECOND, Samples, require

RATE = 16000
HOP = RATE // FRAMES_A_SECOND
_COEFFICIENTS = 13
_FFT_LENGTH, _WINDOW_LENGTH = 512, 400
"""In samples: 32 and 25 ms."""
_WORDS_A_CALL = 60
"""Words synthesised in one call of espeak-ng."""


@dataclass(frozen=True)
class Template:
    """Features of the spoken words without pauses, (frames, 26), and the first frame of each word, (words + 1,).

    `begins` ends with the number of frames. A word that is not pronounced begins where the next one does.
    """

    features: Floats
    begins: Ints

    def __getitem__(self, words: slice) -> Template:
        begins = self.begins[words.start : words.stop + 1]
        return Template(self.features[begins[0] : begins[-1]], begins - begins[0])

    def pool(self, frames: int) -> Template:
        """Average every `frames` frames."""
        return Template(pool(self.features, frames), self.begins // frames)


def speak(words: Sequence[str], voice: str) -> Template:
    """Synthesise the words; see `espeak.synthesise` for errors."""
    features, lengths = [np.zeros((0, 2 * _COEFFICIENTS), np.float32)], list[int]()
    for first in range(0, len(words), _WORDS_A_CALL):
        tokens = ("-".join(word.split()) or "-" for word in words[first : first + _WORDS_A_CALL])
        part, begins = _word_features(synthesise(" ".join(tokens), voice))
        features.append(part)
        lengths.extend(np.diff(begins).tolist())
    return Template(np.concatenate(features), np.array([0, *accumulate(lengths)]))


def _word_features(speech: Speech) -> tuple[Floats, Ints]:
    """Return the fields of a `Template` for the words of one call."""
    spans = [(round((w.start or 0.0) * speech.rate), round((w.end or 0.0) * speech.rate)) for w in speech.words]
    samples = np.concatenate([speech.samples[start:end] for start, end in spans])
    seconds = np.cumsum([0, *(end - start for start, end in spans)]) / speech.rate
    if not len(samples):
        return np.zeros((0, 2 * _COEFFICIENTS), np.float32), np.zeros(len(spans) + 1, np.int64)
    features = mfcc(require("soxr", "alignment").resample(samples, speech.rate, RATE))
    begins = np.minimum(np.round(seconds * FRAMES_A_SECOND), len(features)).astype(np.int64)
    return features[: begins[-1]], begins


def mfcc(samples: Samples) -> Floats:
    """Return 13 MFCCs of 25 ms windows every 10 ms, and their deltas over 50 ms: float32 (frames, 26).

    `samples` are float32 at `RATE`. Frame i is centred at i * `HOP` samples.
    """
    librosa = require("librosa", "alignment")
    padded = np.pad(samples, (0, max(0, _FFT_LENGTH - len(samples))))
    coefficients = librosa.feature.mfcc(
        y=librosa.effects.preemphasis(padded),
        sr=RATE,
        n_mfcc=_COEFFICIENTS,
        n_fft=_FFT_LENGTH,
        win_length=_WINDOW_LENGTH,
        hop_length=HOP,
        n_mels=40,
        fmin=60,
    )[:, : len(samples) // HOP + 1]
    deltas = librosa.feature.delta(coefficients, width=5, mode="nearest")
    return np.asarray(np.concatenate([coefficients, deltas]).T, np.float32)


def pool(features: Floats, frames: int) -> Floats:
    """Average every `frames` frames; frames that remain at the end are dropped."""
    complete = features[: len(features) // frames * frames]
    return np.asarray(complete.reshape(-1, frames, features.shape[1]).mean(axis=1), np.float32)


def normalise(features: Floats, weights: Floats64 | None = None) -> Floats:
    """Scale each feature to mean 0 and variance 1 over the frames, which are weighted by `weights` (frames,)."""
    mean = np.average(features, axis=0, weights=weights)
    deviation = np.sqrt(np.average(np.square(features - mean), axis=0, weights=weights))
    return np.asarray((features - mean) / (deviation + 1e-6), np.float32)
