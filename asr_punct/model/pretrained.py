"""Encoders and tokenizers by name: of a model hub, or a directory."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, cast

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
    name: str,
    masked_lm: bool = False,
    attention_dropout: float | None = None,
    hidden_dropout: float | None = None,
) -> WordEncoder:
    """A pretrained encoder by name or directory, in safetensors only.

    Args:
        name: which.
        masked_lm: whether it is to have its checkpoint's masked-LM head, where there is one.
        attention_dropout: dropout of its attention's probabilities; its own where none is given.
        hidden_dropout: all other dropout in it; its own where none is given.

    Raises:
        ConfigError: it cannot be loaded, has no such dropout, or gives fewer vectors than there are sub-words.
    """
    try:
        config = AutoConfig.from_pretrained(name)
        _set_dropout(config, "attention_dropout", _ATTENTION_DROPOUT, attention_dropout)
        _set_dropout(config, "hidden_dropout", _HIDDEN_DROPOUT, hidden_dropout)
        whole = _pretrained_masked_lm(name, config) if masked_lm else None
        if whole is not None:
            return with_decoder(whole)
        model = AutoModel.from_pretrained(name, config=config, use_safetensors=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"encoder {name!r}: {first_line(error)}") from None
    if masked_lm:
        log.info("encoder %s has no masked-LM head: its embedding matrix stands in for the decoder", name)
    if isinstance(model, FunnelBaseModel):
        found, expected = "a FunnelBaseModel, which has no vector for each sub-word", "one with a decoder"
        raise ConfigError(f"encoder {name!r}: found {found}, expected {expected} (funnel-transformer/small, not -base)")
    if hasattr(model, "pooler"):
        model.pooler = None
    return WordEncoder(model)


def _set_dropout(config: PretrainedConfig, key: str, names: Sequence[str], rate: float | None) -> None:
    """Set a rate, where one is given, by the names that the kind of encoder has for it."""
    if rate is None:
        return
    known = [name for name in names if hasattr(config, name)]
    if not known:
        raise ConfigError(f"encoder: {key}: found no such rate in encoders of type {config.model_type}")
    for name in known:
        setattr(config, name, rate)


def _pretrained_masked_lm(name: str, config: PretrainedConfig) -> nn.Module | None:
    """A checkpoint with its masked-LM head; None where weights of the head are missing."""
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        return None
    messages = cast(Any, transformers_logging)
    verbosity = messages.get_verbosity()
    messages.set_verbosity_error()  # else it warns of the missing head as of a fault
    try:
        model, loading = AutoModelForMaskedLM.from_pretrained(
            name, config=config, use_safetensors=True, output_loading_info=True
        )
    finally:
        messages.set_verbosity(verbosity)
    base = f"{model.base_model_prefix}."
    return model if all(weight.startswith(base) for weight in loading["missing_keys"]) else None


def pretrained_tokenizer(name: str, max_subwords: int) -> SubwordTokenizer:
    """The fast tokenizer of a pretrained encoder.

    Raises:
        ConfigError: it cannot be loaded, or there is no fast one.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, use_fast=True, add_prefix_space=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"tokenizer {name!r}: {first_line(error)}") from None
    if not tokenizer.is_fast:
        raise ConfigError(f"tokenizer {name!r}: found a slow tokenizer, expected one with a tokenizer.json")
    return SubwordTokenizer(tokenizer.backend_tokenizer, max_subwords)
