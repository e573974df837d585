"""A word encoder without context: embedding tables, which cost memory but no time."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from asr_punct.errors import ConfigError
from asr_punct.features import BOUNDARIES, TURN_BOUNDARIES, turns_as_edges

MIXED_TYPE, TABLE_TYPE = "asr_punct_lookup", "asr_punct_table"
"""`model_type` in the settings of look-up encoders: with and without a mixing layer."""
_SUBWORD_PRIMES = (7919, 104_729, 1_299_709)
_NEXT_WORD_PRIME = 15_485_863
_WORD_CODES = 1_000_003
"""Primes: a word's code is a hash of its three sub-words modulo `_WORD_CODES`; a pair's row is a hash of two codes."""


class EncoderOutput(NamedTuple):
    """Output of an encoder for a batch of windows."""

    words: Tensor
    """(batch, words, width), a vector for each word."""
    states: Tensor | None = None
    """(batch, tokens, width), the input of a masked-LM decoder; None if the encoder has no context."""


class VocabularyLayer(NamedTuple):
    """A masked-LM decoder: the linear layer from token states to logits over the vocabulary."""

    weight: Tensor
    """(sub-words, width)."""
    bias: Tensor | None
    """(sub-words,)."""


class LookupEncoder(nn.Module):
    """Embeddings of sub-words and of pairs of neighbouring words, mixed by a linear layer.

    A word is represented by its first, last but one and last sub-word. The embedding of two neighbouring words is a
    row given by a hash of both; other pairs may have the same row. Without `table_width` a word vector is simply
    the embedding of the last sub-word, for a tokenizer of whole words.

    `pairs` is the number of rows of the table of word pairs, 0 for none. `pad_token_id` is used in place of missing
    sub-words of a word.
    """

    def __init__(
        self,
        *,
        vocab_size: int,
        hidden_size: int,
        max_position_embeddings: int,
        table_width: int | None = None,
        pairs: int = 0,
        pair_width: int = 0,
        pad_token_id: int = 0,
    ) -> None:
        super().__init__()
        self.width = hidden_size
        self.pad = pad_token_id
        sizes = {"hidden_size": hidden_size, "max_position_embeddings": max_position_embeddings}
        mixed = {"table_width": table_width, "pairs": pairs, "pair_width": pair_width, "pad_token_id": pad_token_id}
        kind = MIXED_TYPE if table_width else TABLE_TYPE
        self.settings: Mapping[str, Any] = {"model_type": kind, "vocab_size": vocab_size, **sizes}
        self.table = _table(vocab_size, table_width or hidden_size)
        self.pairs = _table(pairs, pair_width) if pairs else None
        self.mix = None
        if table_width:
            self.settings = {**self.settings, **mixed}
            self.mix = nn.Linear(3 * table_width + (2 * pair_width if pairs else 0), hidden_size)
        self.boundary = boundary_table(hidden_size)

    @property
    def backbone(self) -> tuple[nn.Module, ...]:
        """Modules that `frozen_encoder` freezes."""
        return tuple(part for part in (self.table, self.pairs, self.mix) if part is not None)

    @property
    def vocabulary(self) -> VocabularyLayer:
        """Raise ConfigError: there are no token states."""
        raise ConfigError("model.encoder.sequence_hidden", "a value", "0 with an encoder of kind lookup or table")

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor
    ) -> EncoderOutput:
        """Encode a batch as in `features.Features`."""
        if self.mix is None:
            words = self.table(torch.gather(input_ids, 1, word_index))
        else:
            subwords = self._subwords(input_ids, word_index)
            parts = [self.table(subwords).flatten(-2)]
            if self.pairs is not None:
                rows = self.pairs(self._pair_rows(subwords, word_index > 0, self.pairs.num_embeddings))
                parts += [rows, nn.functional.pad(rows[:, :-1], (0, 0, 1, 0))]
            words = self.mix(torch.cat(parts, dim=-1))
        return EncoderOutput(words + self.boundary(boundaries))

    def _subwords(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return the first, last but one and last sub-word, (batch, words, 3).

        Words of one or two sub-words have padding in the middle; at padding all three are padding.
        """
        first = nn.functional.pad(word_index[:, :-1], (1, 0)) + 1
        middle = word_index - 1
        positions = torch.stack([first, middle.clamp(min=0), word_index], dim=-1).clamp(max=input_ids.shape[1] - 1)
        subwords = torch.gather(input_ids, 1, positions.flatten(1)).view(positions.shape)
        exists = torch.stack([word_index > 0, middle > first, word_index > 0], dim=-1)
        return torch.where(exists, subwords, self.pad)

    def _pair_rows(self, subwords: Tensor, is_word: Tensor, rows: int) -> Tensor:
        """Return the row of each word with the next one, (batch, words); the last word is paired with code 0."""
        primes = torch.tensor(_SUBWORD_PRIMES, device=subwords.device)
        code = torch.where(is_word, (subwords * primes).sum(-1) % _WORD_CODES, 0)
        next_code = nn.functional.pad(code[:, 1:], (0, 1))
        return (code * _WORD_CODES + next_code * _NEXT_WORD_PRIME) % rows


def boundary_table(width: int) -> nn.Embedding:
    """Return learnt vectors, initially zero, for the flags of words at the edges of documents."""
    table = nn.Embedding(BOUNDARIES, width, padding_idx=0)
    nn.init.zeros_(table.weight)
    return table


def turn_table(edges: nn.Embedding) -> nn.Embedding:
    """Return a table also for the flags of turns, at first with the vectors of the edges of documents."""
    table = nn.Embedding(TURN_BOUNDARIES, edges.embedding_dim, padding_idx=0)
    table.weight.data = edges.weight.detach()[turns_as_edges(torch.arange(TURN_BOUNDARIES))]
    return table


def _table(rows: int, width: int) -> nn.Embedding:
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, std=0.05)
    return table
