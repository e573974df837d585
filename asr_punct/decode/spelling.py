"""Letters that someone spells (`b e a t r i z`) are written alike: in capitals, without marks between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from asr_punct.decode.inputs import IS_LEFT, DecoderInput, FlagArray, WordFlag, has_flag
from asr_punct.marks import CASES, Case

_MIN_LETTERS = 3
"""Fewest letters of a spelled word, without those inside it that may be words (`a y b`)."""
_NEAR = 2
"""Letters of a choice are at most this far from each other in the alphabet."""
_IS_OTHER_CASE = np.array([case is not Case.FIRST_CAP for case in CASES])
_IMPOSSIBLE = -1e6
"""Log-probability of another case."""


def _are_apart(first: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether two letters are not near in the alphabet, as those of a choice are (`a o b`, `x y z`)."""
    letters = [text.lower()[0] for text in (*first, *last) if text]  # İ is two characters in lower case
    return len(letters) == 2 and abs(ord(letters[0]) - ord(letters[1])) > _NEAR


def spell_alike(words: DecoderInput, before: FlagArray) -> DecoderInput:
    """Return the words with capitals alone, and no marks inside, where letters are spelled.

    `before` are flags of words before them that are decided already, (words before,).
    """
    flags = np.concatenate([before, words.flags])
    letters = has_flag(flags, WordFlag.LETTER)
    if letters.sum() < _MIN_LETTERS:
        return words
    edges = np.diff(letters.astype(np.int8), prepend=0, append=0)
    spelled = np.zeros(len(flags), dtype=bool)
    texts = (*[""] * len(before), *words.words)
    for start, stop in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
        others = has_flag(flags[start + 1 : stop - 1], WordFlag.CONJUNCTION).sum()
        if stop - start == _MIN_LETTERS and _are_apart(texts[start : start + 1], texts[stop - 1 : stop]):
            others = 0
        spelled[start:stop] = stop - start - others >= _MIN_LETTERS
    inside = spelled & np.append(spelled[1:], False), spelled & np.insert(spelled[:-1], 0, False)
    joins_next, joins_last = (each[len(before) :] for each in inside)
    marks, cases = words.marks.copy(), words.cases.copy()
    marks[np.outer(joins_next, ~IS_LEFT) | np.outer(joins_last, IS_LEFT)] = -np.inf
    ends = words.ends.copy()
    ends[joins_next] = -np.inf
    here = spelled[len(before) :]
    cases[np.outer(here, _IS_OTHER_CASE)] = _IMPOSSIBLE
    own = np.where(here, words.flags & ~np.uint32(WordFlag.NEVER_NAME), words.flags)
    return replace(words, marks=marks, ends=ends, cases=cases, flags=own)
