"""Training windows: consecutive words at random starts, a pure function of seed, epoch and place.

Nothing here remembers what was drawn before, so a run that resumes at an epoch sees what it would have seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from asr_punct.config import TrainingConfig
from asr_punct.features import NO_BOUNDARY, WordInput, collate
from asr_punct.inference.windows import Window
from asr_punct.pauses import UNKNOWN
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.corpus import Corpus, mark_matrix

_POOL_BATCHES = 32


@dataclass(frozen=True)
class Batch:
    """Windows with their labels.

    Attributes:
        inputs: the arrays of `features.Features`, by name.
        marks: *Shape:* (batch, words, marks), 1 where a mark stands.
        cases: *Shape:* (batch, words), number of the case.
        counted: *Shape:* (batch, words), whether a word counts: padding does not, nor what another window decides.
    """

    inputs: dict[str, Tensor]
    marks: Tensor
    cases: Tensor
    counted: Tensor

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device."""
        inputs = {name: tensor.to(device) for name, tensor in self.inputs.items()}
        return Batch(inputs, self.marks.to(device), self.cases.to(device), self.counted.to(device))


def epoch_windows(
    documents: npt.NDArray[np.int64], subwords: npt.NDArray[np.int64], words: int, tokens: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Windows that hold every word of the corpus once, the first one of each document of random length.

    Args:
        documents: first word and the one after the last of each document, (documents, 2).
        subwords: number of sub-words of each word of the corpus, (corpus,).
        words: words of a window at most.
        tokens: sub-words of a window at most, special tokens not counted.
        rng: where the starts come from.
    """
    ends = np.concatenate([[0], np.cumsum(subwords)])
    windows = []
    for start, stop in documents.tolist():
        first = words if stop - start <= words else int(rng.integers(1, words + 1))
        while start < stop:
            limit = int(np.searchsorted(ends, ends[start] + tokens, side="right")) - 1
            end = min(stop, start + first, max(limit, start + 1))
            windows.append((start, end))
            start, first = end, words
    return windows


def epoch_batches(windows: Sequence[tuple[int, int]], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Places in `windows`, shuffled into batches of windows of like length (which saves padding)."""
    order = rng.permutation(len(windows))
    batches: list[list[int]] = []
    for first in range(0, len(order), size * _POOL_BATCHES):
        pool = sorted(order[first : first + size * _POOL_BATCHES].tolist(), key=lambda i: windows[i][1] - windows[i][0])
        batches.extend(pool[i : i + size] for i in range(0, len(pool), size))
    return [batches[i] for i in rng.permutation(len(batches))]


def withhold(
    words: Sequence[WordInput], config: TrainingConfig, unknown: int, rng: np.random.Generator
) -> tuple[WordInput, ...]:
    """A training window from which sub-words, pauses and document edges are withheld at the configured rates.

    This is what lets one model serve with pauses, without, and with some of them.

    Args:
        words: the window.
        config: the rates.
        unknown: number of the unknown sub-word.
        rng: what decides.
    """
    all_pauses, edges = rng.random(2) < (config.pause_dropout, config.boundary_dropout)
    single = rng.random(len(words)) < (1.0 if all_pauses else config.word_pause_dropout)
    lost = iter((rng.random(sum(len(word.subwords) for word in words)) < config.subword_dropout).tolist())
    return tuple(
        WordInput(
            tuple(unknown if next(lost) else subword for subword in word.subwords),
            UNKNOWN if hidden else word.pause,
            NO_BOUNDARY if edges else word.boundary,
        )
        for word, hidden in zip(words, single.tolist(), strict=True)
    )


def make_batch(corpus: Corpus, starts: Sequence[int], windows: Sequence[Window], tokenizer: SubwordTokenizer) -> Batch:
    """A batch of windows that begin at `starts` in the corpus; the words that each window keeps count."""
    features = collate([window.words for window in windows], tokenizer.start, tokenizer.end, tokenizer.pad)
    shape = features.word_index.shape
    bits = np.zeros(shape, dtype=np.uint16)
    cases = np.zeros(shape, dtype=np.int64)
    counted = np.zeros(shape, dtype=np.bool_)
    for row, (start, window) in enumerate(zip(starts, windows, strict=True)):
        length = len(window.words)
        bits[row, :length] = corpus.marks[start : start + length]
        cases[row, :length] = corpus.cases[start : start + length]
        counted[row, slice(*window.keep)] = True
    inputs = {name: torch.from_numpy(array) for name, array in features.inputs().items()}
    return Batch(inputs, torch.from_numpy(mark_matrix(bits)), torch.from_numpy(cases), torch.from_numpy(counted))
