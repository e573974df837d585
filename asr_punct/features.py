"""Windows of words as input arrays of a model: the same for training, inference and export.

Dimensions: `batch` windows, `tokens` sub-words with both special tokens, `words` of a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

NO_BOUNDARY, DOCUMENT_START, DOCUMENT_END = 0, 1, 2
"""Flags of the first and last word of a document; a document of one word has their sum."""
BOUNDARIES = 4


@dataclass(frozen=True, slots=True)
class WordInput:
    """A word as a model reads it.

    Attributes:
        subwords: token ids, at least one.
        pause: bucket of the pause after the word.
        boundary: flags of the document's edges.
    """

    subwords: tuple[int, ...]
    pause: int
    boundary: int = NO_BOUNDARY


@dataclass(frozen=True)
class Features:
    """A batch of windows.

    Attributes:
        input_ids: *Shape:* (batch, tokens), token ids between the two special tokens, padded at the end.
        attention_mask: *Shape:* (batch, tokens), 0 at padding.
        word_index: *Shape:* (batch, words), position of each word's last sub-word; 0 at padding.
        pauses: *Shape:* (batch, words), buckets.
        boundaries: *Shape:* (batch, words), flags.
    """

    input_ids: IntArray
    attention_mask: IntArray
    word_index: IntArray
    pauses: IntArray
    boundaries: IntArray

    def inputs(self) -> dict[str, IntArray]:
        """Return the arrays by the names of a graph's inputs."""
        return {name: getattr(self, name) for name in INPUTS}


INPUTS = tuple(Features.__dataclass_fields__)
"""Names of the arrays, in the order of a model's arguments."""


def collate(windows: Sequence[Sequence[WordInput]], start: int, end: int, pad: int) -> Features:
    """Return the arrays of a batch.

    Args:
        windows: the words of each window, at least one.
        start: id of the token before a window.
        end: id of the token after a window.
        pad: id of the padding token.
    """
    words = [word for window in windows for word in window]
    return pack(
        np.array([subword for word in words for subword in word.subwords], dtype=np.int64),
        np.array([len(word.subwords) for word in words]),
        np.array([word.pause for word in words]),
        np.array([word.boundary for word in words]),
        np.repeat(np.arange(len(windows)), [len(window) for window in windows]),
        (start, end, pad),
    )


def pack(
    subwords: npt.NDArray[np.integer],
    counts: npt.NDArray[np.integer],
    pauses: npt.NDArray[np.integer],
    boundaries: npt.NDArray[np.integer],
    rows: npt.NDArray[np.integer],
    special: tuple[int, int, int],
) -> Features:
    """Return the arrays of a batch whose windows are concatenated; `n` is the number of words of all windows.

    Args:
        subwords: *Shape:* (all sub-words,), token ids.
        counts: *Shape:* (n,), number of sub-words of each word.
        pauses: *Shape:* (n,), buckets.
        boundaries: *Shape:* (n,), flags.
        rows: *Shape:* (n,), index of each word's window, ascending; every window has a word.
        special: ids of the tokens before a window, after it, and of padding.
    """
    start, end, pad = special
    words = np.bincount(rows)
    tokens = np.bincount(rows, weights=counts).astype(np.int64)
    column = np.arange(len(rows)) - (np.cumsum(words) - words)[rows]
    before = np.cumsum(tokens) - tokens
    token_rows = np.repeat(rows, counts)
    input_ids = np.full((len(words), int(tokens.max()) + 2), pad, dtype=np.int64)
    input_ids[token_rows, np.arange(len(subwords)) - before[token_rows] + 1] = subwords
    input_ids[:, 0] = start
    input_ids[np.arange(len(words)), tokens + 1] = end
    attention_mask = (np.arange(input_ids.shape[1]) < tokens[:, None] + 2).astype(np.int64)
    word_index, pause, boundary = (np.zeros((len(words), int(words.max())), dtype=np.int64) for _ in range(3))
    word_index[rows, column] = np.cumsum(counts) - before[rows]
    pause[rows, column] = pauses
    boundary[rows, column] = boundaries
    return Features(input_ids, attention_mask, word_index, pause, boundary)
