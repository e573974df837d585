"""Cut training windows from a corpus: one function for each kind of `training.windows`.

A window never crosses the edge of a document, as in use. All functions are pure: an epoch can be cut again.
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
"""First word of each window, and the word after its last one, (windows, 2)."""
Documents = npt.NDArray[np.integer]
"""First word of each document, and the word after its last one, (documents, 2), in the order of the corpus."""

CUT_EVERY = 24
"""Mean number of words between two cuts of `cut`."""
_SENTENCE_END = np.uint16(mark_bits(SENTENCE_ENDS))


@dataclass(frozen=True)
class WindowLimits:
    """Largest size of a window.

    Attributes:
        words: words.
        tokens: sub-words, without the special tokens.
        before: *Shape:* (corpus + 1,), sub-words of the corpus before each word; the last entry counts all of them.
    """

    words: int
    tokens: int
    before: npt.NDArray[np.int64]

    @classmethod
    def of(cls, subwords: npt.NDArray[np.integer], words: int, tokens: int) -> WindowLimits:
        """Return the limits for a corpus whose words have these numbers of sub-words, (corpus,)."""
        return cls(words, tokens, np.concatenate([[0], np.cumsum(subwords)]))

    def stops(
        self, starts: npt.NDArray[np.integer] | int, stops: npt.NDArray[np.integer] | int
    ) -> npt.NDArray[np.int64]:
        """Return the end of each window that begins at `starts` and may reach `stops`; it has at least one word."""
        fitting = np.searchsorted(self.before, self.before[starts] + self.tokens, side="right") - 1
        limits: npt.NDArray[np.int64] = np.minimum(np.add(starts, self.words), np.maximum(fitting, np.add(starts, 1)))
        return np.minimum(stops, limits)


def training_windows(corpus: Corpus, config: TrainingConfig, words: int, tokens: int, rng: Generator) -> Spans:
    """Cut the windows of one pass over a corpus.

    Args:
        corpus: the words.
        config: selects the way with `windows.kind`.
        words: most words of a window.
        tokens: most sub-words of a window, without the special tokens.
        rng: random generator.
    """
    limits = WindowLimits.of(corpus.vocabulary.counts(corpus.words), words, tokens)
    windows = _select(corpus, config, limits, rng)
    return cut(windows, config.windows.cut_share, rng) if config.windows.cut_share else windows


def _select(corpus: Corpus, config: TrainingConfig, limits: WindowLimits, rng: Generator) -> Spans:
    documents = corpus.documents()
    match config.windows.kind:
        case "uniform":
            return uniform(documents, limits, rng)
        case "sliding":
            return sliding(documents, limits)
        case "sentences":
            return sentences(documents, limits, sentence_ends(corpus), config.windows.sentences, rng)
        case "passes":
            return passes(documents, limits, rng)


def cut(windows: Spans, share: float, rng: Generator) -> Spans:
    """Cut a share of the windows at random words; the order of the windows changes, every word stays in one.

    The right context of a cut window ends as a stream's look-ahead does: its last word has no flag of a document end.
    """
    chosen = rng.random(len(windows)) < share
    starts, stops = windows[chosen].T
    lengths = stops - starts
    places = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    begins = (places == 0) | (rng.random(len(places)) < 1 / CUT_EVERY)
    places += np.repeat(starts, lengths)
    parts = np.stack([places[begins], places[np.roll(begins, -1)] + 1], axis=1)
    return np.concatenate([windows[~chosen], parts])


def passes(documents: Documents, limits: WindowLimits, rng: Generator) -> Spans:
    """Cut each document into consecutive windows, the first one of random length: every word once."""
    windows = []
    for start, stop in documents.tolist():
        first = limits.words if stop - start <= limits.words else int(rng.integers(1, limits.words + 1))
        while start < stop:
            end = int(limits.stops(start, min(stop, start + first)))
            windows.append((start, end))
            start, first = end, limits.words
    return np.array(windows)


def sliding(documents: Documents, limits: WindowLimits) -> Spans:
    """Cut windows that start one word apart (Courtland et al. 2020, section 3).

    The paper has a single stream. Here the window slides over each document, from containing only its first word to
    containing only its last one, so every word is in L = `limits.words` windows. Where `limits.tokens` binds, L is the
    number of words in the document's first window.

    Returns:
        Windows in the order of the corpus; int32, as there are more windows than words.
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


def uniform(documents: Documents, limits: WindowLimits, rng: Generator) -> Spans:
    """Draw window starts uniformly, with repetition: sequence boundary sampling (Shi et al. 2021, section 2.2).

    The paper draws ⌊|S| / L⌋ starts in a single stream of tokens S. Here a window contains complete words of one
    document. Each word fills a share of a window, 1 / `limits.words` or its sub-words / `limits.tokens`, whichever is
    larger, and starts are uniform on the line of all shares. A start may also be before its document, by less than 1;
    the window is then shorter. So every word is equally likely, and expected once a pass.
    """
    window = limits.words * limits.tokens  # shares as whole numbers
    shares = np.maximum(limits.tokens, np.diff(limits.before) * limits.words)
    before = np.concatenate([[0], np.cumsum(shares)])
    ends = np.cumsum(before[documents[:, 1]] - before[documents[:, 0] + 1] + window)
    drawn = rng.integers(ends[-1], size=ends[-1] // window)
    owners = np.searchsorted(ends, drawn, side="right")
    first, last = documents[owners].T
    places = drawn - ends[owners] + before[last]
    starts = np.maximum(np.searchsorted(before, places, side="right") - 1, first)
    stops = np.searchsorted(before, np.minimum(places, before[starts]) + window, side="right") - 1
    return np.stack([starts, np.clip(stops, starts + 1, last)], axis=1)


def sentence_ends(corpus: Corpus) -> npt.NDArray[np.int64]:
    """Return the place after each sentence: after a mark that ends sentences, and at the end of a document."""
    ends: npt.NDArray[np.int64] = np.flatnonzero(corpus.marks & _SENTENCE_END | corpus.boundaries & DOCUMENT_END) + 1
    return ends


def sentences(
    documents: Documents, limits: WindowLimits, ends: npt.NDArray[np.int64], most: int, rng: Generator
) -> Spans:
    """Join 1 to `most` sentences in each window; every word once a pass (Poláček et al. 2023, section 3.3).

    A window drops the sentences that do not fit, and the next window begins with them. A sentence longer than a window
    is cut.

    Args:
        documents: first word and end of each document.
        limits: size of a window.
        ends: the places after sentences, from `sentence_ends`.
        most: most sentences of a window.
        rng: random generator.
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
