"""Pretrained encoders and their tokenizers, from a model hub or a directory."""

import logging
from collections.abc import Sequence
from typing import Any, cast

from safetensors import SafetensorError
from torch import nn
from transformers import (
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoTokenizer,
    FunnelBaseModel,
    PretrainedConfig,
)
from transformers.utils import logging as transformers_logging

from asr_punct.errors import ConfigError, first_line
from asr_punct.model.encoder import WordEncoder, with_decoder
from asr_punct.subwords import SubwordTokenizer

log = logging.getLogger(__name__)

_ATTENTION_DROPOUT = ("attention_probs_dropout_prob", "attention_dropout")
_HIDDEN_DROPOUT = ("hidden_dropout_prob", "hidden_dropout", "dropout", "activation_dropout")


def pretrained_encoder(
    name: str, masked_lm: bool = False, attention_dropout: float | None = None, hidden_dropout: float | None = None
) -> WordEncoder:
    """Load a pretrained encoder of the hub or a directory, with `masked_lm` also its masked-LM head if it has one.

    A dropout rate of None keeps that of the checkpoint. Raises ConfigError if the encoder cannot be loaded, has no such
    dropout, or has fewer output vectors than sub-words.
    """
    try:
        config = AutoConfig.from_pretrained(name)
        _set_dropout(config, "attention_dropout", _ATTENTION_DROPOUT, attention_dropout)
        _set_dropout(config, "hidden_dropout", _HIDDEN_DROPOUT, hidden_dropout)
        with_head = _pretrained_masked_lm(name, config) if masked_lm else None
        if with_head is not None:
            return with_decoder(with_head)
        model = AutoModel.from_pretrained(name, config=config, use_safetensors=True)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ConfigError(f"encoder {name!r}: {first_line(error)}") from None
    if masked_lm:
        log.info("encoder %s has no masked-LM head: its embedding matrix is used as the decoder", name)
    if isinstance(model, FunnelBaseModel):
        found, expected = "a FunnelBaseModel, which has no vector for each sub-word", "one with a decoder"
        raise ConfigError(f"encoder {name!r}: found {found}, expected {expected} (funnel-transformer/small, not -base)")
    if hasattr(model, "pooler"):
        model.pooler = None
    return WordEncoder(model)


def pretrained_tokenizer(name: str, max_subwords: int) -> SubwordTokenizer:
    """Load the fast tokenizer of a pretrained encoder. Raises ConfigError if there is none."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, use_fast=True, add_prefix_space=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"tokenizer {name!r}: {first_line(error)}") from None
    if not tokenizer.is_fast:
        raise ConfigError(f"tokenizer {name!r}: found a slow tokenizer, expected one with a tokenizer.json")
    return SubwordTokenizer(tokenizer.backend_tokenizer, max_subwords)


def _set_dropout(config: PretrainedConfig, key: str, names: Sequence[str], rate: float | None) -> None:
    """Set a dropout rate, unless it is None, under those of `names` that this type of encoder has."""
    if rate is None:
        return
    present = [name for name in names if hasattr(config, name)]
    if not present:
        raise ConfigError(f"encoder: {key}: found no such rate in encoders of type {config.model_type}")
    for name in present:
        setattr(config, name, rate)


def _pretrained_masked_lm(name: str, config: PretrainedConfig) -> nn.Module | None:
    """Load a checkpoint with its masked-LM head; return None if the checkpoint has no such head."""
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        return None
    messages = cast(Any, transformers_logging)
    verbosity = messages.get_verbosity()
    messages.set_verbosity_error()  # no warning about a missing head
    try:
        model, loading = AutoModelForMaskedLM.from_pretrained(
            name, config=config, use_safetensors=True, output_loading_info=True
        )
    finally:
        messages.set_verbosity(verbosity)
    encoder_prefix = f"{model.base_model_prefix}."
    return model if all(weight.startswith(encoder_prefix) for weight in loading["missing_keys"]) else None
