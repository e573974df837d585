"""Distillation: a trained model gives the words of training batches probabilities (Hinton et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.checkpoint import WEIGHTS, load_tokenizer, read_info, verified_file
from asr_punct.hub import find_trainable_model
from asr_punct.model.tagger import Tagger, TaggerOutput
from asr_punct.model.weights import load_tagger
from asr_punct.subwords import SubwordTokenizer


@dataclass(frozen=True)
class Teacher:
    """A trained model, and what it needs to read the words of a batch."""

    model: Tagger
    tokenizer: SubwordTokenizer
    max_tokens: int
    """Longest input in sub-words, with both special tokens."""

    @classmethod
    def load(cls, name: str) -> Teacher:
        """Load a model by name or directory. Raises AsrPunctError if there is none, or it has no weights."""
        directory = find_trainable_model(name)
        info = read_info(directory)
        model = load_tagger(verified_file(directory, info, WEIGHTS), info).requires_grad_(False)
        return cls(model, load_tokenizer(directory, info), info.max_tokens)

    @torch.no_grad()
    def label(self, inputs: dict[str, Tensor]) -> TaggerOutput:
        """Return the output for a batch; moves the model to the device of the batch."""
        return cast(TaggerOutput, self.model.to(inputs["input_ids"].device)(**inputs))


def distillation_loss(student: TaggerOutput, teacher: TaggerOutput, label_mask: Tensor) -> Tensor:
    """Return the cross-entropy of the marks and of the case for the teacher's probabilities, summed over the words.

    `label_mask`, (batch, words), selects the words.
    """
    marks, cases = (logits[label_mask].float() for logits in (student.mark_logits, student.case_logits))
    taught_marks = teacher.mark_logits[label_mask].float().sigmoid()
    taught_cases = teacher.case_logits[label_mask].float().softmax(dim=-1)
    marks_loss = nn.functional.binary_cross_entropy_with_logits(marks, taught_marks, reduction="sum")
    return marks_loss + nn.functional.cross_entropy(cases, taught_cases, reduction="sum")
