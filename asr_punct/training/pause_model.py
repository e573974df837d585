"""Draw pauses for written text, which has none: a generative model of silences at marks and in hesitations.

A speaker pauses at a mark with some probability, for a log-normal time (Campione and Véronis 2002; Demol et al. 2007),
and sometimes where there is no mark. Each window of words has one speaker: slow speakers pause longer and more often
(Demol et al. 2007). Each window also has one source of times, an aligner or a recogniser, and the drawn pauses have
its errors. `benchmarks/pause_model.py` measures the parameters on English; Spanish and Basque could not be measured.
In recordings with word times, the pauses that were heard take the place of the drawn ones.

Pauses without a mark are most frequent between two words that a mark could separate: their log-odds rise with those of
a mark, judged by the word before and the word after. At marks these words say nothing about the pause.

Campione, Véronis: A large-scale multilingual study of silent pause duration, Speech Prosody 2002. Demol, Verhelst,
Verhoeve: The duration of speech pauses in a multilingual environment, Interspeech 2007.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asr_punct.errors import ConfigError
from asr_punct.features import DOCUMENT_END
from asr_punct.marks import LEFT, MARKS, RIGHT, SENTENCE_ENDS, mark_bits
from asr_punct.pauses import BUCKET_MS, BUCKETS, UNKNOWN_PAUSE
from asr_punct.training.corpus import Corpus
from asr_punct.words import Seconds

Floats = npt.NDArray[np.float32]
Marks = npt.NDArray[np.uint16]

_AFTER, _BEFORE = np.uint16(mark_bits(RIGHT)), np.uint16(mark_bits(LEFT))
_SENTENCE_END = np.uint16(mark_bits(SENTENCE_ENDS))
Words = npt.NDArray[np.int32]
_SLOPE = 0.4
"""Increase of the log-odds of a pause per unit of the log-odds of a mark: 0.34 in 111 English earnings calls, 0.42 in
an interview, 0.44 to 0.47 in a talk with the times of three recognisers."""
_LOWEST, _HIGHEST = -6.0, 3.0
"""Range of the log-odds of a mark; beyond it they change nothing."""
_PRIOR_WORDS = 20
"""Occurrences that a word's own share of marks needs to weigh as much as the share of all words."""


@dataclass(frozen=True)
class PauseAt:
    """Distribution of the pauses at a mark, or between words without a mark."""

    probability: float
    """Probability of a pause of 50 ms or more; between 0 and 1, both excluded."""
    median_s: Seconds
    """Median of these pauses in seconds."""
    spread: float
    """Standard deviation of the natural logarithm of these pauses."""

    def __post_init__(self) -> None:
        if not (0 < self.probability < 1 and self.median_s > 0 and self.spread >= 0):
            raise ConfigError("pause", str(self), "0 < probability < 1, median_s above 0, spread 0 or more")


