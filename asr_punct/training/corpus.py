"""Labelled words as arrays of a few bytes for each word: corpora, and the words of training windows."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from asr_punct.features import DOCUMENT_END, DOCUMENT_START, EDGES, TURN_END, TURN_START, TURNS, WordInput
from asr_punct.marks import MARKS
from asr_punct.pauses import BUCKETS, UNKNOWN_PAUSE
from asr_punct.subwords import SubwordTokenizer

BLOCK_WORDS = 2**16
"""Words that are processed together where a whole corpus would need too much memory."""


@dataclass(frozen=True)
class Vocabulary:
    """Distinct words and their sub-words by a tokenizer."""

    words: tuple[str, ...]
    subwords: npt.NDArray[np.int32]
    """(sub-words,), token ids of all words."""
    offsets: npt.NDArray[np.int64]
    """(words + 1,), index of the first sub-word of each word; the last entry is the end."""
    special: tuple[int, int, int]
    """Ids of the start, end and padding tokens."""
    unknown: int
    """Id of the unknown sub-word."""

    @classmethod
    def encode(cls, words: Sequence[str], tokenizer: SubwordTokenizer) -> Vocabulary:
        """Encode lower-case words."""
        counts, subwords = array("q"), array("i")
        for start in range(0, len(words), BLOCK_WORDS):
            for ids in tokenizer.encode(words[start : start + BLOCK_WORDS]):
                counts.append(len(ids))
                subwords.extend(ids)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return cls(tuple(words), np.array(subwords, np.int32), offsets, tokenizer.special, tokenizer.unknown)

    def with_words_of(self, subwords: Sequence[int]) -> Vocabulary:
        """Return the vocabulary with more words at its end, each of which has one of these sub-words."""
        words = (*self.words, *[""] * len(subwords))
        joined = np.append(self.subwords, np.array(subwords, np.int32))
        offsets = np.append(self.offsets, len(self.subwords) + 1 + np.arange(len(subwords)))
        return replace(self, words=words, subwords=joined, offsets=offsets)

    def counts(self, words: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of sub-words of each word index, in the shape of `words`."""
        counts: npt.NDArray[np.int64] = self.offsets[words + 1] - self.offsets[words]
        return counts

    def gather(self, words: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
        """Return the sub-words of the word indices `words`, concatenated."""
        rows = np.repeat(np.arange(len(words)), self.counts(words))
        subwords: npt.NDArray[np.int32] = self.subwords[self.offsets[words][rows] + positions(rows)]
        return subwords


@dataclass(frozen=True)
class WordColumns:
    """Words with their labels and pauses, each (words,).

    `words` are vocabulary indices, `marks` bit sets with bit i for mark i, `cases` indices of the case, `pauses`
    buckets, and `boundaries` flags of words that begin or end a document or a speaker's turn.
    """

    words: npt.NDArray[np.int32]
    marks: npt.NDArray[np.uint16]
    cases: npt.NDArray[np.uint8]
    pauses: npt.NDArray[np.int16]
    boundaries: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.words)

    def blocks(self) -> Iterator[WordColumns]:
        """Yield consecutive blocks of at most `BLOCK_WORDS` words."""
        for start in range(0, len(self), BLOCK_WORDS):
            columns = {each.name: getattr(self, each.name) for each in fields(WordColumns)}
            yield WordColumns(**{name: column[start : start + BLOCK_WORDS] for name, column in columns.items()})


