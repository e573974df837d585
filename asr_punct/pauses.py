"""Pauses: from word times, refined on the energy of the recording, and as the buckets of a pause embedding.

The buckets and their averages over neighbours are those of AutoPunct (González-Docasal et al. 2021, section 3.2.1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from asr_punct import audio
from asr_punct.audio import FRAMES_A_SECOND, AudioOf, check_ends
from asr_punct.errors import TIMES, InputError
from asr_punct.words import Seconds, Utterance, Word, annotate, has_times

BUCKETS = 1000
"""Buckets of known pauses: 0 to 10 s, what is longer falls into the last one."""
BUCKET_MS = 10
UNKNOWN = BUCKETS
"""Bucket of an unknown pause, so that tables of pauses have `BUCKETS + 1` rows."""

Floats = npt.NDArray[np.floating]
Pause = Seconds | None

# Constants of `refine`, chosen on speech with known times under simulated recognisers' errors.
_WIDEST_RANGE_DB = 45.0
_SPARSE_SPEECH_DB = 10.0
_DIGITAL_SILENCE_DB = 60.0
_LEAST_UNDER_SPEECH_DB = 25.0
_SILENT_SHARE = 0.2
_LEAST_ABOVE_NOISE_DB = 3.0
_STRETCH = 30 * FRAMES_A_SECOND
_SHORTEST_SOUND = 4
_SHORTEST_SILENCE: Seconds = 0.08
"""Shorter ones are the closures of stops as often as pauses."""
_REACH: Seconds = 0.5
"""So far the first word may begin earlier, and the last one end later."""
_KEPT: Seconds = 0.3
"""So much of a word, or half of it, stands at either of its edges when the other one moves."""
_DISTANCE_WEIGHT = 2.0
"""A silence so many times longer than its distance from the words' edges is taken for their pause."""
_LONGEST_CLOSED: Seconds = 0.3
"""A longer gap without silence is left: laughter, music, another speaker."""


def with_pauses(utterances: Iterable[Utterance], counts: Counter[str] | None = None) -> Iterator[Utterance]:
    """Set `pauses` and `pause_before` from the words' times, reading one utterance with words ahead.

    A pause is the next word's start less the word's own end, in whole milliseconds; where a word begins before the
    one before it ends, 0. The last word of an utterance has a pause only if the utterance that follows belongs to
    the same recording and channel, whose times are on one clock, and does not begin earlier; else it is unknown, for
    a large value there would say that the end of an utterance is the end of a sentence. Utterances without words, in
    which nothing is said, are passed over. Those that have pauses, or no times at all, stay.

    Args:
        counts: is counted up: "pauses", and of them "overlaps" and "unknown".
    """
    counts = Counter() if counts is None else counts
    before: Utterance | None = None
    after_before: Pause = None
    for utterance, following in _with_next(utterances):
        if not utterance.words:
            yield utterance
            continue
        if has_pauses(utterance) or not has_times(utterance.words) or utterance.time_source == "segment":
            yield utterance
            before, after_before = utterance, utterance.words[-1].pause
            continue
        words = utterance.words
        gaps = [_gap(a.end, b.start, counts) for a, b in pairwise(words)]
        joined = following is not None and _continues(utterance, following)
        last = _gap(words[-1].end, following.words[0].start if following and joined else None, counts)
        first = after_before if before is not None and _continues(before, utterance) else None
        pause_before = first if utterance.pause_before is None else utterance.pause_before
        yield annotate(replace(utterance, pause_before=pause_before), pauses=(*gaps, last))
        before, after_before = utterance, last


def has_pauses(utterance: Utterance) -> bool:
    """Whether the pause after any word, or before the first one, is known."""
    return utterance.pause_before is not None or any(word.pause is not None for word in utterance.words)


def _with_next(utterances: Iterable[Utterance]) -> Iterator[tuple[Utterance, Utterance | None]]:
    """Each utterance with, where it has times, the next one with words or of another recording."""
    held: list[Utterance] = []  # one with times, and those without words after it
    for utterance in utterances:
        if held and (utterance.words or utterance.recording != held[0].recording):
            yield from ((each, utterance) for each in held)
            held = []
        if held or has_times(utterance.words):
            held.append(utterance)
        else:
            yield utterance, None
    yield from ((each, None) for each in held)


def _continues(utterance: Utterance, following: Utterance) -> bool:
    if (utterance.recording, utterance.channel) != (following.recording, following.channel):
        return False
    start, next_start = utterance.words[0].start, following.words[0].start
    return start is None or next_start is None or next_start >= start


def _gap(end: Pause, start: Pause, counts: Counter[str]) -> Pause:
    gap = _difference(end, start)
    counts.update(pauses=1, unknown=int(gap is None), overlaps=int(gap is not None and gap < 0))
    return None if gap is None else max(gap, 0.0)


def _difference(end: Pause, start: Pause) -> Pause:
    """In whole milliseconds, below 0 where the words overlap."""
    if end is None or start is None or not math.isfinite(start - end):
        return None
    return round(start - end, 3)


