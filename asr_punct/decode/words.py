"""What may stand on one word, and what the best of it is worth.

Rules: of comma, period, colon and semicolon a word bears one at most; a period does not stand beside ? ! … but across
a closing quotation mark. Where a ¿ or ¡ stays open after the word, it bears no period.

A *closing set* is a number of three bits: 1 QUESTION, 2 EXCLAMATION, 4 QUOTE; an *opening set* likewise: 1 OPEN_QUES,
2 OPEN_EXCL, 4 OPEN_QUOTE. The two of one bit are a pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asr_punct.decode.settings import ScoreArray
from asr_punct.marks import MARKS, PAIRS, Mark

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
SETS = 1 << len(PAIRS)
BITS = 1 << np.arange(len(PAIRS))
QUOTES, ENDS = 4, 3
"""The bit of quotation marks, and those of ? and !, which end a sentence."""
OPENING = [MARKS.index(opening) for opening, _ in PAIRS]
CLOSING = [MARKS.index(closing) for _, closing in PAIRS]
_MEMBERS = np.array([[code >> pair & 1 for pair in range(len(PAIRS))] for code in range(SETS)], dtype=bool)
PERIOD, _ELLIPSIS, _OPEN_DASH, _DASH = (
    MARKS.index(mark) for mark in (Mark.PERIOD, Mark.ELLIPSIS, Mark.OPEN_DASH, Mark.DASH)
)
_WEAK_STOPS = [MARKS.index(mark) for mark in (Mark.COMMA, Mark.COLON, Mark.SEMICOLON)]


def sums(scores: ScoreArray) -> ScoreArray:
    """Score of each set of three marks, (words, sets), from those of the marks, (words, 3)."""
    return np.asarray(np.where(_MEMBERS, scores[:, None, :], 0.0).sum(axis=2))


@dataclass(frozen=True)
class Worth:
    """Best scores of words by closing set, with the best of the stops and the ellipsis that the set admits.

    Attributes:
        free: where no ¿ or ¡ stays open. *Shape:* (words, sets).
        inside: where one stays open; holds for sets without ? and !. *Shape:* (words, sets).
    """

    free: ScoreArray
    inside: ScoreArray


def worth(scores: ScoreArray) -> Worth:
    """Worth of words from the scores of their marks, (words, marks)."""
    weak = np.maximum(scores[:, _WEAK_STOPS].max(axis=1), 0.0)
    stop = np.maximum(scores[:, PERIOD], weak)
    ellipsis = np.maximum(scores[:, _ELLIPSIS], 0.0)
    with_quote, with_end = ellipsis + stop, ellipsis + weak
    plain = np.maximum(stop, scores[:, _ELLIPSIS] + weak)
    rest = np.stack([plain, *[with_end] * ENDS, *[with_quote] * (SETS - QUOTES)], axis=1)
    closing = sums(scores[:, CLOSING])
    return Worth(closing + rest, closing + with_end[:, None])


def chosen_marks(scores: ScoreArray, opening: IntArray, closing: IntArray, inside: BoolArray) -> BoolArray:
    """The marks that make up the worth, (words, marks), dashes among them.

    Args:
        scores: of the marks, (words, marks).
        opening: opening set of each word.
        closing: closing set of each word.
        inside: where ¿ or ¡ stays open after the word.
    """
    marks = np.zeros(scores.shape, dtype=bool)
    marks[:, OPENING], marks[:, CLOSING] = _MEMBERS[opening], _MEMBERS[closing]
    marks[:, [_DASH, _OPEN_DASH]] = scores[:, [_DASH, _OPEN_DASH]] >= 0
    quoted, ended = closing & QUOTES > 0, closing & ENDS > 0
    weak = scores[:, _WEAK_STOPS].max(axis=1)
    over = np.maximum(weak, 0.0)
    period = scores[:, PERIOD] >= over
    ellipsis = scores[:, _ELLIPSIS]
    beside = quoted | ended | inside | ~period
    marks[:, _ELLIPSIS] = np.where(beside, ellipsis >= 0, ellipsis + over > scores[:, PERIOD])
    marks[:, PERIOD] = period & ~inside & (quoted | ~(ended | marks[:, _ELLIPSIS]))
    likeliest = np.arange(len(_WEAK_STOPS)) == scores[:, _WEAK_STOPS].argmax(axis=1)[:, None]
    marks[:, _WEAK_STOPS] = likeliest & ((weak >= 0) & ~marks[:, PERIOD])[:, None]
    return marks


def ends_sentence(marks: BoolArray) -> BoolArray:
    """Words after which a sentence ends, from their marks, (words, marks)."""
    return np.asarray(marks[:, [PERIOD, *CLOSING[:2]]].any(axis=1))
