"""A linear-chain conditional random field over the words of a window (Lafferty et al. 2001; Alam et al. 2020, 5.3).

    score(y | x) = start[y_1] + sum_t emission_t[y_t] + sum_t transition[y_(t-1), y_t] + end[y_last]

Each word has a matrix: entry (i, j) is the score of class j after class i at the previous word. The product of these
matrices is computed in the log semiring (`+` for products, `logsumexp` for sums) to sum over all paths, or in the
max-plus semiring (`+` and `amax`) to find the best path.

All prefix products are computed in ceil(log2(words)) rounds (Hillis and Steele 1986), so that the exported graph has no
loop.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

_IMPOSSIBLE = -1e4  # finite, so that it has a gradient
_Reduction = Callable[..., Tensor]  # `torch.logsumexp` or `torch.amax`


class ChainCrf(nn.Module):
    """Transition scores between the classes of neighbouring words, and scores of the first and the last class.

    `emissions` are (batch, words, classes); `word_mask`, (batch, words), is 0 at padding, which is at the end of a
    window. `max_words` is the maximum number of words of a window in an exported graph.
    """

    identity: Tensor
    """(classes, classes), the neutral element of the product."""

    def __init__(self, classes: int, max_words: int) -> None:
        super().__init__()
        self.register_buffer("identity", _IMPOSSIBLE * (1 - torch.eye(classes)), persistent=False)
        self.max_words = max_words
        self.transitions = nn.Parameter(torch.empty(classes, classes).uniform_(-0.1, 0.1))
        self.start = nn.Parameter(torch.empty(classes).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(classes).uniform_(-0.1, 0.1))

    def marginals(self, emissions: Tensor, word_mask: Tensor) -> Tensor:
        """Return the probability of each class, summed over all paths (forward-backward), (batch, words, classes)."""
        return self._posteriors(emissions, word_mask, torch.logsumexp)

    def max_marginals(self, emissions: Tensor, word_mask: Tensor) -> Tensor:
        """Return the probability of the best path with each class, normalised over classes, (batch, words, classes)."""
        return self._posteriors(emissions, word_mask, torch.amax)

    def conditional_logits(self, emissions: Tensor, classes: Tensor, word_mask: Tensor) -> Tensor:
        """Return the logits of each word's classes given the classes before it, (batch, words, classes).

        The sum of their cross-entropies is the negative log-likelihood of the path, `classes` (batch, words).
        """
        suffix = self._suffix_scores(self._matrices(emissions, word_mask), torch.logsumexp)
        before = self.transitions[classes[:, :-1]]
        first = self.start.expand(emissions.shape[0], 1, -1)
        return emissions.float() + torch.cat([first, before], dim=1) + suffix

    def _posteriors(self, emissions: Tensor, word_mask: Tensor, reduce: _Reduction) -> Tensor:
        matrices = self._matrices(emissions, word_mask)
        start = self.start + emissions[:, :1].float()
        first = torch.cat([start.unsqueeze(-2).expand_as(matrices[:, :1]), matrices[:, 1:]], dim=1)
        prefix = self._products(first, reduce, backwards=False)[:, :, 0]  # row 0, as all rows are equal
        return torch.softmax(prefix + self._suffix_scores(matrices, reduce), dim=-1)

    def _matrices(self, emissions: Tensor, word_mask: Tensor) -> Tensor:
        """Return the scores of each class after each class of the previous word, (batch, words, classes, classes)."""
        scores = self.transitions + emissions.float().unsqueeze(-2)
        return torch.where(word_mask.bool()[..., None, None], scores, self.identity)

    def _suffix_scores(self, matrices: Tensor, reduce: _Reduction) -> Tensor:
        """Return the score of all following words after each class, (batch, words, classes)."""
        products = self._products(matrices, reduce, backwards=True)
        last = self.identity.expand_as(products[:, :1])
        return reduce(torch.cat([products[:, 1:], last], dim=1) + self.end, dim=-1)

    def _products(self, matrices: Tensor, reduce: _Reduction, backwards: bool) -> Tensor:
        """Return the products of the matrices up to each word, or with `backwards` from each word on."""
        words: Any = matrices.shape[1]  # symbolic in an export
        longest = self.max_words if torch.compiler.is_exporting() else words
        step = 1
        while step < longest:
            identities = self.identity.expand(matrices.shape[0], step, -1, -1)
            if backwards:
                left, right = matrices, torch.cat([matrices, identities], dim=1)[:, step:]
            else:
                left, right = torch.cat([identities, matrices], dim=1)[:, :words], matrices
            matrices = reduce(left.unsqueeze(-1) + right.unsqueeze(-3), dim=-2)
            step *= 2
        return matrices
