"""Punctuation and case heads: dense layer, activation, dropout, linear layer (AutoPunct, section 3.2.3).

Vectors are (batch, words, width), logits and probabilities (batch, words, labels), true marks (batch, words, marks),
1 for each mark of a word. `word_mask`, (batch, words), is 0 at padding. A new kind of punctuation head is a class
with its name in `HEADS`.
"""

from collections.abc import Mapping
from typing import TypeAlias, cast

import torch
from torch import Tensor, nn

from asr_punct.config import HeadConfig
from asr_punct.marks import CASES, MARKS, mark_bits, parse_marks
from asr_punct.model.crf import ChainCrf

_INITIAL_MARK_BIAS = -4.0
"""Initial bias of mark logits: a probability of 0.02, as marks are rare."""
_MIN_PROBABILITY = 1e-7
"""Mark probabilities are clamped to [1e-7, 1 - 1e-7], so that logits are finite."""


class MultiLabelHead(nn.Module):
    """One logit and one sigmoid for each mark, so that a word can have several marks."""

    def __init__(self, config: HeadConfig, width: int, max_words: int) -> None:
        super().__init__()
        self.layers = _layers(config, width, width, len(config.labels))
        nn.init.constant_(cast(nn.Linear, self.layers[-1]).bias, _INITIAL_MARK_BIAS)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return logits (batch, words, marks) of contextual vectors (batch, words, width)."""
        return cast(Tensor, self.layers(vectors))

    def probabilities(self, logits: Tensor, word_mask: Tensor) -> Tensor:
        """Return the probabilities of marks, (batch, words, marks)."""
        return logits.sigmoid()

    def mark_logits(self, logits: Tensor, probabilities: Tensor) -> Tensor:
        """Return `logits`: this head has a logit for each mark."""
        return logits

    def loss_logits(self, logits: Tensor, marks: Tensor, word_mask: Tensor) -> Tensor:
        """Return `logits`, (batch, words, marks): this head needs no others for `loss`."""
        return logits

    def predicted_marks(self, probabilities: Tensor) -> Tensor:
        """Return which marks have a probability above 0.5, (..., marks)."""
        return probabilities > 0.5

    def loss(self, logits: Tensor, marks: Tensor) -> Tensor:
        """Return the binary cross-entropy of (words, marks), summed over both."""
        return nn.functional.binary_cross_entropy_with_logits(logits, marks, reduction="sum")


class ClassHead(nn.Module):
    """Softmax over classes, one class per word, with or without a CRF. A class is a set of marks."""

    has_mark: Tensor
    """(classes, marks), 1 if the mark is in the class."""
    class_of: Tensor
    """(2^marks,): `class_of[bits]` is the class of the set whose bit i is mark i."""

    def __init__(self, config: HeadConfig, width: int, max_words: int) -> None:
        super().__init__()
        classes = [parse_marks(name) for name in config.classes]
        class_bits = [mark_bits(marks) for marks in classes]
        subsets = torch.arange(1 << len(MARKS))
        class_of = torch.zeros_like(subsets)
        for index, bits in enumerate(class_bits):
            if bits.bit_count() == 1:
                class_of[subsets & bits > 0] = index  # the class of a rarer mark comes later and overwrites
        for index, bits in enumerate(class_bits):
            class_of[bits] = index
        self.layers = _layers(config, width, width, len(classes))
        self.crf = None if config.crf == "none" else ChainCrf(len(classes), max_words)
        self.uses_viterbi = config.crf == "path"
        self.register_buffer("class_of", class_of, persistent=False)
        has_mark = torch.tensor([[float(mark in marks) for mark in MARKS] for marks in classes])
        self.register_buffer("has_mark", has_mark, persistent=False)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return logits (batch, words, classes) of contextual vectors (batch, words, width)."""
        return cast(Tensor, self.layers(vectors))

    def probabilities(self, logits: Tensor, word_mask: Tensor) -> Tensor:
        """Return the probabilities of classes, (batch, words, classes); `word_mask` (batch, words) is 0 at padding."""
        if self.crf is None:
            return logits.float().softmax(dim=-1)
        return (self.crf.max_marginals if self.uses_viterbi else self.crf.marginals)(logits, word_mask)

    def mark_logits(self, logits: Tensor, probabilities: Tensor) -> Tensor:
        """Return logits (..., marks); the probability of a mark is the sum over the classes that contain it."""
        with torch.autocast(probabilities.device.type, enabled=False):
            return torch.logit(probabilities @ self.has_mark, eps=_MIN_PROBABILITY)

    def loss_logits(self, logits: Tensor, marks: Tensor, word_mask: Tensor) -> Tensor:
        """Return the logits for `loss`: with a CRF, conditioned on the true classes of the words before each word."""
        return logits if self.crf is None else self.crf.conditional_logits(logits, self.targets(marks), word_mask)

    def predicted_marks(self, probabilities: Tensor) -> Tensor:
        """Return which marks the likeliest class contains, (..., marks)."""
        return self.has_mark[probabilities.argmax(dim=-1)] > 0

    def loss(self, logits: Tensor, marks: Tensor) -> Tensor:
        """Return the cross-entropy of `logits` (words, classes) for `marks` (words, marks), summed over words."""
        return nn.functional.cross_entropy(logits, self.targets(marks), reduction="sum")

    def targets(self, marks: Tensor) -> Tensor:
        """Return the class, (...), of each set of marks, (..., marks)."""
        return self.class_of[(marks.long() << torch.arange(len(MARKS), device=marks.device)).sum(dim=-1)]


PunctuationHead: TypeAlias = MultiLabelHead | ClassHead
HEADS: Mapping[str, type[PunctuationHead]] = {"multilabel": MultiLabelHead, "classes": ClassHead}
"""The kinds of `HeadConfig`."""


class CaseHead(nn.Module):
    """Predicts case from a word's vector, its mark probabilities and, if configured, those of the previous word."""

    def __init__(self, config: HeadConfig, width: int) -> None:
        super().__init__()
        self.reads_previous = config.case_context == "previous"
        inputs = width + len(MARKS) * (2 if self.reads_previous else 1)
        self.layers = _layers(config, inputs, width, len(CASES))

    def forward(self, vectors: Tensor, mark_logits: Tensor) -> Tensor:
        """Return logits (batch, words, cases); the first word of a window reads zeros for the previous word."""
        probabilities = torch.sigmoid(mark_logits)
        parts = [vectors, probabilities]
        if self.reads_previous:
            parts.append(nn.functional.pad(probabilities, (0, 0, 1, 0))[:, :-1])
        return cast(Tensor, self.layers(torch.cat(parts, dim=-1)))


def _layers(config: HeadConfig, inputs: int, width: int, outputs: int) -> nn.Sequential:
    hidden = width if config.hidden is None else config.hidden
    if not hidden:
        return nn.Sequential(nn.Dropout(config.dropout), nn.Linear(inputs, outputs))
    activation = nn.SELU() if config.activation == "selu" else nn.GELU()
    return nn.Sequential(nn.Linear(inputs, hidden), activation, nn.Dropout(config.dropout), nn.Linear(hidden, outputs))
