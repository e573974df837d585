"""Flags of words that already have marks or capitals in the input."""

from __future__ import annotations

from enum import IntFlag

import numpy as np
import numpy.typing as npt


class WordFlag(IntFlag):
    """Properties of a word of the input.

    Attributes:
        LEFT_TAKEN: the input has marks on its left, so none is added there.
        RIGHT_TAKEN: the same on its right.
        BARRIER: one of these marks is a period or belongs to a pair: nothing that the decoder opens crosses it.
        ENDED: a . or ? of the input ends a sentence after the word.
        CASE_FIXED: the word has a capital already, or can have none.
    """

    LEFT_TAKEN = 1
    RIGHT_TAKEN = 2
    BARRIER = 4
    ENDED = 8
    CASE_FIXED = 16


FlagArray = npt.NDArray[np.uint8]


def has_flag(flags: FlagArray, flag: WordFlag) -> npt.NDArray[np.bool_]:
    """Return which words have a flag, (words,)."""
    return np.asarray(flags & int(flag) > 0)
