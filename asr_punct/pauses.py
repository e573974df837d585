"""Pauses: computed from word times, refined on the energy of the recording, and quantised for a pause embedding.

Quantisation and smoothing follow AutoPunct (González-Docasal et al. 2021, section 3.2.1).
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from asr_punct.audio import FRAMES_A_SECOND
from asr_punct.channels import by_channel
from asr_punct.words import Seconds, Utterance, Word, annotate, has_times

BUCKETS = 1000
"""Number of buckets for known pauses, 0 to 10 s. Longer pauses are in the last bucket."""
BUCKET_MS = 10
UNKNOWN_PAUSE = BUCKETS
"""Bucket of an unknown pause. Embedding tables have `BUCKETS + 1` rows."""

Floats = npt.NDArray[np.floating]
Pause = Seconds | None
"""Silence between two words, None if unknown."""

# Constants of `silence_threshold`, whose docstring explains them.
_MAX_RANGE_DB = 45.0
_SPARSE_SPEECH_DB = 10.0
_DIGITAL_SILENCE_DB = 60.0
_MIN_UNDER_SPEECH_DB = 25.0
_THRESHOLD_SHARE = 0.2
_MIN_ABOVE_NOISE_DB = 3.0
# Constants of `silent_frames`, in frames.
_BLOCK_FRAMES = 30 * FRAMES_A_SECOND
"""These frames share one threshold, that of the 60 s around them."""
_SHORTEST_SOUND_FRAMES = 4
# Constants of `move_to_silences`, tuned on speech with known times and simulated errors of recognisers.
_SHORTEST_SILENCE: Seconds = 0.08
"""Shorter silences are often closures of stop consonants."""
_MAX_OUTER_SHIFT: Seconds = 0.5
"""The first word of a recording may be moved to start this much earlier, the last one to end this much later."""
_FIXED_PART: Seconds = 0.3
"""The first and the last 0.3 s of a word (or half of a shorter word) never become part of a pause."""
_DISTANCE_WEIGHT = 2.0
"""A silence becomes the pause of two words if it is longer than this weight times its distance from their edges."""
_LONGEST_CLOSED_GAP: Seconds = 0.3
"""Longer gaps without silence stay, for example laughter, music or another speaker."""


def with_pauses(utterances: Iterable[Utterance], counts: Counter[str] | None = None) -> Iterator[Utterance]:
    """Set the words' pauses and `pause_before` from the words' times, reading one utterance ahead.

    A pause is the next word's start minus the word's end, rounded to milliseconds, and 0 if the words overlap. The
    pause after the last word is known only if the channel's next utterance with words has the same recording and does
    not begin earlier. Utterances with pauses, without word times or with the time source `segment` are unchanged.
    `counts` gets the number of "pauses", of "unknown" ones, and of "overlaps" (pauses set to 0).

    Of a document with several channels all utterances are read ahead (see `by_channel`).
    """
    counted = Counter[str]() if counts is None else counts
    return by_channel(utterances, lambda separated: _with_pauses(separated, counted))


def _with_pauses(utterances: Iterable[Utterance], counts: Counter[str]) -> Iterator[Utterance]:
    previous: Utterance | None = None
    previous_pause: Pause = None
    for utterance, following in _with_next(utterances):
        if not utterance.words:
            yield utterance
            continue
        if has_pauses(utterance) or not has_times(utterance.words) or utterance.time_source == "segment":
            yield utterance
            previous, previous_pause = utterance, utterance.words[-1].pause
            continue
        words = utterance.words
        gaps = [_gap(a.end, b.start, counts) for a, b in pairwise(words)]
        next_start = following.words[0].start if following and _continues(utterance, following) else None
        last = _gap(words[-1].end, next_start, counts)
        pause_before = previous_pause if previous and _continues(previous, utterance) else None
        yield annotate(replace(utterance, pause_before=pause_before), pauses=(*gaps, last))
        previous, previous_pause = utterance, last


def has_pauses(utterance: Utterance) -> bool:
    """Whether any pause is known."""
    return utterance.pause_before is not None or any(word.pause is not None for word in utterance.words)


def _with_next(utterances: Iterable[Utterance]) -> Iterator[tuple[Utterance, Utterance | None]]:
    """Yield each utterance with the next one that has words or another recording; None for one without times."""
    waiting: list[Utterance] = []  # an utterance with times and those without words that follow it
    for utterance in utterances:
        if waiting and (utterance.words or utterance.recording != waiting[0].recording):
            yield from ((each, utterance) for each in waiting)
            waiting = []
        if waiting or has_times(utterance.words):
            waiting.append(utterance)
        else:
            yield utterance, None
    yield from ((each, None) for each in waiting)


def _continues(utterance: Utterance, following: Utterance) -> bool:
    """Whether the pause between two utterances can be computed: same recording and channel, and in order."""
    if (utterance.recording, utterance.channel) != (following.recording, following.channel):
        return False
    start, next_start = utterance.words[0].start, following.words[0].start
    return start is None or next_start is None or next_start >= start


def _gap(end: Seconds | None, start: Seconds | None, counts: Counter[str]) -> Pause:
    if end is None or start is None or not math.isfinite(start - end):
        counts.update(pauses=1, unknown=1, overlaps=0)
        return None
    gap = round(start - end, 3)
    counts.update(pauses=1, unknown=0, overlaps=int(gap < 0))
    return max(gap, 0.0)


def pause_after(word: Word, following: Word) -> Pause:
    """Return the pause between two words: the given one, else from their times as `with_pauses` computes it."""
    return _gap(word.end, following.start, Counter()) if word.pause is None else word.pause


def word_duration(word: Word) -> Pause:
    """Return the time that a word takes, 0 if it has no times, and None if only one of them is known."""
    return 0.0 if word.start is None and word.end is None else _gap(word.start, word.end, Counter())


def add_pauses(*pauses: Pause) -> Pause:
    """Return the sum of pauses, None if one of them is unknown."""
    known = [pause for pause in pauses if pause is not None]
    return round(sum(known), 3) if len(known) == len(pauses) else None


def buckets(pauses: Sequence[Pause]) -> npt.NDArray[np.int64]:
    """Return the bucket of each pause, (words,): min(999, ms // 10), 0 if negative, 1000 for None and NaN."""
    seconds = np.array([math.nan if pause is None else pause for pause in pauses], np.float64)
    known = ~np.isnan(seconds)
    ms = np.rint(np.clip(np.where(known, seconds, 0.0), 0, BUCKETS * BUCKET_MS / 1000) * 1000).astype(np.int64)
    return np.where(known, np.minimum(BUCKETS - 1, ms // BUCKET_MS), UNKNOWN_PAUSE)


def smoothing_matrix(
    shape: Literal["uniform", "gaussian"], window_s: Seconds = 1.0, sigma_s: Seconds = 1 / 6
) -> npt.NDArray[np.float32]:
    """Return the matrix S for which `S @ E` averages every row of a pause embedding E over neighbouring buckets.

    It is float32 (BUCKETS + 1, BUCKETS + 1), and rows sum to 1. The window is truncated at the ends of the table; its
    weights are equal, or a Gaussian of `sigma_s` (the paper gives no value). The row of the unknown pause stays.
    """
    offsets = np.subtract.outer(np.arange(BUCKETS), np.arange(BUCKETS)) * (BUCKET_MS / 1000)
    weights = np.exp(-0.5 * (offsets / sigma_s) ** 2) if shape == "gaussian" else np.ones_like(offsets)
    weights[np.abs(offsets) > window_s / 2 + 1e-9] = 0.0
    matrix = np.zeros((BUCKETS + 1, BUCKETS + 1))
    matrix[:BUCKETS, :BUCKETS] = weights / weights.sum(axis=1, keepdims=True)
    matrix[UNKNOWN_PAUSE, UNKNOWN_PAUSE] = 1.0
    return matrix.astype(np.float32)


def with_refined_pauses(
    utterances: Sequence[Utterance], energy: Floats, counts: Counter[str] | None = None
) -> Iterator[Utterance]:
    """Yield utterances of one recording with the pauses that `move_to_silences` finds. Times are unchanged."""
    moved = with_pauses(move_to_silences(utterances, energy), counts)
    for utterance, other in zip(utterances, moved, strict=True):
        yield annotate(replace(utterance, pause_before=other.pause_before), pauses=other.pauses)


def move_to_silences(utterances: Sequence[Utterance], energy: Floats) -> list[Utterance]:
    """Move the starts and ends of words of one recording and channel onto its silences.

    Recognisers end words too early or too late, and Whisper extends words over the pauses at sentence ends. The pause
    between two words becomes the silence with the largest (length - `_DISTANCE_WEIGHT` * distance from the words'
    edges). If none is above 0, a short gap is closed. Unknown times and an aligner's times are unchanged. `energy` is
    (frames,) from `audio.log_energy`.
    """
    spans = np.array([span for u in utterances for word in u.words if (span := _movable_span(u, word))], np.float64)
    if not len(spans) or not len(energy):
        return list(utterances)
    moved = iter(_refine_spans(spans, silences(energy)))

    def move(utterance: Utterance, word: Word) -> Word:
        if _movable_span(utterance, word) is None:
            return word
        start, end = next(moved)
        return replace(word, start=start, end=end)

    return [replace(u, words=tuple(move(u, word) for word in u.words)) for u in utterances]


def _movable_span(utterance: Utterance, word: Word) -> tuple[Seconds, Seconds] | None:
    if utterance.time_source == "aligner" or word.start is None or word.end is None:
        return None
    return (word.start, word.end) if math.isfinite(word.start + word.end) else None


def _refine_spans(spans: Floats, quiet: Floats) -> list[list[Seconds]]:
    """Return the new start and end of each word. `spans` is (words, 2) and `quiet` (silences, 2), in seconds."""
    fixed = np.minimum((spans[:, 1] - spans[:, 0]) / 2, _FIXED_PART)
    # item k of the next four arrays is for the gap before word k, the last item for that after the last word
    ends = np.append(spans[0, 0], spans[:, 1])
    starts = np.append(spans[:, 0], spans[-1, 1])
    low = np.append(spans[0, 0] - _MAX_OUTER_SHIFT, spans[:, 0] + fixed)
    high = np.append(spans[:, 1] - fixed, spans[-1, 1] + _MAX_OUTER_SHIFT)
    for k in range(len(ends)):
        lowest = max(low[k], starts[k - 1]) if k else low[k]
        ends[k], starts[k] = _best_gap(ends[k], starts[k], lowest, high[k], quiet)
    return np.round(np.stack([starts[:-1], ends[1:]], axis=1), 3).tolist()  # type: ignore[no-any-return]


def _best_gap(end: Seconds, start: Seconds, low: Seconds, high: Seconds, quiet: Floats) -> tuple[Seconds, Seconds]:
    """Return the new end of a word and start of the next one, on the best silence between `low` and `high`."""
    near = quiet[np.searchsorted(quiet[:, 1], low, side="right") : np.searchsorted(quiet[:, 0], high)]
    near = np.clip(near, low, high)
    lengths = near[:, 1] - near[:, 0]
    distances = np.maximum(0.0, np.maximum(near[:, 0] - start, end - near[:, 1]))
    gains = np.where(lengths >= _SHORTEST_SILENCE, lengths - _DISTANCE_WEIGHT * distances, -math.inf)
    if not len(near) or gains.max() <= 0:
        middle = (end + start) / 2
        return (middle, middle) if 0 < start - end < _LONGEST_CLOSED_GAP else (end, start)
    best = int(np.argmax(gains))
    first, last = near[best]
    # a sound between two silences, such as a breath, is part of the gap if it is between the two words
    for begin, stop in near[:best][::-1]:
        if stop >= end and first <= start:
            first = begin
    for begin, stop in near[best + 1 :]:
        if last >= end and begin <= start:
            last = stop
    return float(first), float(last)


def silences(energy: Floats) -> npt.NDArray[np.float64]:
    """Return the runs of `silent_frames`: (silences, 2) seconds, in order."""
    changes = np.flatnonzero(np.diff(silent_frames(energy), prepend=False, append=False))
    return changes.reshape(-1, 2) / FRAMES_A_SECOND


def silent_frames(energy: Floats) -> npt.NDArray[np.bool_]:
    """Return which frames, (frames,), are under the threshold of the 60 s around them or in a sound under 40 ms."""
    level = smooth(energy)
    silent = np.empty(len(level), np.bool_)
    for begin in range(0, len(level), _BLOCK_FRAMES):
        around = energy[max(0, begin - _BLOCK_FRAMES // 2) : begin + _BLOCK_FRAMES * 3 // 2]
        block = slice(begin, begin + _BLOCK_FRAMES)
        silent[block] = level[block] < silence_threshold(around)
    for start, stop in np.flatnonzero(np.diff(~silent, prepend=False, append=False)).reshape(-1, 2):
        if stop - start < _SHORTEST_SOUND_FRAMES:
            silent[start:stop] = True
    return silent


def silence_threshold(energy: Floats) -> float:
    """Return the level in dB under which a frame is silent: a fifth of the way from the noise floor to loud speech.

    * Loud speech is the 90th percentile of the smoothed energy, or the 99th less 10 dB if that is more (sparse speech).
    * Digital silence, 60 dB under loud speech, says nothing about the noise floor and is left out.
    * The noise floor is the 5th percentile of the other frames, at most 45 dB under loud speech.
    * The threshold is at least 3 dB over the noise floor. If over 5 % of the frames are digital silence, it is at
      least 25 dB under loud speech, because the quietest of the other frames may belong to words.
    """
    level = smooth(energy)
    high, peak = np.percentile(level, (90, 99)).tolist()
    speech = max(high, peak - _SPARSE_SPEECH_DB)
    audible = level[level > speech - _DIGITAL_SILENCE_DB]
    floor = max(float(np.percentile(audible, 5)), speech - _MAX_RANGE_DB)
    threshold = floor + max(_THRESHOLD_SHARE * (speech - floor), _MIN_ABOVE_NOISE_DB)
    if len(audible) < 0.95 * len(level):
        threshold = min(threshold, speech - _MIN_UNDER_SPEECH_DB)
    return float(threshold)


def smooth(energy: Floats) -> Floats:
    """Return the mean of every frame and its two neighbours: (frames,)."""
    padded = np.pad(energy, 1, mode="edge")
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3
