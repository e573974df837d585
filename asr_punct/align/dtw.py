"""Word times without an acoustic model: dynamic time warping of synthetic speech onto the recording.

The words are synthesised by espeak-ng, and MFCCs with deltas of both signals are compared (as in Malfrère and Dutoit
1997). Frames of the recording may be skipped between words, because the synthetic speech has no pauses there. A silent
frame is cheap to skip, any other frame costs more than a typical match. Audio of over a minute is first cut at pauses,
so that memory and time grow linearly with its length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

import numpy as np
import numpy.typing as npt

from asr_punct import progress
from asr_punct.align.espeak import Speech, VoiceError, synthesise
from asr_punct.align.warping import MIN_SPEECH, Floats, Floats64, Ints, WarpingPath, warp
from asr_punct.audio import FRAMES_A_SECOND, Samples, log_energy, require
from asr_punct.errors import InputError, plural
from asr_punct.languages import facts_of, parse_language
from asr_punct.pauses import silence_threshold, silences, silent_frames, smooth
from asr_punct.words import Seconds, Word

RATE = 16000
HOP = RATE // FRAMES_A_SECOND
_COEFFICIENTS = 13
_FFT_LENGTH, _WINDOW_LENGTH = 512, 400
"""In samples: 32 and 25 ms."""
_WORDS_A_CALL = 60
"""Words synthesised in one call of espeak-ng."""
_SILENT_COST, _SPEECH_COST = 0.3, 1.5
"""Costs of skipping a silent frame and a frame of speech, in units of the typical distance of `warping.warp`."""
_THRESHOLD_SCALE_DB = 2.0
"""Scale of the logistic function from energy relative to the silence threshold to the share of speech."""
_SHORTEST_PAUSE: Seconds = 0.06
"""A shorter gap is often the closure of a stop consonant. It is divided between the two words."""
_LONGEST_PART: Seconds = 60.0
_SHORTEST_PART: Seconds = 15.0
_POOL = 8
"""Frames averaged for the first alignment, which finds the cuts: 80 ms."""
_CUT_MARGIN: Seconds = 0.2
"""The first alignment may misplace a pause by this much."""
_WORDS_AROUND_CUT = 8
"""Words on either side of a cut that are aligned again to find which words are before it."""
_BLOCK = 512 * _POOL * HOP
"""Samples whose features are computed at a time."""

Bools = npt.NDArray[np.bool_]
Times = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Template:
    """Features of the spoken words without pauses, (frames, 26), and the first frame of each word, (words + 1,).

    `begins` ends with the number of frames. A word that is not pronounced begins where the next one does.
    """

    features: Floats
    begins: Ints

    def __getitem__(self, words: slice) -> Self:
        begins = self.begins[words.start : words.stop + 1]
        return type(self)(self.features[begins[0] : begins[-1]], begins - begins[0])

    def backwards(self) -> Self:
        """Return the speech from its end to its beginning."""
        features = self.features[::-1].copy()
        features[:, _COEFFICIENTS:] *= -1  # deltas
        return type(self)(features, (self.begins[-1] - self.begins)[::-1])

    def in_order(self, order: Sequence[int]) -> Self:
        """Return the speech with its words in another order."""
        parts = [self.features[self.begins[word] : self.begins[word + 1]] for word in order]
        return type(self)(np.concatenate(parts), np.array([0, *accumulate(map(len, parts))]))

    def pool(self, frames: int) -> Self:
        """Average every `frames` frames."""
        return type(self)(_averaged(self.features, frames), self.begins // frames)


def dtw_align(samples: Samples, rate: int, words: Sequence[str], language: str) -> tuple[Word, ...]:
    """Find the start and end of each word of a recording, in seconds from its first sample; they do not overlap.

    A word that is not pronounced (`—`) gets length 0 at the end of the word before it. `samples` is float32 (samples,).
    `language` is an espeak voice (`es`, `eu`, `en-us`, ...) or another code of its language (`es-ES`, `spa`), or
    several joined by `+`, of which the one with the cheapest path is used in each part of the recording. Raises
    VoiceError for an unknown voice, InputError for words without audio, and MissingExtraError without the extra
    "audio".
    """
    if not words:
        return ()
    if not len(samples):
        raise InputError("audio", "no samples", f"the speech of {plural(len(words), 'word')}")
    if rate != RATE:
        samples = require("soxr", "alignment").resample(samples, rate, RATE)
    with progress.step("synthesising the words"):
        templates = [speak(words, name) for name in language.split("+")]
    parts = progress.track(
        _parts(samples, templates[0]),
        "seconds",
        size=lambda part: (part[1] - part[0]) / RATE,
        total=len(samples) / RATE,
    )
    edges = [
        begin / RATE + _align_part(samples[begin:end], [template[first:last] for template in templates])
        for begin, end, first, last in parts
    ]
    times = np.round(np.concatenate(edges), 3).tolist()
    return tuple(Word(word, start, end) for word, (start, end) in zip(words, times, strict=True))


def speak(words: Sequence[str], name: str, variant: str = "") -> Template:
    """Synthesise the words with the voice of a region (`en-us`), or if there is none, with that of its language.

    `variant` changes the voice (`+f2`: a woman's). Raises VoiceError for an unknown voice.
    """
    region, code = name.lower().replace("_", "-"), parse_language(name)
    try:
        return _synthesise(words, facts_of(code).voices.get(region, region) + variant)
    except VoiceError as error:
        if code == region:
            raise error.at("language") from None
    return speak(words, code, variant)


def _align_part(samples: Samples, templates: Sequence[Template]) -> Times:
    """Return the start and end of the words by the voice with the cheapest path: (words, 2) seconds."""
    pronounced = [template for template in templates if len(template.features)]
    if not pronounced:
        return np.zeros((len(templates[0].begins) - 1, 2))
    features = speech_features(samples)
    speech = speech_share(samples)[: len(features)]
    path, template = min(((warp_onto(features, speech, t), t) for t in pronounced), key=lambda result: result[0].cost)
    return _word_edges(path, template.begins, 1 / FRAMES_A_SECOND, len(samples) / RATE)


def warp_onto(features: Floats, speech: Times, template: Template) -> WarpingPath:
    """Find the cheapest path of the words through a recording: its features, and the share of speech in each frame."""
    recording, synthetic = normalise(features, speech + MIN_SPEECH), normalise(template.features)
    skip_costs = _SILENT_COST + (_SPEECH_COST - _SILENT_COST) * speech
    return warp(recording, synthetic, skip_costs, template.begins[:-1], speech)


def speech_share(samples: Samples) -> Times:
    """Return the share of speech in each frame, 0 to 1, estimated from its energy."""
    energy = log_energy(samples, RATE)  # may have one frame less than the features
    logits = (smooth(np.append(energy, energy[-1])) - silence_threshold(energy)) / _THRESHOLD_SCALE_DB
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))))


def _word_edges(path: WarpingPath, begins: Ints, hop: Seconds, length: Seconds) -> Times:
    """Return the start and end of every word, in order. The edges of words without a pause between them are equal."""
    pronounced = np.flatnonzero(np.diff(begins))
    times = np.full((len(begins) - 1, 2), np.nan)
    times[pronounced, 0] = (path.first[begins[pronounced]] - 0.5) * hop
    times[pronounced, 1] = (path.last[begins[pronounced + 1] - 1] + 0.5) * hop
    for word in np.flatnonzero(np.isnan(times[:, 0])):
        times[word] = times[word - 1, 1] if word else times[pronounced[0], 0]
    joined = np.flatnonzero(times[1:, 0] - times[:-1, 1] < _SHORTEST_PAUSE)
    times[joined, 1] = times[joined + 1, 0] = (times[joined, 1] + times[joined + 1, 0]) / 2
    return np.asarray(np.clip(times, 0.0, length))


def _parts(samples: Samples, template: Template) -> Iterator[tuple[int, int, int, int]]:
    """Cut the recording at the long pauses of an alignment on averaged frames.

    Yield the first and last sample and the first and last word of each part; last ones are exclusive.
    """
    begin, first, words = 0, 0, len(template.begins) - 1
    if len(samples) > _LONGEST_PART * RATE and len(template.features) >= _POOL:
        energy = np.concatenate([log_energy(samples[i : i + _BLOCK], RATE) for i in range(0, len(samples), _BLOCK)])
        edges, silent_spans = _pooled_edges(samples, template.pool(_POOL), silent_frames(energy)), silences(energy)
        gaps = edges[1:, 0] - edges[:-1, 1]
        while len(samples) - begin > _LONGEST_PART * RATE:
            # Cut in the longest gap that begins `_SHORTEST_PART` to `_LONGEST_PART` after `begin`, else in the next.
            low, high = np.searchsorted(edges[:-1, 1], begin / RATE + np.array([_SHORTEST_PART, _LONGEST_PART]))
            low = max(int(low), first)
            if low >= len(gaps):
                break
            last = low + int(np.argmax(gaps[low : max(int(high), low + 1)])) + 1
            cut = _pause_middle(edges[last - 1, 1], edges[last, 0], silent_spans)
            last = max(first, _words_before(cut, last, samples, template, edges))
            yield begin, round(cut * RATE), first, last
            begin, first = round(cut * RATE), last
    yield begin, len(samples), first, words


def _pooled_edges(samples: Samples, template: Template, silent: Bools) -> Times:
    """Align averaged frames. Return starts and ends that are accurate to about 0.1 s: (words, 2) seconds."""
    blocks = (samples[begin : begin + _BLOCK] for begin in range(0, len(samples), _BLOCK))
    features = np.concatenate([_averaged(speech_features(block)[: len(block) // HOP], _POOL) for block in blocks])
    speech = 1 - silent[: len(features) * _POOL].reshape(-1, _POOL).mean(axis=1)
    path = warp_onto(features, speech, template)
    return _word_edges(path, template.begins, _POOL / FRAMES_A_SECOND, len(samples) / RATE)


def _words_before(cut: Seconds, estimate: int, samples: Samples, template: Template, edges: Times) -> int:
    """Return the number of words before a cut by aligning the words around it. `estimate` is from averaged frames."""
    first, last = max(0, estimate - _WORDS_AROUND_CUT), min(len(edges), estimate + _WORDS_AROUND_CUT)
    begin = max(0.0, edges[first, 0] - _CUT_MARGIN)
    around = samples[round(begin * RATE) : round((edges[last - 1, 1] + _CUT_MARGIN) * RATE)]
    starts = _align_part(around, [template[first:last]])[:, 0] + begin
    return first + int(np.searchsorted(starts, cut))


def _pause_middle(begin: Seconds, end: Seconds, silent_spans: Times) -> Seconds:
    """Return the middle of the longest silence in or near a pause, or of the pause if there is none."""
    near = np.clip(silent_spans, begin - _CUT_MARGIN, end + _CUT_MARGIN)
    lengths = near[:, 1] - near[:, 0]
    if len(near) and lengths.max() > 0:
        begin, end = near[np.argmax(lengths)]
    return float(begin + end) / 2


def _synthesise(words: Sequence[str], voice: str) -> Template:
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
    features = speech_features(require("soxr", "alignment").resample(samples, speech.rate, RATE))
    begins = np.minimum(np.round(seconds * FRAMES_A_SECOND), len(features)).astype(np.int64)
    return features[: begins[-1]], begins


def speech_features(samples: Samples) -> Floats:
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


def _averaged(features: Floats, frames: int) -> Floats:
    """Average every `frames` frames; frames that remain at the end are dropped."""
    complete = features[: len(features) // frames * frames]
    return np.asarray(complete.reshape(-1, frames, features.shape[1]).mean(axis=1), np.float32)


def normalise(features: Floats, weights: Floats64 | None = None) -> Floats:
    """Scale each feature to mean 0 and variance 1 over the frames, which are weighted by `weights` (frames,)."""
    mean = np.average(features, axis=0, weights=weights)
    deviation = np.sqrt(np.average(np.square(features - mean), axis=0, weights=weights))
    return np.asarray((features - mean) / (deviation + 1e-6), np.float32)
