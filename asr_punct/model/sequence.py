"""The token layer and the sequence layer over a whole window of tokens (Courtland et al. 2020, section 3)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS
from asr_punct.model.encoder import Encoder, VocabularyOutput, WordEncoder, pool_words
from asr_punct.model.lookup import boundary_table

_EPSILON, _MOMENTUM = 1e-5, 0.1
"""Of batch normalisation, as in torch."""


class SequenceLayer(nn.Module):
    """Scores of words from the masked-LM output of all tokens of their window, through two linear layers.

    The token layer reads a token's logits over the vocabulary and is shared by all tokens. Its outputs are concatenated
    over the window, with zeros where the window is shorter, normalised and dropped out, and the sequence layer gives
    the scores of all tokens at once; a word's are those of its last sub-word. The paper names no non-linearity, so
    there is none. A learnt vector is added to the scores of words at a document's edges, as encoders do.

    The logits themselves are never computed: with states x, decoder E x + b and token layer W y + c, the token layer
    gives (W E) x + (W b + c), and W E costs less than the logits of a batch. Gradients reach W, E, b and c alike.

    Args:
        vocabulary: sub-words of the masked-LM output.
        hidden: outputs of the token layer.
        tokens: longest window in tokens, both special ones included.
        outputs: scores of a token.
        dropout: before the sequence layer.

    Attributes:
        width: scores of a word.
    """

    def __init__(self, *, vocabulary: int, hidden: int, tokens: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.width = outputs
        self.token = nn.Linear(vocabulary, hidden)
        self.normalisation = WindowNormalisation(tokens, hidden)
        self.dropout = nn.Dropout(dropout)
        self.sequence = nn.Linear(tokens * hidden, tokens * outputs)
        self.boundary = boundary_table(outputs)

    def forward(
        self,
        states: Tensor,
        attention_mask: Tensor,
        word_index: Tensor,
        boundaries: Tensor,
        vocabulary: VocabularyOutput,
    ) -> Tensor:
        """Scores of words, (batch, words, width).

        Args:
            states: *Shape:* (batch, tokens, states), what the masked-LM decoder reads.
            attention_mask: *Shape:* (batch, tokens), as in `features.Features`.
            word_index: *Shape:* (batch, words), as there.
            boundaries: *Shape:* (batch, words), as there.
            vocabulary: the masked-LM decoder.
        """
        mask = attention_mask.unsqueeze(-1)
        hidden = nn.functional.linear(states, *self._token_layer(vocabulary))
        normal = self.normalisation(hidden.float(), mask)
        window = _whole_window(normal, self.normalisation.tokens)
        scores = self.sequence(self.dropout(window.flatten(1)))
        return _word_scores(scores, self.width, word_index) + cast(Tensor, self.boundary(boundaries))

    def _token_layer(self, vocabulary: VocabularyOutput) -> tuple[Tensor, Tensor]:
        """W E and W b + c: the token layer's matrix, (hidden, states), and bias, (hidden,), on states."""
        matrix, bias = self.token.weight @ vocabulary.weight, self.token.bias
        return matrix, bias if vocabulary.bias is None else bias + self.token.weight @ vocabulary.bias

    def folded(self, vocabulary: VocabularyOutput) -> FoldedSequence:
        """The same function as one matrix, for inference and export: in evaluation mode all of it is linear."""
        tokens, hidden = self.normalisation.weight.shape
        with torch.no_grad():
            matrix, bias = self._token_layer(vocabulary)
            scale, shift = self.normalisation.affine(self.normalisation.mean, self.normalisation.variance)
            weight = self.sequence.weight.view(-1, tokens, hidden)
            by_state = (weight * scale) @ matrix
            by_token = torch.einsum("oth,th->to", weight, bias * scale + shift)
            return FoldedSequence(by_state.flatten(1).T, by_token, self.sequence.bias, self.boundary)


class FoldedSequence(nn.Module):
    """Both layers and the normalisation between them as one matrix.

    Args:
        by_state: *Shape:* (tokens x states, tokens x outputs), what the states of a window are multiplied by.
        by_token: *Shape:* (tokens, tokens x outputs), what a token adds whatever its state.
        bias: *Shape:* (tokens x outputs,).
        boundary: what is added at a document's edges.
    """

    by_state: Tensor
    by_token: Tensor
    bias: Tensor

    def __init__(self, by_state: Tensor, by_token: Tensor, bias: Tensor, boundary: nn.Embedding) -> None:
        super().__init__()
        self.width = boundary.embedding_dim
        for name, tensor in {"by_state": by_state, "by_token": by_token, "bias": bias}.items():
            self.register_buffer(name, tensor.detach().contiguous())
        self.boundary = boundary

    def forward(
        self,
        states: Tensor,
        attention_mask: Tensor,
        word_index: Tensor,
        boundaries: Tensor,
        vocabulary: VocabularyOutput,
    ) -> Tensor:
        """What `SequenceLayer.forward` gives; the masked-LM decoder is in the matrix."""
        mask = attention_mask.unsqueeze(-1).to(states.dtype)
        tokens = len(self.by_token)
        present = _whole_window(mask, tokens).flatten(1)
        scores = _whole_window(states * mask, tokens).flatten(1) @ self.by_state + present @ self.by_token + self.bias
        return _word_scores(scores, self.width, word_index) + cast(Tensor, self.boundary(boundaries))


