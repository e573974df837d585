"""Where speakers pause without a mark: most often between two words that a mark could separate.

The log-odds of a pause without a mark rise with those of a mark, judged by the word before and the word after. At marks
these words say nothing about the pause. `benchmarks/pause_model.py` measures both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asr_punct.features import DOCUMENT_END
from asr_punct.training.corpus import Corpus
from asr_punct.training.pause_model import marks_between

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.int32]

_SLOPE = 0.4
"""Increase of the log-odds of a pause per unit of the log-odds of a mark: 0.34 in 111 English earnings calls, 0.42 in
an interview, 0.44 to 0.47 in a talk with the times of three recognisers."""
_LOWEST, _HIGHEST = -6.0, 3.0
"""Range of the log-odds of a mark; beyond it they change nothing."""
_PRIOR_WORDS = 20
"""Occurrences that a word's own share of marks needs to weigh as much as the share of all words."""


@dataclass(frozen=True)
class Hesitations:
    """Log-odds of a mark by the word before it and the word after it, for each word of a vocabulary, (words,).

    The two are added; each has half of the log-odds of a mark between any two words. `mean_odds` is the mean factor on
    the odds of a pause, over all places without a mark.
    """

    after: Floats
    before: Floats
    mean_odds: float = 1.0

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> Hesitations:
        """Count the marks after and before each word of a corpus."""
        words = len(corpus.vocabulary.words)
        counts = np.zeros((2, 2, words))  # (all, with a mark), (after, before)
        for first, second, marked in _places(corpus):
            for side, ids in enumerate((first, second)):
                counts[0, side] += np.bincount(ids, minlength=words)
                counts[1, side] += np.bincount(ids[marked], minlength=words)
        total, with_mark = counts[:, 0].sum(axis=1)
        share = (with_mark + 1) / (total + 2)
        shares = (counts[1] + _PRIOR_WORDS * share) / (counts[0] + _PRIOR_WORDS)
        after, before = (np.log(shares / (1 - shares)) - np.log(share / (1 - share)) / 2).astype(np.float32)
        raw = cls(after, before)
        odds, number = 0.0, 0
        for first, second, marked in _places(corpus):
            unmarked = raw.odds(first[~marked], second[~marked])
            odds, number = odds + float(unmarked.sum()), number + len(unmarked)
        return cls(after, before, odds / number if number else 1.0)

    def log_odds(self, first: Words, second: Words) -> Floats:
        """Return the log-odds of a mark between the words `first` and `second`, vocabulary indices of any shape."""
        odds: Floats = np.clip(self.after[first] + self.before[second], _LOWEST, _HIGHEST)
        return odds

    def odds(self, first: Words, second: Words) -> Floats:
        """Return the factor on the odds of a pause without a mark between two words; its mean is 1 in the corpus."""
        factor: Floats = np.exp(_SLOPE * self.log_odds(first, second)) / np.float32(self.mean_odds)
        return factor


def _places(corpus: Corpus) -> Iterator[tuple[Words, Words, npt.NDArray[np.bool_]]]:
    """Yield the words before and after the places inside documents, and whether there is a mark, block by block."""
    for block in corpus.blocks():
        inside = block.boundaries[:-1] & DOCUMENT_END == 0
        marked = marks_between(block.marks)[:-1] != 0
        yield block.words[:-1][inside], block.words[1:][inside], marked[inside]
