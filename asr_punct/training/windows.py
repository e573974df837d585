"""Cut training windows from a corpus: one function for each `training.windows.kind`.

As in inference, a window never crosses the edge of a document. The windows depend only on the arguments, so a resumed
run has the same ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import TrainingConfig
from asr_punct.features import DOCUMENT_END
from asr_punct.marks import SENTENCE_ENDS, mark_bits
from asr_punct.training.corpus import Corpus, positions

Spans = npt.NDArray[np.integer]
"""First word of each window or document, and the word after its last one, (windows, 2)."""
_Indices = npt.NDArray[np.integer] | int
CUT_EVERY = 24
"""Mean number of words between two cuts of `cut_windows`."""
BLOCK_SPANS = 2**12
"""Windows or documents that are processed together."""
_SENTENCE_END = np.uint16(mark_bits(SENTENCE_ENDS))


@dataclass(frozen=True)
class WindowLimits:
    """The maximum number of words and of sub-words (without special tokens) of a window of a corpus."""

    words: int
    tokens: int
    subword_counts: Callable[[slice], npt.NDArray[np.integer]]
    """Returns the number of sub-words of each word in a slice of the corpus."""

    @cached_property
    def subwords_before(self) -> npt.NDArray[np.int64]:
        """Number of sub-words before each word of the corpus, (words of the corpus + 1,); the last entry counts all."""
        return np.concatenate([[0], np.cumsum(self.subword_counts(slice(None)))])

    def longest_stops(self, starts: _Indices, stops: _Indices) -> npt.NDArray[np.int64]:
        """Return the end of the longest window from each start, at most `stops`; a window has at least one word."""
        before = self.subwords_before
        fitting = np.searchsorted(before, before[starts] + self.tokens, side="right") - 1
        limits: npt.NDArray[np.int64] = np.minimum(np.add(starts, self.words), np.maximum(fitting, np.add(starts, 1)))
        return np.minimum(stops, limits)

    def longest_stop(self, start: int, stop: int) -> int:
        """Return `longest_stops` of one start, without `subwords_before`, which needs 8 bytes a word of the corpus."""
        counts = self.subword_counts(slice(start, min(stop, start + self.words)))
        return start + max(1, int(np.searchsorted(np.cumsum(counts), self.tokens, side="right")))


def training_windows(corpus: Corpus, config: TrainingConfig, words: int, tokens: int, rng: Generator) -> Spans:
    """Cut the windows of one pass over a corpus as configured by `config.windows`.

    A window has at most `words` words and `tokens` sub-words, without the special tokens. The kind `passes` needs
    a byte of memory for each word of the corpus, the others at least 8.
    """
    limits = WindowLimits(words, tokens, lambda part: corpus.vocabulary.counts(corpus.words[part]))
    documents, sampling = corpus.documents(), config.windows
    match sampling.kind:
        case "uniform":
            windows = uniform_windows(documents, limits, rng)
        case "sliding":
            windows = sliding_windows(documents, limits)
        case "sentences":
            sentence_stops = np.flatnonzero(corpus.marks & _SENTENCE_END | corpus.boundaries & DOCUMENT_END) + 1
            windows = sentence_windows(documents, limits, sentence_stops, sampling.sentences, rng)
        case "passes":
            windows = consecutive_windows(documents, limits, rng)
    return cut_windows(windows, sampling.cut_share, rng) if sampling.cut_share else windows


def subword_counts(corpus: Corpus, windows: Spans) -> npt.NDArray[np.int64]:
    """Return the number of sub-words of each window, without special tokens, (windows,)."""
    return np.concatenate([_subword_counts(corpus, block) for block in _blocks(windows)])


def _subword_counts(corpus: Corpus, windows: Spans) -> npt.NDArray[np.int64]:
    rows, words = _window_words(windows)
    return np.bincount(rows, weights=corpus.vocabulary.counts(corpus.words[words])).astype(np.int64)


def cut_windows(windows: Spans, share: float, rng: Generator) -> Spans:
    """Cut a share of the windows into shorter ones at random words. Every word stays in one; their order changes."""
    chosen = rng.random(len(windows)) < share
    parts = [_cut(block, rng) for block in _blocks(windows[chosen])]
    return np.concatenate([windows[~chosen], *parts])


def _blocks(spans: Spans) -> Iterator[Spans]:
    return (spans[i : i + BLOCK_SPANS] for i in range(0, len(spans), BLOCK_SPANS))


def _cut(windows: Spans, rng: Generator) -> Spans:
    rows, words = _window_words(windows)
    is_first = (positions(rows) == 0) | (rng.random(len(rows)) < 1 / CUT_EVERY)
    is_last = np.roll(is_first, -1)  # the next word is the first one of a part
    return np.stack([words[is_first], words[is_last] + 1], axis=1)


def _window_words(windows: Spans) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return window and corpus index of each word of the windows, two arrays (words,)."""
    starts, stops = windows.T
    rows = np.repeat(np.arange(len(starts)), stops - starts)
    return rows, starts[rows] + positions(rows)


