"""Remove the marks and capitals of an input, so that all of them can be restored."""

from dataclasses import replace

from asr_punct.marks import takes_case
from asr_punct.text.characters import shape_of
from asr_punct.text.tokens import split_token
from asr_punct.words import Utterance, without_labels

_MARKS = frozenset(".,;:?!¿¡…।-–«»\"'69`")
"""Shapes of marks and quotation marks; brackets and symbols stay."""


def without_marks(utterance: Utterance, language: str = "es") -> Utterance:
    """Return the utterance without labels, without the marks at the edges of its words, and in lower case.

    Tokens that consist of marks, tags and addresses stay, so that the number of words is the same.

    `language` is used if the utterance has none, for the periods of abbreviations.
    """
    language = utterance.language or language
    words = (replace(word, text=_bare(word.text, language)) for word in utterance.words)
    return without_labels(replace(utterance, words=tuple(words)))


def _bare(token: str, language: str) -> str:
    before, core, after = split_token(token, language)
    if not core or not takes_case(token):
        return token
    return f"{_symbols(before)}{core.lower()}{_symbols(after)}"


def _symbols(text: str) -> str:
    return "".join(char for char, shape in zip(text, shape_of(text), strict=True) if shape not in _MARKS)
