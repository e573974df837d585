"""The contextual encoder: any transformers encoder, pooled to one vector a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM

from asr_punct.config import EncoderConfig
from asr_punct.model.lookup import MODEL_TYPE, TABLE_TYPE, LookupEncoder, TableEncoder, boundary_table
from asr_punct.model.transformer import new_electra, new_transformer
from asr_punct.model.written_attention import write_out_attention

_LOOKUPS = {MODEL_TYPE: LookupEncoder, TABLE_TYPE: TableEncoder}
_MASKED_LM = "masked_lm_head"
"""Setting of encoders with the masked-LM head of their checkpoint."""


@dataclass(frozen=True)
class VocabularyOutput:
    """A masked-LM decoder: the linear layer from states of tokens to logits over the vocabulary.

    Attributes:
        weight: *Shape:* (sub-words, states).
        bias: *Shape:* (sub-words,), where there is one.
    """

    weight: Tensor
    bias: Tensor | None


class MaskedLMDecoder(nn.Module):
    """What a masked-LM head has of its own beside the layers that belong to the encoder.

    Args:
        weight: its matrix, None where that is the embedding matrix.
        bias: its bias.
    """

    def __init__(self, weight: nn.Parameter | None, bias: nn.Parameter | None) -> None:
        super().__init__()
        self.weight = weight
        self.bias = bias


class WordEncoder(nn.Module):
    """Contextual vectors of words: the encoder's output at each word's last sub-word.

    A learnt vector is added to the first and the last word of a document. It tells a document's edge from the edge
    of a window cut out of running text, and starts at zero.

    Args:
        encoder: a transformers encoder, or a masked-LM that gives what its decoder would read.
        decoder: that decoder.
    """

    def __init__(self, encoder: nn.Module, decoder: MaskedLMDecoder | None = None) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        write_out_attention(encoder)
        self.width = self.vocabulary.weight.shape[1] if decoder else int(cast(Any, encoder.config).hidden_size)
        self.boundary = boundary_table(self.width)
        config = cast(Any, encoder.config)
        # Each block of a Funnel transformer after the first halves its input; it fails where nothing is left to halve.
        self._shortest = 2 ** len(config.block_sizes) if config.model_type == "funnel" else 0

    @property
    def backbone(self) -> tuple[nn.Module, ...]:
        """What is the encoder's own, and can be frozen: the transformer, its masked-LM head included."""
        return (self.encoder, self.decoder) if self.decoder else (self.encoder,)

    @property
    def table(self) -> nn.Embedding:
        """The rows of the sub-words."""
        return cast(nn.Embedding, cast(Any, self.encoder).get_input_embeddings())

    @property
    def settings(self) -> dict[str, Any]:
        """What rebuilds the encoder without its weights."""
        settings = {**cast(Any, self.encoder.config).to_dict(), "architectures": [type(self.encoder).__name__]}
        return {**settings, _MASKED_LM: True} if self.decoder else settings

    @property
    def vocabulary(self) -> VocabularyOutput:
        """The masked-LM decoder; without a masked-LM head the embedding matrix stands in for it."""
        if self.decoder is None:
            return VocabularyOutput(self.table.weight, None)
        own = self.decoder.weight
        return VocabularyOutput(self.table.weight if own is None else own, self.decoder.bias)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor) -> Tensor:
        """Word vectors, (batch, words, width), of inputs as `features.Features` describes them."""
        return self.words(self.states(input_ids, attention_mask), word_index, boundaries)

    def states(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Vectors of tokens, (batch, tokens, width): with a masked-LM head those that its decoder reads."""
        tokens = input_ids.shape[1]
        if self._shortest:
            missing = (0, max(0, self._shortest - tokens))
            input_ids, attention_mask = (nn.functional.pad(tensor, missing) for tensor in (input_ids, attention_mask))
        output = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        states = cast(Tensor, output.logits if self.decoder else output.last_hidden_state)
        return states[:, :tokens] if self._shortest else states

    def words(self, states: Tensor, word_index: Tensor, boundaries: Tensor) -> Tensor:
        """Word vectors, (batch, words, width), from `states`."""
        return pool_words(states, word_index) + cast(Tensor, self.boundary(boundaries))


def pool_words(states: Tensor, word_index: Tensor) -> Tensor:
    """Vectors at the last sub-words that `word_index` (batch, words) gives of `states` (batch, tokens, width)."""
    return torch.gather(states, 1, word_index.unsqueeze(-1).expand(-1, -1, states.shape[2]))


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


def encoder_from_settings(settings: Mapping[str, Any]) -> Encoder:
    """An encoder with random weights from the settings that a model directory keeps of it."""
    lookup = _LOOKUPS.get(settings.get("model_type", ""))
    if lookup:
        return cast(Encoder, lookup(**{name: value for name, value in settings.items() if name != "model_type"}))
    has_head = settings.get(_MASKED_LM, False)
    config = AutoConfig.for_model(**{name: value for name, value in settings.items() if name != _MASKED_LM})
    if has_head:
        return with_decoder(cast(Any, AutoModelForMaskedLM).from_config(config))
    arguments = {"add_pooling_layer": False} if config.model_type in {"bert", "roberta", "xlm-roberta"} else {}
    return WordEncoder(cast(Any, AutoModel).from_config(config, **arguments))


class _AsItIs(nn.Identity):
    """In a decoder's place; some models read the bias of what is put there."""

    bias = None


def with_decoder(model: nn.Module) -> WordEncoder:
    """An encoder from a masked-LM, whose decoder is taken out: all weights then stand in one place."""
    whole = cast(Any, model)
    decoder = whole.get_output_embeddings()
    weight, bias = decoder.weight, decoder.bias
    whole.set_output_embeddings(_AsItIs())
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None and parameter is bias:
                setattr(module, name, None)
    is_tied = weight is whole.get_input_embeddings().weight
    return WordEncoder(model, MaskedLMDecoder(None if is_tied else weight, bias))
