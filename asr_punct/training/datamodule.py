"""Batches for Lightning: training windows cut at random, development windows as in inference."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import lightning
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from asr_punct.config import Config
from asr_punct.inference.windows import plan_windows
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.augment import add_noise, augment
from asr_punct.training.batches import (
    Batch,
    add_generated_pauses,
    epoch_batches,
    hide_inputs,
    input_tensors,
    make_batch,
    middle_words,
    truncate,
)
from asr_punct.training.confusions import Confusions
from asr_punct.training.corpus import Corpus, Vocabulary
from asr_punct.training.distributed import SINGLE_PROCESS, Process
from asr_punct.training.mapped import Corpora
from asr_punct.training.pause_model import MarkOdds
from asr_punct.training.teacher import Teacher
from asr_punct.training.windows import subword_counts, training_windows


class PunctuationData(lightning.LightningDataModule):
    """The batches of a training and a development corpus. Each process gets a part of every batch.

    `max_tokens` is the longest input of the encoder in sub-words, with both special tokens. `epochs_per_pass` is the
    number of epochs that a pass over the corpus is divided into. `replacements` are the
    vocabulary indices of the words that `augment` substitutes and inserts. With a `teacher`, training batches also have
    its inputs.
    """

    def __init__(
        self,
        corpora: Corpora,
        tokenizer: SubwordTokenizer,
        config: Config,
        max_tokens: int,
        process: Process = SINGLE_PROCESS,
        teacher: Teacher | None = None,
    ) -> None:
        super().__init__()
        self._process = process
        self.config, self.max_tokens = config, max_tokens
        encoded = [corpus.encode(tokenizer) for corpus in (corpora.train, corpora.dev)]
        self.train, self.dev = encoded if config.model.speakers else [corpus.without_turns() for corpus in encoded]
        self.epochs_per_pass = _epochs_per_pass(len(self.train), config)
        self.mark_odds = MarkOdds.from_corpus(self.train) if config.training.generated_pauses else None
        self.confusions: Confusions | None = None
        self.replacements = range(len(self.train.vocabulary.words))
        noise, augmentation = config.training.noise, config.training.augment
        if noise.windows:
            self.confusions = Confusions.from_corpus(self.train, config.model.language, noise.fillers.split())
            words = (*self.train.vocabulary.words, *self.confusions.extra)
            self.train = replace(self.train, vocabulary=Vocabulary.encode(words, tokenizer))
        if augmentation.rate and augmentation.replacement != "random":
            vocabulary = self.train.vocabulary
            with_subwords = _with_subwords(
                vocabulary, tokenizer.size, only_unknown=augmentation.replacement == "unknown"
            )
            self.replacements = range(len(vocabulary.words), len(with_subwords.words))
            self.train = replace(self.train, vocabulary=with_subwords)
        self.teacher_vocabulary = teacher.vocabulary(self.train.vocabulary.words) if teacher else None
        self.teacher_tokens = teacher.max_tokens - 2 if teacher else 0  # without the special tokens
        self._development = DevelopmentBatches(self.dev, config, max_tokens)

    def epoch(self, number: int) -> TrainingBatches:
        """Return the training batches of an epoch, counted from 0."""
        return TrainingBatches(self, number)

    def train_dataloader(self) -> Iterable[Batch]:
        """Return the batches of the trainer's current epoch; Lightning calls this for every epoch."""
        batches = self.epoch(self.trainer.current_epoch if self.trainer else 0)
        parts = BatchParts(batches, self._process, self.config.training.accumulate)
        workers, pin = self.config.training.workers, torch.cuda.is_available()
        return DataLoader(parts, batch_size=None, num_workers=workers, pin_memory=pin)

    def val_dataloader(self) -> Iterable[Batch]:
        """Return the development batches, the same ones in every epoch."""
        return DataLoader(BatchParts(self._development, self._process), batch_size=None)


def _epochs_per_pass(words: int, config: Config) -> int:
    """Return into how many epochs a pass over the corpus is divided.

    It is the configured number, or more, for up to `epoch_words` words each; but each has at least one full batch.
    """
    full_batches = words // (config.training.batch_size * config.model.window.words)
    by_length = math.ceil(words / (config.training.epoch_words or words))
    return max(1, min(max(config.training.epochs_per_pass, by_length), full_batches))


def _with_subwords(vocabulary: Vocabulary, tokenizer_size: int, *, only_unknown: bool) -> Vocabulary:
    """Return the vocabulary with a word for each sub-word that is not special, or for the unknown one only."""
    if only_unknown:
        return vocabulary.with_words_of([vocabulary.unknown])
    special = {*vocabulary.special, vocabulary.unknown}
    return vocabulary.with_words_of([number for number in range(tokenizer_size) if number not in special])


