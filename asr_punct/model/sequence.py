"""The token layer and the sequence layer over all tokens of a window (Courtland et al. 2020, section 3)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS
from asr_punct.model.encoder import Encoder, pool_words
from asr_punct.model.lookup import boundary_table
from asr_punct.model.outputs import VocabularyLayer

_EPSILON, _MOMENTUM = 1e-5, 0.1
"""Of batch normalisation, as in torch."""


class SequenceLayer(nn.Module):
    """Logits of words from the masked-LM output of all tokens of the window, through two linear layers.

    The token layer maps the vocabulary logits of each token to `hidden` values. These are concatenated over the window,
    zero-padded, normalised and dropped out, and the sequence layer maps them to the logits of all tokens at once. A
    word has the logits of its last sub-word. The paper names no non-linearity, so there is none. A learnt vector marks
    the edges of documents, as in encoders.

    The vocabulary logits are never computed: with token states x, decoder E x + b and token layer W y + c, the token
    layer is (W E) x + (W b + c). Gradients reach W, E, b and c.

    Args:
        vocabulary: sub-words of the masked-LM output.
        hidden: outputs of the token layer.
        tokens: longest window in tokens, both special tokens included.
        outputs: logits of a token.
        dropout: before the sequence layer.

    Attributes:
        width: logits of a word.
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
        vocabulary: VocabularyLayer,
    ) -> Tensor:
        """Return the logits of words, (batch, words, width).

        Args:
            states: *Shape:* (batch, tokens, states), input of the masked-LM decoder.
            attention_mask: *Shape:* (batch, tokens), as in `features.Features`.
            word_index: *Shape:* (batch, words), as there.
            boundaries: *Shape:* (batch, words), as there.
            vocabulary: the masked-LM decoder.
        """
        mask = attention_mask.unsqueeze(-1)
        hidden = nn.functional.linear(states, *self._token_layer(vocabulary))
        normal = self.normalisation(hidden.float(), mask)
        window = _pad_window(normal, self.normalisation.tokens)
        logits = self.sequence(self.dropout(window.flatten(1)))
        return _word_logits(logits, self.width, word_index) + cast(Tensor, self.boundary(boundaries))

    def _token_layer(self, vocabulary: VocabularyLayer) -> tuple[Tensor, Tensor]:
        """Return W E, (hidden, states), and W b + c, (hidden,)."""
        matrix, bias = self.token.weight @ vocabulary.weight, self.token.bias
        return matrix, bias if vocabulary.bias is None else bias + self.token.weight @ vocabulary.bias

    def fold(self, vocabulary: VocabularyLayer) -> FoldedSequence:
        """Return the same function for inference, with W E and the normalisation computed once."""
        normal = self.normalisation
        with torch.no_grad():
            matrix, bias = self._token_layer(vocabulary)
            scale, shift = normal.affine(normal.mean, normal.variance)
        folded = FoldedSequence(self.width, self.boundary)
        # The transposed matrix is a MatMul in the graph; the int8 quantiser cannot read the Gemm of a linear layer.
        named = {"matrix": matrix, "bias": bias, "scale": scale, "shift": shift, "sequence": self.sequence.weight.T}
        for name, tensor in {**named, "sequence_bias": self.sequence.bias}.items():
            folded.register_buffer(name, tensor.detach().contiguous())
        return folded


class FoldedSequence(nn.Module):
    """A sequence layer for inference, made by `SequenceLayer.fold`."""

    matrix: Tensor
    """(hidden, states), the token layer on states."""
    bias: Tensor
    """(hidden,)."""
    scale: Tensor
    """(tokens, hidden), of the normalisation."""
    shift: Tensor
    """(tokens, hidden)."""
    sequence: Tensor
    """(tokens x hidden, tokens x outputs)."""
    sequence_bias: Tensor
    """(tokens x outputs,)."""

    def __init__(self, width: int, boundary: nn.Embedding) -> None:
        super().__init__()
        self.width, self.boundary = width, boundary

    def forward(
        self,
        states: Tensor,
        attention_mask: Tensor,
        word_index: Tensor,
        boundaries: Tensor,
        vocabulary: VocabularyLayer,
    ) -> Tensor:
        """Return what `SequenceLayer.forward` returns; `vocabulary` is part of `matrix`."""
        tokens = self.scale.shape[0]
        hidden = _pad_window(nn.functional.linear(states, self.matrix, self.bias), tokens)
        mask = _pad_window(attention_mask.unsqueeze(-1).to(hidden.dtype), tokens)
        logits = ((hidden * self.scale + self.shift) * mask).flatten(1) @ self.sequence + self.sequence_bias
        return _word_logits(logits, self.width, word_index) + cast(Tensor, self.boundary(boundaries))

    def fold(self, vocabulary: VocabularyLayer) -> FoldedSequence:
        """Return itself."""
        return self


class WindowNormalisation(nn.Module):
    """Batch normalisation (Ioffe and Szegedy 2015) of each value of each token, for windows of unequal length.

    The statistics of a position are over the windows that are long enough; for equal lengths this is `nn.BatchNorm1d`.
    A position in one window of the batch only is normalised by the running statistics and does not change them.

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
        """Return normalised vectors, (batch, tokens, values), 0 where `mask`, (batch, tokens, 1), is 0."""
        running = self.mean[: vectors.shape[1]], self.variance[: vectors.shape[1]]
        scale, shift = self.affine(*(self._batch_statistics(vectors, mask) if self.training else running))
        return (vectors * scale + shift) * mask

    def affine(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """Return scale and shift, (tokens, values), for these statistics."""
        scale = self.weight[: len(mean)] * torch.rsqrt(variance + _EPSILON)
        return scale, self.bias[: len(mean)] - mean * scale

    def _batch_statistics(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of a batch, (tokens, values), and update the running ones."""
        windows = mask.sum(dim=0)
        mean = (vectors * mask).sum(dim=0) / windows.clamp(min=1)
        variance = ((vectors - mean).square() * mask).sum(dim=0) / windows.clamp(min=1)
        known = windows > 1
        used = tuple(
            torch.where(known, batch, running[: len(batch)])
            for batch, running in ((mean, self.mean), (variance, self.variance))
        )
        with torch.no_grad():
            unbiased = variance * windows / (windows - 1).clamp(min=1)
            for batch, running in ((mean, self.mean), (unbiased, self.variance)):
                running[: len(batch)].lerp_(batch, (known * _MOMENTUM).expand_as(batch))
        return cast(tuple[Tensor, Tensor], used)


def _pad_window(vectors: Tensor, tokens: int) -> Tensor:
    """Zero-pad `vectors`, (batch, positions, values), to `tokens` positions."""
    zeros = vectors.new_zeros(1, tokens, vectors.shape[2]).expand(vectors.shape[0], -1, -1)
    return torch.cat([vectors, zeros], dim=1)[:, :tokens]


def _word_logits(logits: Tensor, outputs: int, word_index: Tensor) -> Tensor:
    """Select the logits of words, (batch, words, outputs), from those of tokens, (batch, tokens x outputs)."""
    return pool_words(logits.view(logits.shape[0], -1, outputs), word_index)


def build_sequence(config: ModelConfig, encoder: Encoder) -> SequenceLayer | None:
    """Return the configured sequence layer, if any: a logit for each class of the punctuation head.

    Raises:
        ConfigError: the encoder has no token states, or its embedding matrix does not fit them.
    """
    if not config.encoder.sequence_hidden:
        return None
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
