"""Whether a sentence opens with ¿ and ¡, by the language of its words: in Spanish, not in Basque."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from asr_punct.identifier import CLEAR_ODDS, MIN_WORDS, identify
from asr_punct.languages import facts_of, parse_language

LANGUAGE_WORDS = 12
"""Number of words before a sentence of few words, and after it, by which its language is identified."""
Opens = Callable[[int, int], bool | None]
"""Whether the sentence from one word, by index, up to another opens with ¿ and ¡; None: that is not known."""


def opens(words: Sequence[str], language: str) -> bool | None:
    """Return whether questions begin with ¿ in the likeliest language of the words, of those of a model (`es+eu`).

    None if few words do not tell.
    """
    codes = parse_language(language).split("+")
    opening = [code for code in codes if facts_of(code).opens_sentences]
    if len(opening) in (0, len(codes)):
        return bool(opening)
    guess = identify(words, minimum=1)
    if guess is None:  # no word tells, as in numbers: ¿ is allowed
        return True
    others = guess.probability_of([code for code in codes if code not in opening])
    if guess.probability_of(opening) >= others:
        return True
    is_clear = len(words) >= MIN_WORDS or others > CLEAR_ODDS * guess.probability_of(opening)
    return False if is_clear else None


def opens_by_words(words: Sequence[str], language: str, before: Sequence[str] = ()) -> Opens | None:
    """Return a function that asks `opens` for sentences of these words, which follow `before`; None without a language.

    Sentences of few words are read with the words around them.
    """
    if not words or not language:
        return None
    known, first = [*before, *words], len(before)

    @cache
    def ask(start: int, stop: int) -> bool | None:
        start, stop = start + first, stop + first
        if stop - start < MIN_WORDS:
            start, stop = max(0, start - LANGUAGE_WORDS), stop + LANGUAGE_WORDS
        return opens(known[start:stop], language)

    return ask
