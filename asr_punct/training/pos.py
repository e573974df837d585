"""Train a tagger of parts of speech on treebanks: the stage that `recipes/pos.py` calls."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from asr_punct.config import Config
from asr_punct.corpora.conllu import TAGS, read_conllu
from asr_punct.errors import ConfigError, InputError
from asr_punct.features import pack
from asr_punct.formats.files import make_directory
from asr_punct.model.pos import PosTagger
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.model.weights import save_pos_tagger
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.optim import clip_gradients

log = logging.getLogger(__name__)
_WINDOW = 64
_BATCH = 16
_LEARNING_RATE, _WEIGHT_DECAY, _CLIP_NORM = 2e-3, 0.01, 1.0
_LOST = 0.1
"""Sub-words that are the unknown one in training, so that the rest of a word and its neighbours are learnt from."""
_ROW_STD = 0.05
"""Of the first sub-word table, as the look-up encoder draws it."""


@dataclass(frozen=True)
class Treebank:
    """The words of a treebank, its sentences in a row: where they end is not told.

    Attributes:
        subwords: of all words, (sub-words,).
        counts: sub-words of each word, (words,).
        tags: number of each word's tag, (words,).
    """

    subwords: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    tags: npt.NDArray[np.int64]


def read_treebanks(paths: Sequence[Path], tokenizer: SubwordTokenizer) -> Treebank:
    """The words of treebanks, one after the other. Raises InputError where they have none, or another form."""
    words = [word for path in paths for sentence in read_conllu(path) for word in sentence]
    if not words:
        raise InputError(", ".join(map(str, paths)), "no words", "treebanks in CoNLL-U")
    encoded = tokenizer.encode([word.text for word in words])
    return Treebank(
        np.array([subword for word in encoded for subword in word]),
        np.array([len(word) for word in encoded]),
        np.array([TAGS.index(word.tag) for word in words]),
    )


def train_pos_tagger(
    config: Config, train: Sequence[Path], dev: Sequence[Path], test: Sequence[Path], output: Path, *, epochs: int
) -> dict[str, float]:
    """Train a tagger for `model.encoder` and `model.pos`, and write it into a directory for `training.pos_tagger`.

    Its table starts as the encoder's own, in the directions in which that varies most: most sub-words stand in no
    treebank. Of all epochs the best on `dev` is kept.

    Args:
        config: encoder by name, sizes of the tagger, and the seed.
        train: treebanks to learn from.
        dev: those that choose.
        test: others to measure on.
        output: directory to write into.
        epochs: how often the treebanks are seen.

    Returns:
        Accuracy, the share of words whose tag is right, by path; of all of `dev`, and of each of `test`.

    Raises:
        AsrPunctError: the encoder or a treebank cannot be read, or the encoder has no name.
    """
    encoder = config.model.encoder
    if not encoder.name:
        raise ConfigError("encoder: found no name, expected a pretrained encoder, whose tokenizer the tagger reads")
    tokenizer = pretrained_tokenizer(encoder.name, encoder.max_subwords)
    corpus, checked = read_treebanks(train, tokenizer), read_treebanks(dev, tokenizer)
    measured = {str(path): read_treebanks([path], tokenizer) for path in test}
    torch.manual_seed(config.training.seed)
    table = pretrained_encoder(encoder.name).table.weight.detach()
    tagger = PosTagger(config.model.pos, len(table))
    _start_table(tagger, table)
    _fit(tagger, corpus, checked, tokenizer, epochs, np.random.default_rng(config.training.seed))
    make_directory(output)
    save_pos_tagger(tagger, output)
    banks = {" ".join(map(str, dev)): checked, **measured}
    return {name: accuracy(tagger, bank, tokenizer) for name, bank in banks.items()}


def _start_table(tagger: PosTagger, table: Tensor) -> None:
    """Principal components of an encoder's table, (sub-words, width), as the rows of a narrower one."""
    rows = tagger.words.table.weight
    centred = table - table.mean(dim=0)
    components = torch.linalg.eigh(centred.T @ centred).eigenvectors.flip(-1)[:, : rows.shape[1]]
    found = centred @ components
    with torch.no_grad():
        rows[: len(table), : found.shape[1]] = found * (_ROW_STD / found.std())


