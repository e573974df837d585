"""How languages write marks and capitals, and words and texts written so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from asr_punct.characters import characters_of
from asr_punct.languages import facts_of
from asr_punct.letter_case import apply_case
from asr_punct.marks import LEFT, MARKS, RIGHT, Case, Kind, Labels, Mark


def _one_of(marks: Iterable[Mark], others: str = "") -> str:
    return f"[{re.escape(characters_of(marks) + others)}]"


_IN_NUMBERS = {Mark.PERIOD, Mark.DASH}
_ALWAYS = {mark for mark in RIGHT if mark.kind <= Kind.COMMA} - _IN_NUMBERS
# a dash, an arrow, or a mark of the word before: -cómo, >>cómo, ,cómo; not -5, .5
_GLUED = re.compile(rf"(?:{_one_of(_ALWAYS)}|{_one_of(_IN_NUMBERS)}(?!\d)|(?:>|&gt;){{2,}})+(?=.)", re.DOTALL)
# quotation marks and brackets at the edges of a word
_OPENING = re.compile(rf"{_one_of([Mark.OPEN_QUOTE], '([{')}+(?=.)", re.DOTALL)
_CLOSING = re.compile(f"{_one_of([Mark.QUOTE], ')]}')}+$")
_BRACKETS = frozenset(")]}")


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


def glyphs(language: str) -> Glyphs:
    """Return the glyphs of a language; for a mixture (`es+eu`), those of the first language."""
    return _glyphs_of(facts_of(language).code)


@lru_cache(maxsize=64)
def _glyphs_of(code: str) -> Glyphs:
    known = facts_of(code)
    glyph = {mark: mark.glyph for mark in MARKS} | {Mark.PERIOD: known.period}
    glyph |= zip((Mark.OPEN_QUOTE, Mark.QUOTE), known.quotes, strict=True)
    inside = inside_quotes(code)
    right = sorted(RIGHT, key=lambda mark: Mark.QUOTE.place - 0.5 if mark in inside else mark.place)
    return Glyphs(code, glyph, tuple(right))


def inside_quotes(language: str) -> frozenset[Mark]:
    """Return the marks that a language writes inside a closing quotation mark, as American English does , and ."""
    return frozenset(mark for mark in RIGHT if mark.glyph in facts_of(language).inside_quotes)


def added_marks(word: str, labels: Labels, glyphs: Glyphs) -> list[tuple[int, str]]:
    """Return the glyphs of a word's marks, each with the number of characters of the word before it, in order.

    A PERIOD adds nothing to an abbreviation (`etc.`).
    """
    marks = labels.marks - {Mark.PERIOD} if word.endswith(glyphs.glyph[Mark.PERIOD]) else labels.marks
    before = glyphs.before(marks)
    left = glued_length(word) if before else 0
    if not labels.inside:
        return [(left, before), (len(word), glyphs.after(marks))]
    opening = _OPENING.match(word, left)
    left = opening.end() if opening else left
    closing = _CLOSING.search(word, left)
    inner = frozenset(mark for mark in marks if _is_inner(mark, closing[0], glyphs)) if closing else frozenset()
    return [
        (left, before),
        (closing.start() if closing else len(word), glyphs.after(inner)),
        (len(word), glyphs.after(marks - inner)),
    ]


def _is_inner(mark: Mark, closing: str, glyphs: Glyphs) -> bool:
    """Whether a mark is written before these quotation marks and brackets, like other marks before `QUOTE`."""
    order = RIGHT if not _BRACKETS.isdisjoint(closing) else glyphs.right
    return not mark.is_left and order.index(mark) < order.index(Mark.QUOTE)


def glued_length(word: str) -> int:
    """Return the number of characters before a word that its opening marks follow: dashes, `>>`, other marks."""
    found = None if word[:1].isalnum() else _GLUED.match(word)
    return found.end() if found else 0


def write_word(word: str, labels: Labels, glyphs: Glyphs) -> str:
    """Write a word with its case and marks as one token, for CTM and other formats with one token per word."""
    cased = glyphs.case(word, labels)
    if not labels.marks:
        return cased
    written, start = "", 0
    for place, added in added_marks(cased, labels, glyphs):
        written += cased[start:place] + added
        start = place
    return written + cased[start:]


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
