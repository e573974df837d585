"""A small transformer with random weights, for encoders trained from scratch and for the context layers."""

from typing import Any, cast

from transformers import AutoConfig, ModernBertConfig, ModernBertModel


def modern_bert(*, local_attention: int, dropout: float, **sizes: Any) -> ModernBertModel:
    """Return a ModernBERT whose layers alternate between global and local attention.

    It has pre-normalisation, rotary positions and local attention, and trained better than BERT on small corpora.

    `local_attention` is the window of every second layer, in positions. Dropout is after embeddings and feed-forward
    layers. `sizes` are other arguments of `ModernBertConfig`.
    """
    config = AutoConfig.for_model(
        "modernbert",
        local_attention=local_attention,
        global_attn_every_n_layers=2,
        embedding_dropout=dropout,
        mlp_dropout=dropout,
        bos_token_id=None,
        eos_token_id=None,
        cls_token_id=None,
        sep_token_id=None,
        **sizes,
    )
    return ModernBertModel(cast(ModernBertConfig, config))
