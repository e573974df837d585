"""Word times without an acoustic model: espeak-ng speaks the words, dynamic time warping lays its speech on the audio.

Both are MFCCs with their slopes, normalised to mean 0 and variance 1 (Malfrère and Dutoit 1997 segment by synthetic
speech in this way). Before every word and after the last stands a column for what is not that speech: a silence costs
little there, anything else more than a fair match. It makes room for pauses that the voice does not make, and lets
laughter or a hesitation pass. Long audio is aligned in windows: memory does not grow with its length, time does
linearly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from asr_punct.align.espeak import Speech, synthesise
from asr_punct.align.warping import Floats, Ints, Path, warp
from asr_punct.audio import FRAMES_A_SECOND, Samples, log_energy, require
from asr_punct.errors import AsrPunctError
from asr_punct.pauses import silence_threshold, smooth
from asr_punct.words import Seconds, Word

_RATE = 16000
_HOP = _RATE // FRAMES_A_SECOND
_COEFFICIENTS = 13
_VOICES = {"en": "en-us"}
_SILENT_COST, _OTHER_COST = 0.3, 1.5
"""Of a silent frame, and of any other, between the words: in units of the best match of a typical frame."""
_SOFTNESS_DB = 2.0
_SHORTEST_PAUSE: Seconds = 0.06
"""What is shorter between two words is the closure of a stop as often as a pause; it is divided between them."""
_WORDS_A_PASSAGE = 60
"""Words that espeak speaks in one go."""
_WINDOW: Seconds = 40.0
_LAST_WINDOW: Seconds = 60.0
_TAIL: Seconds = 10.0
"""Words in the last seconds of a window, whose continuation is not seen, are left to the next window."""
_FASTEST = 1.8
"""Template for a window, relative to its length: nobody says more in it."""

Times = npt.NDArray[np.float64]


def align(samples: Samples, rate: int, words: Sequence[str], language: str) -> tuple[Word, ...]:
    """Find when each word is said.

    A word that has no sound (a lone symbol) gets no length, at the end of the word before it.

    Args:
        samples: float32 (samples,).
        rate: samples a second.
        words: what is said, in order.
        language: code of an espeak voice (`es`, `eu`, `en`, ...), or several joined by `+` (`es+eu`): then that voice
            is taken, window by window, which fits best.

    Returns:
        The words with start and end in seconds from the first sample, in order and without overlaps.

    Raises:
        InputError: espeak has no such voice.
        AsrPunctError: there are words and no audio.
        MissingExtraError: the extra "audio" is not installed.
    """
    if not words:
        return ()
    if not len(samples):
        raise AsrPunctError(f"found no audio, expected the speech of {len(words)} words")
    if rate != _RATE:
        samples = require("soxr", "alignment").resample(samples, rate, _RATE)
    templates = [_speak(words, _VOICES.get(code, code)) for code in language.split("+")]
    edges: list[Times] = []
    done, begin = 0, 0
    while done < len(words):
        last = len(samples) - begin <= _LAST_WINDOW * _RATE
        window = samples[begin:] if last else samples[begin : begin + round(_WINDOW * _RATE)]
        found = _align_window(window, [t.part(done, None if last else len(window)) for t in templates], last)
        if not last:
            found = _committed(found, len(window) / _RATE)
        edges.append(found + begin / _RATE)
        done += len(found)
        begin = round(edges[-1][-1, 1] * _RATE) if len(found) else begin + round((_WINDOW - _TAIL) * _RATE)
    times = np.round(np.concatenate(edges), 3).tolist()
    return tuple(Word(word, start, end) for word, (start, end) in zip(words, times, strict=True))


def _committed(edges: Times, length: Seconds) -> Times:
    """Of a window's words those up to the longest pause between its middle and its tail."""
    ends = edges[:, 1]
    early = int(np.searchsorted(ends, length / 2))
    late = int(np.searchsorted(ends, length - _TAIL))
    if late <= early or late == len(edges):
        return edges[:late]
    pauses = edges[early + 1 : late + 1, 0] - ends[early:late]
    return edges[: early + 1 + int(np.argmax(pauses))]


@dataclass(frozen=True)
class _Template:
    """The words as a voice says them, without its pauses.

    Attributes:
        features: (frames, features).
        begins: (words + 1,), first frame of each word, and at the end the number of frames.
    """

    features: Floats
    begins: Ints

    def part(self, first: int, samples: int | None) -> _Template:
        """The words from `first` on: all, or (at least one) those that can be said within so many samples."""
        end = len(self.begins) - 1
        if samples is not None:
            reach = self.begins[first] + samples / _HOP * _FASTEST
            end = max(first + 1, int(np.searchsorted(self.begins, reach, side="right")) - 1)
        begins = self.begins[first : end + 1]
        return _Template(self.features[begins[0] : begins[-1]], begins - begins[0])


