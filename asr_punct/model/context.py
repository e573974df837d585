"""The layers between fusion and heads: none, or AutoPunct's custom BERT (section 3.2.2)."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn
from transformers import BertConfig, BertModel

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError


class NoContext(nn.Module):
    """Word vectors as they are."""

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Return `vectors`, (batch, words, width)."""
        return vectors


class TransformerContext(nn.Module):
    """A small BERT from scratch that attends over the fused words of the window.

    Args:
        config: its layers and heads.
        width: size of the word vectors.
        max_words: longest window.
    """

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__()
        if width % config.heads:
            raise ConfigError(f"context: the encoder's width {width} is not a multiple of heads {config.heads}")
        bert = BertConfig(
            vocab_size=1,
            hidden_size=width,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            intermediate_size=config.feed_forward or 4 * width,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.dropout,
            max_position_embeddings=max_words,
        )
        self.bert = BertModel(bert, add_pooling_layer=False)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Contextual vectors (batch, words, width) of `vectors`; `word_mask` (batch, words) is 0 at padding."""
        return cast(Tensor, self.bert(inputs_embeds=vectors, attention_mask=word_mask).last_hidden_state)


def build_context(config: ContextConfig, width: int, max_words: int) -> nn.Module:
    """The context layers that the configuration names."""
    return NoContext() if config.kind == "none" else TransformerContext(config, width, max_words)
