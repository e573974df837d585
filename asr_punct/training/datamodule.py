"""Batches for Lightning: training windows at random starts, development windows as inference cuts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import lightning
import numpy as np
from torch.utils.data import DataLoader, Dataset

from asr_punct.config import Config
from asr_punct.inference.windows import Window, plan_windows
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.corpus import Corpus, read_corpus
from asr_punct.training.sampling import Batch, epoch_batches, epoch_windows, make_batch, withhold

TRAIN, DEV = "train.tsv", "dev.tsv"


class TrainingBatches(Dataset[Batch]):
    """All batches of one epoch, a pure function of the seed and the epoch."""

    def __init__(
        self, corpus: Corpus, tokenizer: SubwordTokenizer, config: Config, max_tokens: int, epoch: int
    ) -> None:
        self._corpus, self._tokenizer, self._config, self._epoch = corpus, tokenizer, config, epoch
        rng = np.random.default_rng((config.training.seed, epoch))
        subwords = np.array([len(word) for word in corpus.vocabulary])[corpus.words]
        self._windows = epoch_windows(corpus.documents(), subwords, config.model.window.words, max_tokens - 2, rng)
        self._batches = epoch_batches(self._windows, config.training.batch_size, rng)

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> Batch:
        config = self._config
        rng = np.random.default_rng((config.training.seed, self._epoch, index))
        spans = [self._windows[i] for i in self._batches[index]]
        unknown = self._tokenizer.unknown
        inputs = [withhold(list(self._corpus.inputs(*span)), config.training, unknown, rng) for span in spans]
        windows = [Window(words, (0, len(words))) for words in inputs]
        return make_batch(self._corpus, [start for start, _ in spans], windows, self._tokenizer)


class DevelopmentBatches(Dataset[Batch]):
    """Overlapping windows, cut and counted as inference does."""

    def __init__(self, corpus: Corpus, tokenizer: SubwordTokenizer, config: Config, max_tokens: int) -> None:
        self._corpus, self._tokenizer = corpus, tokenizer
        self._windows = list(plan_windows(corpus.inputs(0, len(corpus)), config.model.window, max_tokens))
        self._starts = list(_window_starts(self._windows))
        order = sorted(range(len(self._windows)), key=lambda i: len(self._windows[i].words))
        size = 2 * config.training.batch_size
        self._batches = [order[i : i + size] for i in range(0, len(order), size)]

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> Batch:
        chosen = self._batches[index]
        starts, windows = [self._starts[i] for i in chosen], [self._windows[i] for i in chosen]
        return make_batch(self._corpus, starts, windows, self._tokenizer)


def _window_starts(windows: Iterable[Window]) -> Iterator[int]:
    """Place of each window in the corpus: kept parts follow each other without a gap."""
    decided = 0
    for window in windows:
        yield decided - window.keep[0]
        decided += window.keep[1] - window.keep[0]


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
        self.train = read_corpus(directory / TRAIN, tokenizer)
        self.dev = read_corpus(directory / DEV, tokenizer)

    def epoch(self, number: int) -> TrainingBatches:
        """Training batches of an epoch."""
        return TrainingBatches(self.train, self._tokenizer, self._config, self._max_tokens, number)

    def train_dataloader(self) -> DataLoader[Batch]:
        """Batches of the trainer's current epoch; Lightning asks again for every epoch."""
        return DataLoader(self.epoch(self.trainer.current_epoch if self.trainer else 0), batch_size=None)

    def val_dataloader(self) -> DataLoader[Batch]:
        """The development set."""
        batches = DevelopmentBatches(self.dev, self._tokenizer, self._config, self._max_tokens)
        return DataLoader(batches, batch_size=None)
