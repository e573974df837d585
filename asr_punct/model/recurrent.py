"""Recurrent context layers: bidirectional GRU with attention (Tilk and Alumäe 2016), and LSTM (Alam et al. 2020)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn


class RecurrentContext(nn.Module):
    """A bidirectional GRU, a GRU over its states, attention to all states, and late fusion.

    Tilk and Alumäe 2016, sections 2.1 and 2.2. Attention does not feed the second GRU, so the attention of all words is
    computed at once.

    Args:
        width: size of the word vectors, of each GRU and of the attention's hidden layer.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.ahead = nn.GRU(width, width, batch_first=True)
        self.back = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.GRU(2 * width, width, batch_first=True)
        self.attention = AdditiveAttention(width, 2 * width, width)
        self.fusion = LateFusion(2 * width, width)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Return contextual vectors (batch, words, width); `word_mask` (batch, words) is 0 at padding."""
        states = _both_directions(self.ahead, self.back, vectors, word_mask)
        decoded = self.decoder(states)[0]
        previous = nn.functional.pad(decoded, (0, 0, 1, 0))[:, :-1]
        return cast(Tensor, self.fusion(self.attention(previous, states, word_mask), decoded))


class BidirectionalLSTM(nn.Module):
    """A bidirectional LSTM with concatenated states (Alam et al. 2020, section 4.1), over words, not tokens.

    Args:
        width: size of the word vectors and of the states of each direction.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = 2 * width
        self.ahead = nn.LSTM(width, width, batch_first=True)
        self.back = nn.LSTM(width, width, batch_first=True)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Return states (batch, words, 2 width) of vectors (batch, words, width); `word_mask` is 0 at padding."""
        return _both_directions(self.ahead, self.back, vectors, word_mask)


class AdditiveAttention(nn.Module):
    """Additive attention (Bahdanau et al. 2015, section A.1.2): e_ti = v tanh(W q_t + U k_i + b).

    Args:
        query: size of the queries.
        key: size of the keys, which are also the values.
        hidden: size of the hidden layer.
    """

    def __init__(self, query: int, key: int, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(query, hidden, bias=False)
        self.key = nn.Linear(key, hidden)
        self.energy = nn.Linear(hidden, 1, bias=False)

    def forward(self, queries: Tensor, keys: Tensor, word_mask: Tensor) -> Tensor:
        """Return a weighted mean of `keys` (batch, words, key) for each of `queries` (batch, words, query)."""
        hidden = torch.tanh(self.query(queries).unsqueeze(2) + self.key(keys).unsqueeze(1))
        energies = self.energy(hidden).squeeze(-1).masked_fill(word_mask.unsqueeze(1) == 0, -1e4)
        return cast(Tensor, energies.softmax(dim=-1).to(keys.dtype) @ keys)


class LateFusion(nn.Module):
    """Gated sum of attention a and state h (Tilk and Alumäe 2016): a W_fa * s(a W_fa W_ff + h W_fh + b_f) + h.

    Args:
        found: size of the attention's output.
        width: size of the state.
    """

    def __init__(self, found: int, width: int) -> None:
        super().__init__()
        self.found = nn.Linear(found, width, bias=False)
        self.gate_found = nn.Linear(width, width, bias=False)
        self.gate_state = nn.Linear(width, width)

    def forward(self, found: Tensor, state: Tensor) -> Tensor:
        """Return fused vectors, (..., width), of `found` (..., found) and `state` (..., width)."""
        found = self.found(found)
        return found * torch.sigmoid(self.gate_found(found) + self.gate_state(state)) + state


def _both_directions(ahead: nn.Module, back: nn.Module, vectors: Tensor, word_mask: Tensor) -> Tensor:
    reversed_states = _reverse(back(_reverse(vectors, word_mask))[0], word_mask)
    return torch.cat([ahead(vectors)[0], reversed_states], dim=-1)


def _reverse(vectors: Tensor, word_mask: Tensor) -> Tensor:
    """Reverse the words of each window, (batch, words, width); padding stays at the end."""
    places = torch.arange(vectors.shape[1], device=vectors.device)
    mirrored = word_mask.sum(dim=1, keepdim=True) - 1 - places
    index = torch.where(mirrored >= 0, mirrored, places)
    # Not expand_as: the exporter would make the number of words that a GRU returns a constant.
    return torch.gather(vectors, 1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
