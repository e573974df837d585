"""Decide what a period directly after a word is: part of the word, the mark PERIOD, or both."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from asr_punct.caching import cached_by_word
from asr_punct.languages import Language, PeriodKind, any_language, facts_of
from asr_punct.marks import Case


class Period(Enum):
    """What a period after a word is."""

    MARK = auto()  # the mark PERIOD: `casa.`
    IN_WORD = auto()  # part of the word, an abbreviation: `Sr. Ruiz`
    BOTH = auto()  # part of the word and the mark PERIOD: `patos, etc.`


@dataclass(frozen=True, slots=True)
class PeriodContext:
    """Surroundings of a word with a period: the words `before` and `after` it, empty at the edges of the text.

    `before` has its own period, if any; `after` is without one. `ends_clause`: another mark after the word (`,` `?` …)
    ends the clause.
    """

    before: str = ""
    after: str = ""
    after_case: Case = Case.O
    ends_clause: bool = False

    @property
    def at_end(self) -> bool:
        """Whether the text ends here."""
        return not self.after

    def starts_sentence(self, rules: Language) -> bool:
        """Whether the next word is a function word with a capital (`The`, `That’s`)."""
        return self.after_case is not Case.O and _APOSTROPHE.split(self.after, maxsplit=1)[0] in rules.function_words


# xx, mcmiv; two letters or more
_ROMAN = re.compile(r"(?=..)m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_NUMBER = re.compile(r"\d[\d.]*")
_LETTER_PAIRS = any_language().letter_pairs
_APOSTROPHE = re.compile("['’]")


@cached_by_word(1 << 16)
def kind_of(word: str, language: str) -> PeriodKind:
    """Return the kind of the period that may follow a lower-case word."""
    rules = facts_of(language)
    if word in rules.abbreviations:
        return rules.abbreviations[word]
    if len(word) == 1 and word.isalpha():
        return PeriodKind.LETTER
    if rules.ordinals and (_NUMBER.fullmatch(word) or _ROMAN.fullmatch(word)):
        return PeriodKind.ORDINAL
    parts = word.rpartition("-")[2].split(".")  # ee.uu, p.m
    if len(parts) > 1 and all(part.isalpha() and (len(part) == 1 or _is_doubled(part)) for part in parts):
        return rules.acronym
    return PeriodKind.PLAIN


def read_period(word: str, case: Case, context: PeriodContext, language: str) -> Period:
    """Decide what the period directly after a word is.

    An abbreviation's period stays in the word. It also ends the sentence, as PERIOD, where no other mark ends the
    clause and the text ends or the next word begins a sentence: any capital after `etc.`, a capitalised function word
    after abbreviations that names can follow (`U.S.`, `Inc.`, `J. R.`), none after a title (`Sr.`).

    The word is in lower case, without the period.
    """
    rules = facts_of(language)
    match kind_of(word, language):
        case PeriodKind.PLAIN:
            return Period.MARK
        case PeriodKind.TITLE:
            return Period.IN_WORD
        case PeriodKind.FINAL:
            doubled = _is_doubled(word) and _is_doubled(context.after)  # EE. UU.
            return _abbreviation(context.at_end or (context.after_case is not Case.O and not doubled), context)
        case PeriodKind.NAME_PART:
            return _abbreviation(context.at_end or context.starts_sentence(rules), context)
        case PeriodKind.NUMBERED:
            return Period.IN_WORD if context.after[:1].isdigit() else Period.MARK
        case PeriodKind.LETTER:
            return _after_letter(word, case, context, rules)
        case PeriodKind.ORDINAL:
            before_lower_case = context.after_case is Case.O and context.after[:1].isalpha()
            return Period.IN_WORD if before_lower_case or context.ends_clause else Period.MARK


def is_initial(word: str, case: Case, language: str) -> bool:
    """Whether a word is one capital letter and no pronoun: with a period it is usually an initial."""
    lower = word.lower()
    is_letter = kind_of(lower, language) is PeriodKind.LETTER and lower not in facts_of(language).pronouns
    return is_letter and (case is not Case.O or word != lower)


def _after_letter(word: str, case: Case, context: PeriodContext, rules: Language) -> Period:
    """Decide after a letter: an initial (`J. Ruiz`), an abbreviation (`a. C.`, `p. 5`), or a word (`vitamina a.`)."""
    after_initial = len(context.before) == 2 and context.before[1] == "."  # J. R.
    pairs = f"{word}. {context.after}", f"{context.before} {word}" if after_initial else ""
    paired = not _LETTER_PAIRS.isdisjoint(pairs)
    if word in rules.pronouns:
        return Period.MARK
    if case is Case.O and not paired:
        return Period.IN_WORD if context.after[:1].isdigit() else Period.MARK
    if not (context.at_end or context.starts_sentence(rules)) or context.ends_clause:
        return Period.IN_WORD
    return Period.BOTH if after_initial else Period.MARK


def _abbreviation(ends_sentence: bool, context: PeriodContext) -> Period:
    return Period.BOTH if ends_sentence and not context.ends_clause else Period.IN_WORD


def _is_doubled(word: str) -> bool:
    return len(word) == 2 and word[0] == word[1]
