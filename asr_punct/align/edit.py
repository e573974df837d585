"""Minimum-cost alignment of two word sequences.

Costs are those of sclite (NIST SCTK): substitution 4, insertion 3, deletion 3, correct 0. Of several alignments of the
same cost, sclite's is returned: traced back from the end, a pair before an insertion, an insertion before a deletion.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.text.characters import shape_of

SUBSTITUTION, INSERTION, DELETION = 4, 3, 3
_PAIR, _INSERT, _DELETE = range(3)
_EDGE_SHAPES = ".।,;:?!¿¡…-–«»\"'69`()x"
"""Classes of `text.characters` that are not part of a word at its edges: marks, brackets and other symbols."""

IntArray = NDArray[np.int64]
_Int32Array = NDArray[np.int32]


@dataclass(frozen=True)
class Alignment:
    """Pairs of a reference word and a hypothesis word, in order; every word is in exactly one pair.

    Attributes:
        reference: index of the reference word, -1 for an insertion; (pairs,).
        hypothesis: index of the hypothesis word, -1 for a deletion; (pairs,).
        equal: whether the two words are the same; (pairs,).
    """

    reference: IntArray
    hypothesis: IntArray
    equal: NDArray[np.bool_]

    @property
    def errors(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each pair is a substitution, a deletion, an insertion; (pairs,) each."""
        deleted, inserted = self.hypothesis < 0, self.reference < 0
        return ~(self.equal | deleted | inserted), deleted, inserted

    @property
    def cost(self) -> int:
        """Sum of the costs of all pairs."""
        costs = (SUBSTITUTION, DELETION, INSERTION)
        return sum(cost * int(wrong.sum()) for cost, wrong in zip(costs, self.errors, strict=True))


def align(reference: Sequence[str], hypothesis: Sequence[str]) -> Alignment:
    """Align two word sequences at minimum cost; words are compared as they are (see `comparable`).

    Time grows with the product of the lengths, memory with the hypothesis' length and the square root of the
    reference's.
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
    left, right = (np.where(path != missing, np.cumsum(path != missing) - 1, -1) for missing in (_INSERT, _DELETE))
    equal = np.zeros(len(path), np.bool_)
    pairs = path == _PAIR
    equal[pairs] = ref[left[pairs]] == hyp[right[pairs]]
    return Alignment(left, right, equal)


def same(words: int) -> Alignment:
    """Return the alignment of this many words with themselves."""
    index = np.arange(words, dtype=np.int64)
    return Alignment(index, index, np.ones(words, np.bool_))


def _rows(ref: _Int32Array, hyp: _Int32Array, above: _Int32Array) -> _Int32Array:
    """The row `above` and the rows of the cost matrix after it, less INSERTION a column: (rows + 1, columns).

    In these units an insertion costs nothing, so the best way along a row is a running minimum.
    """
    matrix = np.empty((len(ref) + 1, len(hyp) + 1), np.int32)
    matrix[0] = above
    for row, word in enumerate(ref):
        cost = matrix[row, :-1] + np.where(hyp == word, -INSERTION, SUBSTITUTION - INSERTION)
        matrix[row + 1, 0] = matrix[row, 0] + DELETION
        np.minimum(cost, matrix[row, 1:] + DELETION, out=matrix[row + 1, 1:], casting="same_kind")
        np.minimum.accumulate(matrix[row + 1], out=matrix[row + 1])
    return matrix


def _trace(matrix: _Int32Array, ref: _Int32Array, hyp: _Int32Array, column: int, steps: list[int]) -> int:
    """Append the steps from a column of the last row back to the first row, and return the column there."""
    row = len(ref)
    while row:
        paired = -INSERTION if column and ref[row - 1] == hyp[column - 1] else SUBSTITUTION - INSERTION
        if column and matrix[row, column] == matrix[row - 1, column - 1] + paired:
            row, column, step = row - 1, column - 1, _PAIR
        elif column and matrix[row, column] == matrix[row, column - 1]:
            column, step = column - 1, _INSERT
        else:
            row, step = row - 1, _DELETE
        steps.append(step)
    return column


def bare(word: str) -> str:
    """Return the word in NFC without marks at its edges; a word of nothing but marks keeps them."""
    word = unicodedata.normalize("NFC", word)
    if word.isalnum():
        return word
    shape = shape_of(word)
    start = len(shape) - len(shape.lstrip(_EDGE_SHAPES))
    return word[start : len(shape.rstrip(_EDGE_SHAPES))] or word


def comparable(word: str) -> str:
    """Return the form in which two words are compared: lower case, no marks at the edges."""
    return bare(word).lower()
