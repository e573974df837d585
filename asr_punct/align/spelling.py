"""Spelling of words in the symbols of a CTC model.

A character model spells each character on its own, a sub-word model a word as a whole. If symbols are missing, the
character or word is also tried in lower case, in upper case, without accents, and without characters that are not
pronounced (`-`). The variant with the fewest missing symbols is used, with `UNKNOWN_SYMBOL` for each of them.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from asr_punct.text.characters import shape_of

UNKNOWN_SYMBOL = -1
"""Replaces the id of a symbol that the vocabulary lacks. `align.ctc` aligns it with any sound."""
_PRONOUNCED = frozenset("aAo0%")
"""Classes of `text.characters.shape_of`: lower-case, upper-case and other letters, digits, pronounced symbols."""


@dataclass(frozen=True)
class CtcVocabulary:
    """The output symbols of a CTC model.

    `size` is their number, with the blank; `separator` is the symbol between words, if any. `encode` spells a word as
    symbol ids, with `UNKNOWN_SYMBOL` for a missing symbol.
    """

    size: int
    blank: int
    separator: int | None
    encode: Callable[[str], Sequence[int]]


def character_vocabulary(symbols: Mapping[str, int], size: int, blank: int, separator: str | None) -> CtcVocabulary:
    """Return the vocabulary of a character model.

    `symbols` has the id of each character. Longer keys, and ids from `size` on, which the model does not output, are
    ignored.
    """
    known = {char: id_ for char, id_ in symbols.items() if char != separator and id_ != blank and id_ < size}

    def spell(text: str) -> list[int]:
        return [known.get(char, UNKNOWN_SYMBOL) for char in text]

    def encode(word: str) -> list[int]:
        return [id_ for char in word for id_ in _best_spelling(char, spell)]

    separator_id = None if separator is None else symbols.get(separator)
    return CtcVocabulary(size, blank, None if separator_id is None or separator_id >= size else separator_id, encode)


def subword_vocabulary(
    encode: Callable[[str], Sequence[int]], size: int, blank: int, unknown: int | None
) -> CtcVocabulary:
    """Return the vocabulary of a sub-word model. Its tokenizer's `encode` returns `unknown` for unknown text."""

    def spell(text: str) -> list[int]:
        return [UNKNOWN_SYMBOL if n in (unknown, blank) or n >= size else n for n in encode(text)] if text else []

    return CtcVocabulary(size, blank, None, lambda word: _best_spelling(word, spell))


def _best_spelling(text: str, spell: Callable[[str], list[int]]) -> list[int]:
    ids = spell(text)
    if UNKNOWN_SYMBOL in ids:
        ids = min(map(spell, _variants(text)), key=lambda spelling: spelling.count(UNKNOWN_SYMBOL))
    return ids


def _variants(text: str) -> Iterator[str]:
    """Yield the text as written, in lower and upper case, each without accents, and without silent characters."""
    cases = (text, text.lower(), text.upper())
    yield from cases
    for case in cases:
        yield "".join(c for c in unicodedata.normalize("NFD", case) if not unicodedata.combining(c))
    yield "".join(c for c, shape in zip(text, shape_of(text), strict=True) if shape in _PRONOUNCED)
