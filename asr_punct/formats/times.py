"""Times that make no sense become unknown times, by one rule for all formats.

Readers yield words with the times of the file, whatever they are; `NotATime` stands for what is no number. `checked`
looks at them afterwards. Only the words' times change: origins keep the text of the file, which is written back.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from asr_punct.errors import InputError, plural
from asr_punct.formats.values import MAX_TIME, short_repr
from asr_punct.words import Seconds, Utterance, Word

ROUNDING: Seconds = 0.001
"""A time may be this much below 0, and an end before its start, because of rounding: it is then 0, or the start."""
MAX_BELOW_ZERO: Seconds = 0.1
"""Recognisers that count in frames write durations that are this much below 0; they are then 0."""
SEGMENT_TOLERANCE: Seconds = 1.0
"""A word may be this many seconds outside its segment, and a segment may start this long before an earlier one."""
UNKNOWN = ("NA", "N/A", "NULL", "NONE", "-", "*")
"""Columns of what is unknown, without angle brackets."""
_EXPECTED = f"seconds from 0 to {MAX_TIME}, ends at or after their starts, and starts in the order of time"


class NotATime(float):
    """NaN in place of a value that is no number of seconds; shown as that value."""

    value: object

    def __new__(cls, value: object) -> "NotATime":
        """Return the NaN of a value."""
        self = super().__new__(cls, math.nan)
        self.value = value
        return self

    def __str__(self) -> str:
        return short_repr(self.value)


def time_of(value: Any) -> Seconds:
    """Return a number, or a text with a number, as seconds, which are not checked; other values as `NotATime`."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            return float(value)
        except (ValueError, OverflowError):  # a text without a number, an integer larger than any float
            pass
    return NotATime(value)


def column_time(text: str, place: str, name: str) -> Seconds:
    """Return the seconds of a column, not checked. Raises InputError for text that is neither a number nor `NA`."""
    time = time_of(text)
    if isinstance(time, NotATime) and text.strip("<>").upper() not in UNKNOWN:
        raise InputError(place, f"{name} {text!r}", "a number of seconds")
    return time


def end_after(start: Seconds, duration: Seconds) -> Seconds:
    """Return the end of a word, rounded to microseconds; a duration of a few frames below 0, as of lattices, is 0."""
    if -MAX_BELOW_ZERO <= duration < 0:
        return start
    end = round(start + duration, 6)
    return max(start, end) if duration >= 0 else end


def confidence_of(value: Any) -> float | None:
    """Return a confidence, given as a number or a text with a number; None for other values, such as NaN or NA."""
    confidence = time_of(value)
    return confidence if math.isfinite(confidence) else None


@dataclass
class BadTimes:
    """Words of a file with times that make no sense: their number, and the place and fault of the first."""

    count: int = 0
    first: str = ""

    def __str__(self) -> str:
        words = f"{plural(self.count, 'word')} with times that make no sense"
        return f"{words} (first: {self.first}); their pauses are unknown"


OnBadTimes = Callable[[BadTimes], object]


def checked(
    utterances: Iterable[Utterance], place: str, *, one_recording: bool, strict: bool, on_bad_times: OnBadTimes
) -> Iterator[Utterance]:
    """Yield the utterances of a file with times that make sense; all others become None.

    * A time is unknown if it is no number from 0 to `MAX_TIME`, an end also if it is before its start.
    * If starts of an utterance's words go back, both times of as few words as possible are unknown, so that the others
      are in order.
    * In a file of one recording, an utterance that starts more than `SEGMENT_TOLERANCE` before the one before it, of
      the same channel and speaker, keeps its times; the pause between them is unknown.

    At the end `on_bad_times` gets all words of the three kinds (of the last, the first word), if there are any. With
    `strict` the first of them raises InputError.
    """
    bad, latest = BadTimes(), dict[tuple[str, str], Seconds]()
    for number, utterance in enumerate(utterances, start=1):
        result = _Checked(utterance.words)
        if one_recording:
            _check_order(result, (utterance.channel, utterance.speaker), latest)
        if result.faults:
            index = min(result.faults)
            if strict:
                raise InputError(f"{place}: record {number}, word {index + 1}", result.faults[index], _EXPECTED)
            bad.first = bad.first or f"record {number}, word {index + 1}: {result.faults[index]}"
            bad.count += len(result.faults)
        before = utterance.pause_before
        if result.words is not utterance.words or not _is_known(before):
            utterance = replace(utterance, words=tuple(result.words), pause_before=_known(before))
        yield utterance
    if bad.count:
        on_bad_times(bad)


