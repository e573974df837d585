"""Read a period that follows a word directly: part of the word, the mark PERIOD, or both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from asr_punct.marks import Case
from asr_punct.text.abbreviations import LanguageRules, PeriodKind, rules_of


class Period(Enum):
    """Reading of a period."""

    MARK = auto()  # the mark PERIOD; the word ends before it
    OWN = auto()  # the end of the word's spelling
    BOTH = auto()  # the end of the word's spelling and of the sentence


@dataclass(frozen=True, slots=True)
class Context:
    """Surroundings of a word with a period.

    Attributes:
        before: the word before, with its own period if it has one.
        after: the word after, without a period; empty at the end of the text.
        after_case: case of the word after.
        stopped: another mark (`,` `?` …) ends the clause here.
    """

    before: str = ""
    after: str = ""
    after_case: Case = Case.O
    stopped: bool = False

    @property
    def at_end(self) -> bool:
        """Whether the text ends here."""
        return not self.after

    def starts_sentence(self, rules: LanguageRules) -> bool:
        """Whether the next word is a function word with a capital (`The`, `That’s`)."""
        return self.after_case is not Case.O and _APOSTROPHE.split(self.after, maxsplit=1)[0] in rules.function_words


_ROMAN = re.compile(r"(?=..)m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_NUMBER = re.compile(r"\d[\d.]*")
_LETTER_PAIRS = frozenset({("a", "c"), ("d", "c"), ("a", "m"), ("p", "m"), ("p", "ej"), ("s", "f")})
_APOSTROPHE = re.compile("['’]")


@lru_cache(maxsize=1 << 16)
def kind_of(word: str, language: str) -> PeriodKind:
    """Return the kind of period that can follow a lower-case word."""
    rules = rules_of(language)
    if word in rules.kinds:
        return rules.kinds[word]
    if len(word) == 1 and word.isalpha():
        return PeriodKind.LETTER
    if len(word) == 1:
        return PeriodKind.ORDINAL if rules.ordinals and word.isdecimal() else PeriodKind.PLAIN
    if rules.ordinals and (_NUMBER.fullmatch(word) or _ROMAN.fullmatch(word)):
        return PeriodKind.ORDINAL
    parts = word.rpartition("-")[2].split(".")
    if len(parts) > 1 and all(part.isalpha() and part == part[0] * len(part) and len(part) < 3 for part in parts):
        return rules.acronym
    return PeriodKind.PLAIN


def read_period(word: str, case: Case, context: Context, language: str) -> Period:
    """Read the period directly after a word.

    An abbreviation's period stays in the word. It also ends the sentence, as PERIOD, where no other mark ends the
    clause and the text ends or the next word begins a sentence: any capital after `etc.`, a capitalised function word
    after abbreviations that names can follow (`U.S.`, `Inc.`, `J. R.`), none after a title (`Sr.`).

    Args:
        word: the word in lower case, without the period.
        case: its case.
        context: its surroundings.
        language: language code or mixture.
    """
    rules = rules_of(language)
    match kind_of(word, language):
        case PeriodKind.PLAIN:
            return Period.MARK
        case PeriodKind.TITLE:
            return Period.OWN
        case PeriodKind.FINAL:
            doubled = _is_doubled(word) and _is_doubled(context.after)  # EE. UU.
            return _own_or_both(context.at_end or (context.after_case is not Case.O and not doubled), context)
        case PeriodKind.NAME_PART:
            return _own_or_both(context.at_end or context.starts_sentence(rules), context)
        case PeriodKind.NUMBERED:
            return Period.OWN if context.after[:1].isdigit() else Period.MARK
        case PeriodKind.LETTER:
            return _after_letter(word, case, context, rules)
    lower = context.after_case is Case.O and context.after[:1].isalpha()
    return Period.OWN if lower or context.stopped else Period.MARK


def is_initial(word: str, case: Case, language: str) -> bool:
    """Whether a word is one capital letter and no pronoun: with a period it is usually an initial."""
    lower = word.lower()
    is_letter = kind_of(lower, language) is PeriodKind.LETTER and lower not in rules_of(language).pronouns
    return is_letter and (case is not Case.O or word != lower)


def _after_letter(word: str, case: Case, context: Context, rules: LanguageRules) -> Period:
    second = len(context.before) == 2 and context.before[1] == "."
    paired = (word, context.after) in _LETTER_PAIRS or (second and (context.before[0], word) in _LETTER_PAIRS)
    if word in rules.pronouns or (case is Case.O and not paired):
        return Period.OWN if context.after[:1].isdigit() and word not in rules.pronouns else Period.MARK
    if not (context.at_end or context.starts_sentence(rules)) or context.stopped:
        return Period.OWN
    return Period.BOTH if second else Period.MARK


def _own_or_both(ends: bool, context: Context) -> Period:
    return Period.BOTH if ends and not context.stopped else Period.OWN


def _is_doubled(word: str) -> bool:
    return len(word) == 2 and word[0] == word[1]
