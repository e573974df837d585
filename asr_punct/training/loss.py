"""Losses of classes for a corpus where most words have no mark: focal loss and class weights."""

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from asr_punct.config import LossConfig
from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, Mark
from asr_punct.model.heads import ClassHead, MultiLabelHead, PunctuationHead


@dataclass(frozen=True)
class ClassLoss:
    """Cross-entropy of classes with focal weights and class weights (Lin et al. 2017, equation 5).

    The loss of a word with class c of probability p is -w_c (1 - p)^gamma log p.

    Attributes:
        gamma: exponent of the focal loss, 0 or more.
        weights: w, (classes,); None: 1.
    """

    gamma: float
    weights: Tensor | None

    def __call__(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return the sum over words, from `logits` (words, classes) and the index of each word's class, (words,)."""
        losses = nn.functional.cross_entropy(logits, targets, reduction="none")
        if self.gamma:
            losses = losses * (1 - torch.exp(-losses)) ** self.gamma
        return losses.sum() if self.weights is None else (losses * self.weights.to(losses.device)[targets]).sum()


def build_loss(config: LossConfig, head: PunctuationHead, sets: Counter[frozenset[Mark]] | None) -> ClassLoss | None:
    """Return the configured loss; None for the cross-entropy, which all heads have.

    `sets` is the number of training words with each set of marks. Raises ConfigError if the head has no classes, or
    there are no `sets` for class weights.
    """
    gamma, power = config.focal_gamma, config.class_weight_power
    if not (gamma or power):
        return None
    if isinstance(head, MultiLabelHead):
        found = f"focal_gamma {gamma} and class_weight_power {power}"
        raise ConfigError("training.loss", found, "0 for both without model.heads.kind classes")
    if power and sets is None:
        raise ConfigError("training.loss.class_weight_power", str(power), "0 with NeMo's trainer")
    return ClassLoss(gamma, class_weights(head, sets, power) if sets and power else None)


def class_weights(head: ClassHead, sets: Counter[frozenset[Mark]], power: float) -> Tensor:
    """Return the weight of each class: its share of the words to the power of minus `power`, scaled to a mean of 1.

    The mean is over words. A class without words has the weight of a class with one.
    """
    marks = torch.tensor([[float(mark in each) for mark in MARKS] for each in sets]).reshape(-1, len(MARKS))
    numbers = torch.tensor(list(sets.values()), dtype=torch.float)
    counts = torch.zeros(len(head.has_mark)).index_add(0, head.targets(marks), numbers)
    weights = counts.clamp(min=1) ** -power
    return weights * counts.sum() / (weights * counts).sum()
