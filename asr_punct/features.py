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
    """Arrays of a batch whose words are given one window after the other; every window has a word.

    Args:
        subwords: sub-words of all words, (sub-words,).
        counts: number of sub-words of each word, (all words,).
        pauses: buckets, (all words,).
        boundaries: flags, (all words,).
        rows: window of each word, ascending from 0, (all words,).
        special: numbers of the tokens before a window, after it, and of padding.
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
