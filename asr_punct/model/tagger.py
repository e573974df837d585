"""The whole model: encoder, fusion with pauses and tags, context, punctuation head, case head (AutoPunct, figure 3)."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.model.context import Context, build_context
from asr_punct.model.encoder import Encoder, WordEncoder
from asr_punct.model.fusion import DiscretePauses, LatePauses, build_fusion
from asr_punct.model.heads import CaseHead, ClassHead, PunctuationHead, build_punctuation_head
from asr_punct.model.pos import Pos, build_pos
from asr_punct.model.sequence import FoldedSequence, SequenceLayer, build_sequence
from asr_punct.subwords import SubwordTokenizer


@dataclass(frozen=True)
class TaggerOutput:
    """Scores of a batch of windows.

    Attributes:
        mark_logits: *Shape:* (batch, words, marks), independent of each other (sigmoid).
        case_logits: *Shape:* (batch, words, cases), one of which holds (softmax).
        label_logits: *Shape:* (batch, words, labels), what the punctuation head's loss is of.
        label_probabilities: *Shape:* (batch, words, labels), of the marks, or of the head's classes.
    """

    mark_logits: Tensor
    case_logits: Tensor
    label_logits: Tensor
    label_probabilities: Tensor


class Tagger(nn.Module):
    """Words and pauses in, mark and case logits out.

    Args:
        encoder: contextual vectors of words.
        sequence: scores of words from the whole window's tokens, which then take the vectors' place, but not for case.
        fusion: adds the pauses to them.
        pos: joins the words' parts of speech to them.
        context: lets words and pauses of the window attend to each other.
        punctuation: one logit a mark, or a set of marks.
        case: one logit a case.
        case_reads_context: whether the case head reads the context's vectors, not the encoder's.
    """

    def __init__(
        self,
        *,
        encoder: Encoder,
        sequence: SequenceLayer | FoldedSequence | None,
        fusion: nn.Module,
        pos: Pos,
        context: Context,
        punctuation: PunctuationHead | ClassHead,
        case: nn.Module,
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
        self.case_reads_context = case_reads_context

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, pauses: Tensor, boundaries: Tensor
    ) -> TaggerOutput:
        """Logits of a batch; `features.Features` gives the shapes."""
        vectors, encoded = self._vectors(input_ids, attention_mask, word_index, boundaries)
        word_mask = (word_index > 0).long()
        if isinstance(self.fusion, LatePauses):
            contextual = self.fusion(self.context(self.pos(vectors, input_ids, word_index), word_mask), pauses)
        else:
            fused = self.pos(self.fusion(vectors, pauses), input_ids, word_index)
            contextual = self.context(fused, word_mask)
        label_logits = self.punctuation(contextual)
        probabilities = self.punctuation.probabilities(label_logits, word_mask)
        mark_logits = self.punctuation.mark_logits(label_logits, probabilities)
        case_logits = self.case(contextual if self.case_reads_context else encoded, mark_logits)
        return TaggerOutput(mark_logits, case_logits, label_logits, probabilities)

    def _vectors(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, boundaries: Tensor
    ) -> tuple[Tensor, Tensor]:
        """What pauses are fused with, and the encoder's vectors: the same without a sequence layer."""
        if self.sequence is None or not isinstance(self.encoder, WordEncoder):
            vectors = self.encoder(input_ids, attention_mask, word_index, boundaries)
            return vectors, vectors
        states = self.encoder.states(input_ids, attention_mask)
        scores = self.sequence(states, attention_mask, word_index, boundaries, self.encoder.vocabulary)
        return scores, self.encoder.words(states, word_index, boundaries)

    def folded(self) -> Tagger:
        """A copy for inference: pauses cost one look-up a word, and the sequence layer one matrix."""
        model = copy.deepcopy(self).eval()
        if isinstance(model.fusion, DiscretePauses):
            model.fusion = model.fusion.folded()
        if isinstance(model.sequence, SequenceLayer) and isinstance(model.encoder, WordEncoder):
            model.sequence = model.sequence.folded(model.encoder.vocabulary)
        return model


def build_tagger(config: ModelConfig, encoder: Encoder, tokenizer: SubwordTokenizer | None = None) -> Tagger:
    """The model that a configuration describes, around an encoder.

    Args:
        config: its parts.
        encoder: contextual vectors of words.
        tokenizer: the encoder's, for a tagger of parts of speech that reads words.

    Raises:
        AsrPunctError: parts that do not go together, or a package that is missing.
    """
    sequence = build_sequence(config, encoder)
    width = sequence.width if sequence else encoder.width
    pos = build_pos(config.pos, width, encoder.table.num_embeddings, tokenizer)
    context = build_context(config.context, pos.width, config.window.words)
    late, case_reads_context = config.pauses.kind == "late-gru", config.heads.case_vectors == "context"
    return Tagger(
        encoder=encoder,
        sequence=sequence,
        fusion=build_fusion(config.pauses, context.width if late else width),
        pos=pos,
        context=context,
        punctuation=build_punctuation_head(config.heads, context.width, config.window.words),
        case=CaseHead(config.heads, context.width if case_reads_context else encoder.width),
        case_reads_context=case_reads_context,
    )
