#!/usr/bin/env python3
"""Train a tagger of parts of speech on treebanks, for `training.pos_tagger`, and print its accuracy.

    pos.py --config NAME|FILE --train FILE... --dev FILE... [--test FILE...] [--epochs N] -o DIR [KEY=VALUE ...]

The treebanks are CoNLL-U, plain or .xz. The tagger has the sizes of model.pos and reads the tokenizer of
model.encoder.name (a name of the hub, or a directory). Its accuracy, the share of words with the right tag, is printed
for --dev and for each file of --test.
"""

from __future__ import annotations

import argparse
import copy
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from conllu import read_conllu
from torch import Tensor, nn

from asr_punct.checkpoint import WEIGHTS
from asr_punct.config import PART_OF_SPEECH_TAGS, Config
from asr_punct.errors import ConfigError, InputError, run_script
from asr_punct.features import pack
from asr_punct.model.pos import PosTagger
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.model.weights import save_tagger
from asr_punct.partial import make_directory
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.configuration import read_config
from asr_punct.training.optim import clip_gradients

log = logging.getLogger(__name__)
_WINDOW_WORDS = 64
_BATCH_WINDOWS = 16
_LEARNING_RATE, _WEIGHT_DECAY, _CLIP_NORM = 2e-3, 0.01, 1.0
_SUBWORD_DROPOUT = 0.1
_ROW_STD = 0.05
"""Standard deviation of the initial sub-word embeddings, as in the look-up encoder."""

_Spans = npt.NDArray[np.int64]
"""First word of each window, and the word after its last one, (windows, 2)."""


@dataclass(frozen=True)
class Treebank:
    """The words of treebanks in a row, without the ends of the sentences.

    Attributes:
        subwords: (sub-words,), token ids.
        counts: (words,), sub-words of each word.
        tags: (words,), index of each word's tag.
        tokenizer: made the sub-words.
    """

    subwords: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    tags: npt.NDArray[np.int64]
    tokenizer: SubwordTokenizer

    @classmethod
    def read(cls, paths: Sequence[Path], tokenizer: SubwordTokenizer) -> Treebank:
        """Read treebanks. Raises InputError if they are malformed or have no words."""
        words = [word for path in paths for sentence in read_conllu(path) for word in sentence]
        if not words:
            raise InputError(", ".join(map(str, paths)), "no words", "treebanks in CoNLL-U")
        encoded = tokenizer.encode([word.text for word in words])
        return cls(
            np.array([subword for word in encoded for subword in word]),
            np.array([len(word) for word in encoded]),
            np.array([PART_OF_SPEECH_TAGS.index(word.tag) for word in words]),
            tokenizer,
        )

    def window_inputs(self, spans: _Spans) -> tuple[Tensor, Tensor, Tensor]:
        """Return token ids and word ends of windows, and the tags of their words, (words of all windows,)."""
        places = np.concatenate([np.arange(start, end) for start, end in spans.tolist()])
        rows = np.repeat(np.arange(len(spans)), spans[:, 1] - spans[:, 0])
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        subwords = np.concatenate([self.subwords[ends[start] : ends[end]] for start, end in spans.tolist()])
        unused = np.zeros(len(places), np.int64)  # pauses and flags, which the tagger does not read
        special = self.tokenizer.start, self.tokenizer.end, self.tokenizer.pad
        features = pack(subwords, self.counts[places], unused, unused, rows, special)
        arrays = features.input_ids, features.word_index, self.tags[places]
        input_ids, word_index, tags = (torch.from_numpy(array) for array in arrays)
        return input_ids, word_index, tags


