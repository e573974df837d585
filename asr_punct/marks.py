"""The 13 marks and 3 case labels of AutoPunct (González-Docasal et al. 2021, sections 5.3 and 5.4).

`Mark` is the table of what is true of each mark; lists of some marks, here and in other modules, are queries of it.
`asr_punct.glyphs` writes words with marks and capitals; `asr_punct.text` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Self

from asr_punct.errors import ArgumentError, InputError


class Kind(IntEnum):
    """What a mark does. Of several marks after a word, the first kind in this order says most about the break."""

    END = 1  # ends a sentence (`. ? !`), or opens one that such a mark ends (`¿ ¡`)
    ELLIPSIS = 2
    STOP = 3  # separates clauses: `; :`
    COMMA = 4
    DASH = 5
    QUOTE = 6


class NextCase(IntEnum):
    """The case of the word after a mark; after an opening mark this is its own word."""

    LOWER = 0
    """As inside a sentence: only names have a capital."""
    ANY = 1
    """Any, but with a comma before the word only that after the comma: `¡Kaixo!, zer moduz`, `Ana, ¿vienes?`."""
    ANY_AFTER_COMMA = 2
    """Any, also with a comma before the word: `etc…, Luego`, `«Bai», Esan`, `dijo, «Ven»`."""
    CAPITAL = 3
    """Always a capital, as after a period."""


class Mark(StrEnum):
    """A punctuation mark. The order of the members is that of marks in files and model outputs.

    Attributes:
        glyph: its character in Spanish and Basque; `Glyphs` has those of a language.
        place: how far from the word it is written, among the marks on its side: below 0 before the word, above 0 after.
        kind: what it does.
        next_case: the case of the word after it.
        merged: the class that it counts for in the IWSLT benchmark (Alam et al. 2020, section 5.2); "": none.
    """

    # glyph, place, kind, next case, merged, partner
    COMMA = "COMMA", ",", 5, Kind.COMMA, NextCase.LOWER, "COMMA", ""
    PERIOD = "PERIOD", ".", 8, Kind.END, NextCase.CAPITAL, "PERIOD", ""
    QUESTION = "QUESTION", "?", 2, Kind.END, NextCase.CAPITAL, "QUESTION", "OPEN_QUES"
    COLON = "COLON", ":", 7, Kind.STOP, NextCase.ANY, "COMMA", ""
    DASH = "DASH", "–", 9, Kind.DASH, NextCase.ANY_AFTER_COMMA, "COMMA", ""
    OPEN_QUES = "OPEN_QUES", "¿", -1, Kind.END, NextCase.ANY, "", "QUESTION"
    SEMICOLON = "SEMICOLON", ";", 6, Kind.STOP, NextCase.LOWER, "PERIOD", ""
    OPEN_QUOTE = "OPEN_QUOTE", "«", -3, Kind.QUOTE, NextCase.ANY_AFTER_COMMA, "", "QUOTE"
    QUOTE = "QUOTE", "»", 4, Kind.QUOTE, NextCase.ANY_AFTER_COMMA, "", "OPEN_QUOTE"
    ELLIPSIS = "ELLIPSIS", "…", 1, Kind.ELLIPSIS, NextCase.ANY_AFTER_COMMA, "", ""
    EXCLAMATION = "EXCLAMATION", "!", 3, Kind.END, NextCase.ANY, "PERIOD", "OPEN_EXCL"
    OPEN_EXCL = "OPEN_EXCL", "¡", -2, Kind.END, NextCase.ANY, "", "EXCLAMATION"
    OPEN_DASH = "OPEN_DASH", "–", -4, Kind.DASH, NextCase.ANY_AFTER_COMMA, "", ""

    _value_: str
    glyph: str
    place: int
    kind: Kind
    next_case: NextCase
    merged: str
    _partner: str

    def __new__(cls, name: str, *row: Any) -> Self:
        mark = str.__new__(cls, name)
        mark._value_ = name
        mark.glyph, mark.place, mark.kind, mark.next_case, mark.merged, mark._partner = row
        return mark

    __hash__ = str.__hash__  # that of Enum has the same value, and is slower

    @property
    def is_left(self) -> bool:
        """Whether it is written before its word."""
        return self.place < 0

    @property
    def partner(self) -> Mark | None:
        """The mark that it opens or closes a pair with."""
        return Mark[self._partner] if self._partner else None


class Case(StrEnum):
    """The case of a word. The order of the members is that of model outputs."""

    O = "O"  # noqa: E741 - the usual name of "no label"
    FIRST_CAP = "FIRST_CAP"
    ALL_CAPS = "ALL_CAPS"

    __hash__ = str.__hash__


MARKS = tuple(Mark)
CASES = tuple(Case)
LEFT = tuple(sorted((mark for mark in MARKS if mark.is_left), key=lambda mark: mark.place))
"""Marks before a word, in written order: `¡¿…?!` is symmetric."""
RIGHT = tuple(sorted((mark for mark in MARKS if not mark.is_left), key=lambda mark: mark.place))
"""Marks after a word, in written order."""
STRONGEST_FIRST = tuple(sorted(RIGHT, key=lambda mark: mark.kind))
"""Marks after a word, from the one that says most about the break: `? ! . … ; : , – »`."""
PAIRS = tuple((mark, mark.partner) for mark in reversed(LEFT) if mark.partner)
"""Opening marks with their closing marks: those of sentences, then quotation marks."""
OPENER = {closing: opening for opening, closing in PAIRS}
SENTENCE_OPENINGS = frozenset(mark for mark in LEFT if mark.kind is Kind.END)
"""Marks that open a sentence: `¿ ¡`"""
SENTENCE_ENDS = frozenset(mark for mark in RIGHT if mark.kind is Kind.END)
"""Marks that always end a sentence: `. ? !`"""
MAY_END_SENTENCE = frozenset(mark for mark in RIGHT if mark.kind <= Kind.STOP and mark.next_case > NextCase.LOWER)
"""Marks that may end one: also `…` and `:`"""
END_OR_BREAK_OFF = frozenset(mark for mark in RIGHT if mark.kind <= Kind.ELLIPSIS)
"""Marks that end a sentence or leave it unfinished: `. ? ! …`"""
CAPITAL_FOLLOWS = tuple(mark for mark in MARKS if mark.next_case is NextCase.CAPITAL)
"""Marks after which the next word has a capital: `. ?`; after `!` it often has none."""
STOPS = tuple(mark for mark in STRONGEST_FIRST if mark.kind in (Kind.STOP, Kind.COMMA) or mark is Mark.PERIOD)
"""Marks of which a word has at most one, from the strongest to the weakest: `. ; : ,`"""
NO_MARKS = "O"


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of one word: any set of marks, and one case.

    With `as_is` the word is written as in the input: also a casing list changes nothing. With `inside` the marks that
    can be are written inside the quotation marks and brackets at the word's edges.
    """

    marks: frozenset[Mark] = frozenset()
    case: Case = Case.O
    as_is: bool = field(default=False, compare=False, repr=False)
    inside: bool = field(default=False, compare=False, repr=False)


