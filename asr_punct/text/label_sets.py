"""The label sets that reading a text can yield."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from asr_punct.marks import Case, Labels, Mark, apply_case, case_of, glyphs
from asr_punct.text.abbreviations import Kind
from asr_punct.text.periods import Context, Period, kind_of, read_period

NO_MARKS: frozenset[Mark] = frozenset()
_STOPS = (Mark.PERIOD, Mark.SEMICOLON, Mark.COLON, Mark.COMMA)
_CLAUSE_ENDS = frozenset({*_STOPS, Mark.ELLIPSIS, Mark.QUESTION, Mark.EXCLAMATION}) - {Mark.PERIOD}


def canonical(words: Sequence[str], labels: Sequence[Labels], language: str = "es") -> tuple[Labels, ...]:
    """The label sets that a reader of the written words would see.

    What changes:
      * of COMMA, COLON, SEMICOLON and PERIOD on one word only the strongest, the last of them, stays, and ELLIPSIS
        takes the place of PERIOD;
      * a word that ends with its own period has PERIOD exactly where `read_period` finds the end of a sentence;
      * PERIOD goes where it would be read as the end of an abbreviation (`etc` + PERIOD is written `etc.`);
      * the case becomes what can be written: ALL_CAPS on one letter is FIRST_CAP, `ß` has none.

    On these sets reading inverts writing: `parse(write_text(words, canonical(words, labels, language), glyphs))`
    gives words and labels back, for words that reading can yield (`hola,` and `-` are none) and the glyphs of the
    language. Taking the canonical sets twice changes nothing.

    Args:
        words: lower-case words, an abbreviation's period included.
        labels: any labels, one for each word.
        language: language code or mixture.
    """
    cases = [
        label.case if label.case is Case.O else case_of(apply_case(word, label.case))
        for word, label in zip(words, labels, strict=True)
    ]
    marks = [label.marks for label in labels]
    settle(words, cases, marks, language)
    return tuple(labels_of(m, c) for m, c in zip(marks, cases, strict=True))


def settle(words: Sequence[str], cases: Sequence[Case], marks: list[frozenset[Mark]], language: str) -> None:
    """Make the marks of each word canonical, in place; the cases are canonical already."""
    for i, word in enumerate(words):
        own = word.endswith(".")
        if not own and not marks[i]:
            continue
        marks[i] = one_stop(marks[i] - {Mark.PERIOD} if own else marks[i])
        if own and read_period(word[:-1], cases[i], context_of(words, cases, marks, i), language) is Period.BOTH:
            marks[i] |= {Mark.PERIOD}
        elif Mark.PERIOD in marks[i] and kind_of(word, language) is not Kind.PLAIN and _touches(marks[i], language):
            context = context_of(words, cases, marks, i)
            if read_period(word, cases[i], context, language) is not Period.MARK:
                marks[i] -= {Mark.PERIOD}


@lru_cache(maxsize=1 << 13)
def one_stop(marks: frozenset[Mark]) -> frozenset[Mark]:
    """The marks with at most one of PERIOD, SEMICOLON, COLON and COMMA, and no PERIOD beside ELLIPSIS."""
    if Mark.ELLIPSIS in marks:
        marks -= {Mark.PERIOD}
    stops = [mark for mark in _STOPS if mark in marks]
    return marks.difference(stops[1:])


def context_of(words: Sequence[str], cases: Sequence[Case], marks: Sequence[frozenset[Mark]], index: int) -> Context:
    """What decides about a period after the word at `index`."""
    last = index + 1 == len(words)
    return Context(
        before=words[index - 1] if index else "",
        after="" if last else words[index + 1].removesuffix("."),
        after_case=Case.O if last else cases[index + 1],
        stopped=not marks[index].isdisjoint(_CLAUSE_ENDS),
    )


@lru_cache(maxsize=1 << 14)
def labels_of(marks: frozenset[Mark], case: Case) -> Labels:
    """`Labels`, one object for equal ones."""
    return Labels(marks, case)


@lru_cache(maxsize=1 << 14)
def _touches(marks: frozenset[Mark], language: str) -> bool:
    """Whether PERIOD, one of the marks, would be written directly after the word, as a full stop."""
    style = glyphs(language)
    return style.glyph[Mark.PERIOD] == "." and next(mark for mark in style.right if mark in marks) is Mark.PERIOD
