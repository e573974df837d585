"""Group windows into batches, hide a part of their inputs, and make tensors of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from asr_punct.config import TrainingConfig
from asr_punct.features import DOCUMENT_END, EDGES, TURNS, pack
from asr_punct.pauses import BUCKET_MS, UNKNOWN_PAUSE
from asr_punct.training.corpus import Vocabulary, WordArrays, mark_matrix
from asr_punct.training.pause_model import MarkOdds, sample_pauses

_POOL_BATCHES = 32
"""Batches whose windows are sorted by sub-words together."""


@dataclass(frozen=True)
class Batch:
    """Tensors of windows and their labels: a batch, or a part of one."""

    inputs: dict[str, Tensor]
    """The arrays of `features.Features`, by name."""
    marks: Tensor
    """(batch, words, marks), 1 for each mark of a word."""
    cases: Tensor
    """(batch, words), index of the case."""
    label_mask: Tensor
    """(batch, words), False for padding, and for words whose labels another window has."""
    windows: int
    """Number of windows of the whole batch."""
    teacher_inputs: dict[str, Tensor] | None = None
    """Inputs of the teacher for the same words; None without a teacher, and in development batches."""
    loss_scale: float = 1.0
    """Factor of the loss. The mean of the scaled losses of all parts is the loss of the whole batch."""
    number: int = 0
    """Number of the part, from 0."""

    def part(self, number: int, count: int) -> Batch:
        """Return every `count`-th window, from `number` on. A part that would be empty gets a window without labels."""
        is_empty = number >= len(self.cases)
        rows = slice(0, 1) if is_empty else slice(number, None, count)
        inputs = _select(self.inputs, rows)
        words = inputs["word_index"].shape[1]
        label_mask = self.label_mask[rows, :words].contiguous() & (not is_empty)
        return Batch(
            inputs,
            self.marks[rows, :words].contiguous(),
            self.cases[rows, :words].contiguous(),
            label_mask,
            windows=self.windows,
            teacher_inputs=self.teacher_inputs and _select(self.teacher_inputs, rows),
            loss_scale=count * int(label_mask.sum()) / max(1, int(self.label_mask.sum())),
            number=number,
        )

    def to(self, device: torch.device) -> Batch:
        return self._map(lambda tensor: tensor.to(device, non_blocking=True))

    def pin_memory(self) -> Batch:
        """Return the batch in pinned memory; data loaders call this method."""
        return self._map(Tensor.pin_memory)

    def _map(self, function: Callable[[Tensor], Tensor]) -> Batch:
        def mapped(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
            return {name: function(tensor) for name, tensor in tensors.items()}

        marks, cases, label_mask = map(function, (self.marks, self.cases, self.label_mask))
        changed = replace(self, inputs=mapped(self.inputs), marks=marks, cases=cases, label_mask=label_mask)
        return replace(changed, teacher_inputs=self.teacher_inputs and mapped(self.teacher_inputs))


def _select(inputs: dict[str, Tensor], rows: slice) -> dict[str, Tensor]:
    """Return rows of the inputs, without columns that have only padding."""
    tokens = int(inputs["attention_mask"][rows].sum(dim=1).max())
    words = int((inputs["word_index"][rows] > 0).sum(dim=1).max())
    sizes = {name: tokens if name in ("input_ids", "attention_mask") else words for name in inputs}
    return {name: tensor[rows, : sizes[name]].contiguous() for name, tensor in inputs.items()}


def epoch_batches(
    lengths: npt.NDArray[np.int64], subwords: npt.NDArray[np.int64], words: int, rng: np.random.Generator
) -> list[npt.NDArray[np.int64]]:
    """Shuffle windows into batches with similar numbers of sub-words; return the window indices of each batch.

    `lengths` and `subwords` are the words and sub-words of each window, (windows,). A batch has at most `words` words,
    with padding, or one window.
    """
    order = rng.permutation(len(lengths))
    pools = np.searchsorted(np.cumsum(lengths[order]), np.arange(0, lengths.sum(), words * _POOL_BATCHES)[1:])
    batches = [
        batch
        for pool in np.split(order, pools)
        for batch in _divide(pool[np.argsort(subwords[pool], kind="stable")], lengths, words)
    ]
    return [batches[i] for i in rng.permutation(len(batches))]


def _divide(pool: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], words: int) -> list[npt.NDArray[np.int64]]:
    """Divide windows into batches of at most `words` words with padding, in their order."""
    cuts, first, longest = [], 0, 0
    for i, length in enumerate(lengths[pool].tolist()):
        longest = max(longest, length)
        if i > first and (i + 1 - first) * longest > words:
            cuts.append(i)
            first, longest = i, length
    return [batch for batch in np.split(pool, cuts) if len(batch)]


def add_generated_pauses(batch: WordArrays, mark_odds: MarkOdds, rng: np.random.Generator) -> WordArrays:
    """Draw pauses for windows without a known pause, and add errors of a source of times to those of other windows.

    The pause at the end of a document stays unknown, as do the unknown pauses of windows with known ones.
    """
    rows, columns = batch.cells
    shape = int(rows[-1]) + 1, int(columns.max()) + 1
    marks, spoken = np.zeros(shape, np.uint16), np.full(shape, np.nan, np.float32)
    unknown, odds = np.zeros(shape, np.bool_), np.ones(shape, np.float32)
    known = batch.pauses != UNKNOWN_PAUSE
    has_pauses = np.bincount(rows, weights=known)[rows] > 0
    marks[rows, columns] = batch.marks
    spoken[rows[known], columns[known]] = batch.pauses[known] * np.float32(BUCKET_MS / 1000)
    unknown[rows, columns] = np.where(has_pauses, ~known, batch.boundaries & DOCUMENT_END > 0)
    odds[rows, columns] = mark_odds.unmarked_odds(batch.words, np.append(batch.words[1:], batch.words[-1:]))
    pauses = sample_pauses(marks, rng, unknown=unknown, unmarked_odds=odds, spoken=spoken)
    return replace(batch, pauses=pauses[rows, columns])


def truncate(batch: WordArrays, vocabulary: Vocabulary, words: int, tokens: int) -> WordArrays:
    """Drop the last words of windows that have more than `words` words or `tokens` sub-words."""
    rows, columns = batch.cells
    ends = np.cumsum(vocabulary.counts(batch.words))
    before = np.concatenate([[0], ends])[np.flatnonzero(batch.first)]
    kept = (columns < words) & (ends - before[rows] <= tokens)
    return batch.select(kept)


def middle_words(batch: WordArrays) -> npt.NDArray[np.bool_]:
    """Return whether each word is the middle one of its window, the later one of two, (all words,)."""
    rows, columns = batch.cells
    return np.asarray(columns == np.bincount(rows)[rows] // 2)


def hide_inputs(batch: WordArrays, config: TrainingConfig, rng: np.random.Generator) -> WordArrays:
    """Hide pauses, edges of documents and speakers at the configured rates, so that the model works without them."""
    windows = int(batch.rows[-1]) + 1
    no_pauses, no_edges = rng.random((2, windows)) < np.array([[config.pause_dropout], [config.boundary_dropout]])
    hidden = no_pauses[batch.rows] | (rng.random(len(batch.rows)) < config.word_pause_dropout)
    no_turns = rng.random(windows) < config.speaker_dropout
    shown = np.uint8(EDGES | TURNS) - (no_edges * np.uint8(EDGES) + no_turns * np.uint8(TURNS))
    return replace(
        batch,
        pauses=np.where(hidden, UNKNOWN_PAUSE, batch.pauses),
        boundaries=batch.boundaries & shown[batch.rows],
    )


def make_batch(
    batch: WordArrays,
    vocabulary: Vocabulary,
    *,
    label_mask: npt.NDArray[np.bool_] | None = None,
    dropout: tuple[float, np.random.Generator] | None = None,
) -> Batch:
    """Make the tensors of windows.

    `label_mask`, (all words,), selects the words whose labels count, by default all; `dropout` is that of
    `input_tensors`.
    """
    inputs = input_tensors(batch, vocabulary, dropout)
    cells, shape = batch.cells, tuple(inputs["word_index"].shape)
    bits, cases, mask = np.zeros(shape, np.uint16), np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    bits[cells], cases[cells], mask[cells] = batch.marks, batch.cases, True if label_mask is None else label_mask
    marks, labelled = torch.from_numpy(mark_matrix(bits)), torch.from_numpy(mask)
    return Batch(inputs, marks, torch.from_numpy(cases), labelled, windows=len(cases))


def input_tensors(
    batch: WordArrays, vocabulary: Vocabulary, dropout: tuple[float, np.random.Generator] | None = None
) -> dict[str, Tensor]:
    """Return the inputs of a model for windows.

    `dropout` is the probability that a sub-word is replaced by the unknown sub-word, and the random generator.
    """
    subwords = vocabulary.gather(batch.words)
    if dropout and dropout[0]:
        subwords = np.where(dropout[1].random(len(subwords)) < dropout[0], vocabulary.unknown, subwords)
    counts = vocabulary.counts(batch.words)
    features = pack(subwords, counts, batch.pauses, batch.boundaries, batch.rows, vocabulary.special)
    return {name: torch.from_numpy(array) for name, array in features.inputs().items()}
