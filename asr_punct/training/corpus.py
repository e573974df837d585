"""A labelled corpus in memory: a few bytes a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from asr_punct import progress
from asr_punct.errors import InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput
from asr_punct.formats.tsv import read_tsv
from asr_punct.marks import CASES, MARKS, Labels, Mark, mark_bits
from asr_punct.pauses import BUCKETS, UNKNOWN, buckets
from asr_punct.subwords import SubwordTokenizer
from asr_punct.words import Utterance, word_count


@dataclass(frozen=True)
class Vocabulary:
    """Distinct words and their sub-words.

    Attributes:
        words: the words.
        subwords: *Shape:* (sub-words,), those of all words in a row.
        ends: *Shape:* (words + 1,), where each word's sub-words begin, and the last one's end.
    """

    words: tuple[str, ...]
    subwords: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]

    @classmethod
    def encode(cls, words: Sequence[str], tokenizer: SubwordTokenizer) -> Vocabulary:
        """The vocabulary of lower-case words."""
        pieces = tokenizer.encode(list(words))
        counts = np.array([len(piece) for piece in pieces])
        flat = np.fromiter((number for piece in pieces for number in piece), dtype=np.int32, count=int(counts.sum()))
        return cls(tuple(words), flat, np.concatenate([[0], np.cumsum(counts)]))

    def with_unknown(self, subword: int) -> Vocabulary:
        """The same with one more word at its end, which no text has: a single unknown sub-word, of this number."""
        subwords = np.append(self.subwords, np.int32(subword))
        return Vocabulary((*self.words, ""), subwords, np.append(self.ends, len(subwords)))

    def counts(self, words: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Number of sub-words of each of `words`, places in the vocabulary, (words,)."""
        counts: npt.NDArray[np.int64] = self.ends[words + 1] - self.ends[words]
        return counts

    def gather(self, words: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
        """Sub-words of `words`, places in the vocabulary, in a row."""
        counts = self.counts(words)
        first = np.repeat(self.ends[words] - (np.cumsum(counts) - counts), counts)
        return self.subwords[first + np.arange(len(first))]


@dataclass(frozen=True)
class Corpus:
    """Words of all documents in a row.

    Attributes:
        vocabulary: the distinct words.
        words: *Shape:* (corpus,), places in `vocabulary`.
        pauses: *Shape:* (corpus,), buckets.
        marks: *Shape:* (corpus,), bit i set where mark i stands.
        cases: *Shape:* (corpus,), number of the case.
        boundaries: *Shape:* (corpus,), flags of the words that begin or end a document.
    """

    vocabulary: Vocabulary
    words: npt.NDArray[np.int32]
    pauses: npt.NDArray[np.int16]
    marks: npt.NDArray[np.uint16]
    cases: npt.NDArray[np.uint8]
    boundaries: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.words)

    def documents(self) -> npt.NDArray[np.int64]:
        """First word of each document and the one after its last, (documents, 2)."""
        starts = np.flatnonzero(self.boundaries & DOCUMENT_START)
        stops = np.flatnonzero(self.boundaries & DOCUMENT_END) + 1
        return np.stack([starts, stops], axis=1)

    def inputs(self) -> Iterator[WordInput]:
        """Inputs of all words."""
        subwords = self.vocabulary.subwords.tolist()
        ends = self.vocabulary.ends.tolist()
        for word, pause, flag in zip(self.words.tolist(), self.pauses.tolist(), self.boundaries.tolist(), strict=True):
            yield WordInput(tuple(subwords[ends[word] : ends[word + 1]]), pause, flag)


