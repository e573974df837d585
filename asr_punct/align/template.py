"""The words in the voice of espeak-ng, as acoustic features that a recording is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from asr_punct.align.espeak import Speech, synthesise
from asr_punct.align.warping import Costs, Floats, Ints
from asr_punct.audio import FRAMES_A_SECOND, Samples, require

RATE = 16000
HOP = RATE // FRAMES_A_SECOND
_COEFFICIENTS = 13
_WINDOW = 512
_WORDS_A_PASSAGE = 60
"""Words synthesised in one go."""


@dataclass(frozen=True)
class Template:
    """Features of the spoken words without pauses.

    Attributes:
        features: (frames, 26).
        begins: (words + 1,), first frame of each word, and last the number of frames; a word that the voice does not
            pronounce begins where the next one does.
    """

    features: Floats
    begins: Ints

    def part(self, first: int, last: int) -> Template:
        """Return the words from `first` up to, but without, `last`."""
        begins = self.begins[first : last + 1]
        return Template(self.features[begins[0] : begins[-1]], begins - begins[0])

    def pooled(self, frames: int) -> Template:
        """Average every `frames` frames."""
        return Template(pool(self.features, frames), self.begins // frames)


def speak(words: Sequence[str], voice: str) -> Template:
    """Synthesise the words, passage by passage.

    Raises:
        InputError: espeak has no such voice.
        MissingExtraError: the extra "audio" is not installed.
    """
    features, lengths = [np.zeros((0, 2 * _COEFFICIENTS), np.float32)], list[int]()
    for first in range(0, len(words), _WORDS_A_PASSAGE):
        tokens = ("-".join(word.split()) or "-" for word in words[first : first + _WORDS_A_PASSAGE])
        passage, begins = _passage(synthesise(" ".join(tokens), voice))
        features.append(passage)
        lengths.extend(np.diff(begins).tolist())
    return Template(np.concatenate(features), np.array([0, *accumulate(lengths)]))


def _passage(speech: Speech) -> tuple[Floats, Ints]:
    """Features of the words without the pauses between them, the first frame of each word and the end."""
    spans = [(round((w.start or 0.0) * speech.rate), round((w.end or 0.0) * speech.rate)) for w in speech.words]
    samples = np.concatenate([speech.samples[start:end] for start, end in spans])
    seconds = np.cumsum([0, *(end - start for start, end in spans)]) / speech.rate
    if not len(samples):
        return np.zeros((0, 2 * _COEFFICIENTS), np.float32), np.zeros(len(spans) + 1, np.int64)
    features = mfcc(require("soxr", "alignment").resample(samples, speech.rate, RATE))
    begins = np.minimum(np.round(seconds * FRAMES_A_SECOND), len(features)).astype(np.int64)
    return features[: begins[-1]], begins


def mfcc(samples: Samples) -> Floats:
    """Compute 13 MFCCs of 25 ms every 10 ms, and their slopes over 50 ms.

    Args:
        samples: float32 (samples,) at `RATE`.

    Returns:
        float32 (frames, 26); frame i is centred at i hops.
    """
    librosa = require("librosa", "alignment")
    padded = np.pad(samples, (0, max(0, _WINDOW - len(samples))))
    coefficients = librosa.feature.mfcc(
        y=librosa.effects.preemphasis(padded),
        sr=RATE,
        n_mfcc=_COEFFICIENTS,
        n_fft=_WINDOW,
        win_length=400,
        hop_length=HOP,
        n_mels=40,
        fmin=60,
    )[:, : len(samples) // HOP + 1]
    around = np.pad(coefficients, ((0, 0), (2, 2)), mode="edge")
    slopes = (2 * (around[:, 4:] - around[:, :-4]) + around[:, 3:-1] - around[:, 1:-3]) / 10
    return np.asarray(np.concatenate([coefficients, slopes]).T, np.float32)


def pool(features: Floats, frames: int) -> Floats:
    """Average every `frames` frames: (frames // n, features)."""
    full = features[: len(features) // frames * frames]
    return np.asarray(full.reshape(-1, frames, features.shape[1]).mean(axis=1), np.float32)


def normalised(features: Floats, weights: Costs | None = None) -> Floats:
    """Scale each feature to mean 0 and variance 1 over the frames, which may have weights (frames,)."""
    mean = np.average(features, axis=0, weights=weights)
    deviation = np.sqrt(np.average(np.square(features - mean), axis=0, weights=weights))
    return np.asarray((features - mean) / (deviation + 1e-6), np.float32)
