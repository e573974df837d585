"""Pauses: from word times, refined on the energy of the recording, and as the buckets of a pause embedding.

The buckets and their averages over neighbours are those of AutoPunct (González-Docasal et al. 2021, section 3.2.1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from asr_punct.words import Seconds, Utterance

BUCKETS = 1000
"""Buckets of known pauses: 0 to 10 s, what is longer falls into the last one."""
BUCKET_MS = 10
UNKNOWN = BUCKETS
"""Bucket of an unknown pause, so that tables of pauses have `BUCKETS + 1` rows."""

Floats = npt.NDArray[np.floating]
Pause = Seconds | None
_WIDEST_RANGE_DB = 45.0
_SILENT_SHARE = 0.25
_LEAST_ABOVE_NOISE_DB = 3.0


def with_pauses(utterances: Iterable[Utterance], counts: Counter[str] | None = None) -> Iterator[Utterance]:
    """Set `pauses` and `pause_before` from the words' times, reading one utterance ahead.

    A pause is the next word's start less the word's own end, in whole milliseconds; where a word begins before the
    one before it ends, 0. The last word of an utterance has a pause only if the utterance that follows belongs to
    the same recording and channel and does not begin earlier; else it is unknown, for a large value there would say
    that the end of an utterance is the end of a sentence. Utterances without any time keep what pauses they have.

    Args:
        counts: is counted up: "pauses", and of them "overlaps" and "unknown".
    """
    counts = Counter() if counts is None else counts
    before: Utterance | None = None
    after_before: Pause = None
    for utterance, following in _with_next(utterances):
        if all(word.start is None and word.end is None for word in utterance.words):
            yield utterance
            before, after_before = utterance, None
            continue
        words = utterance.words
        gaps = [_gap(a.end, b.start, counts) for a, b in pairwise(words)]
        joined = following is not None and _continues(utterance, following)
        last = _gap(words[-1].end, following.words[0].start if following and joined else None, counts)
        first = after_before if before is not None and _continues(before, utterance) else None
        yield replace(utterance, pauses=(*gaps, last), pause_before=first)
        before, after_before = utterance, last


def _with_next(utterances: Iterable[Utterance]) -> Iterator[tuple[Utterance, Utterance | None]]:
    iterator = iter(utterances)
    current = next(iterator, None)
    while current is not None:
        following = next(iterator, None)
        yield current, following
        current = following


def _continues(utterance: Utterance, following: Utterance) -> bool:
    if (utterance.recording, utterance.channel) != (following.recording, following.channel):
        return False
    if not utterance.words or not following.words:
        return False
    start, next_start = utterance.words[0].start, following.words[0].start
    return start is None or next_start is None or next_start >= start


def _gap(end: Pause, start: Pause, counts: Counter[str]) -> Pause:
    counts["pauses"] += 1
    if end is None or start is None or not math.isfinite(start - end):
        counts["unknown"] += 1
        return None
    gap = round(start - end, 3)
    counts["overlaps"] += gap < 0
    return max(gap, 0.0)


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


def silence_threshold(energy: Floats) -> float:
    """Level in dB under which a frame is silent: a quarter of the way from the noise floor up to loud speech.

    Both come from the recording, as the percentiles 5 and 90 of its smoothed energy; the floor counts as at most 45 dB
    under speech (digital silence has none) and the threshold lies at least 3 dB over it.

    Args:
        energy: (frames,), from `audio.log_energy`.
    """
    level = smooth(energy)
    speech = float(np.percentile(level, 90))
    floor = max(float(np.percentile(level, 5)), speech - _WIDEST_RANGE_DB)
    return floor + max(_SILENT_SHARE * (speech - floor), _LEAST_ABOVE_NOISE_DB)


def smooth(energy: Floats) -> Floats:
    """Mean of every frame and its two neighbours: (frames,)."""
    padded = np.pad(energy, 1, mode="edge")
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3
