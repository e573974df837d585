"""Replaced-token detection (ELECTRA: Clark et al. 2020, section 2): how a model learns from text without labels.

The last sub-word of some words is hidden: the whole word, where it has but one. A small generator guesses it, what it
draws stands in its place, and the model tells of every word whether it is the text's. So each kind of encoder learns
in the words that it is used on, and the context layers with it. ELECTRA itself hides any token; a transformer can do
so here, and then each of its tokens is a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

import torch
from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.errors import ConfigError
from asr_punct.model.context import build_context
from asr_punct.model.encoder import Encoder, WordEncoder, narrow_encoder
from asr_punct.model.tagger import Tagger

Inputs = Mapping[str, Tensor]
"""The arrays of `features.Features`, by name."""


@dataclass(frozen=True)
class Detection:
    """What is learnt from a batch of windows.

    Attributes:
        logits: *Shape:* (batch, words), of a word being replaced (sigmoid).
        replaced: *Shape:* (batch, words), whether it is: a guess that is the text's own sub-word replaces nothing.
        is_word: *Shape:* (batch, words), where a word stands and no padding.
        guesses: *Shape:* (hidden words, sub-words), the generator's logits (softmax).
        hidden: *Shape:* (hidden words,), the text's sub-words there.
    """

    logits: Tensor
    replaced: Tensor
    is_word: Tensor
    guesses: Tensor
    hidden: Tensor


class Generator(nn.Module):
    """Guesses hidden sub-words: a narrow trunk of the same kind, over the same tables, which also give its classes.

    Args:
        encoder: the encoder that is trained.
        config: the model's.
        share: width of the layers, as a share of the model's.

    Raises:
        ConfigError: the heads do not divide the width.
    """

    def __init__(self, encoder: Encoder, config: ModelConfig, share: float) -> None:
        super().__init__()
        context, hidden = config.context, config.context.feed_forward
        if hidden:
            context = replace(context, feed_forward=max(1, round(share * hidden)))
        self.encoder = narrow_encoder(encoder, config.encoder, share)
        self.context = build_context(context, self.encoder.width, config.window.words)
        self.table = encoder.table
        size, rows = self.table.embedding_dim, self.table.num_embeddings
        self.guess = nn.Sequential(nn.Linear(self.context.width, size), nn.GELU(), nn.LayerNorm(size))
        self.bias = nn.Parameter(torch.zeros(rows))

    def forward(self, inputs: Inputs, chosen: Tensor) -> Tensor:
        """Logits (chosen words, sub-words) of the last sub-words of the words that `chosen`, (batch, words), marks."""
        vectors = self.guess(_trunk(self.encoder, self.context, inputs)[chosen])
        return nn.functional.linear(vectors, self.table.weight, self.bias)


class ReplacedTokenDetector(nn.Module):
    """A model and what trains it; the model's heads and its fusion with pauses take no part.

    Args:
        model: the model whose encoder and context learn.
        config: its configuration.
        mask: sub-word that hides one.
        masked: probability that a word's last sub-word is hidden.
        generator: width of the generator's layers, as a share of the model's.
        hides: whether words are what is hidden, or tokens.

    Raises:
        ConfigError: the generator's heads do not divide its width, or the encoder cannot tell tokens.
    """

    def __init__(
        self,
        model: Tagger,
        config: ModelConfig,
        *,
        mask: int,
        masked: float,
        generator: float,
        hides: Literal["words", "tokens"] = "words",
    ) -> None:
        super().__init__()
        if hides == "tokens" and not isinstance(model.encoder, WordEncoder):
            raise ConfigError("pretraining: hides tokens needs a transformer: other encoders only look words up")
        self.model = model
        self.generator = Generator(model.encoder, config, generator)
        width = model.context.width
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.mask, self.masked, self.hides = mask, masked, hides

    def forward(self, inputs: Inputs) -> Detection:
        """Hide, guess, replace and detect in a batch of windows."""
        if self.hides == "tokens":
            inputs = _each_token(inputs)
        ids, word_index = inputs["input_ids"], inputs["word_index"]
        is_word = word_index > 0
        chosen = is_word & (torch.rand(is_word.shape, device=is_word.device) < self.masked)
        places = chosen.nonzero()[:, 0], word_index[chosen]
        hidden = ids[places]
        masked = ids.index_put(places, torch.full_like(hidden, self.mask))
        guesses = self.generator({**inputs, "input_ids": masked}, chosen)
        drawn = sample(guesses.detach())
        changed = {**inputs, "input_ids": ids.index_put(places, drawn)}
        logits = self.head(_trunk(self.model.encoder, self.model.context, changed)).squeeze(-1)
        replaced = torch.zeros_like(is_word).masked_scatter(chosen, drawn != hidden)
        return Detection(logits, replaced, is_word, guesses, hidden)


def _each_token(inputs: Inputs) -> Inputs:
    """The windows with their tokens, the two special ones left out, in the place of words."""
    last = inputs["word_index"].amax(dim=1, keepdim=True)
    places = torch.arange(1, inputs["input_ids"].shape[1] - 1, device=last.device)
    word_index = torch.where(places <= last, places, 0)
    return {**inputs, "word_index": word_index, "boundaries": torch.zeros_like(word_index)}


def _trunk(encoder: nn.Module, context: nn.Module, inputs: Inputs) -> Tensor:
    """Contextual vectors of the words, (batch, words, width)."""
    word_index = inputs["word_index"]
    vectors = encoder(inputs["input_ids"], inputs["attention_mask"], word_index, inputs["boundaries"])
    return cast(Tensor, context(vectors, (word_index > 0).long()))


def sample(logits: Tensor) -> Tensor:
    """A class drawn by the softmax of each row of `logits`, (rows, classes): (rows,)."""
    sums = logits.float().softmax(dim=-1).cumsum(dim=-1)
    drawn = torch.rand(len(logits), 1, device=logits.device) * sums[:, -1:]
    return torch.searchsorted(sums, drawn, right=True).squeeze(-1).clamp(max=logits.shape[-1] - 1)
