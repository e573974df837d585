"""Contextual word vectors from a transformers encoder, and encoders with random weights (`pretrained` loads others)."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    ElectraConfig,
    ElectraModel,
    ModernBertConfig,
    ModernBertModel,
)

from asr_punct.config import EncoderConfig
from asr_punct.model.lookup import MIXED_TYPE, TABLE_TYPE, EncoderOutput, LookupEncoder, VocabularyLayer, boundary_table

_MASKED_LM = "masked_lm_head"
"""Key in the settings of encoders with a masked-LM head."""


class MaskedLMDecoder(nn.Module):
    """Parameters of a masked-LM decoder; `weight` is None if it is the embedding matrix."""

    def __init__(self, weight: nn.Parameter | None, bias: nn.Parameter | None) -> None:
        super().__init__()
        self.weight = weight
        self.bias = bias


class WordEncoder(nn.Module):
    """Word vectors: the output of a transformers encoder at each word's last sub-word.

    `encoder` is a model of `transformers`, or a masked-LM whose `decoder` has been replaced by the identity.
    """

    def __init__(self, encoder: nn.Module, decoder: MaskedLMDecoder | None = None) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.width = self.vocabulary.weight.shape[1] if decoder else int(cast(Any, encoder.config).hidden_size)
        self.boundary = boundary_table(self.width)
        config = cast(Any, encoder.config)
        # Each block of a Funnel transformer after the first halves its input, so that shorter inputs fail.
        self._min_tokens = 2 ** len(config.block_sizes) if config.model_type == "funnel" else 0

    @property
    def backbone(self) -> tuple[nn.Module, ...]:
        """Modules that `frozen_encoder` freezes."""
        return (self.encoder, self.decoder) if self.decoder else (self.encoder,)

    @property
    def table(self) -> nn.Embedding:
        """Sub-word embeddings."""
        return cast(nn.Embedding, cast(Any, self.encoder).get_input_embeddings())

    @property
    def settings(self) -> dict[str, Any]:
        """The encoder's configuration as JSON values, for `encoder_from_settings`."""
        config: dict[str, Any] = json.loads(cast(Any, self.encoder.config).to_json_string(use_diff=False))
        config.pop("_name_or_path", None)  # may be a path on this machine
        settings = {**config, "architectures": [type(self.encoder).__name__]}
        return {**settings, _MASKED_LM: True} if self.decoder else settings

    @property
    def vocabulary(self) -> VocabularyLayer:
        """The masked-LM decoder, or the embedding matrix if there is none."""
        if self.decoder is None:
            return VocabularyLayer(self.table.weight, None)
        weight = self.decoder.weight
        return VocabularyLayer(self.table.weight if weight is None else weight, self.decoder.bias)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor
    ) -> EncoderOutput:
        """Encode a batch as in `features.Features`."""
        states = self.states(input_ids, attention_mask)
        return EncoderOutput(pool_words(states, word_index) + self.boundary(boundaries), states)

    def states(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return token states, (batch, tokens, width): the input of the masked-LM decoder if there is one."""
        tokens = input_ids.shape[1]
        if self._min_tokens:
            missing = (0, max(0, self._min_tokens - tokens))
            input_ids, attention_mask = (nn.functional.pad(tensor, missing) for tensor in (input_ids, attention_mask))
        output = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        states = cast(Tensor, output.logits if self.decoder else output.last_hidden_state)
        return states[:, :tokens] if self._min_tokens else states


Encoder: TypeAlias = WordEncoder | LookupEncoder


def pool_words(states: Tensor, word_index: Tensor) -> Tensor:
    """Return the vectors at the last sub-words, `word_index` (batch, words), of `states` (batch, tokens, width)."""
    return torch.gather(states, 1, word_index.unsqueeze(-1).expand(-1, -1, states.shape[2]))


def modern_bert(*, local_attention: int, dropout: float, **sizes: Any) -> ModernBertModel:
    """Return a ModernBERT of these sizes with random weights; every second layer attends to a local window.

    It has pre-normalisation and rotary positions, and trains better than BERT on small corpora.
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


def _lookup(config: EncoderConfig, vocabulary: int, pad: int) -> LookupEncoder:
    return LookupEncoder(
        **_sizes(config, vocabulary),
        pad_token_id=pad,
        table_width=config.table_width,
        pairs=config.pairs,
        pair_width=config.pair_width,
    )


def _modern_bert(config: EncoderConfig, vocabulary: int, pad: int) -> WordEncoder:
    sizes = _sizes(config, vocabulary) | _layer_sizes(config)
    return WordEncoder(
        modern_bert(**sizes, pad_token_id=pad, local_attention=config.local_attention, dropout=config.dropout)
    )


def _electra(config: EncoderConfig, vocabulary: int, pad: int) -> WordEncoder:
    sizes = _sizes(config, vocabulary) | _layer_sizes(config)
    settings = ElectraConfig(
        **sizes,
        pad_token_id=pad,
        embedding_size=config.table_width,
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.dropout,
    )
    return WordEncoder(ElectraModel(settings))


def _sizes(config: EncoderConfig, vocabulary: int) -> dict[str, Any]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": config.width,
        "max_position_embeddings": config.max_tokens,
    }


def _layer_sizes(config: EncoderConfig) -> dict[str, Any]:
    return {
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "intermediate_size": config.feed_forward,
    }


ENCODERS: Mapping[str, Callable[[EncoderConfig, int, int], Encoder]] = {
    "transformer": _modern_bert,
    "electra": _electra,
    "lookup": _lookup,
    "table": lambda config, vocabulary, _: LookupEncoder(**_sizes(config, vocabulary)),
}
"""The kinds of `EncoderConfig`: functions of a configuration, the size of the vocabulary, and the id of padding."""


def new_encoder(config: EncoderConfig, vocabulary: int, pad: int) -> Encoder:
    """Return an encoder of the configured kind and size with random weights."""
    return ENCODERS[config.kind](config, vocabulary, pad)


def encoder_from_settings(settings: Mapping[str, Any]) -> Encoder:
    """Return an encoder with random weights, built from the settings in a model directory."""
    if settings.get("model_type") in (MIXED_TYPE, TABLE_TYPE):
        return LookupEncoder(**{name: value for name, value in settings.items() if name != "model_type"})
    config = AutoConfig.for_model(**{name: value for name, value in settings.items() if name != _MASKED_LM})
    if settings.get(_MASKED_LM):
        return with_decoder(cast(Any, AutoModelForMaskedLM).from_config(config).float())
    return WordEncoder(without_pooler(cast(Any, AutoModel).from_config(config).float()))


def without_pooler(encoder: nn.Module) -> nn.Module:
    """Return the encoder without the layer that some have for a vector of the whole text."""
    if hasattr(encoder, "pooler"):
        cast(Any, encoder).pooler = None
    return encoder


class _Identity(nn.Identity):
    """Replaces a decoder; some masked-LMs of transformers read its bias."""

    bias = None


def with_decoder(model: nn.Module) -> WordEncoder:
    """Return an encoder from a masked-LM, with its decoder moved out, so that each weight is stored once."""
    masked_lm = cast(Any, model)
    decoder = masked_lm.get_output_embeddings()
    weight, bias = decoder.weight, decoder.bias
    masked_lm.set_output_embeddings(_Identity())
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None and parameter is bias:
                setattr(module, name, None)
    is_tied = weight is masked_lm.get_input_embeddings().weight
    return WordEncoder(model, MaskedLMDecoder(None if is_tied else weight, bias))
