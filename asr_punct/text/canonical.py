"""Canonical labels: the label sets that written text can express."""

from collections.abc import Sequence
from functools import lru_cache

from asr_punct.marks import Case, Labels, Mark, apply_case, case_of, glyphs
from asr_punct.text.abbreviations import PeriodKind
from asr_punct.text.periods import Period, PeriodContext, kind_of, read_period

UNMARKED: frozenset[Mark] = frozenset()
_STOPS = (Mark.PERIOD, Mark.SEMICOLON, Mark.COLON, Mark.COMMA)  # from the strongest to the weakest
_CLAUSE_ENDS = frozenset({*_STOPS[1:], Mark.ELLIPSIS, Mark.QUESTION, Mark.EXCLAMATION})


def canonical(words: Sequence[str], labels: Sequence[Labels], language: str = "es") -> tuple[Labels, ...]:
    """Return the labels that `parse` finds in the written words.

      * Of COMMA, COLON, SEMICOLON and PERIOD on one word only the strongest (the last in this list) stays; ELLIPSIS
        replaces PERIOD.
      * A word that ends with its own period has PERIOD exactly where `read_period` finds the end of a sentence.
      * PERIOD is removed where it would be read as part of an abbreviation (`etc` + PERIOD is written `etc.`).
      * The case becomes one that can be written: ALL_CAPS on one letter is FIRST_CAP, `ß` has none.

    On canonical labels reading inverts writing: `parse(write_text(words, canonical(words, labels, language), glyphs))`
    returns words and labels, for words that reading can yield (not `hola,` or `-`) and the glyphs of the language.
    Applying the function twice changes nothing.

    The words are in lower case, an abbreviation's period included; `language` is a code or mixture.
    """
    cases = [
        label.case if label.case is Case.O else case_of(apply_case(word, label.case))
        for word, label in zip(words, labels, strict=True)
    ]
    marks = [label.marks for label in labels]
    make_canonical(words, cases, marks, language)
    return tuple(map(cached_labels, marks, cases))


def make_canonical(words: Sequence[str], cases: Sequence[Case], marks: list[frozenset[Mark]], language: str) -> None:
    """Make the marks of each word canonical, in place; the cases are canonical already."""
    for i, word in enumerate(words):
        if word.endswith("."):
            marks[i] = one_stop(marks[i] - {Mark.PERIOD})
            if read_period(word[:-1], cases[i], context_of(words, cases, marks, i), language) is Period.BOTH:
                marks[i] |= {Mark.PERIOD}
        elif marks[i]:
            marks[i] = one_stop(marks[i])
            if (
                Mark.PERIOD in marks[i]
                and kind_of(word, language) is not PeriodKind.PLAIN  # quick check: the next ones are slower
                and _period_touches(marks[i], language)
                and read_period(word, cases[i], context_of(words, cases, marks, i), language) is not Period.MARK
            ):
                marks[i] -= {Mark.PERIOD}


@lru_cache(maxsize=1 << 13)
def one_stop(marks: frozenset[Mark]) -> frozenset[Mark]:
    """Keep at most one of PERIOD, SEMICOLON, COLON and COMMA, and no PERIOD beside ELLIPSIS."""
    if Mark.ELLIPSIS in marks:
        marks -= {Mark.PERIOD}
    return marks.difference([mark for mark in _STOPS if mark in marks][1:])


def context_of(
    words: Sequence[str], cases: Sequence[Case], marks: Sequence[frozenset[Mark]], index: int
) -> PeriodContext:
    """Return the context of a period after the word at `index`."""
    last = index + 1 == len(words)
    return PeriodContext(
        before=words[index - 1] if index else "",
        after="" if last else words[index + 1].removesuffix("."),
        after_case=Case.O if last else cases[index + 1],
        ends_clause=not marks[index].isdisjoint(_CLAUSE_ENDS),
    )


cached_labels = lru_cache(maxsize=1 << 14)(Labels)
"""Returns the same object for equal labels, to save memory."""


@lru_cache(maxsize=1 << 14)
def _period_touches(marks: frozenset[Mark], language: str) -> bool:
    """Whether PERIOD is written directly after the word, as a full stop."""
    style = glyphs(language)
    return style.glyph[Mark.PERIOD] == "." and next(mark for mark in style.right if mark in marks) is Mark.PERIOD