@dataclass(frozen=True)
class PauseParameters:
    """Distribution of the pauses at each mark, and the differences between speakers and sources of times.

    Of several marks between two words, the one with the longest mean pause is used. No mark, COMMA, PERIOD, QUESTION
    and ELLIPSIS were measured on 111 English earnings calls (Earnings-22, 560,000 places with times of a forced
    alignment). EXCLAMATION equals PERIOD, COLON and SEMICOLON are halfway between COMMA and PERIOD in log-odds and
    log-median, and the other marks are assumptions.
    """

    no_mark: PauseAt = PauseAt(0.10, 0.24, 0.82)
    comma: PauseAt = PauseAt(0.44, 0.29, 0.76)
    period: PauseAt = PauseAt(0.80, 0.60, 0.80)
    question: PauseAt = PauseAt(0.68, 0.55, 0.90)
    exclamation: PauseAt = PauseAt(0.80, 0.60, 0.80)
    colon: PauseAt = PauseAt(0.64, 0.42, 0.78)
    semicolon: PauseAt = PauseAt(0.64, 0.42, 0.78)
    dash: PauseAt = PauseAt(0.50, 0.40, 0.70)
    ellipsis: PauseAt = PauseAt(0.53, 0.34, 0.90)
    quote: PauseAt = PauseAt(0.15, 0.30, 0.70)
    open_quote: PauseAt = PauseAt(0.30, 0.35, 0.70)
    open_ques: PauseAt = PauseAt(0.20, 0.30, 0.70)
    open_excl: PauseAt = PauseAt(0.20, 0.30, 0.70)
    open_dash: PauseAt = PauseAt(0.70, 0.50, 0.90)
    pace_spread: float = 0.4
    """Standard deviation over speakers of log(pace); pace is the factor on all pauses of a speaker. 0.33 over 223
    speakers of the calls, 0.48 over readers (Demol et al. 2007)."""
    pace_log_odds: float = 1.6
    """Increase of the log-odds of a pause at a mark per unit of log(pace)."""
    hesitation_spread: float = 0.5
    """Standard deviation over speakers of the log-odds of a pause without a mark; 0.43 in the calls."""
    slack_probability: float = 0.10
    """Probability that an aligner leaves a gap after a word that is not a pause."""
    slack_s: Seconds = 0.015
    """Mean length of such a gap in seconds (exponential)."""
    frames_ms: tuple[int, ...] = (10, 20, 30, 40, 80)
    """Frame lengths of the sources of times, equally likely: aligners 10, Whisper and wav2vec 2.0 20, Kaldi's chain
    models 30, NeMo 40 and 80."""
    stretched: float = 0.15
    """Share of windows whose source stretches words over all but long pauses, like Google's recogniser."""
    hidden_s: tuple[Seconds, Seconds] = (0.3, 1.0)
    """Range in seconds of the longest pause that such a source hides; 0.8 to 1.0 for Google's recogniser."""
    clipped: float = 0.10
    """Share of windows whose source stretches words over all pauses except at sentence ends, like Whisper."""
    clip_s: Seconds = 0.3
    """Seconds by which such a source extends a word into the pause at a sentence end: the median length of a word."""
    emitted: float = 0.15
    """Share of windows whose source ends a word at its last emission (CTC, RNNT), which leaves gaps between words."""
    emitted_s: Seconds = 0.08
    """Mean length of these gaps in seconds (exponential; an assumption)."""

    def __post_init__(self) -> None:
        shares = (self.stretched, self.clipped, self.emitted)
        if min(shares) < 0 or sum(shares) > 1:
            raise ConfigError("stretched, clipped and emitted", str(shares), "shares of the windows")
        if not self.frames_ms or any(frame < BUCKET_MS or frame % BUCKET_MS for frame in self.frames_ms):
            raise ConfigError("frames_ms", str(self.frames_ms), f"multiples of {BUCKET_MS}")

    @cached_property
    def table(self) -> Floats:
        """Log-odds of a pause, log of its median, and spread, for each set of marks between two words, (3, 2^marks)."""
        marked: list[PauseAt] = [getattr(self, mark.lower()) for mark in MARKS]
        bits = sorted(range(len(MARKS)), key=lambda bit: marked[bit].probability * marked[bit].median_s)
        table = np.repeat(_row(self.no_mark), 2 ** len(MARKS), axis=1)
        sets = np.arange(table.shape[1])
        for bit in bits:  # later marks overwrite earlier ones
            table[:, (sets >> bit & 1).astype(bool)] = _row(marked[bit])
        return table


def _row(pause: PauseAt) -> Floats:
    odds = pause.probability / (1 - pause.probability)
    return np.array([[np.log(odds)], [np.log(pause.median_s)], [pause.spread]], np.float32)