def format_marks(marks: Iterable[Mark]) -> str:
    """Return marks as in files: `O`, or names joined by `+` in the order of `Mark`."""
    marks = frozenset(marks)
    return "+".join(m for m in MARKS if m in marks) or NO_MARKS


def parse_marks(text: str) -> frozenset[Mark]:
    """Parse the result of `format_marks`; other orders and repeats are accepted. Raises InputError otherwise."""
    if text == NO_MARKS:
        return frozenset()
    try:
        return frozenset(Mark(name) for name in text.split("+"))
    except ValueError:
        raise InputError("", f"marks {text!r}", f"O or names joined by + from {' '.join(MARKS)}") from None


def mark_bits(marks: Iterable[Mark]) -> int:
    """Encode a set of marks as an integer: bit i is set for mark i."""
    return sum(1 << MARKS.index(mark) for mark in set(marks))


def marks_of_bits(bits: int) -> frozenset[Mark]:
    """Decode the result of `mark_bits`."""
    return frozenset(mark for i, mark in enumerate(MARKS) if bits >> i & 1)


def named_marks(names: Iterable[str]) -> frozenset[Mark]:
    """Return the marks with these names in any case. Raises ArgumentError for other names, or one string."""
    if isinstance(names, str):
        raise ArgumentError("marks", f"the string {names!r}", "a list of names, such as ['COMMA']")
    given = {str(name).upper(): name for name in names}
    wrong = [name for upper, name in given.items() if upper not in MARKS]
    if wrong:
        raise ArgumentError("marks", repr(wrong[0]), f"a list of names from {','.join(MARKS)}")
    return frozenset(map(Mark, given))


def parse_case(text: str) -> Case:
    """Return the case label with this name. Raises InputError for another name."""
    try:
        return Case(text)
    except ValueError:
        raise InputError("", f"case {text!r}", f"one of {' '.join(CASES)}") from None
