"""Word encoders without context: embedding tables, which cost memory but no time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from asr_punct.errors import ConfigError
from asr_punct.features import BOUNDARIES
from asr_punct.model.outputs import EncoderOutput, VocabularyLayer

MODEL_TYPE, TABLE_TYPE = "asr_punct_lookup", "asr_punct_table"
_FIRST, _MIDDLE, _LAST, _NEXT = 7919, 104_729, 1_299_709, 15_485_863
_WORD_CODES = 1_000_003
"""Primes that hash the sub-words of a word to a code, and two codes to a row of the table of pairs."""


class TableEncoder(nn.Module):
    """One embedding for each word, read from its last sub-word; meant for a tokenizer of whole words.

    A learnt vector marks the edges of documents.

    Args:
        vocab_size: words.
        hidden_size: size of an embedding.
        max_position_embeddings: longest input in words.
    """

    def __init__(self, *, vocab_size: int, hidden_size: int, max_position_embeddings: int) -> None:
        super().__init__()
        self.width = hidden_size
        self.settings: Mapping[str, Any] = {
            "model_type": TABLE_TYPE,
            "vocab_size": vocab_size,
            "hidden_size": hidden_size,
            "max_position_embeddings": max_position_embeddings,
        }
        self.table = _table(vocab_size, hidden_size)
        self.boundary = boundary_table(hidden_size)

    @property
    def backbone(self) -> tuple[nn.Module, ...]:
        """Modules that `frozen_encoder` freezes."""
        return (self.table,)

    @property
    def vocabulary(self) -> VocabularyLayer:
        """Raise ConfigError: there are no token states."""
        raise _no_states()

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor
    ) -> EncoderOutput:
        """Encode a batch as in `features.Features`."""
        return EncoderOutput(self.table(torch.gather(input_ids, 1, word_index)) + self.boundary(boundaries))


class LookupEncoder(nn.Module):
    """Embeddings of sub-words and of pairs of neighbouring words, mixed by a linear layer.

    A word is represented by its first, last but one and last sub-word. A pair of words has the row given by a hash of
    both, which other pairs may share. A learnt vector marks the edges of documents.

    Args:
        vocab_size: sub-words.
        hidden_size: size of the word vectors.
        table_width: size of a sub-word embedding.
        pairs: rows of the table of pairs; 0 for none.
        pair_width: size of a pair embedding.
        pad_token_id: token used in place of missing sub-words of a word.
        max_position_embeddings: longest input in sub-words.
    """

    def __init__(
        self,
        *,
        vocab_size: int,
        hidden_size: int,
        table_width: int,
        pairs: int,
        pair_width: int,
        pad_token_id: int,
        max_position_embeddings: int,
    ) -> None:
        super().__init__()
        self.width = hidden_size
        self.settings: Mapping[str, Any] = {
            "model_type": MODEL_TYPE,
            "vocab_size": vocab_size,
            "hidden_size": hidden_size,
            "table_width": table_width,
            "pairs": pairs,
            "pair_width": pair_width,
            "pad_token_id": pad_token_id,
            "max_position_embeddings": max_position_embeddings,
        }
        self.pad = pad_token_id
        self.table = _table(vocab_size, table_width)
        self.pairs = _table(pairs, pair_width) if pairs else None
        self.mix = nn.Linear(3 * table_width + (2 * pair_width if pairs else 0), hidden_size)
        self.boundary = boundary_table(hidden_size)

    @property
    def backbone(self) -> tuple[nn.Module, ...]:
        """Modules that `frozen_encoder` freezes."""
        parts = (self.table, self.pairs, self.mix)
        return tuple(part for part in parts if part is not None)

    @property
    def vocabulary(self) -> VocabularyLayer:
        """Raise ConfigError: there are no token states."""
        raise _no_states()

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor
    ) -> EncoderOutput:
        """Encode a batch as in `features.Features`."""
        subwords = self._subwords(input_ids, word_index)
        parts = [self.table(subwords).flatten(-2)]
        if self.pairs is not None:
            rows = self.pairs(self._pair_rows(subwords, word_index > 0, self.pairs.num_embeddings))
            parts += [rows, nn.functional.pad(rows[:, :-1], (0, 0, 1, 0))]
        return EncoderOutput(self.mix(torch.cat(parts, dim=-1)) + self.boundary(boundaries))

    def _subwords(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return the first, last but one (padding if that is the first) and last sub-word, (batch, words, 3)."""
        first = nn.functional.pad(word_index[:, :-1], (1, 0)) + 1
        middle = word_index - 1
        places = torch.stack([first, middle.clamp(min=0), word_index], dim=-1)
        last_place = input_ids.shape[1] - 1
        found = torch.gather(input_ids, 1, places.clamp(max=last_place).flatten(1)).view(places.shape)
        exists = torch.stack([word_index > 0, middle > first, word_index > 0], dim=-1)
        return torch.where(exists, found, self.pad)

    def _pair_rows(self, subwords: Tensor, is_word: Tensor, rows: int) -> Tensor:
        """Return the row of each word with the next one, (batch, words); after the last word the code is 0."""
        primes = torch.tensor([_FIRST, _MIDDLE, _LAST], device=subwords.device)
        code = torch.where(is_word, (subwords * primes).sum(-1) % _WORD_CODES, 0)
        following = nn.functional.pad(code[:, 1:], (0, 1))
        return (code * _WORD_CODES + following * _NEXT) % rows


def boundary_table(width: int) -> nn.Embedding:
    """Return the embeddings of the flags for document edges, initially zero."""
    table = nn.Embedding(BOUNDARIES, width, padding_idx=0)
    nn.init.zeros_(table.weight)
    return table


def _table(rows: int, width: int) -> nn.Embedding:
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, std=0.05)
    return table


def _no_states() -> ConfigError:
    return ConfigError("encoder: sequence_hidden wants a transformer, found an encoder that looks words up")
