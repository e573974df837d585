"""A linear-chain conditional random field over the words of a window (Lafferty et al. 2001; Alam et al. 2020, 5.3).

    score(y | x) = start[y_1] + sum_t emission_t[y_t] + sum_t transition[y_(t-1), y_t] + end[y_last]

A product of matrices in a semiring sums such scores over all paths (`logsumexp`), or finds the best one (`amax`): entry
(i, j) of a word's matrix is what class j there gives after class i at the word before. All products of neighbouring
matrices are found in ceil(log2(words)) rounds, each of which doubles how far they reach (Hillis and Steele 1986), so
that a graph has no loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

_NEVER = -1e4
"""Score of what cannot be, finite so that it has a gradient."""
_Sum = Callable[..., Tensor]


class ChainCrf(nn.Module):
    """Transitions between the classes of neighbouring words, and scores of the first and the last word's class.

    Args:
        classes: how many.
        max_words: longest window of an exported graph.
    """

    identity: Tensor
    """(classes, classes), the matrix that changes no other in a product."""

    def __init__(self, classes: int, max_words: int) -> None:
        super().__init__()
        self.register_buffer("identity", _NEVER * (1 - torch.eye(classes)), persistent=False)
        self.max_words = max_words
        self.transitions = nn.Parameter(torch.empty(classes, classes).uniform_(-0.1, 0.1))
        self.start = nn.Parameter(torch.empty(classes).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(classes).uniform_(-0.1, 0.1))

    def marginals(self, emissions: Tensor, word_mask: Tensor) -> Tensor:
        """Probability of each word's classes over all paths (forward-backward), (batch, words, classes).

        Args:
            emissions: *Shape:* (batch, words, classes).
            word_mask: *Shape:* (batch, words), 0 at padding, which stands at the end.
        """
        return self._through(emissions, word_mask, torch.logsumexp)

    def best(self, emissions: Tensor, word_mask: Tensor) -> Tensor:
        """Probability of the likeliest path through each word's classes, normalised over them; shapes as above.

        The likeliest of them at every word make up the likeliest path of all (Viterbi), where there is just one.
        """
        return self._through(emissions, word_mask, torch.amax)

    def conditional(self, emissions: Tensor, classes: Tensor, word_mask: Tensor) -> Tensor:
        """Logits of each word's classes, (batch, words, classes), given the classes of all words before it.

        The cross-entropies of a window's words, by these logits, add up to the negative log-likelihood of its path.

        Args:
            emissions: *Shape:* (batch, words, classes).
            classes: *Shape:* (batch, words), those of the path; any at padding.
            word_mask: *Shape:* (batch, words), 0 at padding, which stands at the end.
        """
        onwards = self._after(self._matrices(emissions, word_mask), torch.logsumexp)
        before = self.transitions[classes[:, :-1]]
        first = self.start.expand(emissions.shape[0], 1, -1)
        return emissions.float() + torch.cat([first, before], dim=1) + onwards

    def _through(self, emissions: Tensor, word_mask: Tensor, total: _Sum) -> Tensor:
        matrices = self._matrices(emissions, word_mask)
        start = self.start + emissions[:, :1].float()
        first = torch.cat([start.unsqueeze(-2).expand_as(matrices[:, :1]), matrices[:, 1:]], dim=1)
        until = self._products(first, total, backwards=False)[:, :, 0]
        return torch.softmax(until + self._after(matrices, total), dim=-1)

    def _matrices(self, emissions: Tensor, word_mask: Tensor) -> Tensor:
        """Scores of each word's class after each class of the word before, (batch, words, classes, classes)."""
        scores = self.transitions + emissions.float().unsqueeze(-2)
        return torch.where(word_mask.bool()[..., None, None], scores, self.identity)

    def _after(self, matrices: Tensor, total: _Sum) -> Tensor:
        """Score of all that follows each class of each word, (batch, words, classes)."""
        products = self._products(matrices, total, backwards=True)
        last = self.identity.expand_as(products[:, :1])
        return total(torch.cat([products[:, 1:], last], dim=1) + self.end, dim=-1)

    def _products(self, matrices: Tensor, total: _Sum, backwards: bool) -> Tensor:
        """Products of the matrices from the first one to each, or `backwards` from each to the last one."""
        words: Any = matrices.shape[1]
        reach = self.max_words if torch.compiler.is_exporting() else words
        step = 1
        while step < reach:
            identities = self.identity.expand(matrices.shape[0], step, -1, -1)
            if backwards:
                left, right = matrices, torch.cat([matrices, identities], dim=1)[:, step:]
            else:
                left, right = torch.cat([identities, matrices], dim=1)[:, :words], matrices
            matrices = total(left.unsqueeze(-1) + right.unsqueeze(-3), dim=-2)
            step *= 2
        return matrices
