"""The record of a language: all that the package knows about it, with defaults for a language that nobody described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum, auto
from typing import Any

Words = frozenset[str]
_NONE: Words = frozenset()


class PeriodKind(Enum):
    """What a period after a word can be, depending on the word."""

    PLAIN = auto()  # the mark PERIOD
    TITLE = auto()  # part of the word, never the end of a sentence: Sr.
    FINAL = auto()  # part of the word; ends the sentence at the end of the text or before any capital: etc.
    NAME_PART = auto()  # part of the word; ends the sentence at the end of the text or before `The`, `He` …: U.S.
    NUMBERED = auto()  # part of the word only before a number: no. 5
    LETTER = auto()  # after one letter: an initial or the end of a sentence
    ORDINAL = auto()  # part of the word before a lower-case word: Basque 2. artikulua, XX. mendea


@dataclass(frozen=True, eq=False, repr=False)
class Language:
    """A language, or the first of a mixture, with the words of all.

    All words are in lower case. Tables of rules have `pattern>replacement`, separated by white space; the patterns are
    regular expressions.
    """

    code: str
    name: str = ""  # in English
    aliases: Words = _NONE  # other codes and names
    scripts: Words = _NONE  # those whose commonest language this is, as Unicode names them; not Latin
    mixed_with: str = ""  # code of a language that texts mix with this one, under the code of only one of them
    locale: str = ""  # as office programs name it (`es-ES`), if not by the code
    stl_number: str = "00"  # in EBU STL (Appendix 3)
    whisper_code: str | None = ""  # Whisper's code, if it is another one; None if it has several
    voices: Mapping[str, str] = field(default_factory=dict)  # espeak's, if not named as the code or its region

    # marks
    quotes: str = "“”"  # opening and closing quotation mark
    inside_quotes: str = ""  # marks that are written before a closing quotation mark, not after it
    period: str = "."
    opens_sentences: bool = False  # questions and exclamations begin with ¿ and ¡, or may

    # periods
    abbreviations: Mapping[str, PeriodKind] = field(default_factory=dict)  # without the period
    acronym: PeriodKind = PeriodKind.FINAL  # after letters with periods between them (`EE.UU`, `p.m`)
    letter_pairs: Words = _NONE  # abbreviations that are written as two (`p. ej.`), with the period between them
    ordinals: bool = False  # a number with a period is an ordinal

    # forms of words
    function_words: Words = _NONE  # articles, pronouns …; one with a capital begins a sentence
    name_beginnings: Words = _NONE  # function words that names begin with (Spanish `El Salvador`, `La Rioja`)
    pronouns: Words = _NONE  # single letters that are words in capitals (English `I`)
    ands: Words = _NONE  # conjunctions that go on with a sentence after a quotation
    suffixes: Words = _NONE  # endings of the acronym, name or quotation before them (Basque `EAEko`, `«Argia»ko`)
    lone_suffixes: Words = _NONE  # those that recognisers write apart, and that are words of no language of the models
    clitics: Words = _NONE  # ends of contractions that some recognisers write apart (English `'ll`)
    clipped: Words = _NONE  # words that lost their beginning to an apostrophe (English `'em`), without it
    apostrophes: bool = False  # an apostrophe can end a word (`workers'`)
    after_suspended: Words = _NONE  # conjunctions after a shortened compound (`gorputz- eta keinu-hizkuntza`)
    compounds: bool = True  # a word with a hyphen and a capital is a name only if it begins as names do
    first_names: Words = _NONE  # common ones, of names with a hyphen (`Jean-Paul`) and of speakers (`Ana:`)
    surname_endings: Words = _NONE  # of surnames that names with a hyphen begin with (`Pérez-Reverte`)
    compound_beginnings: Words = _NONE  # first parts of words with a hyphen that are no names (`Anti-war`)
    lower_parts: Words = _NONE  # later parts in lower case also in a name (`Stratford-upon-Avon`, `Obama-era`)
    lower_endings: Words = _NONE  # endings of such parts of six letters or more
    digits: Mapping[str, int] = field(default_factory=dict)  # by name
    numbers: Words = _NONE  # names of other numbers, of one word

    # words that are no part of what is said
    hesitations: Words = _NONE  # words that are nothing else, so not Spanish `este`, Basque `e` and English `like`
    likely_hesitations: Words = _NONE  # words that mostly are: they are no reason to leave a word out
    said_once: Words = _NONE  # words that nobody says twice on purpose
    phrases: Words = _NONE  # pairs in which a word of `hesitations` or `said_once` is meant, also beside itself
    sounds: Words = _NONE  # regular expressions of beginnings of sounds in brackets (`(risas)`, `(laughs)`)

    # who speaks
    asking: Words = _NONE  # verbs of reporting clauses that say who asks (`preguntó`)
    saying: Words = _NONE  # other verbs of reporting clauses (`dijo`)
    before_saying: Words = _NONE  # pronouns before them (`she said`)
    after_saying: Words = _NONE  # pronouns and auxiliaries after them (`dijo ella`, `esan zuen`)
    indirect: Words = _NONE  # conjunctions after them, where no reporting clause is (`dijo que`)
    speakers: Words = _NONE  # words for a speaker in labels of recognisers (`Speaker 1:`)
    speaker_beginnings: Words = _NONE  # function words that names of speakers begin with (`THE COURT:`)
    headings: Words = _NONE  # words with a colon at the start of a line that name no speaker (`Nota:`)
    topics: Words = _NONE  # words that do not if an article is before them (`El problema:`)
    answers: Words = _NONE  # words that open an answer, with a colon in some texts (`Bueno:`)
    replies: Words = _NONE  # those that say yes or no

    # subtitles: the relations of words are those that the line breaks of Netflix's Timed Text Style Guide name
    phrase_openers: Words = _NONE  # words that belong to the next word: articles, prepositions, conjunctions
    binds_next: Words = _NONE  # other words that do: subject pronouns, auxiliaries, negations
    binds_previous: Words = _NONE  # words that belong to the one before: auxiliaries and postpositions of Basque
    bound_pairs: Mapping[str, Words] = field(default_factory=dict)  # words that do before a certain word, by this
    numerals: Words = _NONE  # numbers in words
    numbered: Words = _NONE  # words that belong to the number or letter after them (`June 30`, `type C`)
    counted: Words = _NONE  # words that belong to the number before them (`7 million`)
    reading_speeds: Mapping[str, float] = field(default_factory=dict)  # characters a second, by preset if not as usual

    # errors of recognisers in training, by default for spellings such as those of Spanish and Basque: rules that all
    # turn a word without accents into its sound key, and of which one misspells it
    sound_rules: str = r"""['’-]>      ch|t[xsz]>C      ph>f      qu(?=[ei])|q|ck>k      g(?=[ei])>j      gu(?=[ei])>g
        c(?=[ei])|[zx]>s      c>k      ll>y      y>i      [vw]>b      h>      n(?=[bp])>m      ([^\W\d_])\1+>\1
        d$>"""
    misspellings: str = r"""b>v      v>b      c(?=[ei])>s      z>s      s(?=[aeiou])>z      ll>y      y(?=[aeiou])>ll
        h>      g(?=[ei])>j      j>g      k>c      qu>k      tx>ch      ch>tx      t[sz]>z      x>s      rr>r
        m(?=[bp])>n      [dt]$>      i(?=[aeiou])>y"""

    @property
    def stops_inside(self) -> bool:
        """Whether a period is written before a closing quotation mark, as in American English."""
        return "." in self.inside_quotes

    @property
    def never_names(self) -> frozenset[str]:
        """Function words that have a capital only where a sentence begins."""
        return self.function_words - self.pronouns - self.name_beginnings


def join(languages: Sequence[Language]) -> Language:
    """Return all words of languages, and what is true of any of them; where they disagree, the first one wins."""
    first, *others = languages
    names = [each.name for each in fields(first)]
    joined = {name: _join([getattr(each, name) for each in languages]) for name in names}
    return replace(first, **joined) if others else first


def _join(values: list[Any]) -> Any:
    match values[0]:
        case frozenset():
            return frozenset().union(*values)
        case bool():
            return any(values)
        case dict():
            return {key: value for each in reversed(values) for key, value in each.items()}
    return values[0]


def words(text: str) -> Words:
    """Return the words of a text."""
    return frozenset(text.split())


def phrases(text: str) -> Words:
    """Return the phrases of a text, between commas."""
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


def abbreviations(**by_kind: str) -> dict[str, PeriodKind]:
    """Return the kind of each abbreviation; one with several kinds has the first."""
    listed = reversed(by_kind.items())
    return {word: PeriodKind[kind.upper()] for kind, text in listed for word in text.split()}


def digits(text: str) -> dict[str, int]:
    """Return the digit of each name, of those of 0 to 9 in order."""
    return {name: digit for digit, name in enumerate(text.split())}