@dataclass(frozen=True)
class Corpus(WordColumns):
    """The words of all documents, concatenated. The columns may be memory-mapped files."""

    vocabulary: Vocabulary

    def without_turns(self) -> Corpus:
        """Return the corpus without changes of speaker."""
        return replace(self, boundaries=self.boundaries & np.uint8(EDGES))

    def documents(self) -> npt.NDArray[np.int64]:
        """Return the first word of each document and the word after its last one, (documents, 2)."""
        starts, lasts = (np.flatnonzero(self.boundaries & flag) for flag in (DOCUMENT_START, DOCUMENT_END))
        return np.stack([starts, lasts + 1], axis=1)

    def inputs(self) -> Iterator[WordInput]:
        """Yield the inputs of all words."""
        subwords = self.vocabulary.subwords.tolist()
        offsets = self.vocabulary.offsets.tolist()
        for block in self.blocks():
            columns = (block.words.tolist(), block.pauses.tolist(), block.boundaries.tolist())
            for word, pause, flag in zip(*columns, strict=True):
                yield WordInput(tuple(subwords[offsets[word] : offsets[word + 1]]), pause, flag)

    def windows(self, spans: npt.NDArray[np.integer]) -> WordArrays:
        """Return the words of windows; `spans` has the first word and the end of each, (windows, 2)."""
        rows = np.repeat(np.arange(len(spans), dtype=np.int32), spans[:, 1] - spans[:, 0])
        indices = spans[:, 0][rows] + positions(rows)
        return WordArrays(**{each.name: getattr(self, each.name)[indices] for each in fields(WordColumns)}, rows=rows)


@dataclass(frozen=True)
class WordArrays(WordColumns):
    """The words of a batch of windows, window by window; `rows`, (words,), are their windows, ascending from 0."""

    rows: npt.NDArray[np.int32]

    @property
    def cells(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Window of each word, and its position in the window, each (words,)."""
        return self.rows, positions(self.rows)

    @property
    def first(self) -> npt.NDArray[np.bool_]:
        """Which words are the first of their window, (words,)."""
        return np.diff(self.rows, prepend=-1) > 0

    @property
    def last(self) -> npt.NDArray[np.bool_]:
        """Which words are the last of their window, (words,)."""
        return np.diff(self.rows, append=self.rows[-1] + 1) > 0

    def select(self, words: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> WordArrays:
        """Return copies of the words with these indices, or where a mask is true; `rows` are not renumbered."""
        return WordArrays(**{name: column[words] for name, column in vars(self).items()})

    def repeat(self, copies: npt.NDArray[np.integer]) -> WordArrays:
        """Return each word `copies[i]` times, 1 or more; only the first one begins, and the last one ends, a turn."""
        result = self.select(np.repeat(np.arange(len(copies)), copies))
        first, last = (np.ones(len(result.words), np.bool_) for _ in range(2))
        ends = np.cumsum(copies)
        first[ends - copies] = last[ends - 1] = False
        result.boundaries[first] &= np.uint8(~TURN_START & 0xFF)
        result.boundaries[last] &= np.uint8(~TURN_END & 0xFF)
        return result

    def with_edges_of(self, before: WordArrays) -> WordArrays:
        """Return the windows with the document flags of the first and last words of the windows `before`."""
        flags = self.boundaries & np.uint8(TURNS)
        flags[self.first] |= before.boundaries[before.first] & DOCUMENT_START
        flags[self.last] |= before.boundaries[before.last] & DOCUMENT_END
        return replace(self, boundaries=flags)

    def without(self, deleted: npt.NDArray[np.bool_]) -> WordArrays:
        """Return copies of the words that are not deleted.

        The pauses of deleted words are added to the pause of the word before them; the sum is unknown if one of them is
        unknown.
        """
        groups = np.flatnonzero(self.first | ~deleted)  # a kept word and the deleted words after it
        sums = np.minimum(np.add.reduceat(self.pauses, groups, dtype=np.int64), BUCKETS - 1)
        unknown = np.logical_or.reduceat(self.pauses == UNKNOWN_PAUSE, groups)
        pauses = np.where(unknown, UNKNOWN_PAUSE, sums).astype(np.int16)
        return replace(self.select(~deleted), pauses=pauses[~deleted[groups]])


def positions(rows: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Return the position of each element in its row: 0, 1, 0 for the ascending `rows` 0, 0, 1."""
    lengths = np.bincount(rows)
    found: npt.NDArray[np.int64] = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    return found


def mark_matrix(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Convert bit sets of marks, (…,), to zeros and ones, (…, marks)."""
    return (bits[..., None] >> np.arange(len(MARKS)) & 1).astype(np.float32)