def consecutive_windows(documents: Spans, limits: WindowLimits, rng: Generator) -> Spans:
    """Cut each document into consecutive windows, the first one of random length; every word is in one window."""
    windows = array("q")
    for block in _blocks(documents):
        for start, stop in block.tolist():
            length = limits.words if stop - start <= limits.words else int(rng.integers(1, limits.words + 1))
            while start < stop:
                end = limits.longest_stop(start, min(stop, start + length))
                windows.extend((start, end))
                start, length = end, limits.words
    return np.array(windows, np.int64).reshape(-1, 2)


def sliding_windows(documents: Spans, limits: WindowLimits) -> Spans:
    """Cut windows that start one word apart (Courtland et al. 2020, section 3), in the order of the corpus, as int32.

    The paper has a single stream. Here the window slides over each document, from containing only its first word to
    containing only its last one, so every word is in L = `limits.words` windows. Where `limits.tokens` allows fewer
    words, L is the number that fit with the mean number of sub-words per word of the document's first window.
    """
    first, last = documents.T
    stops = limits.longest_stops(first, last)
    fitting = limits.tokens * (stops - first) // (limits.subwords_before[stops] - limits.subwords_before[first])
    length = np.clip(fitting, 1, limits.words)
    rows = np.repeat(np.arange(len(documents)), last - first + length - 1)  # the document of each window
    first, last, length = first[rows], last[rows], length[rows]
    places = first - (length - 1) + positions(rows)  # starts of the windows; the first ones are before the document
    stops = np.where(places < first, np.minimum(places + length, last), last)
    starts = np.maximum(places, first)
    return np.stack([starts, limits.longest_stops(starts, stops)], axis=1, dtype=np.int32)


def uniform_windows(documents: Spans, limits: WindowLimits, rng: Generator) -> Spans:
    """Draw window starts uniformly, with repetition: sequence boundary sampling (Shi et al. 2021, section 2.2).

    The paper draws ⌊|S| / L⌋ starts in a single stream of tokens S. Here a window contains complete words of one
    document. Each word fills a share of a window: 1 / `limits.words`, or its sub-words / `limits.tokens` if that is
    larger. Lay the shares of all words side by side on a line: starts are uniform on it, and a window covers a length
    of 1. A start may also be before its document, by less than 1; the window is then shorter. So each word is expected
    in one window a pass.
    """
    window = limits.words * limits.tokens  # the length 1, so that all shares are integers
    shares = np.maximum(limits.tokens, np.diff(limits.subwords_before) * limits.words)
    before = np.concatenate([[0], np.cumsum(shares)])
    # a document's starts: from `window` before the end of its first word to the end of its last word
    ends = np.cumsum(before[documents[:, 1]] - before[documents[:, 0] + 1] + window)
    drawn = rng.integers(ends[-1], size=ends[-1] // window)
    rows = np.searchsorted(ends, drawn, side="right")  # the document of each window
    first, last = documents[rows].T
    places = drawn - ends[rows] + before[last]  # the start of each window on the line
    starts = np.maximum(np.searchsorted(before, places, side="right") - 1, first)
    stops = np.searchsorted(before, np.minimum(places, before[starts]) + window, side="right") - 1
    return np.stack([starts, np.clip(stops, starts + 1, last)], axis=1)


def sentence_windows(
    documents: Spans, limits: WindowLimits, sentence_stops: npt.NDArray[np.int64], max_sentences: int, rng: Generator
) -> Spans:
    """Join 1 to `max_sentences` sentences in each window (Poláček et al. 2023, section 3.3).

    Every word is in one window. Sentences that exceed the limits begin the next window. A sentence longer than a window
    is cut. `sentence_stops` are the indices of the word after each sentence, ascending.
    """
    windows = []
    for start, stop in documents.tolist():
        while start < stop:
            longest = int(limits.longest_stops(start, stop))
            first, beyond = np.searchsorted(sentence_stops, (start, longest), side="right")  # indices of sentences
            last = min(first + rng.integers(max_sentences), beyond - 1)
            end = int(sentence_stops[last]) if last >= first else longest
            windows.append((start, end))
            start = end
    return np.array(windows)