def sample_pauses(
    marks: Marks,
    rng: np.random.Generator,
    parameters: PauseParameters = PauseParameters(),
    unknown: npt.NDArray[np.bool_] | None = None,
    unmarked_odds: Floats | None = None,
    spoken: Floats | None = None,
) -> npt.NDArray[np.int16]:
    """Draw the pause after each word of windows, buckets of shape (…, words); the last axis is a window.

    `marks` are bit sets, `unknown` is a mask of unknown pauses, `unmarked_odds` are factors on the odds of a pause
    where there is no mark, and `spoken` are pauses in seconds that a recording has, NaN where one is to be drawn, all
    (…, words). Both kinds get the errors of a source of times.
    """
    between = marks_between(marks)
    seconds = _draw_spoken(between, rng, parameters, np.float32(1) if unmarked_odds is None else unmarked_odds)
    if spoken is not None:
        seconds = np.where(np.isnan(spoken), seconds, spoken)
    frames = rng.choice(np.array(parameters.frames_ms), (*marks.shape[:-1], 1))
    seconds = _add_source_errors(seconds, between, rng, parameters)
    # both edges of a pause are rounded to the frame grid, whose offset is random
    quantised = np.floor(seconds * 1000 / frames + rng.random(marks.shape)) * frames
    pauses: npt.NDArray[np.int16] = np.minimum(quantised // BUCKET_MS, BUCKETS - 1).astype(np.int16)
    if unknown is not None:
        pauses[unknown] = UNKNOWN_PAUSE
    return pauses


def marks_between(marks: Marks) -> Marks:
    """Return the union of the marks after each word and those before the next word, (…, words)."""
    following = np.zeros_like(marks)
    following[..., :-1] = marks[..., 1:]
    return marks & _AFTER | following & _BEFORE


def _draw_spoken(
    between: Marks, rng: np.random.Generator, parameters: PauseParameters, unmarked_odds: Floats | np.float32
) -> Floats:
    """Draw the pauses that the speaker makes, (…, words) in seconds; 0 without a pause."""
    log_odds, log_median, spread = parameters.table
    windows = (*between.shape[:-1], 1)
    log_pace = parameters.pace_spread * rng.standard_normal(windows, np.float32)
    speaker_shift = parameters.hesitation_spread * rng.standard_normal(windows, np.float32)
    shift = np.where(between == 0, speaker_shift + np.log(unmarked_odds), parameters.pace_log_odds * log_pace)
    paused = rng.logistic(size=between.shape) < log_odds[between] + shift  # true with these log-odds
    at = between[paused]
    logarithm = log_median[at] + spread[at] * rng.standard_normal(len(at), np.float32)
    seconds = np.zeros(between.shape, np.float32)
    seconds[paused] = np.exp(logarithm + np.broadcast_to(log_pace, between.shape)[paused])
    return seconds


def _add_source_errors(
    seconds: Floats, between: Marks, rng: np.random.Generator, parameters: PauseParameters
) -> Floats:
    """Return the pauses with the errors of each window's source of times, before rounding, (…, words) in seconds."""
    windows = (*between.shape[:-1], 1)
    kind = rng.random(windows)
    stretched = kind < parameters.stretched
    clipped = ~stretched & (kind < parameters.stretched + parameters.clipped)
    emitted = kind >= 1 - parameters.emitted
    hidden = np.where(stretched, rng.uniform(*parameters.hidden_s, windows), 0)
    clipped_s = np.where((between & _SENTENCE_END) != 0, np.float32(parameters.clip_s), np.float32(np.inf))
    reported = np.where(clipped, np.maximum(seconds - clipped_s, 0), np.where(seconds >= hidden, seconds, 0))
    slack = rng.standard_exponential(between.shape, np.float32)
    has_slack = (rng.random(between.shape) < parameters.slack_probability) & ~stretched & ~clipped
    gap = np.where(emitted, slack * parameters.emitted_s, np.where(has_slack, slack * parameters.slack_s, 0))
    return reported + gap


@dataclass(frozen=True)
class MarkOdds:
    """Log-odds of a mark by the word before it and the word after it, for each word of a vocabulary, (words,).

    The two are added; each has half of the log-odds of a mark between any two words. `mean_odds` is the mean factor on
    the odds of a pause, over all places without a mark.
    """

    after: Floats
    before: Floats
    mean_odds: float = 1.0

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> MarkOdds:
        """Count the marks after and before each word of a corpus."""
        words = len(corpus.vocabulary.words)
        counts = np.zeros((2, 2, words))  # (all, with a mark), (after, before)
        for first, second, marked in _places(corpus):
            for side, ids in enumerate((first, second)):
                counts[0, side] += np.bincount(ids, minlength=words)
                counts[1, side] += np.bincount(ids[marked], minlength=words)
        total, with_mark = counts[:, 0].sum(axis=1)
        share = (with_mark + 1) / (total + 2)
        shares = (counts[1] + _PRIOR_WORDS * share) / (counts[0] + _PRIOR_WORDS)
        after, before = (np.log(shares / (1 - shares)) - np.log(share / (1 - share)) / 2).astype(np.float32)
        raw = cls(after, before)
        odds, number = 0.0, 0
        for first, second, marked in _places(corpus):
            unmarked = raw.unmarked_odds(first[~marked], second[~marked])
            odds, number = odds + float(unmarked.sum()), number + len(unmarked)
        return cls(after, before, odds / number if number else 1.0)

    def log_odds(self, first: Words, second: Words) -> Floats:
        """Return the log-odds of a mark between the words `first` and `second`, vocabulary indices of any shape."""
        odds: Floats = np.clip(self.after[first] + self.before[second], _LOWEST, _HIGHEST)
        return odds

    def unmarked_odds(self, first: Words, second: Words) -> Floats:
        """Return the factor on the odds of a pause without a mark between two words; its mean is 1 in the corpus."""
        factor: Floats = np.exp(_SLOPE * self.log_odds(first, second)) / np.float32(self.mean_odds)
        return factor


def _places(corpus: Corpus) -> Iterator[tuple[Words, Words, npt.NDArray[np.bool_]]]:
    """Yield the words before and after the places inside documents, and whether there is a mark, block by block."""
    for block in corpus.blocks():
        inside = block.boundaries[:-1] & DOCUMENT_END == 0
        marked = marks_between(block.marks)[:-1] != 0
        yield block.words[:-1][inside], block.words[1:][inside], marked[inside]