def with_times_that_make_sense(utterances: Iterable[Utterance]) -> Iterator[Utterance]:
    """Yield the utterances for a writer, whose file must be readable; other times become None, as `checked`."""
    for utterance in utterances:
        words = without_bad_times(utterance.words)
        yield utterance if words is utterance.words else replace(utterance, words=tuple(words))


def without_bad_times(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words of an utterance with times that make sense, as `checked`; nothing is reported."""
    return _Checked(words).words


@dataclass
class _Checked:
    """The words of an utterance with times that make sense, and what is wrong with each word of which one does not."""

    words: Sequence[Word]
    faults: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _is_usual(self.words):
            words = list(map(self._with_numbers, range(len(self.words)), self.words))
            in_order = set(_longest_in_order([word.start for word in words]))
            last = 0.0
            for i, word in enumerate(words):
                if word.start is not None and i not in in_order:
                    fault = f"after {last}" if word.start < last else "out of order"
                    self.faults.setdefault(i, f"start {word.start} {fault}")
                    word = replace(word, start=None, end=None)
                last = last if word.start is None else word.start
                words[i] = self._with_end(i, word, last)
            self.words = words

    def _with_numbers(self, index: int, word: Word) -> Word:
        """Return the word without times that are no numbers from 0 to `MAX_TIME`."""
        times = {"start": word.start, "end": word.end, "pause": word.pause}
        if wrong := [f"{name} {time}" for name, time in times.items() if not _is_known(time)]:
            self.faults[index] = ", ".join(wrong)
        start, end, pause = map(_known, times.values())
        return replace(word, start=start, end=end, pause=pause)

    def _with_end(self, index: int, word: Word, last: Seconds) -> Word:
        """Return the word without an end that is before `last`, the last start; one by rounding is the start."""
        if word.end is None or word.end >= last:
            return word
        if word.end >= last - ROUNDING:
            return replace(word, end=last)
        self.faults.setdefault(index, f"end {word.end} before start {last}")
        return replace(word, end=None)


def _is_usual(words: Iterable[Word]) -> bool:
    """Whether all times make sense. It looks at each number once: every word of every file comes here."""
    last = 0.0
    for word in words:
        start, end, pause = word.start, word.end, word.pause
        if start is not None:
            if not last <= start <= MAX_TIME:
                return False
            last = start
        if (end is not None and not last <= end <= MAX_TIME) or (pause is not None and not 0 <= pause <= MAX_TIME):
            return False
    return True


def _check_order(result: _Checked, voice: tuple[str, str], latest: dict[tuple[str, str], Seconds]) -> None:
    """Note a fault of the first word with a start if it is before the last start of the voice, and update that."""
    index = next((i for i, word in enumerate(result.words) if word.start is not None), None)
    if index is None:
        return
    start, last = result.words[index].start or 0.0, latest.get(voice, 0.0)
    if start < last - SEGMENT_TOLERANCE:
        result.faults.setdefault(index, f"start {start:g} after {last:g}")
    latest[voice] = start


def _is_known(time: Seconds | None) -> bool:
    return time is None or -ROUNDING <= time <= MAX_TIME


def _known(time: Seconds | None) -> Seconds | None:
    return max(time, 0.0) if time is not None and _is_known(time) else None


def _longest_in_order(starts: Sequence[Seconds | None]) -> Iterator[int]:
    """Yield the indices of a longest subsequence of known starts that do not go back; of several, one of early words.

    Patience sorting from the end: `tops` has, by length, the latest start of a subsequence that begins with it.
    """
    tops, places, following = list[Seconds](), list[int](), dict[int, int | None]()
    for i in range(len(starts) - 1, -1, -1):
        start = starts[i]
        if start is not None:
            length = bisect_right(tops, -start)  # negative, because from the end they must not increase
            following[i] = places[length - 1] if length else None
            tops[length : length + 1], places[length : length + 1] = [-start], [i]
    current = places[-1] if places else None
    while current is not None:
        yield current
        current = following[current]
