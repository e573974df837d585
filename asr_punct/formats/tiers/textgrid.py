"""Praat TextGrid: words in an interval tier, and a tier `punctuated` with the same intervals after it.

A tier `times` with one interval names the source of the times, unless it is an aligner.

Praat's long and short text formats are read, in UTF-8, or UTF-16 with a byte order mark. The long format is written, in
UTF-8. The package `textgrid` is not used, because it drops words whose interval has no length instead of reporting
them, and cannot read point tiers in the short format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from asr_punct.errors import EXPECTED_TIMES, InputError
from asr_punct.files import Pathlike, display_name, read_text_file, recording_name
from asr_punct.formats.entries import chronological, entry_words, first_start, grouped, spoken_tokens, written_words
from asr_punct.formats.time_sources import KEY, get_time_source, set_first_time_source
from asr_punct.formats.times import time_of
from asr_punct.formats.values import Object
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word

PUNCTUATED = "punctuated"
"""Name of the tier of words with marks and capitals."""
_DEFAULT: TimeSource = "aligner"
_WORD_TIER_NAMES = ("words", "word", "ort", "ort-mau")
_INTERVALS, _POINTS = "IntervalTier", "TextTier"
_EXPECTED = "a TextGrid with a tier of words"
_VALUE = re.compile(
    r'"((?:[^"]|"")*+)"|(?<!\S)(?:![^\n]*|([-+]?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf|infinity))(?!\S))', re.IGNORECASE
)
"""A string (group 1), a comment (no group) or a free-standing number (group 2): all that Praat itself reads."""


@dataclass(frozen=True, slots=True)
class GridTier:
    """A tier; its numbers, in seconds, are strings, so that they are written unchanged.

    `rows` has start, end and text of every interval (`IntervalTier`), or time and mark of every point (`TextTier`).
    """

    kind: str
    name: str
    start: str
    end: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A TextGrid; `Utterance.origin`. `start` and `end` are as in the file; `words` is the index of the word tier."""

    start: str
    end: str
    tiers: tuple[GridTier, ...]
    words: int

    def index(self, name: str) -> int | None:
        """Return the index of the first tier of that name, other than the tier of words, or None."""
        return next((i for i, tier in enumerate(self.tiers) if tier.name == name and i != self.words), None)

    def with_tier(self, tier: GridTier, position: int) -> Grid:
        """Return the grid with a tier that replaces an older one of its name, or is inserted at `position`."""
        old = self.index(tier.name)
        first, after = (position, position) if old is None else (old, old + 1)
        return replace(self, tiers=(*self.tiers[:first], tier, *self.tiers[after:]))

    @property
    def times(self) -> Object:
        """The tier `times` as an object for `time_sources`; its value is None unless it has exactly one interval."""
        index = self.index(KEY)
        rows = () if index is None else self.tiers[index].rows
        return {} if index is None else {KEY: rows[0][-1] if len(rows) == 1 else None}


