"""Word times without an acoustic model: dynamic time warping of espeak-ng's speech onto the recording.

Both are MFCCs with their slopes, normalised to mean 0 and variance 1 (Malfrère and Dutoit 1997 segment by synthetic
speech in this way). Frames of the recording may be left out between words. A silent frame costs little there, any
other more than a fair match: that makes room for the pauses that the voice does not make. Audio of over a minute is cut
at pauses first, so memory and time grow linearly with its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from asr_punct import progress
from asr_punct.align.template import HOP, RATE, Template, mfcc, normalised, pool, speak
from asr_punct.align.warping import LEAST_SPEECH, Floats, Ints, Path, warp
from asr_punct.audio import FRAMES_A_SECOND, Samples, log_energy, require
from asr_punct.errors import AsrPunctError, counted_as
from asr_punct.pauses import silence_threshold, silences, silent_frames, smooth
from asr_punct.words import Seconds, Word

_VOICES = {"en": "en-us"}
_SILENT_COST, _OTHER_COST = 0.3, 1.5
"""Costs of leaving out a silent frame and any other, in units of the best match of a typical frame."""
_SOFTNESS_DB = 2.0
_SHORTEST_PAUSE: Seconds = 0.06
"""A shorter gap is as often the closure of a stop; it is divided between the two words."""
_LONGEST_PART: Seconds = 60.0
_SHORTEST_PART: Seconds = 15.0
_POOL = 8
"""Frames averaged to find the cuts: 80 ms."""
_CUT_MARGIN: Seconds = 0.2
_WORDS_AROUND_CUT = 8
_BLOCK = 512 * _POOL * HOP

Bools = npt.NDArray[np.bool_]
Times = npt.NDArray[np.float64]


def align(samples: Samples, rate: int, words: Sequence[str], language: str) -> tuple[Word, ...]:
    """Find the times of the words in a recording.

    A word without sound (a symbol alone) gets no length, at the end of the word before it.

    Args:
        samples: float32 (samples,).
        rate: sample rate.
        words: the spoken words, in order.
        language: code of an espeak voice (`es`, `eu`, `en`, ...), or several joined by `+` (`es+eu`): then the voice
            that fits best is used, in every part of the recording.

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
        raise AsrPunctError(f"found no audio, expected the speech of {counted_as(len(words), 'word')}")
    if rate != RATE:
        samples = require("soxr", "alignment").resample(samples, rate, RATE)
    with progress.step("synthesising the words"):
        templates = [speak(words, _VOICES.get(code, code)) for code in language.split("+")]
    parts = progress.counted(
        _parts(samples, templates[0]),
        "seconds",
        size=lambda part: (part[1] - part[0]) / RATE,
        total=len(samples) / RATE,
    )
    edges = [
        begin / RATE + _align_part(samples[begin:end], [template.part(first, last) for template in templates])
        for begin, end, first, last in parts
    ]
    times = np.round(np.concatenate(edges), 3).tolist()
    return tuple(Word(word, start, end) for word, (start, end) in zip(words, times, strict=True))


def _align_part(samples: Samples, templates: Sequence[Template]) -> Times:
    """Edges of the words by the voice that fits best: (words, 2) seconds."""
    audible = [template for template in templates if len(template.features)]
    if not audible:
        return np.zeros((len(templates[0].begins) - 1, 2))
    features = mfcc(samples)
    speech = _speech(samples)[: len(features)]
    path, template = min(((_path(features, speech, t), t) for t in audible), key=lambda found: found[0].cost)
    return _edges(path, template.begins, 1 / FRAMES_A_SECOND, len(samples) / RATE)


def _path(features: Floats, speech: Times, template: Template) -> Path:
    recording, synthetic = normalised(features, speech + LEAST_SPEECH), normalised(template.features)
    outside = _SILENT_COST + (_OTHER_COST - _SILENT_COST) * speech
    return warp(recording, synthetic, outside, template.begins[:-1], speech)


def _speech(samples: Samples) -> Times:
    """Share of speech in each frame by its energy, 0 to 1."""
    energy = log_energy(samples, RATE)
    loudness = (smooth(np.append(energy, energy[-1])) - silence_threshold(energy)) / _SOFTNESS_DB
    return np.asarray(1 / (1 + np.exp(-np.clip(loudness, -30, 30))))


