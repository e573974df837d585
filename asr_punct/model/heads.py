"""Classification heads (AutoPunct, section 3.2.3): dense layer, non-linearity, dropout, linear layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import HeadConfig
from asr_punct.marks import CASES, MARKS, NO_MARKS, mark_bits, parse_marks
from asr_punct.model.crf import ChainCrf
from asr_punct.model.losses import focal_classes, focal_marks

_RARE = -4.0
"""First bias of the mark logits (a probability of 0.02): else training begins by learning that marks are rare."""
_LEAST_PROBABILITY = 1e-7
"""Of a mark, so that its logit is finite."""


def _classifier(config: HeadConfig, width: int, outputs: int, more: int = 0) -> nn.Sequential:
    """Layers from `width` values of a word vector and `more` others."""
    inputs, hidden, dropout = width + more, width if config.hidden is None else config.hidden, config.dropout
    if not hidden:
        return nn.Sequential(nn.Dropout(dropout), nn.Linear(inputs, outputs))
    activation = nn.SELU() if config.activation == "selu" else nn.GELU()
    return nn.Sequential(nn.Linear(inputs, hidden), activation, nn.Dropout(dropout), nn.Linear(hidden, outputs))


class PunctuationHead(nn.Module):
    """Multi-label head: one logit a mark."""

    def __init__(self, config: HeadConfig, width: int) -> None:
        super().__init__()
        self.layers = _classifier(config, width, len(MARKS))
        nn.init.constant_(cast(nn.Linear, self.layers[-1]).bias, _RARE)

    def forward(self, vectors: Tensor) -> Tensor:
        """Logits (batch, words, marks) of contextual vectors (batch, words, width)."""
        return cast(Tensor, self.layers(vectors))

    def probabilities(self, logits: Tensor, word_mask: Tensor) -> Tensor:
        """Those of the marks, (batch, words, marks)."""
        return logits.sigmoid()

    def mark_logits(self, logits: Tensor, probabilities: Tensor) -> Tensor:
        """The logits as they are."""
        return logits

    def loss_logits(self, logits: Tensor, marks: Tensor, word_mask: Tensor) -> Tensor:
        """What the loss of the words is of: the logits as they are."""
        return logits

    def chosen(self, probabilities: Tensor) -> Tensor:
        """Marks that are likelier than not, (..., marks)."""
        return probabilities > 0.5

    def loss(self, logits: Tensor, marks: Tensor) -> Tensor:
        """Binary cross-entropy of `logits` (words, marks) where `marks` (words, marks) is 1, summed over both."""
        return nn.functional.binary_cross_entropy_with_logits(logits, marks, reduction="sum")

    def label_weights(self, weights: Mapping[str, float]) -> Tensor:
        """Factors on the loss, (2, marks): `O`'s where a mark does not stand, and the mark's where it does."""
        absent = [weights.get(NO_MARKS, 1.0)] * len(MARKS)
        return torch.tensor([absent, [weights.get(mark, 1.0) for mark in MARKS]])

    def focal_loss(self, logits: Tensor, marks: Tensor, gamma: float, weights: Tensor) -> Tensor:
        """As `loss`, focal and with factors from `label_weights` (`losses.focal_marks`)."""
        return focal_marks(logits, marks, gamma, weights)


class ClassHead(nn.Module):
    """One class a word, which is a set of marks; a mark is as likely as the classes that hold it.

    Args:
        config: its classes, from `training.fit.find_classes`, and whether a CRF chooses among their sequences.
        width: size of the vectors.
        max_words: longest window.
    """

    holds: Tensor
    """(classes, marks), 1 where the class holds the mark."""
    target: Tensor
    """(sets of marks,), class of each set, whose number has bit i set where it holds mark i."""

    def __init__(self, config: HeadConfig, width: int, max_words: int) -> None:
        super().__init__()
        classes = [mark_bits(parse_marks(name)) for name in config.classes]
        numbers = torch.arange(1 << len(MARKS))
        target = torch.zeros_like(numbers)
        for number, bits in enumerate(classes):  # rarer marks overwrite: they stand later
            if bits.bit_count() == 1:
                target[numbers & bits > 0] = number
        for number, bits in enumerate(classes):
            target[bits] = number
        self.layers = _classifier(config, width, len(classes))
        self.crf = None if config.crf == "none" else ChainCrf(len(classes), max_words)
        self.decides_path = config.crf == "path"
        self.register_buffer("target", target, persistent=False)
        holds = torch.tensor([[bits >> i & 1 for i in range(len(MARKS))] for bits in classes])
        self.register_buffer("holds", holds.float(), persistent=False)

    def forward(self, vectors: Tensor) -> Tensor:
        """Logits (batch, words, classes) of contextual vectors (batch, words, width)."""
        return cast(Tensor, self.layers(vectors))

    def probabilities(self, logits: Tensor, word_mask: Tensor) -> Tensor:
        """Those of the classes, (batch, words, classes); `word_mask` (batch, words) is 0 at padding."""
        if self.crf is None:
            return logits.float().softmax(dim=-1)
        return (self.crf.best if self.decides_path else self.crf.marginals)(logits, word_mask)

    def loss_logits(self, logits: Tensor, marks: Tensor, word_mask: Tensor) -> Tensor:
        """What the loss of the words is of: the logits, with a CRF those given the right classes of the words before.

        Args:
            logits: *Shape:* (batch, words, classes).
            marks: *Shape:* (batch, words, marks), 1 where a mark stands.
            word_mask: *Shape:* (batch, words), 0 at padding.
        """
        return logits if self.crf is None else self.crf.conditional(logits, self._targets(marks), word_mask)

    def mark_logits(self, logits: Tensor, probabilities: Tensor) -> Tensor:
        """Logits (..., marks) whose sigmoid is the sum of the `probabilities` of the classes that hold the mark."""
        with torch.autocast(probabilities.device.type, enabled=False):
            return torch.logit(probabilities @ self.holds, eps=_LEAST_PROBABILITY)

    def chosen(self, probabilities: Tensor) -> Tensor:
        """Marks of the likeliest class, (..., marks)."""
        return self.holds[probabilities.argmax(dim=-1)] > 0

    def loss(self, logits: Tensor, marks: Tensor) -> Tensor:
        """Cross-entropy of `logits` (words, classes) for the sets that `marks` (words, marks) has, summed."""
        return nn.functional.cross_entropy(logits, self._targets(marks), reduction="sum")

    def label_weights(self, weights: Mapping[str, float]) -> Tensor:
        """Factors on the loss, (classes,): the largest of its marks', or `O`'s where it has none."""
        of_marks = torch.tensor([weights.get(mark, 1.0) for mark in MARKS], device=self.holds.device)
        largest = (self.holds * of_marks).amax(dim=-1)
        return torch.where(largest > 0, largest, weights.get(NO_MARKS, 1.0))

    def focal_loss(self, logits: Tensor, marks: Tensor, gamma: float, weights: Tensor) -> Tensor:
        """As `loss`, focal and with factors from `label_weights` (`losses.focal_classes`)."""
        return focal_classes(logits, self._targets(marks), gamma, weights)

    def _targets(self, marks: Tensor) -> Tensor:
        """Class of each set, (...), that `marks` (..., marks) has."""
        return self.target[(marks.long() << torch.arange(len(MARKS), device=marks.device)).sum(dim=-1)]


def build_punctuation_head(config: HeadConfig, width: int, max_words: int) -> PunctuationHead | ClassHead:
    """The punctuation head that the configuration names, for windows of at most `max_words`."""
    return ClassHead(config, width, max_words) if config.kind == "classes" else PunctuationHead(config, width)


class CaseHead(nn.Module):
    """Reads word vectors and the punctuation scores of the word, and of the one before it."""

    def __init__(self, config: HeadConfig, width: int) -> None:
        super().__init__()
        self.reads_previous = config.case_context == "previous"
        scores = len(MARKS) * (2 if self.reads_previous else 1)
        self.layers = _classifier(config, width, len(CASES), scores)

    def forward(self, vectors: Tensor, mark_logits: Tensor) -> Tensor:
        """Logits (batch, words, cases) of word vectors (batch, words, width) and mark logits (batch, words, marks).

        The first word of a window has no word before it: its scores are all 0.
        """
        scores = torch.sigmoid(mark_logits)
        parts = [vectors, scores]
        if self.reads_previous:
            parts.append(nn.functional.pad(scores, (0, 0, 1, 0))[:, :-1])
        return cast(Tensor, self.layers(torch.cat(parts, dim=-1)))
