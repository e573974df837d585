"""How well words fit the recording that they were aligned with, measured against other words.

Synthetic speech of the words is warped onto the recording (`align.dtw`), and so is speech of the same sounds and length
that says something else: the same backwards, and its words in random orders. As utterances are verified with
anti-models (Sukkar and Lee 1996), each word is compared with what the others have in its place, by two errors: the
distance of its frames, and what remains of it if the synthetic voice is adapted to the speaker by linear regression (as
in Leggetter and Woodland 1995), fitted on the rest of the recording. The fit is the mean of the words' shares by which
their errors are smaller, -0.15 to 0.15: a word counts for no more, so that some good words do not hide wrong ones. It
is the mean of three voices unless it is clear with one.

A long recording is measured in pieces; its fit is the lower quartile of theirs, so that a quarter of wrong words shows.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from asr_punct.align.dtw import RATE, Template, normalise, speak, speech_features, speech_share, warp_onto
from asr_punct.align.warping import MIN_SPEECH, Floats, Floats64
from asr_punct.audio import Samples, log_energy
from asr_punct.errors import InputError, plural
from asr_punct.pauses import smooth
from asr_punct.words import Seconds, Word

PLAUSIBLE = 0.058
"""A smaller fit is doubtful: of 89 right texts of 1 s to 5 min five have one, and of 352 wrong ones 331."""
NOTHING = 0.01
"""A text with a smaller fit is that of another recording: no right one has it."""
_SURE = 0.1
"""From this fit with the first voice on, no others are tried."""
_MOST = 0.15
"""Largest share of a word, either way."""
_ADAPTED = 0.3
"""Weight of the error after adaptation beside that of the distance, 1."""
_COEFFICIENTS = 13
"""Features that adaptation predicts: those without their deltas."""
_FOLDS, _RIDGE = 5, 100.0
"""Parts of which each is predicted from the others, and the penalty of the regression."""
_VOICES = ("", "+f2", "+m3")
_ORDERS = 3
"""Number of random orders of the words."""
_PIECE: Seconds = 8.0
_PIECES = 12
"""Pieces are this long, and of a recording at most this many are measured."""
_FOR_QUARTILE = 8
"""Of fewer pieces the mean counts."""
_MARGIN: Seconds = 0.1
"""A piece has this much of the recording before its first and after its last word."""
_AROUND: Seconds = 0.5
"""A recording of one piece counts up to this much around its words: long silences fit other words as well."""
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
        found = [_fit(words, _around(words, read(0.0, None)), language)]
    else:
        chosen = np.unique(np.linspace(0, len(pieces) - 1, _PIECES).round().astype(int))
        found = [_fit(pieces[i], read(*_span(pieces[i])), language) for i in chosen]
    known = [value for value in found if value is not None]
    if not known:
        return None
    return round(float(np.mean(known) if len(known) < _FOR_QUARTILE else np.percentile(known, 25)), 4)


def _pieces(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    first = 0
    for last, word in enumerate(words, start=1):
        is_rest = (words[-1].end or 0.0) - (word.end or 0.0) < _PIECE / 2
        if last == len(words) or ((word.end or 0.0) - (words[first].start or 0.0) >= _PIECE and not is_rest):
            yield words[first:last]
            first = last


def _span(words: Sequence[Word]) -> tuple[Seconds, Seconds | None]:
    return max(0.0, (words[0].start or 0.0) - _MARGIN), words[-1].end


def _around(words: Sequence[Word], samples: Samples) -> Samples:
    begin, end = (words[0].start or 0.0) - _AROUND, (words[-1].end or 0.0) + _AROUND
    return samples[max(0, round(begin * RATE)) : round(end * RATE)]


def _fit(words: Sequence[Word], samples: Samples, language: str) -> float | None:
    texts, fits = [word.text for word in words], list[float]()
    features = speech_features(samples)
    speech = speech_share(samples)[: len(features)]
    for variant in _VOICES:
        spoken = [speak(texts, name, variant) for name in language.split("+")]
        templates = [template for template in spoken if len(template.features)]
        if not templates:
            return None
        for template in templates:
            _check(samples, template, len(words))
        fits.append(max(_fit_of_voice(features, speech, template) for template in templates))
        if fits[0] >= _SURE:
            break
    return sum(fits) / len(fits)


def _fit_of_voice(features: Floats, speech: Floats64, template: Template) -> float:
    """Return the mean of the words' shares by which their errors are smaller than those of other words."""
    weights = speech + MIN_SPEECH
    own, spans = _errors(features, speech, template)
    others = np.stack([_errors(features, speech, other)[0] for other in _other_words(template)])
    matched = ~np.isnan(others)
    typical = np.nanmean(others, axis=(0, 2))[:, None]
    others = np.where(matched, others, 0).sum(axis=0) / np.maximum(matched.sum(axis=0), 1)
    others = np.where(matched.any(axis=0), others, typical) * weights
    own = np.where(np.isnan(own), others, own * weights)
    shares = [1 - own[:, first:end].sum(axis=1) / others[:, first:end].sum(axis=1) for first, end in spans]
    lengths = np.diff(template.begins)
    means = np.clip(np.array(shares) @ (1, _ADAPTED), -_MOST, _MOST)
    return float(np.average(means, weights=lengths[lengths > 0]))


def _errors(features: Floats, speech: Floats64, template: Template) -> tuple[Floats64, list[tuple[int, int]]]:
    """Return the two errors of each frame, (2, frames), NaN if it is skipped, and the frames of each spoken word."""
    path = warp_onto(features, speech, template)
    recording, synthetic = normalise(features, speech + MIN_SPEECH), normalise(template.features)
    match = np.full(len(recording), -1)
    for column, (first, last) in enumerate(zip(path.first, path.last, strict=True)):
        match[first : last + 1] = column
    matched = np.flatnonzero(match >= 0)
    found, spoken = recording[matched], synthetic[match[matched]]
    errors = np.full((2, len(recording)), np.nan)
    errors[0, matched] = np.linalg.norm(found - spoken, axis=1)
    errors[1, matched] = _adapted_errors(spoken, found[:, :_COEFFICIENTS], speech[matched] + MIN_SPEECH)
    edges = zip(template.begins, template.begins[1:], strict=False)
    return errors, [(path.first[begin], path.last[end - 1] + 1) for begin, end in edges if end > begin]


def _adapted_errors(spoken: Floats, found: Floats, weights: Floats64) -> Floats64:
    """Return the squared error of each frame, (frames,), predicted by a regression on the other parts."""
    inputs = np.pad(spoken.astype(np.float64), ((0, 0), (0, 1)), constant_values=1.0)
    errors = np.empty(len(found))
    for part in np.array_split(np.arange(len(found)), _FOLDS):
        weighted = np.delete(inputs, part, axis=0) * np.delete(weights, part)[:, None]
        gram = weighted.T @ np.delete(inputs, part, axis=0) + _RIDGE * np.eye(inputs.shape[1])
        mapping = np.linalg.solve(gram, weighted.T @ np.delete(found, part, axis=0))
        errors[part] = np.square(found[part] - inputs[part] @ mapping).sum(axis=1)
    return errors


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
