"""How well words fit the recording that they were aligned with, measured against other words.

Synthetic speech of the words is warped onto the recording (`align.dtw`), and so is speech of the same sounds and length
that says something else: the same backwards, and its words in random orders. The fit is the share by which a frame of
the words is cheaper than one of the others, 0 to about 0.15; the mean of three voices unless it is clear with one.

A long recording is measured in pieces; its fit is the lower quartile of theirs, so that a quarter of wrong words shows.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from asr_punct.align.dtw import RATE, Template, speak, speech_features, speech_share, warp_onto
from asr_punct.align.warping import Floats, Floats64
from asr_punct.audio import Samples, log_energy
from asr_punct.errors import InputError, plural
from asr_punct.pauses import smooth
from asr_punct.words import Seconds, Word

PLAUSIBLE = 0.027
"""A smaller fit is doubtful: of 42 utterances of 1 to 7 s two have one with their own text, and with 84 others all."""
NOTHING = 0.005
"""A text with a smaller fit is that of another recording."""
_SURE = 0.07
"""From this fit with the first voice on, no others are tried."""
_VOICES = ("", "+f2", "+m3")
_ORDERS = 3
"""Number of random orders of the words."""
_PIECE: Seconds = 8.0
_PIECES = 12
"""Pieces are this long, and of a recording at most this many are measured."""
_MARGIN: Seconds = 0.1
"""A piece has this much of the recording before its first and after its last word."""
_LEAST_RANGE_DB = 6.0
"""In speech, the 95th percentile of the energy is at least this much over the 5th; closures and pauses are quiet."""
_FASTEST = 5.0
"""Nobody speaks this many times faster than the synthetic voice."""
ReadAudio = Callable[[Seconds, Seconds | None], Samples]
"""Reads the recording from start to end in seconds (None: to its end), at `RATE`."""


def fit(words: Sequence[Word], read: ReadAudio, language: str) -> float | None:
    """Return the fit of words with times in seconds from the recording's start; None if no word is pronounced.

    `language` is as for `dtw_align`; of several the one that fits best counts. Raises InputError if the recording is no
    speech, or much too short for the words; VoiceError for an unknown voice.
    """
    pieces = list(_pieces(words))
    if len(pieces) <= 1:
        found = [_fit(words, read(0.0, None), language)]
    else:
        chosen = np.unique(np.linspace(0, len(pieces) - 1, _PIECES).round().astype(int))
        found = [_fit(pieces[i], read(*_span(pieces[i])), language) for i in chosen]
    known = [value for value in found if value is not None]
    return round(float(np.percentile(known, 25)), 4) if known else None


def _pieces(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    first = 0
    for last, word in enumerate(words, start=1):
        is_rest = (words[-1].end or 0.0) - (word.end or 0.0) < _PIECE / 2
        if last == len(words) or ((word.end or 0.0) - (words[first].start or 0.0) >= _PIECE and not is_rest):
            yield words[first:last]
            first = last


def _span(words: Sequence[Word]) -> tuple[Seconds, Seconds | None]:
    return max(0.0, (words[0].start or 0.0) - _MARGIN), words[-1].end


def _fit(words: Sequence[Word], samples: Samples, language: str) -> float | None:
    texts, gains = [word.text for word in words], list[float]()
    features = speech_features(samples)
    speech = speech_share(samples)[: len(features)]
    for variant in _VOICES:
        spoken = [speak(texts, name, variant) for name in language.split("+")]
        templates = [template for template in spoken if len(template.features)]
        if not templates:
            return None
        for template in templates:
            _check(samples, template, len(words))
        gains.append(max(_gain(features, speech, template) for template in templates))
        if gains[0] >= _SURE:
            break
    return sum(gains) / len(gains)


def _gain(features: Floats, speech: Floats64, template: Template) -> float:
    cost = warp_onto(features, speech, template).cost
    return 1 - cost / float(np.mean([warp_onto(features, speech, other).cost for other in _other_words(template)]))


def _check(samples: Samples, template: Template, words: int) -> None:
    seconds, spoken = len(samples) / RATE, template.begins[-1] / 100
    if spoken > _FASTEST * seconds:
        found = f"{plural(words, 'word')} and {seconds:.2f} s of audio"
        raise InputError("", found, f"at least {spoken / _FASTEST:.2f} s for them")
    low, high = np.percentile(smooth(log_energy(samples, RATE)), (5, 95))
    if high - low < _LEAST_RANGE_DB:
        raise InputError("", f"no speech for {plural(words, 'word')} (silence, or an even sound)", "their recording")


def _other_words(template: Template) -> Iterator[Template]:
    """Yield the speech backwards, and with its words in random orders."""
    yield template.backwards()
    count, random = len(template.begins) - 1, np.random.default_rng(0)
    for _ in range(_ORDERS if count > 2 else 0):
        yield template.in_order(random.permutation(count).tolist())
