"""Word encoders that only look up: tables cost memory, not time, and the context layers do the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from asr_punct.features import BOUNDARIES

MODEL_TYPE, TABLE_TYPE = "asr_punct_lookup", "asr_punct_table"
_FIRST, _MIDDLE, _LAST, _NEXT = 7919, 104_729, 1_299_709, 15_485_863
_WORD_CODES = 1_000_003
"""Primes that mix sub-words into a word's code, and codes into the place of a pair."""


class LookupEncoder(nn.Module):
    """Vectors of words without context: tables of sub-words and of pairs of neighbouring words, mixed by a matrix.

    A word is its first sub-word, its last but one and its last. A pair of words has the row that a hash of both gives,
    which it may share with other pairs. Document edges are a learnt vector, as in the other encoders.

    Args:
        vocab_size: sub-words.
        hidden_size: width of the word vectors.
        table_width: width of a sub-word's row.
        pairs: rows for pairs of neighbouring words; none where 0.
        pair_width: width of such a row.
        pad_token_id: sub-word that stands where a word has fewer than three.
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
        """What is the encoder's own, and can be frozen: the tables and what mixes them."""
        parts = (self.table, self.pairs, self.mix)
        return tuple(part for part in parts if part is not None)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor) -> Tensor:
        """Word vectors, (batch, words, width), of inputs as `features.Features` describes them."""
        subwords = self._subwords(input_ids, word_index)
        parts = [self.table(subwords).flatten(-2)]
        if self.pairs is not None:
            rows = self.pairs(self._pairs(subwords, word_index > 0, self.pairs.num_embeddings))
            parts += [rows, nn.functional.pad(rows[:, :-1], (0, 0, 1, 0))]
        return cast(Tensor, self.mix(torch.cat(parts, dim=-1)) + self.boundary(boundaries))

    def _subwords(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """First sub-word, last but one (padding where it is the first) and last, (batch, words, 3)."""
        first = nn.functional.pad(word_index[:, :-1], (1, 0)) + 1
        middle = word_index - 1
        places = torch.stack([first, middle.clamp(min=0), word_index], dim=-1)
        last_place = input_ids.shape[1] - 1
        found = torch.gather(input_ids, 1, places.clamp(max=last_place).flatten(1)).view(places.shape)
        is_there = torch.stack([word_index > 0, middle > first, word_index > 0], dim=-1)
        return torch.where(is_there, found, self.pad)

    def _pairs(self, subwords: Tensor, is_word: Tensor, rows: int) -> Tensor:
        """Row of each word with the next one, (batch, words); past the last word stands the code 0."""
        primes = torch.tensor([_FIRST, _MIDDLE, _LAST], device=subwords.device)
        code = torch.where(is_word, (subwords * primes).sum(-1) % _WORD_CODES, 0)
        following = nn.functional.pad(code[:, 1:], (0, 1))
        return (code * _WORD_CODES + following * _NEXT) % rows


class TableEncoder(nn.Module):
    """Vectors of words without context: one row a word, with a tokenizer of whole words.

    Document edges are a learnt vector, as in the other encoders.

    Args:
        vocab_size: words.
        hidden_size: width of a row.
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
        """What is the encoder's own, and can be frozen: the table."""
        return (self.table,)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor) -> Tensor:
        """Word vectors, (batch, words, width), of inputs as `features.Features` describes them."""
        return cast(Tensor, self.table(torch.gather(input_ids, 1, word_index)) + self.boundary(boundaries))


def boundary_table(width: int) -> nn.Embedding:
    """What is added to the vectors of words at a document's edges, by their flags; starts at zero."""
    table = nn.Embedding(BOUNDARIES, width, padding_idx=0)
    nn.init.zeros_(table.weight)
    return table


def _table(rows: int, width: int) -> nn.Embedding:
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, std=0.05)
    return table
