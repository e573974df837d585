"""The 13 marks and 3 case labels of AutoPunct (González-Docasal et al. 2021, sections 5.3 and 5.4).

`Mark` is the table of what is true of each mark; lists of some marks, here and in other modules, are queries of it.
This module writes words with marks and capitals; `asr_punct.text` reads them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any, Self

from asr_punct.errors import ArgumentError, InputError
from asr_punct.languages import parse_language


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
SENTENCE_ENDS = frozenset(mark for mark in RIGHT if mark.kind is Kind.END)
"""Marks that always end a sentence: `. ? !`"""
MAY_END_SENTENCE = frozenset(mark for mark in RIGHT if mark.kind <= Kind.STOP and mark.next_case > NextCase.LOWER)
"""Marks that may end one: also `…` and `:`"""
CAPITAL_FOLLOWS = tuple(mark for mark in MARKS if mark.next_case is NextCase.CAPITAL)
"""Marks after which the next word has a capital: `. ?`; after `!` it often has none."""
STOPS = tuple(mark for mark in STRONGEST_FIRST if mark.kind in (Kind.STOP, Kind.COMMA) or mark is Mark.PERIOD)
"""Marks of which a word has at most one, from the strongest to the weakest: `. ; : ,`"""
NO_MARKS = "O"
# a dash or mark of the word before: -cómo, ,cómo; not -5, .5
_GLUED = re.compile(r"(?:[,;:?!…]|\.(?!\d)|[-‐‑‒–—―](?!\d))+(?=.)", re.DOTALL)
CHARACTER_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});", re.IGNORECASE)
"""A character of HTML and XML by name or number, such as `&amp;`: it has no case, whatever letters it has."""
_UNCASED = re.compile(r"[<>\[\]@]|://|www\.|^\(?%[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of one word: any set of marks, and one case.

    With `as_is` the word is written as in the input: also a casing list changes nothing.
    """

    marks: frozenset[Mark] = frozenset()
    case: Case = Case.O
    as_is: bool = field(default=False, compare=False, repr=False)


def case_of(word: str) -> Case:
    """Return the case label of a written word.

    ALL_CAPS needs at least two letters. In mixed case the first letter counts: `EiTB` is FIRST_CAP and `eBay` is O.
    Letters without case (`º`) are ignored.
    """
    word = _without_references(word)
    letters, lower = [c for c in word if _has_case(c)], word.lower()
    if len(letters) >= 2 and word != lower and word == apply_case(lower, Case.ALL_CAPS):
        return Case.ALL_CAPS
    if letters and letters[0] != letters[0].lower():
        return Case.FIRST_CAP
    return Case.O


def apply_case(word: str, case: Case) -> str:
    """Apply a case label. A word in which this would change more than case (`straße` in ALL_CAPS) is not changed."""
    if case is Case.O:
        return word
    if case is Case.ALL_CAPS:
        cased = word.upper() if "&" not in word else _upper_outside_references(word)
    else:
        first = next((i for i, c in enumerate(_without_references(word)) if _has_case(c)), 0)
        cased = word[:first] + word[first : first + 1].upper() + word[first + 1 :]
    return cased if cased.lower() == word.lower() else word


def takes_case(word: str) -> bool:
    """Return whether a word may be given capitals: tags (`<unk>`, `[noise]`, `%uh`) and addresses may not."""
    return not _UNCASED.search(word)


def _without_references(word: str) -> str:
    """Return a word of the same length, with `a` or `&` for its character references: those of letters, and others."""

    def replaced(match: re.Match[str]) -> str:
        return len(match[0]) * ("a" if html.unescape(match[0]).isalpha() else "&")

    return CHARACTER_REFERENCE.sub(replaced, word) if "&" in word else word


def _upper_outside_references(word: str) -> str:
    result, end = "", 0
    for match in CHARACTER_REFERENCE.finditer(word):
        result += word[end : match.start()].upper() + match[0]
        end = match.end()
    return result + word[end:].upper()


def _has_case(char: str) -> bool:
    return char.isalpha() and char.lower() != char.upper()