def _edges(path: Path, begins: Ints, hop: Seconds, length: Seconds) -> Times:
    """Start and end of every word, in order; words touch if there is no pause."""
    audible = np.flatnonzero(np.diff(begins))
    times = np.full((len(begins) - 1, 2), np.nan)
    times[audible, 0] = (path.first[begins[audible]] - 0.5) * hop
    times[audible, 1] = (path.last[begins[audible + 1] - 1] + 0.5) * hop
    for word in np.flatnonzero(np.isnan(times[:, 0])):
        times[word] = times[word - 1, 1] if word else times[audible[0], 0]
    joined = np.flatnonzero(times[1:, 0] - times[:-1, 1] < _SHORTEST_PAUSE)
    times[joined, 1] = times[joined + 1, 0] = (times[joined, 1] + times[joined + 1, 0]) / 2
    return np.asarray(np.clip(times, 0.0, length))


def _parts(samples: Samples, template: Template) -> Iterator[tuple[int, int, int, int]]:
    """First and last sample, first and last word of parts cut at the longest pauses of a path on averaged frames."""
    begin, first, words = 0, 0, len(template.begins) - 1
    if len(samples) > _LONGEST_PART * RATE and len(template.features) >= _POOL:
        energy = np.concatenate([log_energy(samples[i : i + _BLOCK], RATE) for i in range(0, len(samples), _BLOCK)])
        edges, quiet = _rough_edges(samples, template.pooled(_POOL), silent_frames(energy)), silences(energy)
        gaps = edges[1:, 0] - edges[:-1, 1]
        while len(samples) - begin > _LONGEST_PART * RATE:
            low, high = np.searchsorted(edges[:-1, 1], begin / RATE + np.array([_SHORTEST_PART, _LONGEST_PART]))
            low = max(int(low), first)
            if low == len(gaps):
                break
            last = low + int(np.argmax(gaps[low : max(int(high), low + 1)])) + 1
            cut = _middle(edges[last - 1, 1], edges[last, 0], quiet)
            last = max(first, _words_before(cut, last, samples, template, edges))
            yield begin, round(cut * RATE), first, last
            begin, first = round(cut * RATE), last
    yield begin, len(samples), first, words


def _rough_edges(samples: Samples, template: Template, silent: Bools) -> Times:
    """Edges of the words to about a tenth of a second, on averaged frames: (words, 2) seconds."""
    blocks = (samples[begin : begin + _BLOCK] for begin in range(0, len(samples), _BLOCK))
    features = np.concatenate([pool(mfcc(block)[: len(block) // HOP], _POOL) for block in blocks])
    speech = 1 - silent[: len(features) * _POOL].reshape(-1, _POOL).mean(axis=1)
    path = _path(features, speech, template)
    return _edges(path, template.begins, _POOL / FRAMES_A_SECOND, len(samples) / RATE)


def _words_before(cut: Seconds, rough: int, samples: Samples, template: Template, edges: Times) -> int:
    """Number of words before a cut, by aligning the words around it; `rough` is the number on averaged frames."""
    first, last = max(0, rough - _WORDS_AROUND_CUT), min(len(edges), rough + _WORDS_AROUND_CUT)
    begin = max(0.0, edges[first, 0] - _CUT_MARGIN)
    around = samples[round(begin * RATE) : round((edges[last - 1, 1] + _CUT_MARGIN) * RATE)]
    found = _align_part(around, [template.part(first, last)])
    return first + int(np.searchsorted(found[:, 0] + begin, cut))


def _middle(end: Seconds, start: Seconds, quiet: Times) -> Seconds:
    """The middle of the longest silence in or near the pause from `end` to `start`, else of the pause itself."""
    near = np.clip(quiet, end - _CUT_MARGIN, start + _CUT_MARGIN)
    lengths = near[:, 1] - near[:, 0]
    if len(near) and lengths.max() > 0:
        end, start = near[np.argmax(lengths)]
    return float(end + start) / 2