class BatchParts(Dataset[Batch]):
    """The parts of all batches that a process trains or scores: `accumulate` of each batch, one by one."""

    def __init__(self, batches: TrainingBatches | DevelopmentBatches, process: Process, accumulate: int = 1) -> None:
        self._batches, self._process, self._accumulate = batches, process, accumulate
        self._last: tuple[int, Batch] | None = None

    def __len__(self) -> int:
        return len(self._batches) * self._accumulate

    def __getitem__(self, index: int) -> Batch:
        number, part = divmod(index, self._accumulate)
        if self._last is None or self._last[0] != number:
            self._last = number, self._batches[number]
        count = self._process.count * self._accumulate
        batch = self._last[1]
        return batch if count == 1 else batch.part(part * self._process.count + self._process.rank, count)


class TrainingBatches(Dataset[Batch]):
    """All batches of an epoch. They depend only on seed, epoch and index, so a resumed run has the same ones."""

    def __init__(self, data: PunctuationData, epoch: int) -> None:
        self._corpus, self._config, self._mark_odds = data.train, data.config.training, data.mark_odds
        self._confusions, self._replacements, self._epoch = data.confusions, data.replacements, epoch
        self._teacher_vocabulary, self._teacher_tokens = data.teacher_vocabulary, data.teacher_tokens
        config, words = self._config, data.config.model.window.words
        pass_number, part = divmod(epoch, data.epochs_per_pass)
        rng = np.random.default_rng((config.seed, pass_number))
        self._limits = words, data.max_tokens - 2  # without the special tokens
        self._windows = training_windows(self._corpus, config, *self._limits, rng)
        lengths = self._windows[:, 1] - self._windows[:, 0]
        subwords = subword_counts(self._corpus, self._windows)
        batches = epoch_batches(lengths, subwords, config.batch_size * words, rng)
        self._batches = batches[part :: data.epochs_per_pass]

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> Batch:
        config, corpus = self._config, self._corpus
        rng = np.random.default_rng((config.seed, self._epoch, index))
        words = corpus.windows(self._windows[self._batches[index]])
        if self._mark_odds:
            words = add_generated_pauses(words, self._mark_odds, rng)
        if self._confusions:
            words = add_noise(words, config.noise, self._confusions, rng)
        if config.augment.rate:
            words = augment(words, config.augment, self._replacements, rng)
        if self._confusions or config.augment.rate:
            words = truncate(words, corpus.vocabulary, *self._limits)
        taught = self._teacher_vocabulary
        if taught:
            words = truncate(words, taught, self._limits[0], self._teacher_tokens)
        words = hide_inputs(words, config, rng)
        label_mask = middle_words(words) if config.windows.label == "middle" else None
        batch = make_batch(words, corpus.vocabulary, label_mask=label_mask, dropout=(config.subword_dropout, rng))
        return replace(batch, teacher_inputs=input_tensors(words, taught)) if taught else batch


class DevelopmentBatches(Dataset[Batch]):
    """Overlapping windows as in inference; each word counts in the window that decides it there."""

    def __init__(self, corpus: Corpus, config: Config, max_tokens: int) -> None:
        self._corpus = corpus
        rows = [
            (len(window.words), sum(len(word.subwords) for word in window.words), *window.kept_range)
            for window in plan_windows(corpus.inputs(), config.model.window, max_tokens)
        ]
        length, subwords, first, last = np.array(rows).T
        kept = last - first
        starts = np.cumsum(kept) - kept - first  # in the corpus, where the kept parts follow one another
        self._spans = np.stack([starts, starts + length], axis=1)
        self._keep = first, last
        # twice the words of a training batch, because no gradients need memory
        max_words = 2 * config.training.batch_size * config.model.window.words
        batches = epoch_batches(length, subwords, max_words, np.random.default_rng(0))
        words = np.cumsum([kept[batch].sum() for batch in batches])
        limit = config.training.epoch_words or words[-1]  # scoring takes no more words than an epoch
        self._batches = batches[: 1 + int(np.searchsorted(words, limit))]

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> Batch:
        chosen = self._batches[index]
        words = self._corpus.windows(self._spans[chosen])
        rows, columns = words.cells
        first, last = (bound[chosen][rows] for bound in self._keep)
        label_mask = (columns >= first) & (columns < last)
        return make_batch(words, self._corpus.vocabulary, label_mask=label_mask)