def train_tagger(config: Config, train: Treebank, dev: Treebank, table: Tensor, epochs: int) -> PosTagger:
    """Train a tagger and return its best epoch on `dev`.

    Its table starts as the principal components of the encoder's table, since most sub-words occur in no treebank.
    AdamW's rate falls to 0; windows start at random words.
    """
    torch.manual_seed(config.training.seed)
    tagger = PosTagger(config.model.pos, len(table))
    _init_table(tagger, table)
    rng = np.random.default_rng(config.training.seed)
    windows = -(-len(train.tags) // _WINDOW_WORDS) + 1  # at most: the first one may be shorter
    steps = epochs * -(-windows // _BATCH_WINDOWS)
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _LEARNING_RATE, total_steps=steps + 1)
    best, kept = 0.0, tagger.state_dict()
    for epoch in range(1, epochs + 1):
        tagger.train()
        for spans in _epoch_batches(len(train.tags), rng):
            optimizer.zero_grad()
            _loss(tagger, train, spans, rng).backward()  # type: ignore[no-untyped-call]
            clip_gradients(tagger.parameters(), _CLIP_NORM)
            optimizer.step()
            schedule.step()
        score = accuracy(tagger, dev)
        log.info("epoch %d: accuracy %.4f", epoch, score)
        if score > best:
            best, kept = score, {name: value.clone() for name, value in tagger.state_dict().items()}
    tagger.load_state_dict(kept)
    return tagger


def _init_table(tagger: PosTagger, table: Tensor) -> None:
    """Fill the tagger's table with principal components of the encoder's table, (sub-words, width)."""
    rows = tagger.words.table.weight
    centred = table - table.mean(dim=0)
    components = torch.linalg.eigh(centred.T @ centred).eigenvectors.flip(-1)[:, : rows.shape[1]]
    projected = centred @ components
    with torch.no_grad():
        rows[: len(table), : projected.shape[1]] = projected * (_ROW_STD / projected.std())


def _epoch_batches(words: int, rng: np.random.Generator) -> list[_Spans]:
    """Cut the words into windows, the first one of random length, and shuffle them into batches."""
    cuts = np.arange(int(rng.integers(1, _WINDOW_WORDS + 1)), words, _WINDOW_WORDS)
    edges = np.concatenate([[0], cuts, [words]])
    spans = rng.permutation(np.stack([edges[:-1], edges[1:]], axis=1))
    return np.array_split(spans, -(-len(spans) // _BATCH_WINDOWS))


def _loss(tagger: PosTagger, bank: Treebank, spans: _Spans, rng: np.random.Generator) -> Tensor:
    input_ids, word_index, tags = bank.window_inputs(spans)
    dropped = torch.from_numpy(rng.random(input_ids.shape) < _SUBWORD_DROPOUT)
    input_ids = input_ids.masked_fill(dropped, bank.tokenizer.unknown)
    return nn.functional.cross_entropy(tagger.logits(input_ids, word_index)[word_index > 0], tags)


def accuracy(tagger: PosTagger, bank: Treebank) -> float:
    """Return the share of the words whose tag is right."""
    tagger.eval()
    starts = np.arange(0, len(bank.tags), _WINDOW_WORDS)
    spans = np.stack([starts, np.minimum(starts + _WINDOW_WORDS, len(bank.tags))], axis=1)
    right = 0
    with torch.inference_mode():
        for batch in np.array_split(spans, -(-len(spans) // _BATCH_WINDOWS)):
            input_ids, word_index, tags = bank.window_inputs(batch)
            right += int((tagger(input_ids, word_index)[word_index > 0] == tags).sum())
    return right / len(bank.tags)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="directory to write into")
    parser.add_argument("--config", default="pos_fusion", help="a configuration's name, or a YAML file")
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="treebanks to learn from")
    parser.add_argument("--dev", type=Path, nargs="+", required=True, help="treebanks that select the best epoch")
    parser.add_argument("--test", type=Path, nargs="+", default=[], help="treebanks to measure on")
    parser.add_argument("--epochs", type=int, default=20, help="passes over the treebanks (default: 20)")
    parser.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="changes to the configuration")
    options = parser.parse_intermixed_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    config = read_config(options.config, options.settings)
    encoder = config.model.encoder
    if not encoder.name:
        raise ConfigError("model.encoder.name", "nothing", "a pretrained encoder, whose tokenizer the tagger reads")
    tokenizer = pretrained_tokenizer(encoder.name, encoder.max_subwords)
    train, dev = (Treebank.read(paths, tokenizer) for paths in (options.train, options.dev))
    tests = {str(path): Treebank.read([path], tokenizer) for path in options.test}
    table = pretrained_encoder(encoder.name).table.weight.detach()
    tagger = train_tagger(config, train, dev, table, options.epochs)
    make_directory(options.output)
    save_tagger(copy.deepcopy(tagger).half(), options.output / WEIGHTS)
    for name, bank in {" ".join(map(str, options.dev)): dev, **tests}.items():
        print(f"{accuracy(tagger, bank):.4f}\t{name}")


if __name__ == "__main__":
    run_script(main)