@dataclass(frozen=True)
class Glyphs:
    """How a language writes marks and capitals.

    Attributes:
        name: language code.
        glyph: the character of each mark.
        right: order of the marks after a word; American English writes comma and period inside the quote.
        cased: function that applies a case label to a word: `apply_case`, or that of a casing list.
        of_language: function that returns the glyphs of another language; None: these are for all languages.
    """

    name: str
    glyph: Mapping[Mark, str]
    right: tuple[Mark, ...] = RIGHT
    cased: Callable[[str, Case], str] = field(default=apply_case)
    of_language: Callable[[str], Glyphs] | None = field(default=None, compare=False, repr=False)
    _sides: dict[frozenset[Mark], tuple[str, str]] = field(default_factory=dict, init=False, compare=False, repr=False)

    def case(self, word: str, labels: Labels) -> str:
        """Return a word with the case of its labels."""
        return word if labels.as_is else self.cased(word, labels.case)

    def of(self, language: str) -> Glyphs:
        """Return the glyphs for an utterance in a language."""
        return self.of_language(language) if self.of_language and language else self

    def before(self, marks: frozenset[Mark]) -> str:
        """Return the glyphs of the opening marks, in written order."""
        return self._both_sides(marks)[0] if marks else ""

    def after(self, marks: frozenset[Mark]) -> str:
        """Return the glyphs of the other marks, in written order; a dash has no space before it."""
        return self._both_sides(marks)[1] if marks else ""

    def _both_sides(self, marks: frozenset[Mark]) -> tuple[str, str]:
        found = self._sides.get(marks)
        if found is None:
            before, after = ("".join(self.glyph[m] for m in side if m in marks) for side in (LEFT, self.right))
            found = self._sides[marks] = before, after
        return found


_SPANISH = {mark: mark.glyph for mark in MARKS}
_ENGLISH = _SPANISH | {Mark.OPEN_QUOTE: "“", Mark.QUOTE: "”"}
# comma and period inside the closing quotation mark
_AMERICAN = tuple(sorted(RIGHT, key=lambda mark: 3.5 if mark in (Mark.COMMA, Mark.PERIOD) else mark.place))
_GLYPHS = {
    "es": Glyphs("es", _SPANISH),
    "eu": Glyphs("eu", _SPANISH),
    "en": Glyphs("en", _ENGLISH, _AMERICAN),
    "bn": Glyphs("bn", _ENGLISH | {Mark.PERIOD: "।"}),
}

_WITH_OPENING = {"es", "ast", "gl"}
"""Languages whose questions and exclamations begin with ¿ and ¡; in Galician they may."""


def glyphs(language: str) -> Glyphs:
    """Return the glyphs of a language; for a mixture (`es+eu`), those of the first language.

    Other languages than es, eu, en and bn have English quotation marks, with comma and period after them.
    """
    first = parse_language(language).split("+")[0]
    return _GLYPHS.get(first) or Glyphs(first, _ENGLISH)


def opens_sentences(language: str) -> bool:
    """Return whether questions and exclamations begin with ¿ and ¡ in a language, or in one of a mixture."""
    return not _WITH_OPENING.isdisjoint(parse_language(language).split("+"))


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


def glued_length(word: str) -> int:
    """Return the number of characters before a word that its opening marks follow: dashes, marks of the word before."""
    found = None if word[:1].isalnum() else _GLUED.match(word)
    return found.end() if found else 0


def write_word(word: str, labels: Labels, glyphs: Glyphs) -> str:
    """Write a word with its case and marks as one token, for CTM and other formats with one token per word.

    PERIOD adds no second period to an abbreviation (`etc.`).
    """
    cased = glyphs.case(word, labels)
    if not labels.marks:
        return cased
    marks = labels.marks - {Mark.PERIOD} if word.endswith(glyphs.glyph[Mark.PERIOD]) else labels.marks
    if before := glyphs.before(marks):
        glued = glued_length(cased)
        cased = cased[:glued] + before + cased[glued:]
    return cased + glyphs.after(marks)


def write_text(words: Sequence[str], labels: Sequence[Labels], glyphs: Glyphs) -> str:
    """Write words and labels as one line of running text, with a space before each DASH."""
    tokens, dash = list[str](), Mark.DASH
    for word, label in zip(words, labels, strict=True):
        if dash in label.marks:
            tokens.append(write_word(word, replace(label, marks=label.marks - {dash}), glyphs))
            tokens.append(glyphs.glyph[dash])
        else:
            tokens.append(write_word(word, label, glyphs))
    return " ".join(tokens)
