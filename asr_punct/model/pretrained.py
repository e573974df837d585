"""Pretrained encoders and tokenizers of transformers, from the hub or a directory.

Older checkpoints, such as BETO and IXAmBERT, lack what newer ones have: safe weights (`pytorch_model.bin` is read with
`weights_only`), a `model_type`, or a `tokenizer.json`. A configuration with BERT's keys beside a `vocab.txt` is one of
BERT, and its tokenizer is built from the `vocab.txt`.
"""

import logging
from collections.abc import Sequence
from pickle import UnpicklingError
from typing import Any

from safetensors import SafetensorError
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
from torch import nn
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    FunnelBaseModel,
    PretrainedConfig,
)
from transformers.utils.hub import cached_file

from asr_punct.errors import ConfigError, one_line
from asr_punct.files import read_json_file, read_text_file
from asr_punct.logs import log_level
from asr_punct.model.encoder import WordEncoder, with_decoder, without_pooler
from asr_punct.subwords import SubwordTokenizer

_NAME = "model.encoder.name"
log = logging.getLogger(__name__)
_ATTENTION_DROPOUT = ("attention_probs_dropout_prob", "attention_dropout")
_HIDDEN_DROPOUT = ("hidden_dropout_prob", "hidden_dropout", "dropout", "activation_dropout")
_BERT_KEYS = {"hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "type_vocab_size"}
_PICKLED = "pytorch_model.bin"
_VOCABULARY, _TOKENIZER, _TOKENIZER_SETTINGS = "vocab.txt", "tokenizer.json", "tokenizer_config.json"
_LOADING_ERRORS = (OSError, ValueError, RuntimeError, SafetensorError)


_without_retries = log_level("huggingface_hub", logging.ERROR)
"""It logs each of five tries to connect, twice."""


@_without_retries
def pretrained_encoder(
    name: str, masked_lm: bool = False, attention_dropout: float | None = None, hidden_dropout: float | None = None
) -> WordEncoder:
    """Load a pretrained encoder of the hub or a directory, with `masked_lm` also its masked-LM head if it has one.

    A dropout rate of None keeps that of the checkpoint. Raises ConfigError if the encoder cannot be loaded, has no such
    dropout, is an encoder-decoder, or has fewer output vectors than sub-words.
    """
    config = _read_config(name)
    _set_dropout(config, "attention_dropout", _ATTENTION_DROPOUT, attention_dropout)
    _set_dropout(config, "hidden_dropout", _HIDDEN_DROPOUT, hidden_dropout)
    try:
        with_head = _load_masked_lm(name, config) if masked_lm else None
        if with_head is not None:
            return with_decoder(with_head.float())  # transformers loads in the checkpoint's precision
        model = _load(AutoModel, name, config).float()
    except ConfigError:
        raise
    except _LOADING_ERRORS as error:
        raise ConfigError(_NAME, repr(name), f"an encoder of transformers: {_reason(error)}") from None
    if masked_lm:
        log.info("encoder %s has no masked-LM head: its embedding matrix is used as the decoder", name)
    if isinstance(model, FunnelBaseModel):
        found = f"{name!r}, a FunnelBaseModel, which has no vector for each sub-word"
        raise ConfigError(_NAME, found, "one with a decoder: funnel-transformer/small, not -base")
    return WordEncoder(without_pooler(model))


@_without_retries
def pretrained_tokenizer(name: str, max_subwords: int) -> SubwordTokenizer:
    """Load the fast tokenizer of a pretrained encoder. Raises ConfigError if there is none."""
    is_bert = _find(name, "config.json") and _read_config(name).model_type == "bert"
    if is_bert and not _find(name, _TOKENIZER) and _find(name, _VOCABULARY):
        return SubwordTokenizer(_wordpiece_tokenizer(name), max_subwords)
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, use_fast=True, add_prefix_space=True)
    except (OSError, ValueError) as error:
        raise ConfigError(_NAME, repr(name), f"an encoder with a tokenizer: {_reason(error)}") from None
    if not tokenizer.is_fast:
        raise ConfigError(_NAME, f"{name!r} with a slow tokenizer", "one with a tokenizer.json")
    return SubwordTokenizer(tokenizer.backend_tokenizer, max_subwords)


def _reason(error: Exception) -> str:
    if "couldn't connect to" in str(error):
        return "the hub cannot be reached, and it was not downloaded before"
    return one_line(error)