class WindowNormalisation(nn.Module):
    """Batch normalisation (Ioffe and Szegedy 2015) of each value of each token of windows of unequal length.

    Its statistics are over the windows that reach a token's position; where all do, this is `nn.BatchNorm1d` of their
    concatenation. At positions that one window of a batch reaches there is nothing to compare: they are normalised by
    the running statistics and leave these as they are. So a batch of one window can be trained on, but two is the
    least that teaches the statistics.

    Args:
        tokens: longest window.
        values: values of a token.
    """

    mean: Tensor
    variance: Tensor

    def __init__(self, tokens: int, values: int) -> None:
        super().__init__()
        self.tokens = tokens
        self.weight = nn.Parameter(torch.ones(tokens, values))
        self.bias = nn.Parameter(torch.zeros(tokens, values))
        self.register_buffer("mean", torch.zeros(tokens, values))
        self.register_buffer("variance", torch.ones(tokens, values))

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Normalised `vectors`, (batch, tokens, values), zero where `mask`, (batch, tokens, 1), is."""
        running = self.mean[: vectors.shape[1]], self.variance[: vectors.shape[1]]
        scale, shift = self.affine(*(self._batch_statistics(vectors, mask) if self.training else running))
        return (vectors * scale + shift) * mask

    def affine(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """What values are multiplied by and what is added, (tokens, values), by these statistics."""
        scale = self.weight[: len(mean)] * torch.rsqrt(variance + _EPSILON)
        return scale, self.bias[: len(mean)] - mean * scale

    def _batch_statistics(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of a batch, (tokens, values), which move the running ones."""
        windows = mask.sum(dim=0)
        mean = (vectors * mask).sum(dim=0) / windows.clamp(min=1)
        variance = ((vectors - mean).square() * mask).sum(dim=0) / windows.clamp(min=1)
        known = windows > 1
        found = tuple(
            torch.where(known, batch, running[: len(batch)])
            for batch, running in ((mean, self.mean), (variance, self.variance))
        )
        with torch.no_grad():
            unbiased = variance * windows / (windows - 1).clamp(min=1)
            for batch, running in ((mean, self.mean), (unbiased, self.variance)):
                running[: len(batch)].lerp_(batch, (known * _MOMENTUM).expand_as(batch))
        return cast(tuple[Tensor, Tensor], found)


def _whole_window(vectors: Tensor, tokens: int) -> Tensor:
    """`vectors`, (batch, positions, values), with zeros up to `tokens` positions."""
    zeros = vectors.new_zeros(1, tokens, vectors.shape[2]).expand(vectors.shape[0], -1, -1)
    return torch.cat([vectors, zeros], dim=1)[:, :tokens]


def _word_scores(scores: Tensor, outputs: int, word_index: Tensor) -> Tensor:
    """The scores, (batch, words, outputs), of words among those of all tokens, (batch, tokens x outputs)."""
    return pool_words(scores.view(scores.shape[0], -1, outputs), word_index)


def build_sequence(config: ModelConfig, encoder: Encoder) -> SequenceLayer | None:
    """The sequence layer over an encoder, where the configuration has one: a score for each class of the head.

    Raises:
        ConfigError: the encoder has no states of tokens, or its embedding matrix does not fit them.
    """
    if not config.encoder.sequence_hidden:
        return None
    if not isinstance(encoder, WordEncoder):
        raise ConfigError("encoder: sequence_hidden wants a transformer, found an encoder that looks words up")
    rows, width = encoder.vocabulary.weight.shape
    if width != encoder.width:
        raise ConfigError(
            f"encoder: without a masked-LM head sequence_hidden wants an embedding matrix of the states' width "
            f"{encoder.width}, found {width}"
        )
    return SequenceLayer(
        vocabulary=rows,
        hidden=config.encoder.sequence_hidden,
        tokens=config.window.tokens,
        outputs=len(config.heads.classes) if config.heads.kind == "classes" else len(MARKS),
        dropout=config.encoder.sequence_dropout,
    )
