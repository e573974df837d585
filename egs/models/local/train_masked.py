#!/usr/bin/env python3
"""Train an encoder further to find hidden words in bare lower-case text, before it learns marks.

TEXT is a training text, a TSV file; its marks and capitals are not used. ENCODER is a folder of transformers, such as
the one of make_encoder.py. 15 % of the words are hidden: of these 80 % are unknown sub-words, 10 % random ones, and
10 % stay. Writes OUTPUT, a folder like ENCODER, after the last step, or at the end of the seconds: then the same
command goes on from there.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from transformers import AutoModel
from typer import Option

from asr_punct.errors import InputError, run_script
from asr_punct.model.device import has_bf16, open_device
from asr_punct.model.pretrained import pretrained_tokenizer
from asr_punct.partial import unfinished
from asr_punct.training.corpus import Corpus, Vocabulary
from asr_punct.training.mapped import StoredCorpus

_MAX_SUBWORDS = 16
_HIDDEN_SHARE = 0.15
_UNKNOWN_SHARE, _RANDOM_SHARE = 0.8, 0.1
"""Shares of the hidden words that are unknown and random sub-words."""
_WARM_UP = 0.05
"""Share of the steps in which the learning rate rises; then it falls to 0 with the last step."""
_NO_TARGET = -100
_STATE = "masked.pt"
_REPORT_STEPS = 50


@dataclass(frozen=True)
class Batch:
    """Sub-words with hidden words, the attention mask, and the sub-words to find or -100: each (rows, tokens)."""

    input_ids: Tensor
    attention_mask: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device."""
        return Batch(*(tensor.to(device) for tensor in (self.input_ids, self.attention_mask, self.targets)))


class MaskedModel(nn.Module):
    """An encoder with a head that predicts sub-words by the encoder's own embeddings."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder, config = encoder, cast(Any, encoder).config
        self.dense, self.norm = nn.Linear(config.hidden_size, config.hidden_size), nn.LayerNorm(config.hidden_size)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, batch: Batch) -> Tensor:
        """Return the mean cross-entropy of the targets."""
        states = self.encoder(input_ids=batch.input_ids, attention_mask=batch.attention_mask).last_hidden_state
        hidden = batch.targets != _NO_TARGET
        vectors = self.norm(nn.functional.gelu(self.dense(states[hidden])))
        table = cast(Any, self.encoder).get_input_embeddings().weight
        return nn.functional.cross_entropy((vectors @ table.T).float() + self.bias, batch.targets[hidden])


def draw_batch(corpus: Corpus, step: int, rows: int, words: int, seed: int = 1) -> Batch:
    """Return the batch of a step: `rows` stretches of `words` consecutive words, from random places of the text."""
    rng = np.random.default_rng([seed, step])
    words = min(words, len(corpus))
    starts = rng.integers(0, len(corpus) - words + 1, rows)
    read = [_hide(np.asarray(corpus.words[first : first + words]), corpus.vocabulary, rng) for first in starts]
    start, end, pad = corpus.vocabulary.special
    length = max(len(subwords) for subwords, _ in read) + 2
    ids, found = np.full((rows, length), pad), np.full((rows, length), _NO_TARGET)
    for row, (subwords, target) in enumerate(read):
        ids[row, : len(subwords) + 2] = [start, *subwords, end]
        found[row, 1 : len(target) + 1] = target
    return Batch(*map(torch.from_numpy, (ids, (ids != pad).astype(np.int64), found)))


def _hide(words: Any, vocabulary: Vocabulary, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return the sub-words of words, some of which are hidden, and the targets, (sub-words,) each."""
    subwords = vocabulary.gather(words).astype(np.int64)
    word = np.repeat(np.arange(len(words)), vocabulary.counts(words))
    hidden = rng.random(len(words)) < _HIDDEN_SHARE
    hidden[rng.integers(len(words))] = True  # a batch needs a target
    kind = np.where(hidden, rng.random(len(words)), 1.0)[word]
    targets = np.where(hidden[word], subwords, _NO_TARGET)
    changed = np.where(kind < _UNKNOWN_SHARE, vocabulary.unknown, rng.choice(vocabulary.subwords, len(subwords)))
    return np.where(kind < _UNKNOWN_SHARE + _RANDOM_SHARE, changed, subwords), targets


def rate(step: int, steps: int) -> float:
    """Return the factor on the learning rate at a step, from 0."""
    warm_up = max(1, round(_WARM_UP * steps))
    return min((step + 1) / warm_up, (steps - step) / max(1, steps - warm_up))


@dataclass
class Run:
    """A training: its model and optimiser, and how many of its `steps` are done."""

    model: MaskedModel
    optimizer: torch.optim.Optimizer
    steps: int
    done: int = 0

    def load(self, path: Path) -> None:
        """Go on from a state. Raises InputError if it is one of another number of steps."""
        state = torch.load(path, map_location="cpu", weights_only=True)
        if state["steps"] != self.steps:
            raise InputError(path, f"a run of {state['steps']} steps", f"{self.steps}, or a new folder")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.done = state["done"]

    def save(self, encoder: Path, output: Path) -> None:
        """Write the encoder with its tokenizer, and the state."""
        cast(Any, self.model.encoder).save_pretrained(output)
        for path in encoder.glob("*token*.json"):
            shutil.copy(path, output)
        states = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        with unfinished(output / _STATE) as partial:
            torch.save({**states, "steps": self.steps, "done": self.done}, partial)

    def train(self, corpus: Corpus, rows: int, words: int, learning_rate: float, end: float) -> Iterator[float]:
        """Train until the last step or the time `end` (`time.monotonic`); yield the loss of each step."""
        device = self.model.bias.device
        precision = torch.autocast(device.type, torch.bfloat16, enabled=has_bf16(device.type))
        while self.done < self.steps and time.monotonic() < end:
            for group in self.optimizer.param_groups:
                group["lr"] = learning_rate * rate(self.done, self.steps)
            with precision:
                loss = self.model(draw_batch(corpus, self.done, rows, words).to(device))
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.done += 1
            yield float(loss.detach())


def main(
    text: Path,
    encoder: Path,
    output: Path,
    steps: Annotated[int, Option(help="Steps of the whole training.")] = 3_000,
    rows: Annotated[int, Option(help="Stretches of text in a batch.")] = 256,
    words: Annotated[int, Option(help="Words of a stretch.")] = 128,
    learning_rate: Annotated[float, Option(help="Highest learning rate.")] = 3e-4,
    seconds: Annotated[float, Option(help="Stop after this time; the same command goes on.")] = 480.0,
    device: Annotated[str, Option(help="cpu, cuda, …")] = "cuda",
) -> None:
    end = time.monotonic() + seconds
    place = open_device(device)
    corpus = StoredCorpus.open(text).encode(pretrained_tokenizer(str(encoder), _MAX_SUBWORDS))
    model = MaskedModel(AutoModel.from_pretrained(encoder, add_pooling_layer=False).float()).to(place).train()
    run = Run(model, torch.optim.AdamW(model.parameters(), weight_decay=0.01), steps)
    if (output / _STATE).exists():
        run.load(output / _STATE)
    losses = list[float]()
    for loss in run.train(corpus, rows, words, learning_rate, end):
        losses.append(loss)
        if not run.done % _REPORT_STEPS:
            print(f"step {run.done} of {steps}: loss {np.mean(losses[-_REPORT_STEPS:]):.3f}", flush=True)
    run.save(encoder, output)
    print(f"{run.done} of {steps} steps" + ("" if run.done == steps else ": run the same command again"))


if __name__ == "__main__":
    run_script(main)