def _read_config(name: str) -> PretrainedConfig:
    """Read `config.json`. Raises ConfigError if it is missing, or not that of an encoder."""
    try:
        content, _ = PretrainedConfig.get_config_dict(name)
        if content and "model_type" not in content:
            config: PretrainedConfig = _bert_config(name, content)
        else:
            _check_type(name, content)
            config = AutoConfig.from_pretrained(name)
    except ConfigError:
        raise
    except (OSError, ValueError) as error:
        raise ConfigError(_NAME, repr(name), f"an encoder of transformers: {_reason(error)}") from None
    if config.is_encoder_decoder:
        found = f"{name!r}, an encoder-decoder ({config.model_type})"
        raise ConfigError(_NAME, found, "an encoder alone, such as BERT or RoBERTa")
    return config


def _check_type(name: str, content: dict[str, Any]) -> None:
    if content and content["model_type"] not in CONFIG_MAPPING:
        found = f"{name!r} with model_type {content['model_type']!r}"
        raise ConfigError(_NAME, found, "a type of encoder that the installed transformers has")


def _bert_config(name: str, content: dict[str, Any]) -> BertConfig:
    missing = sorted(_BERT_KEYS - content.keys())
    if missing or not _find(name, _VOCABULARY):
        lacking = f"{' '.join(missing)} in config.json" if missing else _VOCABULARY
        raise ConfigError(_NAME, f"{name!r} without model_type", f"one, or all that BERT has (no {lacking})")
    log.info("encoder %s has no model_type, but BERT's configuration and %s: read as bert", name, _VOCABULARY)
    return BertConfig(**content)


def _find(name: str, file: str) -> str | None:
    """Return the path of a file of a checkpoint, downloaded if it is on the hub; None if there is none."""
    flags = {f"_raise_exceptions_for_{kind}": False for kind in ("missing_entries", "connection_errors", "gated_repo")}
    try:
        return cached_file(name, file, **flags)
    except (OSError, ValueError):  # neither a directory nor a name of the hub
        return None


def _load(auto: Any, name: str, config: PretrainedConfig, **options: Any) -> Any:
    """Load a model from safe weights, else from `pytorch_model.bin`, of which only tensors are unpickled."""
    try:
        return auto.from_pretrained(name, config=config, use_safetensors=True, **options)
    except OSError as error:  # there are no safe weights
        if not _find(name, _PICKLED):
            raise error from None
    try:
        return auto.from_pretrained(name, config=config, use_safetensors=False, weights_only=True, **options)
    except UnpicklingError as error:
        reason = str(error).partition("WeightsUnpickler error: ")[2] or str(error)
        raise ConfigError(
            _NAME, f"{name!r} with {_PICKLED}", f"only tensors in it: {' '.join(reason.split())}"
        ) from None


def _load_masked_lm(name: str, config: PretrainedConfig) -> nn.Module | None:
    """Load a checkpoint with its masked-LM head; return None if the checkpoint has no such head."""
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        return None
    with log_level("transformers", logging.ERROR):  # no warning about a missing head
        model, loading = _load(AutoModelForMaskedLM, name, config, output_loading_info=True)
    encoder_prefix = f"{model.base_model_prefix}."
    return model if all(weight.startswith(encoder_prefix) for weight in loading["missing_keys"]) else None


def _wordpiece_tokenizer(name: str) -> Tokenizer:
    """Build BERT's tokenizer from its `vocab.txt`, with the settings of case and accents that are published with it.

    Without settings, words are converted to lower case if the vocabulary has no capitals.
    """
    path, settings_path = _find(name, _VOCABULARY), _find(name, _TOKENIZER_SETTINGS)
    pieces = read_text_file(path).split("\n") if path else []
    vocabulary = {piece.rstrip("\r"): number for number, piece in enumerate(pieces) if piece.rstrip("\r")}
    settings = read_json_file(settings_path) if settings_path else {}
    special = {settings.get(f"{kind}_token") for kind in ("unk", "sep", "pad", "cls", "mask")} | {"[UNK]"}
    cased = any(piece != piece.lower() for piece in vocabulary if not (piece.startswith("[") or piece in special))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=settings.get("do_lower_case", not cased),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _set_dropout(config: PretrainedConfig, key: str, names: Sequence[str], rate: float | None) -> None:
    """Set a dropout rate, unless it is None, under those of `names` that this type of encoder has."""
    if rate is None:
        return
    present = [name for name in names if hasattr(config, name)]
    if not present:
        raise ConfigError(
            f"model.encoder.{key}", str(rate), f"none, for encoders of type {config.model_type} have none"
        )
    for name in present:
        setattr(config, name, rate)
