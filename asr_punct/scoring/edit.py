"""Minimum-cost alignment of two word sequences, with the costs of sclite (NIST SCTK).

Among alignments of equal cost the traceback chooses as sclite does: from the end, it prefers a pair to an insertion and
an insertion to a deletion.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SUBSTITUTION, _INSERTION, _DELETION = 4, 3, 3
_PAIR, _INSERT, _DELETE = range(3)

IntArray = NDArray[np.int64]
_Int32Array = NDArray[np.int32]


@dataclass(frozen=True)
class Alignment:
    """Pairs of a reference word and a hypothesis word, in order. Every word is in exactly one pair.

    `reference` and `hypothesis` are indices of words, -1 for an insertion and a deletion; `equal` marks the pairs of
    equal words. All are (pairs,).
    """

    reference: IntArray
    hypothesis: IntArray
    equal: NDArray[np.bool_]


def align_words(reference: Sequence[str], hypothesis: Sequence[str]) -> Alignment:
    """Align two word sequences at minimum cost. Words are compared as strings: `text.comparison_form` ignores case.

    For N reference and M hypothesis words, time is O(N M) and memory O(M sqrt(N)): rows of the cost matrix are kept at
    block boundaries only, and each block is computed again for the traceback.
    """
    ids: dict[str, int] = {}
    ref, hyp = (
        np.array([ids.setdefault(word, len(ids)) for word in words], np.int32) for words in (reference, hypothesis)
    )
    block = math.isqrt(len(ref)) + 1
    starts = [np.zeros(len(hyp) + 1, np.int32)]
    for begin in range(0, len(ref), block):
        starts.append(_rows(ref[begin : begin + block], hyp, starts[-1])[-1].copy())
    steps, column = list[int](), len(hyp)
    for begin in reversed(range(0, len(ref), block)):
        rows = ref[begin : begin + block]
        matrix = _rows(rows, hyp[:column], starts[begin // block][: column + 1])
        column = _trace(matrix, rows, hyp, column, steps)
    path = np.array([_INSERT] * column + steps[::-1], np.int8)
    has_ref, has_hyp, is_pair = path != _INSERT, path != _DELETE, path == _PAIR
    ref_index, hyp_index = (np.where(has_word, np.cumsum(has_word) - 1, -1) for has_word in (has_ref, has_hyp))
    equal = np.zeros(len(path), np.bool_)
    equal[is_pair] = ref[ref_index[is_pair]] == hyp[hyp_index[is_pair]]
    return Alignment(ref_index, hyp_index, equal)


def _rows(ref: _Int32Array, hyp: _Int32Array, above: _Int32Array) -> _Int32Array:
    """Return the row `above` and the following rows of the cost matrix, less _INSERTION * column: (rows + 1, columns).

    Insertions then cost nothing, and a running minimum along the row finds the cheapest number of them.
    """
    matrix = np.empty((len(ref) + 1, len(hyp) + 1), np.int32)
    matrix[0] = above
    for row, word in enumerate(ref):
        cost = matrix[row, :-1] + np.where(hyp == word, -_INSERTION, _SUBSTITUTION - _INSERTION)
        matrix[row + 1, 0] = matrix[row, 0] + _DELETION
        np.minimum(cost, matrix[row, 1:] + _DELETION, out=matrix[row + 1, 1:], casting="same_kind")
        np.minimum.accumulate(matrix[row + 1], out=matrix[row + 1])
    return matrix


def _trace(matrix: _Int32Array, ref: _Int32Array, hyp: _Int32Array, column: int, steps: list[int]) -> int:
    """Append the steps from `column` of the last row back to the first row. Return the column reached there."""
    row = len(ref)
    while row:
        paired = -_INSERTION if column and ref[row - 1] == hyp[column - 1] else _SUBSTITUTION - _INSERTION
        if column and matrix[row, column] == matrix[row - 1, column - 1] + paired:
            row, column, step = row - 1, column - 1, _PAIR
        elif column and matrix[row, column] == matrix[row, column - 1]:
            column, step = column - 1, _INSERT
        else:
            row, step = row - 1, _DELETE
        steps.append(step)
    return column
