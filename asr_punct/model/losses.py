"""Weighted focal loss FL = -w (1 - p)^gamma log p, with p the probability of the right answer (Lin et al. 2018).

1 - p is computed as the probability of the wrong answers, so that its power has a gradient where p is 1.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def focal_marks(logits: Tensor, marks: Tensor, gamma: float, weights: Tensor) -> Tensor:
    """Return the focal loss of independent marks, summed; with gamma 0 it is weighted binary cross-entropy.

    Args:
        logits: *Shape:* (words, marks).
        marks: *Shape:* (words, marks), 1 where a mark is.
        gamma: exponent, 0 or more.
        weights: *Shape:* (2, marks), of the absence and of the presence of a mark.
    """
    crosses = nn.functional.binary_cross_entropy_with_logits(logits, marks, reduction="none")
    log_wrong = nn.functional.logsigmoid(logits * (1 - 2 * marks))
    return (torch.where(marks > 0, weights[1], weights[0]) * torch.exp(gamma * log_wrong) * crosses).sum()


def focal_classes(logits: Tensor, classes: Tensor, gamma: float, weights: Tensor) -> Tensor:
    """Return the focal loss of exclusive classes, summed over words; with gamma 0 it is weighted cross-entropy.

    Args:
        logits: *Shape:* (words, classes), two classes or more.
        classes: *Shape:* (words,), index of the right class.
        gamma: exponent, 0 or more.
        weights: *Shape:* (classes,).
    """
    crosses = nn.functional.cross_entropy(logits, classes, reduction="none")
    right = nn.functional.one_hot(classes, logits.shape[-1]).bool()
    log_wrong = logits.masked_fill(right, -torch.inf).logsumexp(dim=-1) - logits.logsumexp(dim=-1)
    return (weights[classes] * torch.exp(gamma * log_wrong) * crosses).sum()
