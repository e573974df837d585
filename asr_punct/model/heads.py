"""Classification heads (AutoPunct, section 3.2.3): dense layer, non-linearity, dropout, linear layer."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import HeadConfig
from asr_punct.marks import CASES, MARKS


def _classifier(inputs: int, hidden: int, outputs: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, outputs))


_RARE = -4.0
"""First bias of the mark logits (a probability of 0.02): else training begins by learning that marks are rare."""


class PunctuationHead(nn.Module):
    """Multi-label head: one logit a mark."""

    def __init__(self, config: HeadConfig, width: int) -> None:
        super().__init__()
        self.layers = _classifier(width, config.hidden or width, len(MARKS), config.dropout)
        nn.init.constant_(cast(nn.Linear, self.layers[-1]).bias, _RARE)

    def forward(self, vectors: Tensor) -> Tensor:
        """Logits (batch, words, marks) of contextual vectors (batch, words, width)."""
        return cast(Tensor, self.layers(vectors))


class CaseHead(nn.Module):
    """Reads word vectors and the punctuation scores of the word, and of the one before it."""

    def __init__(self, config: HeadConfig, width: int) -> None:
        super().__init__()
        self.reads_previous = config.case_context == "previous"
        scores = len(MARKS) * (2 if self.reads_previous else 1)
        self.layers = _classifier(width + scores, config.hidden or width, len(CASES), config.dropout)

    def forward(self, vectors: Tensor, mark_logits: Tensor) -> Tensor:
        """Logits (batch, words, cases) of word vectors (batch, words, width) and mark logits (batch, words, marks).

        The first word of a window has no word before it: its scores are all 0.
        """
        scores = torch.sigmoid(mark_logits)
        parts = [vectors, scores]
        if self.reads_previous:
            parts.append(nn.functional.pad(scores, (0, 0, 1, 0))[:, :-1])
        return cast(Tensor, self.layers(torch.cat(parts, dim=-1)))