def pause_between(word: Word, following: Word) -> Pause:
    """The pause of `with_pauses` between two words, where the second has just come."""
    gap = _difference(word.end, following.start)
    return None if gap is None else max(gap, 0.0)


def buckets(pauses: Sequence[Pause]) -> npt.NDArray[np.int64]:
    """Bucket of every pause: min(999, ms // 10) on whole milliseconds, 1000 for None (and for NaN).

    Args:
        pauses: seconds or None, a word each; a negative one counts as 0.

    Returns:
        int64 (words,).
    """
    seconds = np.array([math.nan if pause is None else pause for pause in pauses], np.float64)
    known = ~np.isnan(seconds)
    ms = np.rint(np.clip(np.where(known, seconds, 0.0), 0, BUCKETS * BUCKET_MS / 1000) * 1000).astype(np.int64)
    return np.where(known, np.minimum(BUCKETS - 1, ms // BUCKET_MS), UNKNOWN)


def smoothing_matrix(
    shape: Literal["uniform", "gaussian"], window_s: Seconds = 1.0, sigma_s: Seconds = 1 / 6
) -> npt.NDArray[np.float32]:
    """Weights S with which `S @ E` averages every row of a table of pauses over its neighbours in time.

    The window is centred on the bucket (101 buckets for 1 s), cut at the ends of the table and normalised again, so
    that rows sum to 1; the unknown pause stands alone.

    Args:
        shape: equal weights, or those of a normal density of `sigma_s` (the paper gives no value for it).

    Returns:
        float32 (buckets + 1, buckets + 1).
    """
    offsets = np.subtract.outer(np.arange(BUCKETS), np.arange(BUCKETS)) * (BUCKET_MS / 1000)
    weights = np.exp(-0.5 * (offsets / sigma_s) ** 2) if shape == "gaussian" else np.ones_like(offsets)
    weights[np.abs(offsets) > window_s / 2 + 1e-9] = 0.0
    matrix = np.zeros((BUCKETS + 1, BUCKETS + 1))
    matrix[:BUCKETS, :BUCKETS] = weights / weights.sum(axis=1, keepdims=True)
    matrix[UNKNOWN, UNKNOWN] = 1.0
    return matrix.astype(np.float32)


def refine(utterances: Sequence[Utterance], energy: Floats) -> list[Utterance]:
    """Move the edges of words onto the silences that are in the recording.

    Recognisers end words early or late, and Whisper hides the pauses beside sentence ends. Between two words that
    silence is taken which is longest for its distance from their edges; where there is none, a short gap is closed.
    Times of an aligner stay, for it has heard the recording, and so do unknown ones.

    Args:
        utterances: consecutive ones of one recording and channel.
        energy: (frames,) of the recording from its beginning, from `audio.log_energy`.

    Returns:
        The utterances, with the same `times`.
    """
    spans = np.array([span for u in utterances for word in u.words if (span := _span(u, word))], np.float64)
    if not len(spans) or not len(energy):
        return list(utterances)
    moved = iter(np.round(_refine_spans(spans, silences(energy)), 3).tolist())
    return [
        replace(
            utterance,
            words=tuple(_moved(word, next(moved)) if _span(utterance, word) else word for word in utterance.words),
        )
        for utterance in utterances
    ]


def _span(utterance: Utterance, word: Word) -> tuple[Seconds, Seconds] | None:
    """The word's times if they are known and open to refinement."""
    if utterance.time_source == "aligner" or word.start is None or word.end is None:
        return None
    return (word.start, word.end) if math.isfinite(word.start + word.end) else None


def _moved(word: Word, span: list[Seconds]) -> Word:
    return replace(word, start=span[0], end=span[1])


def _refine_spans(spans: Floats, quiet: Floats) -> Floats:
    """New (words, 2) starts and ends, given the (silences, 2) spans that are silent."""
    kept = np.minimum((spans[:, 1] - spans[:, 0]) / 2, _KEPT)
    ends = np.append(spans[0, 0], spans[:, 1])
    starts = np.append(spans[:, 0], spans[-1, 1])
    low = np.append(spans[0, 0] - _REACH, spans[:, 0] + kept)
    high = np.append(spans[:, 1] - kept, spans[-1, 1] + _REACH)
    for k in range(len(ends)):
        lowest = max(low[k], starts[k - 1]) if k else low[k]
        ends[k], starts[k] = _between(ends[k], starts[k], lowest, high[k], quiet)
    return np.stack([starts[:-1], ends[1:]], axis=1)


def _between(end: Seconds, start: Seconds, low: Seconds, high: Seconds, quiet: Floats) -> tuple[Seconds, Seconds]:
    """End of the word before and start of the word after, on the best silence between `low` and `high`."""
    near = quiet[np.searchsorted(quiet[:, 1], low, side="right") : np.searchsorted(quiet[:, 0], high)]
    near = np.clip(near, low, high)
    lengths = near[:, 1] - near[:, 0]
    distances = np.maximum(0.0, np.maximum(near[:, 0] - start, end - near[:, 1]))
    scores = np.where(lengths >= _SHORTEST_SILENCE, lengths - _DISTANCE_WEIGHT * distances, -math.inf)
    if not len(near) or scores.max() <= 0:
        middle = (end + start) / 2
        return (middle, middle) if 0 < start - end < _LONGEST_CLOSED else (end, start)
    best = int(np.argmax(scores))
    first, last = near[best]
    for begin, stop in near[:best][::-1]:
        first = begin if stop >= end and first <= start else first
    for begin, stop in near[best + 1 :]:
        last = stop if last >= end and begin <= start else last
    return float(first), float(last)


def refined(
    utterances: Iterable[Utterance], audio_of: AudioOf, counts: Counter[str] | None = None
) -> Iterator[Utterance]:
    """The utterances with pauses that are refined on their audio; words and times stay as they are.

    The audio of utterances that all have an aligner's times is not read: nothing is refined, and nothing checked.

    Raises:
        InputError: an utterance has no times, or words after the end of its audio.
        AudioError: audio cannot be read.
    """
    for path, group in groupby(utterances, key=audio_of):
        held = list(group)
        for utterance in held:
            if utterance.words and not has_times(utterance.words):
                place = f"utterance {utterance.id!r}"
                raise InputError(place, "words without times", TIMES)
        if any(utterance.time_source != "aligner" for utterance in held):
            energy = audio.energy(path)
            check_ends(held, path, len(energy) / FRAMES_A_SECOND)
            yield from with_refined_pauses(held, energy, counts)
        else:
            yield from with_pauses(held, counts)


def with_refined_pauses(
    utterances: Sequence[Utterance], energy: Floats, counts: Counter[str] | None = None
) -> Iterator[Utterance]:
    """Consecutive utterances of one recording with pauses that are refined on its sound; words and times stay.

    Args:
        utterances: as for `pauses.refine`.
        energy: (frames,) of the recording, from `audio.log_energy`.
        counts: as for `pauses.with_pauses`.
    """
    moved = with_pauses(refine(utterances, energy), counts)
    for utterance, other in zip(utterances, moved, strict=True):
        yield annotate(replace(utterance, pause_before=other.pause_before), pauses=other.pauses)


def silences(energy: Floats) -> npt.NDArray[np.float64]:
    """Spans of `silent_frames`: (silences, 2) seconds, in order."""
    changes = np.flatnonzero(np.diff(silent_frames(energy), prepend=False, append=False))
    return changes.reshape(-1, 2) / FRAMES_A_SECOND


def silent_frames(energy: Floats) -> npt.NDArray[np.bool_]:
    """Frames under the silence threshold; what is louder for under 40 ms is passed over.

    The threshold follows the recording: every half minute has that of the minute around it.

    Args:
        energy: (frames,), from `audio.log_energy`.

    Returns:
        (frames,).
    """
    level = smooth(energy)
    silent = np.empty(len(level), np.bool_)
    for begin in range(0, len(level), _STRETCH):
        around = energy[max(0, begin - _STRETCH // 2) : begin + _STRETCH * 3 // 2]
        silent[begin : begin + _STRETCH] = level[begin : begin + _STRETCH] < silence_threshold(around)
    for start, stop in np.flatnonzero(np.diff(~silent, prepend=False, append=False)).reshape(-1, 2):
        if stop - start < _SHORTEST_SOUND:
            silent[start:stop] = True
    return silent


def silence_threshold(energy: Floats) -> float:
    """Level in dB under which a frame is silent: a fifth of the way from the noise floor up to loud speech.

    Both come from the recording, as percentiles of its smoothed energy: speech is the 90th, or where little is said
    the 99th less 10 dB; the noise floor is the 5th, and at most 45 dB under speech. The threshold lies at least 3 dB
    over the floor. Frames of digital silence, 60 dB under speech, say nothing of the noise in others; with them the
    threshold lies at least 25 dB under speech, for the quietest frames that are left may belong to words.

    Args:
        energy: (frames,), from `audio.log_energy`.
    """
    level = smooth(energy)
    high, peak = np.percentile(level, (90, 99)).tolist()
    speech = max(high, peak - _SPARSE_SPEECH_DB)
    audible = level[level > speech - _DIGITAL_SILENCE_DB]
    floor = max(float(np.percentile(audible, 5)), speech - _WIDEST_RANGE_DB)
    threshold = floor + max(_SILENT_SHARE * (speech - floor), _LEAST_ABOVE_NOISE_DB)
    if len(audible) < 0.95 * len(level):
        threshold = min(threshold, speech - _LEAST_UNDER_SPEECH_DB)
    return float(threshold)


def smooth(energy: Floats) -> Floats:
    """Mean of every frame and its two neighbours: (frames,)."""
    padded = np.pad(energy, 1, mode="edge")
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3
