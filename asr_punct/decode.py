"""Scores of marks and cases to labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from asr_punct.marks import CASES, MARKS, Labels, Mark

FloatArray = npt.NDArray[np.float32]
_BITS = 1 << np.arange(len(MARKS))
_STOPS = [MARKS.index(mark) for mark in (Mark.COMMA, Mark.PERIOD, Mark.COLON, Mark.SEMICOLON)]
_ENDS = [MARKS.index(mark) for mark in (Mark.QUESTION, Mark.EXCLAMATION, Mark.ELLIPSIS)]
_PERIOD, _QUOTE = MARKS.index(Mark.PERIOD), MARKS.index(Mark.QUOTE)


def threshold_array(thresholds: Mapping[Mark, float]) -> FloatArray:
    """Thresholds in the order of a model's outputs, (marks,)."""
    return np.array([thresholds[mark] for mark in MARKS], dtype=np.float32)


def decode(mark_scores: FloatArray, case_scores: FloatArray, thresholds: FloatArray) -> list[Labels]:
    """Labels of words: every mark whose score reaches its threshold, and the likeliest case.

    Two rules keep marks from standing together that nobody writes: of comma, period, colon and semicolon a word bears
    the likeliest alone, and a period does not follow ? ! … but across a closing quotation mark.

    Args:
        mark_scores: probabilities, (words, marks).
        case_scores: probabilities, (words, cases).
        thresholds: (marks,); one above 1 switches its mark off.
    """
    chosen = mark_scores >= thresholds
    stops = np.where(chosen[:, _STOPS], mark_scores[:, _STOPS], -1.0)
    chosen[:, _STOPS] &= np.arange(len(_STOPS)) == stops.argmax(axis=1, keepdims=True)
    chosen[:, _PERIOD] &= chosen[:, _QUOTE] | ~chosen[:, _ENDS].any(axis=1)
    codes = (chosen @ _BITS).tolist()
    return [_labels(code, case) for code, case in zip(codes, case_scores.argmax(axis=1).tolist(), strict=True)]


@cache
def _labels(code: int, case: int) -> Labels:
    return Labels(frozenset(mark for i, mark in enumerate(MARKS) if code >> i & 1), CASES[case])
