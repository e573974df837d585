"""Scores of marks and cases to labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from asr_punct.marks import CASES, MARKS, Case, Labels, Mark

FloatArray = npt.NDArray[np.float32]
_BITS = 1 << np.arange(len(MARKS))


def threshold_array(thresholds: Mapping[Mark, float]) -> FloatArray:
    """Thresholds in the order of a model's outputs, (marks,)."""
    return np.array([thresholds[mark] for mark in MARKS], dtype=np.float32)


def decode(mark_scores: FloatArray, case_scores: FloatArray, thresholds: FloatArray) -> list[Labels]:
    """Labels of words: every mark whose score reaches its threshold, and the likeliest case.

    Args:
        mark_scores: probabilities, (words, marks).
        case_scores: probabilities, (words, cases).
        thresholds: (marks,); one above 1 switches its mark off.
    """
    codes = ((mark_scores >= thresholds) @ _BITS).tolist()
    cases = case_scores.argmax(axis=1).tolist()
    return [_labels(code, case) for code, case in zip(codes, cases, strict=True)]


@cache
def _labels(code: int, case: int) -> Labels:
    marks = frozenset(mark for i, mark in enumerate(MARKS) if code >> i & 1)
    return Labels(marks, Case(CASES[case]))
