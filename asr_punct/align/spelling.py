"""Spelling of words in the symbols of an acoustic model.

A character or sub-word that the vocabulary lacks is tried in the other case and without accents. If that fails it is
unknown (digits, for example), or dropped if it has no sound.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from asr_punct.text.characters import shape_of

UNKNOWN = -1
_SOUNDING = frozenset("aAo0%")
"""Shapes of letters, digits, and symbols that are pronounced."""


@dataclass(frozen=True)
class Vocabulary:
    """The `size` symbols of a CTC model, with the ids of the blank and of the symbol between words.

    `encode` spells a word in symbol ids, `UNKNOWN` where the vocabulary lacks something.
    """

    size: int
    blank: int
    separator: int | None
    encode: Callable[[str], Sequence[int]]


def characters(symbols: Mapping[str, int], size: int, blank: int, separator: str | None) -> Vocabulary:
    """Return the vocabulary of a character model; keys of `symbols` longer than one character are ignored."""
    known = {char: number for char, number in symbols.items() if char != separator and number < size}
    known = {char: number for char, number in known.items() if number != blank}

    def spell(text: str) -> list[int]:
        return [known.get(char, UNKNOWN) for char in text]

    def encode(word: str) -> list[int]:
        return [number for char in word for number in _best_spelling(char, spell)]

    between = symbols.get(separator, size) if separator is not None else size
    return Vocabulary(size, blank, between if between < size else None, encode)


def subwords(encode: Callable[[str], Sequence[int]], size: int, blank: int, unknown: int | None) -> Vocabulary:
    """Return the vocabulary of a sub-word model, whose tokenizer `encode` returns `unknown` for unknown text."""

    def spell(text: str) -> list[int]:
        return [UNKNOWN if n in (unknown, blank) or n >= size else n for n in encode(text)] if text else []

    return Vocabulary(size, blank, None, lambda word: _best_spelling(word, spell))


def _best_spelling(text: str, spell: Callable[[str], list[int]]) -> list[int]:
    """The spelling with the fewest unknown symbols, the first one of several."""
    found = spell(text)
    if UNKNOWN in found:
        found = min(map(spell, _variants(text)), key=lambda numbers: numbers.count(UNKNOWN))
    return found


def _variants(text: str) -> Iterator[str]:
    """As written, in either case, without accents, without silent characters."""
    cases = (text, text.lower(), text.upper())
    yield from cases
    for case in cases:
        yield "".join(c for c in unicodedata.normalize("NFD", case) if not unicodedata.combining(c))
    yield "".join(c for c, shape in zip(text, shape_of(text), strict=True) if shape in _SOUNDING)
