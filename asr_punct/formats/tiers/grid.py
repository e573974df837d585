"""Praat's TextGrid files as values: parsed, and formatted.

Praat's long and short text formats are read, in UTF-8, or UTF-16 with a byte order mark. The long format is written, in
UTF-8. The package `textgrid` is not used, because it drops words whose interval has no length instead of reporting
them, and cannot read point tiers in the short format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from asr_punct.errors import InputError
from asr_punct.formats.time_sources import KEY
from asr_punct.formats.values import Object

INTERVALS, POINTS = "IntervalTier", "TextTier"
EXPECTED = "a TextGrid with a tier of words"
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
    """A TextGrid; `start` and `end` are as in the file, `words` has the indices of the tiers of words."""

    start: str
    end: str
    tiers: tuple[GridTier, ...]
    words: tuple[int, ...] = ()

    def index(self, name: str, between: range | None = None) -> int | None:
        """Return the index of the first tier of that name, of all or those `between`, that is not one of words."""
        indices = range(len(self.tiers)) if between is None else between
        return next((i for i in indices if self.tiers[i].name == name and i not in self.words), None)

    def with_tier(self, tier: GridTier, position: int, between: range | None = None) -> Grid:
        """Return the grid with a tier that replaces one of its name (as in `index`), or is inserted at `position`."""
        old = self.index(tier.name, between)
        first, after = (position, position) if old is None else (old, old + 1)
        return replace(self, tiers=(*self.tiers[:first], tier, *self.tiers[after:]))

    @property
    def times(self) -> Object:
        """The tier `times` as an object for `time_sources`; its value is None unless it has exactly one interval."""
        index = self.index(KEY)
        rows = () if index is None else self.tiers[index].rows
        return {} if index is None else {KEY: rows[0][-1] if len(rows) == 1 else None}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file."""
        yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
        yield f"xmin = {self.start}\nxmax = {self.end}\ntiers? <exists>\nsize = {len(self.tiers)}\nitem []:\n"
        for number, tier in enumerate(self.tiers, start=1):
            yield f"    item [{number}]:\n"
            yield from (f"        {line}\n" for line in _tier_lines(tier))


def parse_grid(text: str, place: str) -> Grid:
    """Return the TextGrid of a text, without tiers of words. Raises InputError for another text."""
    return _Parser(text, place).parse()


class _Parser:
    """Reads the strings and numbers of a file in order."""

    def __init__(self, text: str, place: str) -> None:
        self._values = [match for match in _VALUE.finditer(text) if match.lastindex]
        self._text, self._place, self._read = text, place, 0

    def parse(self) -> Grid:
        """Return the grid."""
        first = [match[1] or "" for match in self._values[:2]]
        if len(first) < 2 or not first[0].startswith("ooTextFile") or first[1] != "TextGrid":
            raise InputError(self._place, "no TextGrid", EXPECTED)
        self._read = 2
        start, end = self._number(), self._number()
        return Grid(start, end, tuple(self._tier() for _ in range(self._count())))

    def _tier(self) -> GridTier:
        kind = self._string()
        if kind not in (INTERVALS, POINTS):
            raise self._error(f"a tier of the class {kind[:40]!r}")
        name, start, end = self._string(), self._number(), self._number()
        times = 2 if kind == INTERVALS else 1
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
        return InputError(f"{self._place}:{self._text.count(chr(10), 0, end) + 1}", found, EXPECTED)


def _tier_lines(tier: GridTier) -> Iterator[str]:
    yield f"class = {_quoted(tier.kind)}"
    yield f"name = {_quoted(tier.name)}"
    yield f"xmin = {tier.start}"
    yield f"xmax = {tier.end}"
    rows, names = ("intervals", ("xmin", "xmax", "text")) if tier.kind == INTERVALS else ("points", ("number", "mark"))
    yield f"{rows}: size = {len(tier.rows)}"
    for number, (*times, text) in enumerate(tier.rows, start=1):
        yield f"{rows} [{number}]:"
        yield from (f"    {name} = {value}" for name, value in zip(names, (*times, _quoted(text)), strict=True))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
