"""Recurrent context layers: a bidirectional GRU with attention (Tilk and Alumäe 2016), an LSTM (Alam et al. 2020)."""

from typing import cast

import torch
from torch import Tensor, nn


class RecurrentContext(nn.Module):
    """A bidirectional GRU, a GRU over its states, attention to all states, and late fusion (sections 2.1 and 2.2).

    The second GRU does not read the output of attention, so that attention is computed for all words at once.
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
    """A bidirectional LSTM (Alam et al. 2020, section 4.1), over words instead of tokens."""

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

    The arguments are sizes; the keys are also the values.
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
    """Gated sum of attention a and state h (Tilk and Alumäe 2016): a W_fa * s(a W_fa W_ff + h W_fh + b_f) + h."""

    def __init__(self, attended: int, width: int) -> None:
        super().__init__()
        self.found = nn.Linear(attended, width, bias=False)  # W_fa
        self.gate_found = nn.Linear(width, width, bias=False)  # W_ff
        self.gate_state = nn.Linear(width, width)  # W_fh, b_f

    def forward(self, attended: Tensor, state: Tensor) -> Tensor:
        """Return the sums, (..., width), for the output of attention (..., attended) and `state` (..., width)."""
        attended = self.found(attended)
        return attended * torch.sigmoid(self.gate_found(attended) + self.gate_state(state)) + state


def _both_directions(ahead: nn.Module, back: nn.Module, vectors: Tensor, word_mask: Tensor) -> Tensor:
    reversed_states = _reverse(back(_reverse(vectors, word_mask))[0], word_mask)
    return torch.cat([ahead(vectors)[0], reversed_states], dim=-1)


def _reverse(vectors: Tensor, word_mask: Tensor) -> Tensor:
    """Reverse the words of each window, (batch, words, width); padding stays at the end."""
    positions = torch.arange(vectors.shape[1], device=vectors.device)
    mirrored = word_mask.sum(dim=1, keepdim=True) - 1 - positions
    index = torch.where(mirrored >= 0, mirrored, positions)
    # With expand_as, the number of words would be a constant in the exported graph.
    return torch.gather(vectors, 1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
