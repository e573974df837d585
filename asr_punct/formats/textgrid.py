"""Praat TextGrid: words in an interval tier, and a tier `punctuated` with the same intervals after it.

A tier `times` with one interval names the source of the times, unless it is an aligner.

Praat's long and short text formats are read, in UTF-8, or UTF-16 with a byte order mark; the long one is written, in
UTF-8. The package `textgrid` is not used: it cannot read comments or several values in a line, drops empty intervals,
and its errors do not name a place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from asr_punct.errors import TIMES, InputError
from asr_punct.formats.files import Pathlike, display_name, read_utf_file
from asr_punct.formats.json_values import Object
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, KEY, get_time_source, set_time_source, time_source_of
from asr_punct.formats.tokens import recording_name, written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, Utterance, Word

PUNCTUATED = "punctuated"
"""Name of the tier of words with marks and capitals."""
_OURS = (PUNCTUATED, KEY)
_DEFAULT = DEFAULT_TIME_SOURCE["textgrid"]
_SILENCE = frozenset({"", "sil", "sp", "<eps>", "<p:>", "<sil>"})
_TIER_NAMES = ("words", "word", "ort", "ort-mau")
_INTERVALS, _POINTS = "IntervalTier", "TextTier"
_EXPECTED = "a TextGrid with a tier of words"
_VALUE = re.compile(
    r'"((?:[^"]|"")*+)"|(?<!\S)(?:![^\n]*|([-+]?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf|infinity))(?!\S))', re.IGNORECASE
)
"""The values of both formats: strings and free-standing numbers; comments have no group."""


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier of a file; its numbers are strings, so that they are written unchanged.

    Attributes:
        kind: `IntervalTier` or `TextTier`.
        name: its name.
        start: start time in seconds.
        end: end time in seconds.
        rows: start, end and text of every interval, or time and mark of every point.
    """

    kind: str
    name: str
    start: str
    end: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A TextGrid; `Utterance.origin`.

    Attributes:
        start: start time in seconds, as in the file.
        end: end time in seconds, as in the file.
        tiers: the tiers, in order.
        words: index of the tier of words.
    """

    start: str
    end: str
    tiers: tuple[Tier, ...]
    words: int


def read_textgrid(path: Pathlike) -> Iterator[Utterance]:
    """Yield one utterance: the intervals of the word tier that are not silence.

    The word tier is named `words`, `word`, `ORT` or `ORT-MAU`, or is the only interval tier. If an interval has several
    words, the first has its start and the last its end.

    Raises:
        InputError: the file is no TextGrid or has no word tier, or the times of a word are invalid.
    """
    place = display_name(path)
    start, end, tiers = _tiers(_Values(read_utf_file(path), place))
    chosen = _word_tier(tiers, place)
    words = tuple(_words(tiers[chosen], f"{place}: tier {tiers[chosen].name!r}"))
    name = recording_name(path)
    grid = Grid(start, end, tiers, chosen)
    yield Utterance(
        words, id=name, recording=name, time_source=get_time_source(_times_entry(grid), words, _DEFAULT), origin=grid
    )


class _Values:
    """Reads the strings and numbers of a file in order.

    Attributes:
        place: name of the file in error messages.
    """

    def __init__(self, text: str, place: str) -> None:
        self._values = [match for match in _VALUE.finditer(text) if match.lastindex]
        self._text, self._read, self.place = text, 0, place

    def string(self) -> str:
        return self._value(1).replace('""', '"')

    def number(self) -> str:
        return self._value(2)

    def size(self) -> int:
        """Return the number of tiers or rows that follow, each of two values or more."""
        written = self.number()
        left = len(self._values) - self._read
        if not written.isdecimal() or len(written) > 10 or int(written) * 2 > left:
            raise self.error(f"the size {written[:20]} before {left} values")
        return int(written)

    def error(self, found: str) -> InputError:
        """Return an error at the line of the last value, or at the end of the file."""
        after = len(self._text.rstrip()) if self._read > len(self._values) else self._values[self._read - 1].start()
        line = self._text.count("\n", 0, after) + 1
        return InputError(f"{self.place}:{line}", found, _EXPECTED)

    def _value(self, group: int) -> str:
        self._read += 1
        match = self._values[self._read - 1] if self._read <= len(self._values) else None
        if match is None or match[group] is None:
            raise self.error(f"no {('string', 'number')[group - 1]} where value {self._read} should be one")
        return match[group]


def _tiers(values: _Values) -> tuple[str, str, tuple[Tier, ...]]:
    try:
        kinds = values.string(), values.string()
    except InputError:
        kinds = "", ""
    if not kinds[0].startswith("ooTextFile") or kinds[1] != "TextGrid":
        raise InputError(values.place, "no TextGrid", _EXPECTED)
    start, end = values.number(), values.number()
    return start, end, tuple(_tier(values) for _ in range(values.size()))


def _tier(values: _Values) -> Tier:
    kind = values.string()
    if kind not in (_INTERVALS, _POINTS):
        raise values.error(f"a tier of the class {kind[:40]!r}")
    name, start, end = values.string(), values.number(), values.number()
    if kind == _INTERVALS:
        rows = tuple((values.number(), values.number(), values.string()) for _ in range(values.size()))
        return Tier(kind, name, start, end, rows)
    return Tier(kind, name, start, end, tuple((values.number(), values.string()) for _ in range(values.size())))


def _word_tier(tiers: Sequence[Tier], place: str) -> int:
    intervals = [i for i, tier in enumerate(tiers) if tier.kind == _INTERVALS]
    intervals = [i for i in intervals if tiers[i].name not in _OURS] or intervals
    named = [i for i in intervals if tiers[i].name.strip().lower() in _TIER_NAMES]
    if named or len(intervals) == 1:
        return (named or intervals)[0]
    found = ", ".join(repr(tier.name) for tier in tiers) or "none"
    raise InputError(place, f"tiers {found}", "an interval tier named 'words'")


def _words(tier: Tier, place: str) -> Iterator[Word]:
    last = 0.0
    for number, row in enumerate(tier.rows, start=1):
        texts = _texts(row[2])
        if not texts:
            continue
        start, end = _seconds(row[0]), _seconds(row[1])
        if not (math.isfinite(end) and last <= start < end):
            found, expected = (
                f"{row[2]!r} from {start} to {end}",
                "a start of 0 or more and an end after it, in seconds",
            )
            if 0 <= start < last and start < end:
                found, expected = f"{row[2]!r} from {start} after one from {last}", "intervals in the order of time"
            raise InputError(f"{place}: interval {number}", found, expected)
        last = start
        for i, text in enumerate(texts):
            yield Word(text, None if i else start, end if i == len(texts) - 1 else None)


def _texts(text: str) -> list[str]:
    """Return the words of an interval, none for silence."""
    return [] if text.strip().lower() in _SILENCE else text.split()


def _seconds(number: str) -> float:
    try:
        return float(number)
    except ValueError:
        return math.nan


def write_textgrid(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the words of one recording as tier `words` and, if they have labels, with marks in tier `punctuated`.

    Words that were read from a TextGrid keep all its tiers; `punctuated` follows the words or replaces an older one.
    A tier `times` names the first source of times that is not an aligner. Intervals do not overlap: a word that ends
    after the start of the next one is cut there, and words without times between them share an interval.

    Raises:
        InputError: no word has times, words are out of order, or they belong to several recordings or channels.
    """
    given = list(utterances)
    grid = _own_grid(given) or _new_grid(given)
    if any(utterance.is_labelled for utterance in given):
        grid = _punctuated(grid, given, glyphs)
    grid = _with_time_source(grid, given)
    out.write('File type = "ooTextFile"\nObject class = "TextGrid"\n\n')
    out.write(f"xmin = {grid.start}\nxmax = {grid.end}\ntiers? <exists>\nsize = {len(grid.tiers)}\nitem []:\n")
    for number, tier in enumerate(grid.tiers, start=1):
        out.write(f"    item [{number}]:\n")
        out.writelines(f"        {line}\n" for line in _tier_lines(tier))


