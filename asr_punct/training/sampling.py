"""Batches of training windows, pure functions of seed, epoch and place.

Nothing here remembers what was drawn before, so a run that resumes at an epoch sees what it would have seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from asr_punct.config import TrainingConfig
from asr_punct.features import DOCUMENT_END, NO_BOUNDARY, pack
from asr_punct.pauses import UNKNOWN
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.corpus import Corpus, Vocabulary, WordArrays, mark_matrix
from asr_punct.training.pause_model import sample_pauses
from asr_punct.training.windows import Spans

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
        inputs = {name: tensor.to(device, non_blocking=True) for name, tensor in self.inputs.items()}
        others = (tensor.to(device, non_blocking=True) for tensor in (self.marks, self.cases, self.counted))
        return Batch(inputs, *others)

    def pin_memory(self) -> Batch:
        """The same batch where a GPU can fetch it; a data loader calls this."""
        inputs = {name: tensor.pin_memory() for name, tensor in self.inputs.items()}
        return Batch(inputs, *(tensor.pin_memory() for tensor in (self.marks, self.cases, self.counted)))


def epoch_batches(lengths: npt.NDArray[np.int64], words: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """Places of windows, shuffled into batches of windows of like length (which saves padding).

    Args:
        lengths: words of each window, (windows,).
        words: words of a batch at most, padding included; a longer window is a batch of its own.
        rng: what shuffles.
    """
    order = rng.permutation(len(lengths))
    pools = np.searchsorted(np.cumsum(lengths[order]), np.arange(0, lengths.sum(), words * _POOL_BATCHES)[1:])
    batches = [
        batch
        for pool in np.split(order, pools)
        for batch in _divide(pool[np.argsort(lengths[pool], kind="stable")], lengths, words)
    ]
    return [batches[i] for i in rng.permutation(len(batches))]


def _divide(pool: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], words: int) -> list[npt.NDArray[np.int64]]:
    """Cut windows of ascending length into batches of at most `words` padded words."""
    cuts, first = [], 0
    for i, length in enumerate(lengths[pool].tolist()):
        if i > first and (i + 1 - first) * length > words:
            cuts.append(i)
            first = i
    return [batch for batch in np.split(pool, cuts) if len(batch)]


def take(corpus: Corpus, spans: Spans) -> WordArrays:
    """The words of windows."""
    lengths = spans[:, 1] - spans[:, 0]
    rows = np.repeat(np.arange(len(spans), dtype=np.int32), lengths)
    places = np.arange(len(rows)) + (spans[:, 0] - (np.cumsum(lengths) - lengths))[rows]
    return WordArrays(
        words=corpus.words[places],
        marks=corpus.marks[places],
        cases=corpus.cases[places],
        pauses=corpus.pauses[places],
        boundaries=corpus.boundaries[places],
        rows=rows,
    )


def with_generated_pauses(batch: WordArrays, rng: np.random.Generator) -> WordArrays:
    """Training windows of which those without a known pause are given drawn ones; a document's last stays unknown."""
    rows, columns = batch.cells
    marks = np.zeros((int(rows[-1]) + 1, int(columns.max()) + 1), np.uint16)
    ends = np.zeros(marks.shape, np.bool_)
    marks[rows, columns], ends[rows, columns] = batch.marks, batch.boundaries & DOCUMENT_END > 0
    drawn = sample_pauses(marks, rng, unknown=ends)[rows, columns]
    spoken = np.bincount(rows, weights=batch.pauses != UNKNOWN) > 0
    return replace(batch, pauses=np.where(spoken[rows], batch.pauses, drawn))


def cut(batch: WordArrays, vocabulary: Vocabulary, words: int, tokens: int) -> WordArrays:
    """Windows that have grown, without the words past `words` of them or past `tokens` sub-words."""
    rows, columns = batch.cells
    ends = np.cumsum(vocabulary.counts(batch.words))
    before = np.concatenate([[0], ends])[np.flatnonzero(batch.first)]
    kept = (columns < words) & (ends - before[rows] <= tokens)
    return batch.at(kept)


def withhold(batch: WordArrays, config: TrainingConfig, rng: np.random.Generator) -> WordArrays:
    """Training windows from which pauses and document edges are withheld at the configured rates.

    This is what lets one model serve with pauses, without, and with some of them.
    """
    windows = int(batch.rows[-1]) + 1
    silent, inner = rng.random((2, windows)) < np.array([[config.pause_dropout], [config.boundary_dropout]])
    hidden = silent[batch.rows] | (rng.random(len(batch.rows)) < config.word_pause_dropout)
    return replace(
        batch,
        pauses=np.where(hidden, UNKNOWN, batch.pauses),
        boundaries=np.where(inner[batch.rows], NO_BOUNDARY, batch.boundaries),
    )


def make_batch(
    batch: WordArrays,
    vocabulary: Vocabulary,
    tokenizer: SubwordTokenizer,
    *,
    counted: npt.NDArray[np.bool_] | None = None,
    lost: tuple[float, np.random.Generator] | None = None,
) -> Batch:
    """Tensors of windows.

    Args:
        batch: their words.
        vocabulary: sub-words of the words.
        tokenizer: knows the special tokens.
        counted: which words count, (all words,); all by default.
        lost: probability that a sub-word is the unknown one, and what decides.
    """
    subwords = vocabulary.gather(batch.words)
    if lost and lost[0]:
        subwords = np.where(lost[1].random(len(subwords)) < lost[0], tokenizer.unknown, subwords)
    special = tokenizer.start, tokenizer.end, tokenizer.pad
    features = pack(subwords, vocabulary.counts(batch.words), batch.pauses, batch.boundaries, batch.rows, special)
    cells, shape = batch.cells, features.word_index.shape
    bits, cases, counts = np.zeros(shape, np.uint16), np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    bits[cells], cases[cells], counts[cells] = batch.marks, batch.cases, True if counted is None else counted
    inputs = {name: torch.from_numpy(array) for name, array in features.inputs().items()}
    return Batch(inputs, torch.from_numpy(mark_matrix(bits)), torch.from_numpy(cases), torch.from_numpy(counts))
