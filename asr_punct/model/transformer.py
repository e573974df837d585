"""Small transformers with random weights, for built encoders and for the context layers."""

from __future__ import annotations

from typing import cast

from torch import nn
from transformers import AutoConfig, ElectraConfig, ElectraModel, ModernBertConfig, ModernBertModel


def new_transformer(
    *,
    vocabulary: int,
    width: int,
    layers: int,
    heads: int,
    feed_forward: int,
    local_attention: int,
    dropout: float,
    max_positions: int,
    pad: int = 0,
) -> nn.Module:
    """Return a ModernBERT whose layers alternate between global and local attention.

    It learns from small corpora better than a BERT because of pre-normalisation, rotary positions and local attention.

    Args:
        vocabulary: sub-words; 1 if the input is vectors.
        width: hidden size.
        layers: number of layers.
        heads: attention heads.
        feed_forward: width of the gated feed-forward layers.
        local_attention: attention window of every second layer.
        dropout: after embeddings and feed-forward layers.
        max_positions: longest input.
        pad: id of the padding token.
    """
    config = AutoConfig.for_model(
        "modernbert",
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=feed_forward,
        local_attention=local_attention,
        global_attn_every_n_layers=2,
        embedding_dropout=dropout,
        mlp_dropout=dropout,
        max_position_embeddings=max_positions,
        pad_token_id=pad,
        bos_token_id=None,
        eos_token_id=None,
        cls_token_id=None,
        sep_token_id=None,
    )
    return ModernBertModel(cast(ModernBertConfig, config))


def new_electra(
    *,
    vocabulary: int,
    table_width: int,
    width: int,
    layers: int,
    heads: int,
    feed_forward: int,
    dropout: float,
    max_positions: int,
    pad: int,
) -> nn.Module:
    """Return an ELECTRA (Clark et al. 2020), a BERT with embeddings of size `table_width`.

    The other arguments are those of `new_transformer`; `dropout` includes attention.
    """
    config = AutoConfig.for_model(
        "electra",
        vocab_size=vocabulary,
        embedding_size=table_width,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=feed_forward,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        max_position_embeddings=max_positions,
        pad_token_id=pad,
    )
    return ElectraModel(cast(ElectraConfig, config))