def _speak(words: Sequence[str], voice: str) -> _Template:
    features, lengths = [np.zeros((0, 2 * _COEFFICIENTS), np.float32)], list[int]()
    for first in range(0, len(words), _WORDS_A_PASSAGE):
        passage, begins = _speak_passage(synthesise(" ".join(words[first : first + _WORDS_A_PASSAGE]), voice))
        features.append(passage)
        lengths.extend(np.diff(begins).tolist())
    return _Template(np.concatenate(features), np.array([0, *accumulate(lengths)]))


def _speak_passage(speech: Speech) -> tuple[Floats, Ints]:
    """Features of the words without the pauses between them, and the first frame of each word and the end."""
    spans = [(round((w.start or 0.0) * speech.rate), round((w.end or 0.0) * speech.rate)) for w in speech.words]
    spoken = np.concatenate([speech.samples[start:end] for start, end in spans])
    seconds = np.cumsum([0, *(end - start for start, end in spans)]) / speech.rate
    if not len(spoken):
        return np.zeros((0, 2 * _COEFFICIENTS), np.float32), np.zeros(len(spans) + 1, np.int64)
    features = _features(require("soxr", "alignment").resample(spoken, speech.rate, _RATE))
    begins = np.minimum(np.round(seconds * FRAMES_A_SECOND), len(features)).astype(np.int64)
    return features[: begins[-1]], begins


def _features(samples: Samples) -> Floats:
    """MFCCs of 25 ms every 10 ms, and their slopes over 50 ms: float32 (frames, 26); frame i is centred at i hops."""
    librosa = require("librosa", "alignment")
    emphasised = librosa.effects.preemphasis(samples)
    mfcc = librosa.feature.mfcc(
        y=emphasised, sr=_RATE, n_mfcc=_COEFFICIENTS, n_fft=512, win_length=400, hop_length=_HOP, n_mels=40, fmin=60
    )
    around = np.pad(mfcc, ((0, 0), (2, 2)), mode="edge")
    slopes = (2 * (around[:, 4:] - around[:, :-4]) + around[:, 3:-1] - around[:, 1:-3]) / 10
    return np.concatenate([mfcc, slopes]).T.astype(np.float32)


def _normalised(features: Floats) -> Floats:
    return np.asarray((features - features.mean(axis=0)) / (features.std(axis=0) + 1e-6), np.float32)


def _align_window(window: Samples, templates: Sequence[_Template], whole: bool) -> Times:
    """Edges of the words in one window by the voice that fits best: (words, 2) seconds.

    Args:
        whole: the window holds all of the words; otherwise it ends after any of them, and the rest has no edges.
    """
    templates = [template for template in templates if len(template.features)] or templates[:1]
    if not len(templates[0].features):
        return np.zeros((len(templates[0].begins) - 1, 2))
    recording, outside = _normalised(_features(window)), _outside_cost(window)
    paths = [
        warp(recording, _normalised(t.features), outside[: len(recording)], t.begins[:-1], whole=whole)
        for t in templates
    ]
    best = min(range(len(paths)), key=lambda index: paths[index].cost)
    return _edges(paths[best], templates[best].begins, len(window) / _RATE)


def _outside_cost(window: Samples) -> Times:
    """Relative cost of every frame outside the words, between that of silence and that of anything else."""
    energy = log_energy(window, _RATE)
    around = smooth(np.append(energy, energy[-1]))
    loudness = (around - silence_threshold(energy)) / _SOFTNESS_DB
    return np.asarray(_SILENT_COST + (_OTHER_COST - _SILENT_COST) / (1 + np.exp(-np.clip(loudness, -30, 30))))


def _edges(path: Path, begins: Ints, length: Seconds) -> Times:
    """Start and end of every word that the path reaches, in order, touching where there is no pause."""
    edges: list[tuple[Seconds, Seconds]] = []
    for begin, stop in pairwise(begins.tolist()):
        if begin == stop:
            edges.append((edges[-1][1],) * 2 if edges else (np.nan, np.nan))
        elif path.last[stop - 1] < 0:
            break
        else:
            edges.append(((path.first[begin] - 0.5) / FRAMES_A_SECOND, (path.last[stop - 1] + 0.5) / FRAMES_A_SECOND))
    times = np.array(edges).reshape(-1, 2)
    times[np.isnan(times)] = np.nanmin(times, initial=length)
    gaps = times[1:, 0] - times[:-1, 1]
    joined = np.flatnonzero(gaps < _SHORTEST_PAUSE)
    times[joined, 1] = times[joined + 1, 0] = (times[joined, 1] + times[joined + 1, 0]) / 2
    return np.asarray(np.clip(times, 0.0, length))