def is_textgrid(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like a TextGrid."""
    return rows[0][:2] == ["File", "type"] and "ooTextFile" in rows[0][-1]


def read_textgrid(path: Pathlike) -> Iterator[Utterance]:
    """Yield one utterance: the intervals of the word tier that are not silence.

    The word tier is named `words`, `word`, `ORT` or `ORT-MAU`, or is the only interval tier. If an interval has several
    words, the first has its start and the last its end.
    """
    place, name = display_name(path), recording_name(path)
    start, end, tiers = _Parser(read_text_file(path), place).parse()
    grid = Grid(start, end, tiers, _word_tier(tiers, place))
    words = tuple(_words(tiers[grid.words], f"{place}: tier {tiers[grid.words].name!r}"))
    time_source = get_time_source(grid.times, words, _DEFAULT)
    yield Utterance(words, id=name, recording=name, time_source=time_source, origin=grid)


class _Parser:
    """Reads the strings and numbers of a file in order."""

    def __init__(self, text: str, place: str) -> None:
        self._values = [match for match in _VALUE.finditer(text) if match.lastindex]
        self._text, self._place, self._read = text, place, 0

    def parse(self) -> tuple[str, str, tuple[GridTier, ...]]:
        """Return start, end and tiers."""
        first = [match[1] or "" for match in self._values[:2]]
        if len(first) < 2 or not first[0].startswith("ooTextFile") or first[1] != "TextGrid":
            raise InputError(self._place, "no TextGrid", _EXPECTED)
        self._read = 2
        start, end = self._number(), self._number()
        return start, end, tuple(self._tier() for _ in range(self._count()))

    def _tier(self) -> GridTier:
        kind = self._string()
        if kind not in (_INTERVALS, _POINTS):
            raise self._error(f"a tier of the class {kind[:40]!r}")
        name, start, end = self._string(), self._number(), self._number()
        times = 2 if kind == _INTERVALS else 1
        rows = ((*(self._number() for _ in range(times)), self._string()) for _ in range(self._count()))
        return GridTier(kind, name, start, end, tuple(rows))

    def _string(self) -> str:
        return self._value(1, "string").replace('""', '"')

    def _number(self) -> str:
        return self._value(2, "number")

    def _count(self) -> int:
        """Return the number of tiers or rows that follow."""
        number = self._number()
        if not number.isdecimal() or len(number) > 10:
            raise self._error(f"the size {number[:20]}")
        return int(number)

    def _value(self, group: int, kind: str) -> str:
        self._read += 1
        match = self._values[self._read - 1] if self._read <= len(self._values) else None
        if match is None or match[group] is None:
            raise self._error(f"no {kind} where value {self._read} should be one")
        return match[group]

    def _error(self, found: str) -> InputError:
        """Return an error at the line of the last value, or at the end of the file."""
        end = len(self._text.rstrip()) if self._read > len(self._values) else self._values[self._read - 1].start()
        return InputError(f"{self._place}:{self._text.count(chr(10), 0, end) + 1}", found, _EXPECTED)


def _word_tier(tiers: Sequence[GridTier], place: str) -> int:
    intervals = [i for i, tier in enumerate(tiers) if tier.kind == _INTERVALS]
    intervals = [i for i in intervals if tiers[i].name not in (PUNCTUATED, KEY)] or intervals
    named = [i for i in intervals if tiers[i].name.strip().lower() in _WORD_TIER_NAMES]
    if named or len(intervals) == 1:
        return (named or intervals)[0]
    found = ", ".join(repr(tier.name) for tier in tiers) or "none"
    raise InputError(place, f"tiers {found}", "an interval tier named 'words'")


def _words(tier: GridTier, place: str) -> Iterator[Word]:
    for *times, text in tier.rows:
        if spoken_tokens(text):
            start, end = map(time_of, times)
            yield from entry_words(text, start, end, None, place)


def write_textgrid(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the words of one recording as tier `words` and, if they have labels, with marks in tier `punctuated`.

    Words that were read from a TextGrid keep all its tiers; `punctuated` follows the words or replaces an older one.
    A tier `times` names the first source of times that is not an aligner. Intervals do not overlap: a word that ends
    after the start of the next one is cut there, and words without times between them share an interval. Raises
    InputError if no word has times, or they belong to several recordings or channels.
    """
    listed = list(utterances)
    unchanged = _unchanged_grid(listed)
    listed = listed if unchanged else chronological(listed, first_start)
    grid = unchanged or _new_grid(listed)
    if any(utterance.is_labelled for utterance in listed):
        texts = [text for _, _, text in grid.tiers[grid.words].rows]
        # in a new grid a word "sp" of another format is not silence
        counts = [len(spoken_tokens(text) if unchanged else text.split()) for text in texts]
        grid = _punctuated(grid, (text for utterance in listed for text in written_words(utterance, glyphs)), counts)
    times = set_first_time_source(grid.times, listed, _DEFAULT)
    if times.get(KEY) != grid.times.get(KEY):
        row = grid.start, grid.end, str(times[KEY])
        grid = grid.with_tier(GridTier(_INTERVALS, KEY, grid.start, grid.end, (row,)), len(grid.tiers))
    out.write('File type = "ooTextFile"\nObject class = "TextGrid"\n\n')
    out.write(f"xmin = {grid.start}\nxmax = {grid.end}\ntiers? <exists>\nsize = {len(grid.tiers)}\nitem []:\n")
    for number, tier in enumerate(grid.tiers, start=1):
        out.write(f"    item [{number}]:\n")
        out.writelines(f"        {line}\n" for line in _tier_lines(tier))


def _unchanged_grid(utterances: Sequence[Utterance]) -> Grid | None:
    """Return the grid that the words were read from, or None; their marks and case may have changed."""
    if len(utterances) != 1 or not isinstance(utterances[0].origin, Grid):
        return None
    grid = utterances[0].origin
    tokens = [token for row in grid.tiers[grid.words].rows for token in spoken_tokens(row[-1])]
    return grid if len(tokens) == len(utterances[0].words) else None


def _punctuated(grid: Grid, written: Iterable[str], counts: Sequence[int]) -> Grid:
    """Add the tier `punctuated`; `counts` are the numbers of written words in each interval."""
    tier = grid.tiers[grid.words]
    groups = grouped(written, counts)
    rows = tuple((*row[:2], " ".join(group) or row[2]) for row, group in zip(tier.rows, groups, strict=True))
    return grid.with_tier(replace(tier, name=PUNCTUATED, rows=rows), grid.words + 1)


def _tier_lines(tier: GridTier) -> Iterator[str]:
    yield f"class = {_quoted(tier.kind)}"
    yield f"name = {_quoted(tier.name)}"
    yield f"xmin = {tier.start}"
    yield f"xmax = {tier.end}"
    rows, names = ("intervals", ("xmin", "xmax", "text")) if tier.kind == _INTERVALS else ("points", ("number", "mark"))
    yield f"{rows}: size = {len(tier.rows)}"
    for number, (*times, text) in enumerate(tier.rows, start=1):
        yield f"{rows} [{number}]:"
        yield from (f"    {name} = {value}" for name, value in zip(names, (*times, _quoted(text)), strict=True))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _new_grid(utterances: Sequence[Utterance]) -> Grid:
    names = {(utterance.recording, utterance.channel) for utterance in utterances if utterance.words}
    if len(names) > 1:
        found = f"{len(names)} recordings or channels"
        raise InputError(utterances[0].id or "utterance 1", found, "one, for a TextGrid has one line of time")
    rows, last = list[tuple[str, ...]](), 0.0
    for start, end, text in _intervals(word for utterance in utterances for word in utterance.words):
        if start > last:
            rows.append((repr(last), repr(start), ""))
        rows.append((repr(start), repr(end), text))
        last = end
    return Grid("0.0", repr(last), (GridTier(_INTERVALS, "words", "0.0", repr(last), tuple(rows)),), 0)


def _intervals(words: Iterable[Word]) -> list[tuple[Seconds, Seconds, str]]:
    """Return start, end and words of intervals that do not overlap."""
    intervals: list[tuple[Seconds, Seconds, str]] = []
    texts: list[str] = []
    start: Seconds | None = None
    end: Seconds | None = None
    for word in words:
        if word.start is not None and start is not None and end is not None and start < min(end, word.start):
            intervals.append((start, min(end, word.start), " ".join(texts)))
            texts, start, end = [], None, None
        texts.append(word.text)
        start = word.start if start is None else start
        end = max((time for time in (end, word.end) if time is not None), default=None)
    if start is not None and end is not None and start < end:
        return [*intervals, (start, end, " ".join(texts))]
    if not intervals:
        raise InputError("TextGrid", "words without times", EXPECTED_TIMES)
    first, last, text = intervals[-1]  # the words after it have no times of their own
    return [*intervals[:-1], (first, max(last, end or last), " ".join([text, *texts]))]