def _own_grid(utterances: Sequence[Utterance]) -> Grid | None:
    if len(utterances) != 1 or not isinstance(utterances[0].origin, Grid):
        return None
    grid = utterances[0].origin
    texts = [text for row in grid.tiers[grid.words].rows for text in _texts(row[2])]
    return grid if texts == [word.text for word in utterances[0].words] else None


def _punctuated(grid: Grid, utterances: Sequence[Utterance], glyphs: Glyphs) -> Grid:
    """Return the grid with the tier of words with marks."""
    written = (text for utterance in utterances for text in written_words(utterance, glyphs))
    words = grid.tiers[grid.words]
    rows = tuple((*row[:2], " ".join(next(written) for _ in _texts(row[2])) or row[2]) for row in words.rows)
    return _with_tier(grid, replace(words, name=PUNCTUATED, rows=rows), grid.words + 1)


def _with_time_source(grid: Grid, utterances: Sequence[Utterance]) -> Grid:
    """Return the grid with the tier `times` if the source is not the default."""
    others = (each for each in utterances if time_source_of(each.words, each.time_source) not in ("none", _DEFAULT))
    old = _times_entry(grid)
    new = set_time_source(old, next(others, utterances[0]), _DEFAULT)
    if new is old:
        return grid
    row = grid.start, grid.end, str(new[KEY])
    return _with_tier(grid, Tier(_INTERVALS, KEY, grid.start, grid.end, (row,)), len(grid.tiers))


