"""Input and output arrays of a model. Inputs are windows of words, the same in training, inference and export.

Dimensions: `batch` is windows; `tokens` is sub-words of a window, with both special tokens; `words` is words of a
window.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from asr_punct.decode.inputs import FloatArray

FlagsT = TypeVar("FlagsT")
IntArray = npt.NDArray[np.int64]

NO_BOUNDARY, DOCUMENT_START, DOCUMENT_END, TURN_START, TURN_END = 0, 1, 2, 4, 8
"""Flags of the first and the last word of a document, and of the words after and before a change of speaker inside it.
A word can have several, added up: the word of a one-word document has 3."""
EDGES, TURNS = DOCUMENT_START | DOCUMENT_END, TURN_START | TURN_END
BOUNDARIES, TURN_BOUNDARIES = 4, 16  # numbers of values without and with the flags of turns


@dataclass(frozen=True, slots=True)
class WordInput:
    """An encoded word: ids of its sub-words (1 or more), bucket of the pause after it, flags of boundaries."""

    subwords: tuple[int, ...]
    pause: int
    boundary: int = NO_BOUNDARY


@dataclass(frozen=True)
class Features:
    """A batch of windows."""

    input_ids: IntArray
    """(batch, tokens), start token, token ids of all words, end token, padding."""
    attention_mask: IntArray
    """(batch, tokens), 1 at tokens, 0 at padding."""
    word_index: IntArray
    """(batch, words), position of each word's last sub-word in `input_ids`; 0, the start token, at padding."""
    pauses: IntArray
    """(batch, words), bucket of the pause after each word."""
    boundaries: IntArray
    """(batch, words), flags of the boundaries of documents and turns."""

    def inputs(self) -> dict[str, IntArray]:
        """Return the arrays by name, as inputs of a graph."""
        return {name: getattr(self, name) for name in INPUTS}


def turns_as_edges(boundaries: FlagsT) -> FlagsT:
    """Return flags for a model without vectors of turns, an array or tensor: a turn's edges are those of a document."""
    return cast(FlagsT, cast(Any, boundaries) & EDGES | cast(Any, boundaries) >> 2)


INPUTS = tuple(Features.__dataclass_fields__)
"""Names of the arrays, in the order of the arguments of `Tagger.forward`."""


def collate(windows: Sequence[Sequence[WordInput]], start: int, end: int, pad: int) -> Features:
    """Return the arrays of a batch of windows, each of at least one word; `start`, `end` and `pad` are token ids."""
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
    """Return the arrays of a batch from the concatenated windows, each of at least one word.

    `subwords` are the token ids, (all sub-words,). The others are (all words,): numbers of sub-words, buckets, flags,
    and ascending indices of windows. `special` are the ids of the start, end and padding tokens.
    """
    start, end, pad = special
    window_words = np.bincount(rows)
    window_tokens = np.bincount(rows, weights=counts).astype(np.int64)
    column = np.arange(len(rows)) - (np.cumsum(window_words) - window_words)[rows]
    first_token = np.cumsum(window_tokens) - window_tokens
    token_rows = np.repeat(rows, counts)
    input_ids = np.full((len(window_words), int(window_tokens.max()) + 2), pad, dtype=np.int64)
    input_ids[token_rows, np.arange(len(subwords)) - first_token[token_rows] + 1] = subwords
    input_ids[:, 0] = start
    input_ids[np.arange(len(window_words)), window_tokens + 1] = end
    attention_mask = (np.arange(input_ids.shape[1]) < window_tokens[:, None] + 2).astype(np.int64)
    shape = len(window_words), int(window_words.max())
    word_index, pause, boundary = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    word_index[rows, column] = np.cumsum(counts) - first_token[rows]
    pause[rows, column] = pauses
    boundary[rows, column] = boundaries
    return Features(input_ids, attention_mask, word_index, pause, boundary)


@dataclass(frozen=True)
class WindowProbabilities:
    """Probabilities for a batch of windows; for one window without the dimension `batch`.

    `labels` are those of marks or of classes, (batch, words, labels), `cases` those of cases, (batch, words, cases).
    """

    labels: FloatArray
    cases: FloatArray
