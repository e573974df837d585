"""The words that a live stream takes and gives back."""

from __future__ import annotations

from dataclasses import dataclass

from asr_punct.errors import ArgumentError
from asr_punct.marks import Labels
from asr_punct.words import Word, check_times, is_one_word


@dataclass(frozen=True, slots=True)
class Committed:
    """A word that is decided.

    Attributes:
        word: the word of the input.
        labels: its marks and case.
        written: the word with its marks and case, as one token.
    """

    word: Word
    labels: Labels
    written: str


def one_word(word: object) -> Word:
    """Return the word. Raises AsrPunctError if it is not one word, or for impossible times."""
    token = Word(word) if isinstance(word, str) else word
    if not isinstance(token, Word) or not is_one_word(token.text):
        raise ArgumentError("word", repr(word), "one word without white space")
    check_times(token)
    return token
