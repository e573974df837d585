"""The contextual encoder: any transformers encoder, pooled to one vector a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer, ElectraModel

from asr_punct.config import EncoderConfig
from asr_punct.errors import ConfigError
from asr_punct.model.lookup import MODEL_TYPE, TABLE_TYPE, LookupEncoder, TableEncoder, boundary_table
from asr_punct.model.transformer import narrow_electra, new_electra, new_transformer
from asr_punct.subwords import SubwordTokenizer

_LOOKUPS = {MODEL_TYPE: LookupEncoder, TABLE_TYPE: TableEncoder}


class WordEncoder(nn.Module):
    """Contextual vectors of words: the encoder's output at each word's last sub-word.

    A learnt vector is added to the first and the last word of a document. It tells a document's edge from the edge
    of a window cut out of running text, and starts at zero.

    Args:
        encoder: a transformers encoder.
    """

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.width = int(cast(Any, encoder.config).hidden_size)
        self.boundary = boundary_table(self.width)

    @property
    def pretrained(self) -> tuple[nn.Module, ...]:
        """What is the encoder's own, and can be frozen: the transformer."""
        return (self.encoder,)

    @property
    def table(self) -> nn.Embedding:
        """The rows of the sub-words."""
        return cast(nn.Embedding, cast(Any, self.encoder).get_input_embeddings())

    @property
    def settings(self) -> dict[str, Any]:
        """What rebuilds the encoder without its weights."""
        return dict(cast(Any, self.encoder.config).to_dict())

    def forward(self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor) -> Tensor:
        """Word vectors, (batch, words, width), of inputs as `features.Features` describes them."""
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        index = word_index.unsqueeze(-1).expand(-1, -1, self.width)
        return cast(Tensor, torch.gather(states, 1, index) + self.boundary(boundaries))


Encoder: TypeAlias = WordEncoder | LookupEncoder | TableEncoder


def new_encoder(config: EncoderConfig, vocabulary: int, pad: int) -> Encoder:
    """An encoder of the configured kind and size with random weights."""
    if config.kind == "table":
        return TableEncoder(vocab_size=vocabulary, hidden_size=config.width, max_position_embeddings=config.max_tokens)
    if config.kind == "lookup":
        return LookupEncoder(
            vocab_size=vocabulary,
            hidden_size=config.width,
            table_width=config.table_width,
            pairs=config.pairs,
            pair_width=config.pair_width,
            pad_token_id=pad,
            max_position_embeddings=config.max_tokens,
        )
    if config.kind == "electra":
        electra = new_electra(
            vocabulary=vocabulary,
            table_width=config.table_width,
            width=config.width,
            layers=config.layers,
            heads=config.heads,
            feed_forward=config.feed_forward,
            dropout=config.dropout,
            max_positions=config.max_tokens,
            pad=pad,
        )
        return WordEncoder(electra)
    transformer = new_transformer(
        vocabulary=vocabulary,
        width=config.width,
        layers=config.layers,
        heads=config.heads,
        feed_forward=config.feed_forward,
        local_attention=config.local_attention,
        dropout=config.dropout,
        max_positions=config.max_tokens,
        pad=pad,
    )
    return WordEncoder(transformer)


def narrow_encoder(encoder: Encoder, config: EncoderConfig, share: float) -> WordEncoder | LookupEncoder:
    """An encoder of the same kind over the same tables with layers of its own, narrower ones by `share`.

    Beside a named encoder that is no ELECTRA it is built from the configuration.

    Raises:
        ConfigError: the heads do not divide the width, or the encoder has no layers.
    """
    width = max(1, round(share * encoder.width))
    if isinstance(encoder, TableEncoder):
        raise ConfigError("pretraining: an encoder of kind table cannot be pre-trained: its rows are the word vectors")
    if isinstance(encoder, LookupEncoder):
        narrow = cast(LookupEncoder, encoder_from_settings({**encoder.settings, "hidden_size": width}))
        narrow.table, narrow.pairs = encoder.table, encoder.pairs
        return narrow
    if isinstance(encoder.encoder, ElectraModel):
        return WordEncoder(narrow_electra(encoder.encoder, share))
    if width % (2 * config.heads):
        raise ConfigError(f"pretraining: the generator's width {width} is not a multiple of twice heads {config.heads}")
    transformer = new_transformer(
        vocabulary=1,
        width=width,
        layers=config.layers,
        heads=config.heads,
        feed_forward=max(1, round(share * config.feed_forward)),
        local_attention=config.local_attention,
        dropout=config.dropout,
        max_positions=config.max_tokens,
    )
    rows = nn.Sequential(encoder.table, nn.Linear(encoder.table.embedding_dim, width))
    cast(Any, transformer).set_input_embeddings(rows)
    return WordEncoder(transformer)


def encoder_from_settings(settings: Mapping[str, Any]) -> Encoder:
    """An encoder with random weights from the settings that a model directory keeps of it."""
    lookup = _LOOKUPS.get(settings.get("model_type", ""))
    if lookup:
        return cast(Encoder, lookup(**{name: value for name, value in settings.items() if name != "model_type"}))
    config = AutoConfig.for_model(**settings)
    arguments = {"add_pooling_layer": False} if config.model_type in {"bert", "roberta", "xlm-roberta"} else {}
    return WordEncoder(cast(Any, AutoModel).from_config(config, **arguments))


def pretrained_encoder(name: str) -> WordEncoder:
    """A pretrained encoder by name or directory, in safetensors only.

    Raises:
        ConfigError: it cannot be loaded.
    """
    try:
        model = AutoModel.from_pretrained(name, use_safetensors=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"encoder {name!r}: {str(error).splitlines()[0]}") from None
    if hasattr(model, "pooler"):
        model.pooler = None
    return WordEncoder(model)


def pretrained_tokenizer(name: str, max_subwords: int) -> SubwordTokenizer:
    """The fast tokenizer of a pretrained encoder.

    Raises:
        ConfigError: it cannot be loaded, or there is no fast one.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, use_fast=True, add_prefix_space=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"tokenizer {name!r}: {str(error).splitlines()[0]}") from None
    if not tokenizer.is_fast:
        raise ConfigError(f"tokenizer {name!r}: found a slow tokenizer, expected one with a tokenizer.json")
    return SubwordTokenizer(tokenizer.backend_tokenizer, max_subwords)