@dataclass(frozen=True)
class WordArrays:
    """The words of a batch of windows, one window after the other.

    Attributes:
        words: *Shape:* (words,), places in the vocabulary.
        marks: *Shape:* (words,), bit i set where mark i stands.
        cases: *Shape:* (words,), number of the case.
        pauses: *Shape:* (words,), buckets.
        boundaries: *Shape:* (words,), flags of the words that begin or end a document.
        rows: *Shape:* (words,), window of each word, ascending from 0.
    """

    words: npt.NDArray[np.int32]
    marks: npt.NDArray[np.uint16]
    cases: npt.NDArray[np.uint8]
    pauses: npt.NDArray[np.int16]
    boundaries: npt.NDArray[np.uint8]
    rows: npt.NDArray[np.int32]

    @property
    def cells(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Window of each word and its place in the window, each (words,)."""
        lengths = np.bincount(self.rows)
        return self.rows, np.arange(len(self.rows)) - (np.cumsum(lengths) - lengths)[self.rows]

    @property
    def first(self) -> npt.NDArray[np.bool_]:
        """Whether each word is the first of its window, (words,)."""
        return np.diff(self.rows, prepend=-1) > 0

    @property
    def last(self) -> npt.NDArray[np.bool_]:
        """Whether each word is the last of its window, (words,)."""
        return np.diff(self.rows, append=self.rows[-1] + 1) > 0

    def at(self, places: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> WordArrays:
        """Copies of the words at `places`, numbers or a mask; windows keep their numbers."""
        return WordArrays(**{name: column[places] for name, column in vars(self).items()})

    def without(self, deleted: npt.NDArray[np.bool_]) -> WordArrays:
        """Copies of the other words; each pause goes on through those of the deleted words after it in its window.

        It is their sum, or unknown if one of them is.
        """
        ends = np.flatnonzero(self.first | ~deleted)
        pauses = np.minimum(np.add.reduceat(self.pauses, ends, dtype=np.int64), BUCKETS - 1)
        unknown = np.logical_or.reduceat(self.pauses == UNKNOWN, ends)
        spent = np.where(unknown, UNKNOWN, pauses).astype(np.int16)
        return replace(self.at(~deleted), pauses=spent[~deleted[ends]])


def read_words(path: Path) -> Iterator[str]:
    """Lower-case words of a TSV corpus."""
    return (word.text.lower() for utterance in _utterances(path) for word in utterance.words)


def read_marks(path: Path) -> Iterator[frozenset[Mark]]:
    """Marks of the words of a TSV corpus."""
    return (label.marks for utterance in _utterances(path) for label in utterance.labels)


def _utterances(path: Path) -> Iterable[Utterance]:
    words = f"words of {path.name}"
    return progress.counted(read_tsv(path), words, size=word_count, source=path)


def read_corpus(path: Path, tokenizer: SubwordTokenizer) -> Corpus:
    """Load a TSV corpus.

    Raises:
        InputError: the file is missing, malformed or has no words.
    """
    index: dict[str, int] = {}
    columns: list[list[npt.NDArray[np.int64]]] = []
    document: str | None = None
    for utterance in _utterances(path):
        if not utterance.words:
            continue
        new = _columns(utterance, index)
        if utterance.context != document:
            new[-1][0] = DOCUMENT_START
            _end_document(columns)
        columns.append(new)
        document = utterance.context
    if not columns:
        raise InputError(path, "no words", "a corpus")
    _end_document(columns)
    words, pauses, marks, cases, boundaries = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return Corpus(
        vocabulary=Vocabulary.encode(list(index), tokenizer),
        words=words.astype(np.int32),
        pauses=pauses.astype(np.int16),
        marks=marks.astype(np.uint16),
        cases=cases.astype(np.uint8),
        boundaries=boundaries.astype(np.uint8),
    )


def _end_document(columns: list[list[npt.NDArray[np.int64]]]) -> None:
    if columns:
        columns[-1][-1][-1] += DOCUMENT_END


def _columns(utterance: Utterance, index: dict[str, int]) -> list[npt.NDArray[np.int64]]:
    """Words, pauses, marks, cases and boundaries of one utterance, each (words,)."""
    words = [index.setdefault(word.text.lower(), len(index)) for word in utterance.words]
    marks, cases = zip(*map(_numbers, utterance.labels), strict=True)
    pauses = buckets(utterance.pauses)
    return [np.array(words), pauses, np.array(marks), np.array(cases), np.zeros(len(words), dtype=np.int64)]


@cache
def _numbers(labels: Labels) -> tuple[int, int]:
    return mark_bits(labels.marks), CASES.index(labels.case)


def mark_matrix(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Bits of marks, (…,), as zeros and ones, (…, marks)."""
    return (bits[..., None] >> np.arange(len(MARKS)) & 1).astype(np.float32)
