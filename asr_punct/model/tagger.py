"""The model: encoder, pause and tag fusion, context, punctuation head, case head (AutoPunct, figure 3)."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.model.context import build_context
from asr_punct.model.encoder import Encoder
from asr_punct.model.fusion import FUSIONS
from asr_punct.model.heads import HEADS, CaseHead
from asr_punct.model.lookup import turn_table
from asr_punct.model.pos import build_pos
from asr_punct.model.sequence import FoldedSequence, SequenceLayer, build_sequence
from asr_punct.subwords import SubwordTokenizer


@dataclass(frozen=True)
class TaggerOutput:
    """Output for a batch of windows. A label is a mark or, in a `ClassHead`, a class."""

    mark_logits: Tensor
    """(batch, words, marks), logits of a sigmoid for each mark."""
    case_logits: Tensor
    """(batch, words, cases), logits of a softmax."""
    label_logits: Tensor
    """(batch, words, labels), output of the punctuation head."""
    label_probabilities: Tensor
    """(batch, words, labels)."""


class Tagger(nn.Module):
    """Predicts marks and case from words and pauses.

    With a sequence layer, its logits replace the word vectors, except in the case head.
    """

    def __init__(self, config: ModelConfig, encoder: Encoder, tokenizer: SubwordTokenizer | None = None) -> None:
        """Build the configured parts; only a flair tagger needs the encoder's tokenizer.

        Raises AsrPunctError if the parts do not fit together, or flair is needed and not installed.
        """
        super().__init__()
        self.case_reads_context = config.heads.case_vectors == "context"
        sequence = build_sequence(config, encoder)
        width = sequence.width if sequence else encoder.width
        pos = build_pos(config.pos, width, encoder.table.num_embeddings, tokenizer)
        context = build_context(config.context, pos.width if pos else width, config.window.words)
        self.encoder = encoder
        self.sequence: SequenceLayer | FoldedSequence | None = sequence
        fusion = FUSIONS[config.pauses.kind]
        self.fusion = fusion(config.pauses, context.width if fusion.follows_context else width)
        self.pos = pos
        self.context = context
        self.punctuation = HEADS[config.heads.kind](config.heads, context.width, config.window.words)
        self.case = CaseHead(config.heads, context.width if self.case_reads_context else encoder.width)
        if config.speakers:
            self.learn_turns()

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, pauses: Tensor, boundaries: Tensor
    ) -> TaggerOutput:
        """Predict a batch; the inputs are those of `features.Features`."""
        encoded = self.encoder(input_ids, attention_mask, word_index, boundaries)
        vectors, word_mask = encoded.words, (word_index > 0).long()
        if self.sequence is not None:
            vectors = self.sequence(encoded.states, attention_mask, word_index, boundaries, self.encoder.vocabulary)
        if not self.fusion.follows_context:
            vectors = self.fusion(vectors, pauses)
        if self.pos is not None:
            vectors = self.pos(vectors, input_ids, word_index)
        vectors = self.context(vectors, word_mask)
        if self.fusion.follows_context:
            vectors = self.fusion(vectors, pauses)
        label_logits = self.punctuation(vectors)
        probabilities = self.punctuation.probabilities(label_logits, word_mask)
        mark_logits = self.punctuation.mark_logits(label_logits, probabilities)
        case_logits = self.case(vectors if self.case_reads_context else encoded.words, mark_logits)
        return TaggerOutput(mark_logits, case_logits, label_logits, probabilities)

    def learn_turns(self) -> None:
        """Add vectors for words beside a change of speaker: those of words at the edges of documents."""
        parts = [self.encoder] if self.sequence is None else [self.encoder, self.sequence]
        for part in parts:
            part.boundary = turn_table(part.boundary)

    def fold(self) -> Tagger:
        """Return an equal model for inference, with the products of weights computed once."""
        model = copy.deepcopy(self).eval()
        model.fusion = model.fusion.fold()
        if isinstance(model.sequence, SequenceLayer):
            model.sequence = model.sequence.fold(model.encoder.vocabulary)
        return model
