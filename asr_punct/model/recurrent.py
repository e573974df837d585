"""Recurrent layers: with attention and late fusion (Tilk and Alumäe 2016), and an LSTM (Alam et al. 2020)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn


class RecurrentContext(nn.Module):
    """A bidirectional GRU, a GRU over its states, and attention to all of them, fused late.

    Tilk and Alumäe 2016, sections 2.1 and 2.2.

    What attention finds does not enter the second GRU's memory, so that its states, and then the attention of all
    words, are computed at once.

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
        """Contextual vectors (batch, words, width) of `vectors`; `word_mask` (batch, words) is 0 at padding."""
        turned = _turn(self.back(_turn(vectors, word_mask))[0], word_mask)
        states = torch.cat([self.ahead(vectors)[0], turned], dim=-1)
        decoded = self.decoder(states)[0]
        previous = nn.functional.pad(decoded, (0, 0, 1, 0))[:, :-1]
        return cast(Tensor, self.fusion(self.attention(previous, states, word_mask), decoded))


class BidirectionalLSTM(nn.Module):
    """A bidirectional LSTM, the states of both directions concatenated (Alam et al. 2020, section 4.1).

    It reads words, where the paper's reads tokens: a word's vector is the encoder's at its last one.

    Args:
        width: size of the word vectors and of the states of each direction.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = 2 * width
        self.ahead = nn.LSTM(width, width, batch_first=True)
        self.back = nn.LSTM(width, width, batch_first=True)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """States (batch, words, 2 width) over `vectors` (batch, words, width); `word_mask` is 0 at padding."""
        turned = _turn(self.back(_turn(vectors, word_mask))[0], word_mask)
        return torch.cat([self.ahead(vectors)[0], turned], dim=-1)


class AdditiveAttention(nn.Module):
    """Attention by a hidden layer (Bahdanau et al. 2015, section A.1.2): e_ti = v tanh(W q_t + U k_i + b).

    Args:
        query: size of what asks.
        key: size of what is asked for and returned.
        hidden: size of the hidden layer.
    """

    def __init__(self, query: int, key: int, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(query, hidden, bias=False)
        self.key = nn.Linear(key, hidden)
        self.energy = nn.Linear(hidden, 1, bias=False)

    def forward(self, queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """Average of `keys` (batch, words, key) for each of `queries` (batch, words, query), (batch, words, key).

        `mask` (batch, words) is 0 at keys that are padding.
        """
        hidden = torch.tanh(self.query(queries).unsqueeze(2) + self.key(keys).unsqueeze(1))
        energies = self.energy(hidden).squeeze(-1).masked_fill(mask.unsqueeze(1) == 0, -1e4)
        return cast(Tensor, energies.softmax(dim=-1).to(keys.dtype) @ keys)


class LateFusion(nn.Module):
    """What attention found, gated, plus the state (Tilk and Alumäe 2016): a W_fa * s(a W_fa W_ff + h W_fh + b_f) + h.

    Args:
        found: size of what attention found (a).
        width: size of the state (h).
    """

    def __init__(self, found: int, width: int) -> None:
        super().__init__()
        self.found = nn.Linear(found, width, bias=False)
        self.gate_found = nn.Linear(width, width, bias=False)
        self.gate_state = nn.Linear(width, width)

    def forward(self, found: Tensor, state: Tensor) -> Tensor:
        """Fused vectors, (..., width), of `found` (..., found) and `state` (..., width)."""
        found = self.found(found)
        return found * torch.sigmoid(self.gate_found(found) + self.gate_state(state)) + state


def _turn(vectors: Tensor, word_mask: Tensor) -> Tensor:
    """The words of each window in reverse order, padding where it was: (batch, words, width) of the same shape."""
    places = torch.arange(vectors.shape[1], device=vectors.device)
    mirrored = word_mask.sum(dim=1, keepdim=True) - 1 - places
    index = torch.where(mirrored >= 0, mirrored, places)
    # Not expand_as: an exporter takes the number of words that a GRU gives for a constant.
    return torch.gather(vectors, 1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
