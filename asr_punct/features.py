"""Windows of words as the arrays that a model reads: the same for training, inference and export.

Legend of dimensions: `batch` windows, `tokens` sub-words with both special tokens, `words` of a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

NO_BOUNDARY, DOCUMENT_START, DOCUMENT_END = 0, 1, 2
"""Flags of a word that begins or ends a document; a word that does both has their sum."""
BOUNDARIES = 4


@dataclass(frozen=True, slots=True)
class WordInput:
    """What a model is told of one word.

    Attributes:
        subwords: its sub-words' numbers, at least one.
        pause: bucket of the silence after it.
        boundary: flags of the document's start and end.
    """

    subwords: tuple[int, ...]
    pause: int
    boundary: int = NO_BOUNDARY


@dataclass(frozen=True)
class Features:
    """A batch of windows.

    Attributes:
        input_ids: *Shape:* (batch, tokens), sub-words between the two special tokens, padded at the end.
        attention_mask: *Shape:* (batch, tokens), 1 where there is a token.
        word_index: *Shape:* (batch, words), position of each word's last sub-word; 0 stands for padding.
        pauses: *Shape:* (batch, words), buckets.
        boundaries: *Shape:* (batch, words), flags.
    """

    input_ids: IntArray
    attention_mask: IntArray
    word_index: IntArray
    pauses: IntArray
    boundaries: IntArray

    def inputs(self) -> dict[str, IntArray]:
        """The arrays by the names that a model's graph gives them."""
        return {name: getattr(self, name) for name in INPUTS}


INPUTS = tuple(Features.__dataclass_fields__)
"""Names of the arrays, in the order of a model's arguments."""


def collate(windows: Sequence[Sequence[WordInput]], start: int, end: int, pad: int) -> Features:
    """Arrays of a batch of windows.

    Args:
        windows: words of each window, at least one.
        start: number of the token before a window.
        end: number of the token after a window.
        pad: number of the padding token.
    """
    rows = [[start, *(token for word in window for token in word.subwords), end] for window in windows]
    tokens, words = max(map(len, rows)), max(map(len, windows))
    input_ids = np.full((len(windows), tokens), pad, dtype=np.int64)
    attention_mask = np.zeros_like(input_ids)
    word_index, pauses, boundaries = (np.zeros((len(windows), words), dtype=np.int64) for _ in range(3))
    for i, (row, window) in enumerate(zip(rows, windows, strict=True)):
        input_ids[i, : len(row)] = row
        attention_mask[i, : len(row)] = 1
        word_index[i, : len(window)] = np.cumsum([len(word.subwords) for word in window])
        pauses[i, : len(window)] = [word.pause for word in window]
        boundaries[i, : len(window)] = [word.boundary for word in window]
    return Features(input_ids, attention_mask, word_index, pauses, boundaries)
