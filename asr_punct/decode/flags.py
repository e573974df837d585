"""Flags of words that already have marks or capitals in the input."""

from __future__ import annotations

from enum import IntFlag

import numpy as np
import numpy.typing as npt


class WordFlag(IntFlag):
    """Properties of a word of the input."""

    LEFT_TAKEN = 1
    """The input has marks on the left of the word, so none is added there."""
    RIGHT_TAKEN = 2
    """The input has marks on the right of the word, so none is added there."""
    BARRIER = 4
    """The marks of the input include a period or a paired mark: no pair that the decoder adds spans the word."""
    ENDED = 8
    """A . or ? of the input ends a sentence after the word."""
    CASE_FIXED = 16
    """The word already has a capital, or cannot have one."""
    FUNCTION_WORD = 32
    """A conjunction, pronoun …: never a name, nor the beginning of one."""
    LONG_WORD = 64
    """A word of seven letters or more: hardly ever an abbreviation in capitals."""
    SEPARATED = 128
    """The input has a mark after the word that any case may follow: not only a comma or semicolon."""


FlagArray = npt.NDArray[np.uint8]


def has_flag(flags: FlagArray, flag: WordFlag) -> npt.NDArray[np.bool_]:
    """Return whether each word has a flag, (words,)."""
    return np.asarray(flags & int(flag) > 0)
