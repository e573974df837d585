"""Batches for Lightning: training windows cut at random, development windows as inference cuts them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import lightning
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from asr_punct.config import Config
from asr_punct.inference.windows import plan_windows
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.augment import augment
from asr_punct.training.confusions import Confusions
from asr_punct.training.corpus import Corpus, Vocabulary, read_corpus
from asr_punct.training.noise import add_noise
from asr_punct.training.sampling import (
    Batch,
    cut,
    epoch_batches,
    make_batch,
    take,
    with_generated_pauses,
    withhold,
)
from asr_punct.training.windows import training_windows

TRAIN, DEV = "train.tsv", "dev.tsv"


class TrainingBatches(Dataset[Batch]):
    """All batches of one epoch, a pure function of the seed and the epoch.

    One pass over the corpus may take several epochs, each of which then shows another part of its windows.
    """

    def __init__(
        self,
        corpus: Corpus,
        confusions: Confusions | None,
        replacements: range,
        tokenizer: SubwordTokenizer,
        config: Config,
        max_tokens: int,
        epoch: int,
    ) -> None:
        self._corpus, self._tokenizer = corpus, tokenizer
        self._confusions, self._replacements = confusions, replacements
        self._config, self._epoch = config.training, epoch
        training, words = config.training, config.model.window.words
        number, part = divmod(epoch, training.epochs_per_pass)
        rng = np.random.default_rng((training.seed, number))
        self._limits = words, max_tokens - 2
        self._windows = training_windows(corpus, training, *self._limits, rng)
        lengths = self._windows[:, 1] - self._windows[:, 0]
        self._batches = epoch_batches(lengths, training.batch_size * words, rng)[part :: training.epochs_per_pass]

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> Batch:
        config, corpus = self._config, self._corpus
        rng = np.random.default_rng((config.seed, self._epoch, index))
        words = take(corpus, self._windows[self._batches[index]])
        if config.generated_pauses:
            words = with_generated_pauses(words, rng)
        if self._confusions:
            words = add_noise(words, config.noise, self._confusions, rng)
        if config.augment.rate:
            words = augment(words, config.augment, self._replacements, rng)
        if self._confusions or config.augment.rate:
            words = cut(words, corpus.vocabulary, *self._limits)
        words = withhold(words, config, rng)
        return make_batch(words, corpus.vocabulary, self._tokenizer, lost=(config.subword_dropout, rng))


class DevelopmentBatches(Dataset[Batch]):
    """Overlapping windows, cut and counted as inference does."""

    def __init__(self, corpus: Corpus, tokenizer: SubwordTokenizer, config: Config, max_tokens: int) -> None:
        self._corpus, self._tokenizer = corpus, tokenizer
        windows = plan_windows(corpus.inputs(), config.model.window, max_tokens)
        sizes = np.array([(len(window.words), *window.keep) for window in windows])
        length, first, last = sizes.T
        start = np.cumsum(last - first) - last  # kept parts follow each other without a gap
        self._spans = np.stack([start, start + length], axis=1)
        self._kept = first, last
        words = 2 * config.training.batch_size * config.model.window.words
        self._batches = epoch_batches(length, words, np.random.default_rng(0))

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> Batch:
        chosen = self._batches[index]
        words = take(self._corpus, self._spans[chosen])
        rows, columns = words.cells
        first, last = (bound[chosen][rows] for bound in self._kept)
        counted = (columns >= first) & (columns < last)
        return make_batch(words, self._corpus.vocabulary, self._tokenizer, counted=counted)


class PunctuationData(lightning.LightningDataModule):
    """The corpora `train.tsv` and `dev.tsv` of a directory.

    Args:
        directory: where they stand.
        tokenizer: the model's.
        config: sizes of windows and batches, seed.
        max_tokens: longest input of the encoder.
    """

    def __init__(self, directory: Path, tokenizer: SubwordTokenizer, config: Config, max_tokens: int) -> None:
        super().__init__()
        self._tokenizer, self._config, self._max_tokens = tokenizer, config, max_tokens
        self.train, self._confusions = read_corpus(directory / TRAIN, tokenizer), None
        self._replacements = range(len(self.train.vocabulary.words))
        if config.training.noise.windows:
            fillers = config.training.noise.fillers.split()
            self._confusions = Confusions.from_corpus(self.train, config.model.language, fillers)
            words = (*self.train.vocabulary.words, *self._confusions.extra)
            self.train = replace(self.train, vocabulary=Vocabulary.encode(words, tokenizer))
        if config.training.augment.rate and config.training.augment.replacement == "unknown":
            vocabulary = self.train.vocabulary.with_unknown(tokenizer.unknown)
            self.train = replace(self.train, vocabulary=vocabulary)
            self._replacements = range(len(vocabulary.words))[-1:]
        self.dev = read_corpus(directory / DEV, tokenizer)
        self._development = DevelopmentBatches(self.dev, tokenizer, config, max_tokens)

    def epoch(self, number: int) -> TrainingBatches:
        """Training batches of an epoch."""
        changes = self._confusions, self._replacements
        return TrainingBatches(self.train, *changes, self._tokenizer, self._config, self._max_tokens, number)

    def train_dataloader(self) -> DataLoader[Batch]:
        """Batches of the trainer's current epoch; Lightning asks again for every epoch."""
        number = self.trainer.current_epoch if self.trainer else 0
        workers = self._config.training.workers
        on_gpu = torch.cuda.is_available()
        return DataLoader(self.epoch(number), batch_size=None, num_workers=workers, pin_memory=on_gpu)

    def val_dataloader(self) -> DataLoader[Batch]:
        """The development set."""
        return DataLoader(self._development, batch_size=None)
