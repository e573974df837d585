"""What the marks of the input say about their word: the flags of the decoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from asr_punct.decode.inputs import WordFlag, given_flags
from asr_punct.decode.openings import opens
from asr_punct.languages import PeriodKind
from asr_punct.letter_case import case_of
from asr_punct.marks import END_OR_BREAK_OFF, LEFT, MARKS, SENTENCE_OPENINGS, Kind, Labels, Mark
from asr_punct.text import has_bracket, read_marks
from asr_punct.text.periods import Period, PeriodContext, kind_of, read_period

_LEFT = frozenset(LEFT)
_CLOSING = frozenset(mark.partner for mark in SENTENCE_OPENINGS if mark.partner)
_QUOTES = frozenset(mark for mark in MARKS if mark.kind is Kind.QUOTE)
_BEGIN_SPEECH = frozenset(mark for mark in LEFT if mark.kind in (Kind.QUOTE, Kind.DASH))
_CLAUSES = frozenset(mark for mark in MARKS if mark.kind in (Kind.STOP, Kind.COMMA))
# integers, because they are faster than flags
CLOSED = given_flags(_CLOSING)
"""Flags of a word after which the input has ? or !."""
STOPPED = given_flags({Mark.PERIOD})
"""Flag of a word after which the input has a period."""
_ENDED = int(WordFlag.ENDED)


def mark_flags(left: str, right: str, labels: Labels) -> int:
    """Return the flags of a word for the marks before and after it, and those of its labels."""
    if not (left or right or labels.marks):
        return 0
    marks = labels.marks | read_marks(left, right)
    flags = given_flags(marks)
    if marks & SENTENCE_OPENINGS:
        flags |= WordFlag.LEFT_TAKEN
    if marks - _LEFT - _QUOTES:
        flags |= WordFlag.RIGHT_TAKEN
    if marks & (_QUOTES | _BEGIN_SPEECH) or has_bracket(left) or has_bracket(right):
        flags |= WordFlag.QUOTED
    if Mark.OPEN_QUOTE in marks or has_bracket(left, "("):
        flags |= WordFlag.OPENS
    if Mark.QUOTE in marks or has_bracket(right, ")"):
        flags |= WordFlag.CLOSES
    return int(flags | WordFlag.ENDED if _end_sentence(marks) else flags)


def _end_sentence(marks: Iterable[Mark]) -> bool:
    """Whether the next word has a capital: not after `!,`, nor after `?»`, which speech may be within a sentence."""
    marks = frozenset(marks)
    if marks & _CLAUSES:
        return False
    return Mark.PERIOD in marks or bool(marks & END_OR_BREAK_OFF and Mark.QUOTE not in marks)


def without_end(flags: int) -> int:
    """Return the flags of a word whose period is part of it: nothing is added beside it, and no sentence ends."""
    return flags & ~(STOPPED | _ENDED)


def in_word(core: str, following: str, words: Sequence[str], language: str) -> bool:
    """Whether the period after a word is part of it, given the next word and those before.

    So it is after Basque ordinals (`2. artikulua`), if the words are Basque, and after the second of two letters that
    have one (`siglo iii a. c. fue`); the last of the words before has its own period.
    """
    kind = kind_of(core.lower(), language)
    if kind is PeriodKind.LETTER and words and len(words[-1]) == 2 and words[-1].endswith("."):
        return words[-1][0].isalpha()
    if kind is PeriodKind.PLAIN or (
        kind is PeriodKind.ORDINAL and opening_flag([*words, following], language) == WordFlag.MUST_OPEN
    ):
        return False
    context = PeriodContext(words[-1] if words else "", following.lower(), case_of(following))
    return read_period(core.lower(), case_of(core), context, language) is Period.IN_WORD


def opening_flag(words: Sequence[str], language: str) -> int:
    """Return `MUST_OPEN` if questions begin with ¿ in the likeliest language of the words, else `NEVER_OPEN`.

    The likeliest of those of a model (`es+eu`). 0 if few words do not tell: then the model decides.
    """
    found = opens(words, language)
    return 0 if found is None else int(WordFlag.MUST_OPEN if found else WordFlag.NEVER_OPEN)
