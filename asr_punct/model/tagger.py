"""The model: encoder, pause and tag fusion, context, punctuation head, case head (AutoPunct, figure 3)."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.model.context import Context, build_context
from asr_punct.model.encoder import Encoder
from asr_punct.model.fusion import Fusion, build_fusion
from asr_punct.model.heads import CaseHead, ClassHead, MultiLabelHead, build_punctuation_head
from asr_punct.model.pos import PosFusion, build_pos
from asr_punct.model.sequence import FoldedSequence, SequenceLayer, build_sequence
from asr_punct.subwords import SubwordTokenizer


@dataclass(frozen=True)
class TaggerOutput:
    """Output for a batch of windows, each (batch, words, …). A label is a mark or, in a `ClassHead`, a class."""

    mark_logits: Tensor
    """For a sigmoid."""
    case_logits: Tensor
    """For a softmax."""
    label_logits: Tensor
    """Output of the punctuation head."""
    label_probabilities: Tensor


class Tagger(nn.Module):
    """Predicts marks and case from words and pauses.

    `sequence` computes logits of words from the token states, which replace the word vectors except for the case head.
    With `late_pauses` pauses are fused after the context layers instead of before them; with `case_reads_context` the
    case head reads the output of the context layers instead of the encoder's.
    """

    def __init__(
        self,
        *,
        encoder: Encoder,
        sequence: SequenceLayer | FoldedSequence | None,
        fusion: Fusion,
        pos: PosFusion | None,
        context: Context,
        punctuation: MultiLabelHead | ClassHead,
        case: nn.Module,
        late_pauses: bool,
        case_reads_context: bool,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.sequence = sequence
        self.fusion = fusion
        self.pos = pos
        self.context = context
        self.punctuation = punctuation
        self.case = case
        self.late_pauses = late_pauses
        self.case_reads_context = case_reads_context

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, pauses: Tensor, boundaries: Tensor
    ) -> TaggerOutput:
        """Predict a batch; the inputs are those of `features.Features`."""
        encoded = self.encoder(input_ids, attention_mask, word_index, boundaries)
        vectors, word_mask = encoded.words, (word_index > 0).long()
        if self.sequence is not None:
            vectors = self.sequence(encoded.states, attention_mask, word_index, boundaries, self.encoder.vocabulary)
        if not self.late_pauses:
            vectors = self.fusion(vectors, pauses)
        if self.pos is not None:
            vectors = self.pos(vectors, input_ids, word_index)
        vectors = self.context(vectors, word_mask)
        if self.late_pauses:
            vectors = self.fusion(vectors, pauses)
        label_logits = self.punctuation(vectors)
        probabilities = self.punctuation.probabilities(label_logits, word_mask)
        mark_logits = self.punctuation.mark_logits(label_logits, probabilities)
        case_logits = self.case(vectors if self.case_reads_context else encoded.words, mark_logits)
        return TaggerOutput(mark_logits, case_logits, label_logits, probabilities)

    def fold(self) -> Tagger:
        """Return an equal model for inference, with the products of weights computed once."""
        model = copy.deepcopy(self).eval()
        model.fusion = model.fusion.fold()
        if isinstance(model.sequence, SequenceLayer):
            model.sequence = model.sequence.fold(model.encoder.vocabulary)
        return model


def build_tagger(config: ModelConfig, encoder: Encoder, tokenizer: SubwordTokenizer | None = None) -> Tagger:
    """Return the configured model; only a flair tagger needs the encoder's tokenizer.

    Raises AsrPunctError if the parts do not fit together, or flair is needed and not installed.
    """
    sequence = build_sequence(config, encoder)
    width = sequence.width if sequence else encoder.width
    pos = build_pos(config.pos, width, encoder.table.num_embeddings, tokenizer)
    context = build_context(config.context, pos.width if pos else width, config.window.words)
    late_pauses, case_reads_context = config.pauses.kind == "late-gru", config.heads.case_vectors == "context"
    return Tagger(
        encoder=encoder,
        sequence=sequence,
        fusion=build_fusion(config.pauses, context.width if late_pauses else width),
        pos=pos,
        context=context,
        punctuation=build_punctuation_head(config.heads, context.width, config.window.words),
        case=CaseHead(config.heads, context.width if case_reads_context else encoder.width),
        late_pauses=late_pauses,
        case_reads_context=case_reads_context,
    )
