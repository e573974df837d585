"""Focal loss and weights of classes: FL = -w (1 - p)^gamma log p, p the probability of what is right (Lin et al. 2018).

1 - p is computed as the probability of all that is wrong, so that its power has a gradient where p is 1.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def focal_marks(logits: Tensor, marks: Tensor, gamma: float, weights: Tensor) -> Tensor:
    """Focal loss of independent marks, summed over words and marks; with gamma 0 weighted binary cross-entropy.

    Args:
        logits: *Shape:* (words, marks).
        marks: *Shape:* (words, marks), 1 where a mark stands.
        gamma: exponent, 0 or more.
        weights: *Shape:* (2, marks), of a mark where it does not stand, and where it does.
    """
    crosses = nn.functional.binary_cross_entropy_with_logits(logits, marks, reduction="none")
    log_wrong = nn.functional.logsigmoid(logits * (1 - 2 * marks))
    return (torch.where(marks > 0, weights[1], weights[0]) * torch.exp(gamma * log_wrong) * crosses).sum()


def focal_classes(logits: Tensor, classes: Tensor, gamma: float, weights: Tensor) -> Tensor:
    """Focal loss of one class a word, summed over words; with gamma 0 weighted cross-entropy.

    Args:
        logits: *Shape:* (words, classes), two classes or more.
        classes: *Shape:* (words,), number of the right one.
        gamma: exponent, 0 or more.
        weights: *Shape:* (classes,).
    """
    crosses = nn.functional.cross_entropy(logits, classes, reduction="none")
    right = nn.functional.one_hot(classes, logits.shape[-1]).bool()
    log_wrong = logits.masked_fill(right, -torch.inf).logsumexp(dim=-1) - logits.logsumexp(dim=-1)
    return (weights[classes] * torch.exp(gamma * log_wrong) * crosses).sum()
