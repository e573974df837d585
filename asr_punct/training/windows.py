"""How training windows are cut from a corpus: one function for each way, all pure functions of what they are given.

No window crosses from one document into another, whatever the way: none does in use.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import TrainingConfig
from asr_punct.features import DOCUMENT_END
from asr_punct.marks import SENTENCE_ENDS, mark_bits
from asr_punct.training.corpus import Corpus

Spans = npt.NDArray[np.integer]
"""First word of each window and the one after its last, (windows, 2)."""
Documents = npt.NDArray[np.integer]
"""First word of each document and the one after its last, (documents, 2), in the order of the corpus."""

_SENTENCE_END = np.uint16(mark_bits(SENTENCE_ENDS))


@dataclass(frozen=True)
class Limits:
    """What a window holds at most.

    Attributes:
        words: words.
        tokens: sub-words, special tokens not counted.
        before: *Shape:* (corpus + 1,), sub-words of the corpus before each of its words, and of all.
    """

    words: int
    tokens: int
    before: npt.NDArray[np.int64]

    @classmethod
    def of(cls, subwords: npt.NDArray[np.integer], words: int, tokens: int) -> Limits:
        """Limits over a corpus whose words have these numbers of sub-words, (corpus,)."""
        return cls(words, tokens, np.concatenate([[0], np.cumsum(subwords)]))

    def stops(
        self, starts: npt.NDArray[np.integer] | int, stops: npt.NDArray[np.integer] | int
    ) -> npt.NDArray[np.int64]:
        """Where windows stop that begin at `starts` and go on to `stops` at most; each has a word."""
        fitting = np.searchsorted(self.before, self.before[starts] + self.tokens, side="right") - 1
        limits: npt.NDArray[np.int64] = np.minimum(np.add(starts, self.words), np.maximum(fitting, np.add(starts, 1)))
        return np.minimum(stops, limits)


def training_windows(corpus: Corpus, config: TrainingConfig, words: int, tokens: int, rng: Generator) -> Spans:
    """The windows of one pass over a corpus, in the way that `config.windows.kind` names.

    Args:
        corpus: its words.
        config: the way.
        words: words of a window at most.
        tokens: sub-words of a window at most, special tokens not counted.
        rng: what draws.
    """
    documents = corpus.documents()
    limits = Limits.of(corpus.vocabulary.counts(corpus.words), words, tokens)
    if config.windows.kind == "uniform":
        return uniform(documents, limits, rng)
    if config.windows.kind == "sliding":
        return sliding(documents, limits)
    if config.windows.kind == "sentences":
        return sentences(documents, limits, sentence_ends(corpus), config.windows.sentences, rng)
    return passes(documents, limits, rng)


def passes(documents: Documents, limits: Limits, rng: Generator) -> Spans:
    """Windows that hold every word of the corpus once, the first one of each document of random length."""
    windows = []
    for start, stop in documents.tolist():
        first = limits.words if stop - start <= limits.words else int(rng.integers(1, limits.words + 1))
        while start < stop:
            end = int(limits.stops(start, min(stop, start + first)))
            windows.append((start, end))
            start, first = end, limits.words
    return np.array(windows)


def sliding(documents: Documents, limits: Limits) -> Spans:
    """Windows that start one word apart (Courtland et al. 2020, section 3: "one token at a time").

    The paper has one stream. Here a window slides over each document from where it holds the first word alone to where
    it holds the last one alone. So each word is in L = `limits.words` windows, once in each place from its edges, and a
    pass is L times as many words as the corpus. Where `limits.tokens` binds, a word is in as many windows as those
    around it hold words: L is then what a document's first window holds (of a short one: would, if it went on so).

    Returns:
        Windows in the order of the corpus; int32, for there are more of them than words.
    """
    first, last = documents.T
    stops = limits.stops(first, last)
    fitting = limits.tokens * (stops - first) // (limits.before[stops] - limits.before[first])
    longest = np.clip(fitting, 1, limits.words)
    positions = last - first + longest - 1
    owners = np.repeat(np.arange(len(positions)), positions)
    first, last, longest = first[owners], last[owners], longest[owners]
    places = np.arange(len(owners)) - (np.cumsum(positions) - positions)[owners] + first - (longest - 1)
    stops = np.where(places < first, np.minimum(places + longest, last), last)
    starts = np.maximum(places, first)
    return np.stack([starts, limits.stops(starts, stops)], axis=1, dtype=np.int32)


def uniform(documents: Documents, limits: Limits, rng: Generator) -> Spans:
    """Sequence boundary sampling: windows at starts drawn uniformly, with repetition (Shi et al. 2021, section 2.2).

    The paper draws ⌊|S| / L⌋ starts 0 ≤ j < |S| - L in one stream of tokens S, with L tokens from each. Here windows
    hold whole words and stay inside documents: windows across documents would teach contexts that never come in use.

    A word takes a share of a window: 1 / `limits.words`, or its sub-words / `limits.tokens` where that is more. Starts
    are drawn uniformly on the line of all shares; a window begins with the word there and holds what fits into 1. It
    may also start before its document, by less than 1, and hold what lies inside. So each word is as likely as any
    other, at the edges of documents by windows that are shorter, where the paper's first and last L tokens are rarer;
    what differs is the rest that windows leave empty at their end, less than a word's share.

    There are as many windows as the corpus and what lies before its documents fill, ⌊(|S| + (L - 1) D) / L⌋ with D
    documents where L = `limits.words` binds alone: each word is expected once a pass, as in the paper.
    """
    whole = limits.words * limits.tokens  # shares as whole numbers
    shares = np.maximum(limits.tokens, np.diff(limits.before) * limits.words)
    before = np.concatenate([[0], np.cumsum(shares)])
    ends = np.cumsum(before[documents[:, 1]] - before[documents[:, 0] + 1] + whole)
    drawn = rng.integers(ends[-1], size=ends[-1] // whole)
    owners = np.searchsorted(ends, drawn, side="right")
    first, last = documents[owners].T
    places = drawn - ends[owners] + before[last]
    starts = np.maximum(np.searchsorted(before, places, side="right") - 1, first)
    stops = np.searchsorted(before, np.minimum(places, before[starts]) + whole, side="right") - 1
    return np.stack([starts, np.clip(stops, starts + 1, last)], axis=1)


def sentence_ends(corpus: Corpus) -> npt.NDArray[np.int64]:
    """Words after which a sentence ends, each as the place after it: those with a mark that ends one, or a document."""
    ends: npt.NDArray[np.int64] = np.flatnonzero(corpus.marks & _SENTENCE_END | corpus.boundaries & DOCUMENT_END) + 1
    return ends


def sentences(documents: Documents, limits: Limits, ends: npt.NDArray[np.int64], most: int, rng: Generator) -> Spans:
    """Random numbers of sentences joined, from 1 to `most`; every word once a pass (Poláček et al. 2023, section 3.3).

    Where they are more than a window holds, those that it holds whole are joined, and the next window begins with the
    one after them. The first sentence of a window is cut if it is longer; the next window begins with its rest.

    Args:
        documents: first word of each and the one after its last.
        limits: of a window.
        ends: of all sentences, as of `sentence_ends`.
        most: sentences of a window at most.
        rng: what draws their numbers.
    """
    windows = []
    for start, stop in documents.tolist():
        while start < stop:
            furthest = int(limits.stops(start, stop))
            first, beyond = np.searchsorted(ends, (start, furthest), side="right")
            last = min(first + rng.integers(most), beyond - 1)
            end = int(ends[last]) if last >= first else furthest
            windows.append((start, end))
            start = end
    return np.array(windows)
