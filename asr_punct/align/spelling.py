"""Words in the symbols of an acoustic model.

What a model's vocabulary lacks is tried in the other case and without its accents. What is left of it, such as digits,
is unknown, or left out if it is a character without a sound.
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
    """What a CTC model can emit.

    Attributes:
        size: symbols that it gives probabilities of, the blank among them.
        blank: which one that is.
        separator: the symbol between words, where there is one.
        encode: a word in symbols, `UNKNOWN` for what it lacks.
    """

    size: int
    blank: int
    separator: int | None
    encode: Callable[[str], Sequence[int]]


def characters(symbols: Mapping[str, int], size: int, blank: int, separator: str | None) -> Vocabulary:
    """The vocabulary of a model that emits characters.

    Args:
        symbols: characters and their numbers; what is longer than one is left out.
        size: how many numbers the model has.
        blank: number of the blank.
        separator: the one of the symbols that stands between words.
    """
    known = {char: number for char, number in symbols.items() if len(char) == 1 and char != separator}
    known = {char: number for char, number in known.items() if number < size and number != blank}

    def spell(text: str) -> list[int]:
        return [known.get(char, UNKNOWN) for char in text]

    def encode(word: str) -> list[int]:
        return [number for char in word for number in best_spelling(char, spell)]

    between = symbols.get(separator, size) if separator is not None else size
    return Vocabulary(size, blank, between if between < size else None, encode)


def pieces(encode: Callable[[str], Sequence[int]], size: int, blank: int, unknown: int | None) -> Vocabulary:
    """The vocabulary of a model that emits pieces of words.

    Args:
        encode: pieces of a word.
        size: how many numbers the model has.
        blank: number of the blank.
        unknown: number that `encode` gives for what it lacks.
    """

    def spell(text: str) -> list[int]:
        return [UNKNOWN if n in (unknown, blank) or n >= size else n for n in encode(text)] if text else []

    return Vocabulary(size, blank, None, lambda word: best_spelling(word, spell))


def best_spelling(text: str, spell: Callable[[str], list[int]]) -> list[int]:
    """The spelling with the fewest unknown symbols, the first of several."""
    found = spell(text)
    if UNKNOWN in found:
        found = min(map(spell, _spellings(text)), key=lambda numbers: numbers.count(UNKNOWN))
    return found


def _spellings(text: str) -> Iterator[str]:
    """As it stands, in either case, without accents, and without the characters that have no sound."""
    cases = (text, text.lower(), text.upper())
    yield from cases
    for case in cases:
        yield "".join(c for c in unicodedata.normalize("NFD", case) if not unicodedata.combining(c))
    yield "".join(c for c, shape in zip(text, shape_of(text), strict=True) if shape in _SOUNDING)
