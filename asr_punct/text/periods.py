"""Whose is a period that follows a word directly: the word's own, the mark PERIOD, or both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from asr_punct.marks import Case
from asr_punct.text.abbreviations import Kind, Rules, rules_of


class Period(Enum):
    """What a period that follows a word directly is."""

    MARK = auto()
    """The mark PERIOD; the word ends before it."""
    OWN = auto()
    """The end of the word's spelling."""
    BOTH = auto()
    """The end of the word's spelling and of the sentence."""


@dataclass(frozen=True, slots=True)
class Context:
    """What decides about a period, beside the word itself.

    Attributes:
        before: the word before, with the period that belongs to it, or nothing.
        after: the word after, without a period, or nothing at the end of the text.
        after_case: its case.
        stopped: whether another mark (`,` `?` …) ends the clause here.
    """

    before: str = ""
    after: str = ""
    after_case: Case = Case.O
    stopped: bool = False


_ROMAN = re.compile(r"(?=..)m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_NUMBER = re.compile(r"\d[\d.]*")
_PAIRS = frozenset({("a", "c"), ("d", "c"), ("a", "m"), ("p", "m"), ("p", "ej"), ("s", "f")})
_APOSTROPHE = re.compile("['’]")


@lru_cache(maxsize=1 << 16)
def kind_of(word: str, language: str) -> Kind:
    """What a period after a lower-case word can mean."""
    rules = rules_of(language)
    if word in rules.kinds:
        return rules.kinds[word]
    if len(word) == 1:
        return Kind.LETTER if word.isalpha() else Kind.ORDINAL if rules.ordinals and word.isdecimal() else Kind.PLAIN
    if rules.ordinals and (_NUMBER.fullmatch(word) or _ROMAN.fullmatch(word)):
        return Kind.ORDINAL
    parts = word.rpartition("-")[2].split(".")
    if len(parts) > 1 and all(part.isalpha() and part == part[0] * len(part) and len(part) < 3 for part in parts):
        return rules.acronym
    return Kind.PLAIN


def read_period(word: str, case: Case, context: Context, language: str) -> Period:
    """Whose is the period directly after a word.

    An abbreviation's period stays in the word. It also ends the sentence, as PERIOD, where nothing else ends the
    clause and the text ends or a word follows that begins a sentence: any capital after `etc.`, a capitalised
    function word after what names can follow (`U.S.`, `Inc.`, `J. R.`), none at all after a title (`Sr.`).

    Args:
        word: the word in lower case, without the period.
        case: its case.
        context: what stands around it.
        language: language code or mixture.
    """
    kind = kind_of(word, language)
    if kind is Kind.PLAIN:
        return Period.MARK
    rules = rules_of(language)
    if kind is Kind.TITLE:
        return Period.OWN
    if kind is Kind.FINAL:
        pair = len(word) == 2 and len(context.after) == 2 and _doubled(word) and _doubled(context.after)
        return _own_or_both(_ends(context) or (context.after_case is not Case.O and not pair), context)
    if kind is Kind.NAME_PART:
        return _own_or_both(_ends(context) or _starts(context, rules), context)
    if kind is Kind.NUMBERED:
        return Period.OWN if context.after[:1].isdigit() else Period.MARK
    if kind is Kind.LETTER:
        return _after_letter(word, case, context, rules)
    lower = context.after_case is Case.O and context.after[:1].isalpha()
    return Period.OWN if lower or context.stopped else Period.MARK


def is_initial(word: str, case: Case, language: str) -> bool:
    """Whether a word is one capital letter and no pronoun: with a period it is an initial more often than not."""
    capital = case is not Case.O or word != word.lower()
    return (
        capital and kind_of(word.lower(), language) is Kind.LETTER and word.lower() not in rules_of(language).pronouns
    )


def _after_letter(word: str, case: Case, context: Context, rules: Rules) -> Period:
    second = len(context.before) == 2 and context.before[1] == "."
    paired = (word, context.after) in _PAIRS or (second and (context.before[0], word) in _PAIRS)
    if word in rules.pronouns or (case is Case.O and not paired):
        return Period.OWN if context.after[:1].isdigit() and word not in rules.pronouns else Period.MARK
    if not (_ends(context) or _starts(context, rules)) or context.stopped:
        return Period.OWN
    return Period.BOTH if second else Period.MARK


def _own_or_both(ends: bool, context: Context) -> Period:
    return Period.BOTH if ends and not context.stopped else Period.OWN


def _ends(context: Context) -> bool:
    return not context.after


def _starts(context: Context, rules: Rules) -> bool:
    """Whether the word after is a function word with a capital (`The`, `That’s`)."""
    return context.after_case is not Case.O and _APOSTROPHE.split(context.after, maxsplit=1)[0] in rules.starters


def _doubled(word: str) -> bool:
    return word[0] == word[-1]
