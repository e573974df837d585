"""The 13 marks and 3 case labels, their glyphs by language, and how a labelled word is written.

The inventory is that of AutoPunct (González-Docasal et al. 2021, sections 5.3 and 5.4). Which code points
read as which mark is the concern of `asr_punct.text`; this module only writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from asr_punct.errors import AsrPunctError


class Mark(StrEnum):
    """A punctuation mark; the order of the members is the order in files and in model outputs."""

    COMMA = "COMMA"
    PERIOD = "PERIOD"
    QUESTION = "QUESTION"
    COLON = "COLON"
    DASH = "DASH"
    OPEN_QUES = "OPEN_QUES"
    SEMICOLON = "SEMICOLON"
    OPEN_QUOTE = "OPEN_QUOTE"
    QUOTE = "QUOTE"
    ELLIPSIS = "ELLIPSIS"
    EXCLAMATION = "EXCLAMATION"
    OPEN_EXCL = "OPEN_EXCL"
    OPEN_DASH = "OPEN_DASH"


class Case(StrEnum):
    """The case of a word; the order of the members is the order in model outputs."""

    O = "O"  # noqa: E741 - the field's name for "no label"
    FIRST_CAP = "FIRST_CAP"
    ALL_CAPS = "ALL_CAPS"


MARKS = tuple(Mark)
CASES = tuple(Case)
LEFT = (Mark.OPEN_DASH, Mark.OPEN_QUOTE, Mark.OPEN_QUES, Mark.OPEN_EXCL)
"""Marks that stand before their word, in the order in which they are written."""
RIGHT = (
    Mark.ELLIPSIS,
    Mark.QUESTION,
    Mark.EXCLAMATION,
    Mark.QUOTE,
    Mark.COMMA,
    Mark.SEMICOLON,
    Mark.COLON,
    Mark.PERIOD,
    Mark.DASH,
)
"""Marks that stand after their word, in the order in which they are written."""
PAIRS = (
    (Mark.OPEN_QUES, Mark.QUESTION),
    (Mark.OPEN_EXCL, Mark.EXCLAMATION),
    (Mark.OPEN_QUOTE, Mark.QUOTE),
)
"""Opening marks, each with the one that closes it."""
OPENER = {closing: opening for opening, closing in PAIRS}
SENTENCE_ENDS = frozenset({Mark.PERIOD, Mark.QUESTION, Mark.EXCLAMATION})
"""Marks that end a sentence wherever they stand; an ellipsis or a colon may."""
NO_MARKS = "O"
_UNCASED = re.compile(r"[<>\[\]@]|://|www\.", re.IGNORECASE)
_RIGHT_INSIDE_QUOTE = (
    *(m for m in RIGHT[:3]),
    Mark.COMMA,
    Mark.PERIOD,
    Mark.QUOTE,
    Mark.SEMICOLON,
    Mark.COLON,
    Mark.DASH,
)


@dataclass(frozen=True, slots=True)
class Labels:
    """What stands on one word: any set of marks, and one case."""

    marks: frozenset[Mark] = frozenset()
    case: Case = Case.O


def case_of(word: str) -> Case:
    """Case label of a written word: ALL_CAPS needs two letters or more, mixed case goes by the first letter.

    Letters that have no case (`º`) do not count.
    """
    letters = [c for c in word if _has_case(c)]
    if len(letters) >= 2 and apply_case(word.lower(), Case.ALL_CAPS) == word != word.lower():
        return Case.ALL_CAPS
    if letters and letters[0] != letters[0].lower():
        return Case.FIRST_CAP
    return Case.O


def apply_case(word: str, case: Case) -> str:
    """The word with its case, or the word as it is where casing would change more than case (ß, İ)."""
    if case is Case.O:
        return word
    if case is Case.ALL_CAPS:
        cased = word.upper()
    else:
        first = next((i for i, c in enumerate(word) if _has_case(c)), 0)
        cased = word[:first] + word[first : first + 1].upper() + word[first + 1 :]
    return cased if cased.lower() == word.lower() else word


def takes_case(word: str) -> bool:
    """Whether capitals may be added to a word: not to `<unk>`, `[noise]`, e-mail and web addresses.

    Capitals that such a word came with stay.
    """
    return not _UNCASED.search(word)


def _has_case(char: str) -> bool:
    return char.isalpha() and char.lower() != char.upper()


@dataclass(frozen=True)
class Glyphs:
    """How one language writes marks and capitals.

    Attributes:
        name: language code, kept in a model's configuration.
        glyph: code points of every mark.
        right: order of the marks after a word (American English puts comma and period inside the quote).
        cased: writes a word with its case; a casing list (`asr_punct.casing`) can take the place of `apply_case`.
    """

    name: str
    glyph: Mapping[Mark, str]
    right: tuple[Mark, ...] = field(default=RIGHT)
    cased: Callable[[str, Case], str] = field(default=apply_case)

    def before(self, marks: Iterable[Mark]) -> str:
        """The glyphs of those `marks` that stand before a word."""
        marks = frozenset(marks)
        return "".join(self.glyph[m] for m in LEFT if m in marks) if marks else ""

    def after(self, marks: Iterable[Mark]) -> str:
        """The glyphs of those `marks` that stand after a word, a dash attached."""
        marks = frozenset(marks)
        return "".join(self.glyph[m] for m in self.right if m in marks) if marks else ""


_SPANISH = {
    Mark.COMMA: ",",
    Mark.PERIOD: ".",
    Mark.QUESTION: "?",
    Mark.COLON: ":",
    Mark.DASH: "–",
    Mark.OPEN_QUES: "¿",
    Mark.SEMICOLON: ";",
    Mark.OPEN_QUOTE: "«",
    Mark.QUOTE: "»",
    Mark.ELLIPSIS: "…",
    Mark.EXCLAMATION: "!",
    Mark.OPEN_EXCL: "¡",
    Mark.OPEN_DASH: "–",
}
_ENGLISH = _SPANISH | {Mark.OPEN_QUOTE: "“", Mark.QUOTE: "”"}
_GLYPHS = {
    "es": Glyphs("es", _SPANISH),
    "eu": Glyphs("eu", _SPANISH),
    "en": Glyphs("en", _ENGLISH, _RIGHT_INSIDE_QUOTE),
    "bn": Glyphs("bn", _ENGLISH | {Mark.PERIOD: "।"}),
}


def glyphs(language: str) -> Glyphs:
    """Glyphs of a language code; of a mixture (`es+eu`) those of its first language.

    A language without an entry is written with English quotation marks outside the stops.
    """
    first = language.split("+")[0]
    return _GLYPHS.get(first) or Glyphs(first, _ENGLISH)


def format_marks(marks: Iterable[Mark]) -> str:
    """Label set as it stands in a file: `O`, or names joined by `+` in the order of `Mark`."""
    marks = frozenset(marks)
    return "+".join(m for m in MARKS if m in marks) or NO_MARKS


def parse_marks(text: str) -> frozenset[Mark]:
    """Inverse of `format_marks`; any order and repeats are accepted.

    Raises:
        AsrPunctError: a name is not one of the 13 marks.
    """
    if text == NO_MARKS:
        return frozenset()
    try:
        return frozenset(Mark(name) for name in text.split("+"))
    except ValueError:
        raise AsrPunctError(f"found marks {text!r}, expected O or names joined by + from {' '.join(MARKS)}") from None


def mark_bits(marks: Iterable[Mark]) -> int:
    """A set of marks as a number: bit i is set where mark i stands."""
    return sum(1 << MARKS.index(mark) for mark in set(marks))


def named_marks(names: Iterable[str]) -> frozenset[Mark]:
    """The marks of those names.

    Raises:
        AsrPunctError: a name is not one of the 13 marks, or `names` is a single string.
    """
    given = tuple(names)
    wrong = [names] if isinstance(names, str) else [name for name in given if name not in MARKS]
    if wrong:
        raise AsrPunctError(f"--marks: found {wrong[0]!r}, expected a list of names from {','.join(MARKS)}")
    return frozenset(map(Mark, given))


def parse_case(text: str) -> Case:
    """Case label of that name.

    Raises:
        AsrPunctError: it is none of the three.
    """
    try:
        return Case(text)
    except ValueError:
        raise AsrPunctError(f"found case {text!r}, expected one of {' '.join(CASES)}") from None


def write_word(word: str, labels: Labels, glyphs: Glyphs) -> str:
    """One word with its case and marks as one token (CTM, TextGrid and other formats of one token a word).

    An abbreviation's own period serves as PERIOD (`etc.` is not written `etc..`).
    """
    marks = labels.marks - {Mark.PERIOD} if labels.marks and word.endswith(glyphs.glyph[Mark.PERIOD]) else labels.marks
    return glyphs.before(marks) + glyphs.cased(word, labels.case) + glyphs.after(marks)


def write_text(words: Sequence[str], labels: Sequence[Labels], glyphs: Glyphs) -> str:
    """Words and labels as running text on one line: a DASH stands alone after its word."""
    pieces = []
    for word, label in zip(words, labels, strict=True):
        if Mark.DASH in label.marks:
            pieces.append(write_word(word, Labels(label.marks - {Mark.DASH}, label.case), glyphs))
            pieces.append(glyphs.glyph[Mark.DASH])
        else:
            pieces.append(write_word(word, label, glyphs))
    return " ".join(pieces)