def _times_entry(grid: Grid) -> Object:
    """Return the tier `times` as a JSON object; its value is None if the tier has not exactly one interval."""
    place = _place(grid, KEY)
    if place is None:
        return {}
    rows = grid.tiers[place].rows
    return {KEY: rows[0][-1] if len(rows) == 1 else None}


def _with_tier(grid: Grid, tier: Tier, place: int) -> Grid:
    """Return the grid with a tier that replaces an older one of its name, or is inserted at `place`."""
    old = _place(grid, tier.name)
    first, after = (place, place) if old is None else (old, old + 1)
    return replace(grid, tiers=(*grid.tiers[:first], tier, *grid.tiers[after:]))


def _place(grid: Grid, name: str) -> int | None:
    """Return the index of the tier of that name, other than the word tier, or None."""
    return next((i for i, tier in enumerate(grid.tiers) if tier.name == name and i != grid.words), None)


def _tier_lines(tier: Tier) -> Iterator[str]:
    yield f"class = {_quoted(tier.kind)}"
    yield f"name = {_quoted(tier.name)}"
    yield f"xmin = {tier.start}"
    yield f"xmax = {tier.end}"
    rows, names = ("intervals", ("xmin", "xmax", "text")) if tier.kind == _INTERVALS else ("points", ("number", "mark"))
    yield f"{rows}: size = {len(tier.rows)}"
    for number, row in enumerate(tier.rows, start=1):
        yield f"{rows} [{number}]:"
        values = (*row[:-1], _quoted(row[-1]))
        yield from (f"    {name} = {value}" for name, value in zip(names, values, strict=True))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _new_grid(utterances: Sequence[Utterance]) -> Grid:
    names = {(utterance.recording, utterance.channel) for utterance in utterances if utterance.words}
    if len(names) > 1:
        found = f"{len(names)} recordings or channels"
        raise InputError(utterances[0].id or "utterance 1", found, "one, for a TextGrid has one line of time")
    rows, last = list[tuple[str, ...]](), 0.0
    for start, end, text in _intervals([word for utterance in utterances for word in utterance.words]):
        if start > last:
            rows.append((repr(last), repr(start), ""))
        rows.append((repr(start), repr(end), text))
        last = end
    return Grid("0.0", repr(last), (Tier(_INTERVALS, "words", "0.0", repr(last), tuple(rows)),), 0)


def _intervals(words: Sequence[Word]) -> list[tuple[Seconds, Seconds, str]]:
    """Return start, end and words of intervals that do not overlap."""
    result: list[tuple[Seconds, Seconds, str]] = []
    group: list[Word] = []
    for word in words:
        start, end = _span(group)
        if word.start is not None and start is not None and word.start < start:
            raise InputError(f"word {word.text!r}", f"start {word.start} after {start}", "words in the order of time")
        if start is not None and end is not None and word.start is not None and start < min(end, word.start):
            result.append((start, min(end, word.start), " ".join(each.text for each in group)))
            group = []
        group.append(word)
    start, end = _span(group)
    text = " ".join(each.text for each in group)
    if start is not None and end is not None and start < end:
        result.append((start, end, text))
    elif result:
        before, last, texts = result.pop()
        result.append((before, max(last, end or last), f"{texts} {text}"))
    else:
        raise InputError("TextGrid", "words without times", TIMES)
    return result


def _span(words: Sequence[Word]) -> tuple[Seconds | None, Seconds | None]:
    starts = [word.start for word in words if word.start is not None]
    ends = [word.end for word in words if word.end is not None]
    return (starts[0] if starts else None), (max(ends) if ends else None)
