"""Distillation: train on the probabilities of a trained model, the teacher (Hinton et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.checkpoint import WEIGHTS, load_tokenizer, read_info, verified_file
from asr_punct.errors import ArgumentError, ConfigError, ModelError
from asr_punct.features import turns_as_edges
from asr_punct.hub import find_trainable_model
from asr_punct.model.tagger import Tagger, TaggerOutput
from asr_punct.model.weights import load_tagger
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.corpus import Vocabulary


@dataclass(frozen=True)
class Teacher:
    """A trained model and its tokenizer."""

    model: Tagger
    tokenizer: SubwordTokenizer
    max_tokens: int
    """Longest input in sub-words, with both special tokens."""
    knows_turns: bool = False
    """Whether the model has vectors for words beside a change of speaker."""

    @classmethod
    def load(cls, name: str, window_words: int) -> Teacher:
        """Load a model by name or directory, for windows of up to `window_words` words.

        Raises AsrPunctError if there is none, it has no weights, or its own windows are shorter.
        """
        try:
            directory = find_trainable_model(name)
        except ArgumentError as error:
            raise ConfigError("training.teacher", error.found, error.expected) from None
        info = read_info(directory)
        if info.model.window.words < window_words:
            expected = f"a teacher with windows of model.window.words={window_words} or more"
            raise ModelError(directory, f"windows of {info.model.window.words} words", expected)
        model = load_tagger(verified_file(directory, info, WEIGHTS), info).requires_grad_(False)
        return cls(model, load_tokenizer(directory, info), info.max_tokens, info.model.speakers)

    @torch.no_grad()
    def predict(self, inputs: dict[str, Tensor]) -> TaggerOutput:
        """Return the teacher's output for a batch. The model is moved to the device of the batch."""
        known = inputs["boundaries"] if self.knows_turns else turns_as_edges(inputs["boundaries"])
        return cast(TaggerOutput, self.model.to(known.device)(**{**inputs, "boundaries": known}))

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        """Return the words of a corpus with the teacher's sub-words, to make its inputs from windows."""
        return Vocabulary.encode(words, self.tokenizer)


def distillation_loss(student: TaggerOutput, teacher: TaggerOutput, label_mask: Tensor) -> Tensor:
    """Return the cross-entropy of the marks and of the case for the teacher's probabilities, summed over the words.

    `label_mask`, (batch, words), selects the words.
    """
    marks, cases = (logits[label_mask].float() for logits in (student.mark_logits, student.case_logits))
    mark_targets = teacher.mark_logits[label_mask].float().sigmoid()
    case_targets = teacher.case_logits[label_mask].float().softmax(dim=-1)
    marks_loss = nn.functional.binary_cross_entropy_with_logits(marks, mark_targets, reduction="sum")
    return marks_loss + nn.functional.cross_entropy(cases, case_targets, reduction="sum")