def _fit(
    tagger: PosTagger,
    corpus: Treebank,
    dev: Treebank,
    tokenizer: SubwordTokenizer,
    epochs: int,
    rng: np.random.Generator,
) -> None:
    """AdamW at a rate that falls to 0, over windows that start at random words."""
    steps = epochs * -(-len(corpus.tags) // (_WINDOW * _BATCH))
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _LEARNING_RATE, total_steps=steps + 1)
    best, kept = 0.0, tagger.state_dict()
    for epoch in range(1, epochs + 1):
        tagger.train()
        for spans in _epoch_batches(len(corpus.tags), rng):
            loss = _loss(tagger, corpus, spans, tokenizer, rng)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            clip_gradients(tagger.parameters(), _CLIP_NORM)
            optimizer.step()
            schedule.step()
        score = accuracy(tagger, dev, tokenizer)
        log.info("epoch %d: accuracy %.4f", epoch, score)
        if score > best:
            best, kept = score, {name: value.clone() for name, value in tagger.state_dict().items()}
    tagger.load_state_dict(kept)


def _epoch_batches(words: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """First and last word and one more of windows that hold every word once, in shuffled batches, (windows, 2) each."""
    cuts = np.arange(int(rng.integers(1, _WINDOW + 1)), words, _WINDOW)
    edges = np.concatenate([[0], cuts, [words]]) if words > 1 else np.array([0, words])
    spans = rng.permutation(np.stack([edges[:-1], edges[1:]], axis=1))
    return np.array_split(spans, -(-len(spans) // _BATCH))


def _inputs(bank: Treebank, spans: npt.NDArray[np.int64], tokenizer: SubwordTokenizer) -> tuple[Tensor, Tensor, Tensor]:
    """Sub-words, word places and tags, (words of all windows,), of windows."""
    places = np.concatenate([np.arange(start, end) for start, end in spans.tolist()])
    rows = np.repeat(np.arange(len(spans)), spans[:, 1] - spans[:, 0])
    ends = np.concatenate([[0], np.cumsum(bank.counts)])
    subwords = np.concatenate([bank.subwords[ends[start] : ends[end]] for start, end in spans.tolist()])
    none = np.zeros(len(places), np.int64)
    special = tokenizer.start, tokenizer.end, tokenizer.pad
    features = pack(subwords, bank.counts[places], none, none, rows, special)
    arrays = features.input_ids, features.word_index, bank.tags[places]
    input_ids, word_index, tags = (torch.from_numpy(array) for array in arrays)
    return input_ids, word_index, tags


def _loss(
    tagger: PosTagger,
    corpus: Treebank,
    spans: npt.NDArray[np.int64],
    tokenizer: SubwordTokenizer,
    rng: np.random.Generator,
) -> Tensor:
    input_ids, word_index, tags = _inputs(corpus, spans, tokenizer)
    lost = torch.from_numpy(rng.random(input_ids.shape) < _LOST)
    input_ids = input_ids.masked_fill(lost, tokenizer.unknown)
    return nn.functional.cross_entropy(tagger.logits(input_ids, word_index)[word_index > 0], tags)


def accuracy(tagger: PosTagger, bank: Treebank, tokenizer: SubwordTokenizer) -> float:
    """Share of the words of a treebank whose tag is right, in windows that tell no sentence edge."""
    tagger.eval()
    starts = np.arange(0, len(bank.tags), _WINDOW)
    spans = np.stack([starts, np.minimum(starts + _WINDOW, len(bank.tags))], axis=1)
    right = 0
    with torch.inference_mode():
        for batch in np.array_split(spans, -(-len(spans) // _BATCH)):
            input_ids, word_index, tags = _inputs(bank, batch, tokenizer)
            right += int((tagger(input_ids, word_index)[word_index > 0] == tags).sum())
    return right / len(bank.tags)
