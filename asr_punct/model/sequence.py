"""A token layer and a sequence layer over all tokens of a window (Courtland et al. 2020, section 3)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import ModelConfig
from asr_punct.errors import ConfigError
from asr_punct.model.encoder import Encoder, pool_words
from asr_punct.model.lookup import VocabularyLayer, boundary_table

_EPSILON, _MOMENTUM = 1e-5, 0.1  # torch's defaults for batch normalisation


class SequenceLayer(nn.Module):
    """Logits of words from the masked-LM output of all tokens of the window, through two linear layers.

    The token layer maps the vocabulary logits of each token to `hidden` values. They are zero-padded to `tokens`
    positions and concatenated over the window, and the sequence layer maps them to the logits of all tokens at once.
    These are normalised over the batch, and dropout follows. A word has the logits of its last sub-word, `outputs` of
    them. The paper names no non-linearity, so there is none.

    The vocabulary logits are never computed: with token states x, decoder E x + b and token layer W y + c, the token
    layer is (W E) x + (W b + c). Gradients reach W, E, b and c.
    """

    def __init__(self, *, vocabulary: int, hidden: int, tokens: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.width = outputs
        self.token = nn.Linear(vocabulary, hidden)
        self.sequence = nn.Linear(tokens * hidden, tokens * outputs)
        self.normalisation = WindowNormalisation(tokens, outputs)
        self.dropout = nn.Dropout(dropout)
        self.boundary = boundary_table(outputs)

    def forward(
        self,
        states: Tensor,
        attention_mask: Tensor,
        word_index: Tensor,
        boundaries: Tensor,
        vocabulary: VocabularyLayer,
    ) -> Tensor:
        """Return the logits of words, (batch, words, width), from the `states` (batch, tokens, size) of the encoder."""
        mask = attention_mask.unsqueeze(-1)
        hidden = nn.functional.linear(states, *self._token_layer(vocabulary)) * mask
        window = _pad_window(hidden, self.normalisation.tokens)
        logits = self.sequence(window.flatten(1)).view(len(window), -1, self.width)[:, : mask.shape[1]]
        normal = self.dropout(self.normalisation(logits.float(), mask))
        return pool_words(normal, word_index) + cast(Tensor, self.boundary(boundaries))

    def _token_layer(self, vocabulary: VocabularyLayer) -> tuple[Tensor, Tensor]:
        """Return W E, (hidden, states), and W b + c, (hidden,)."""
        matrix, bias = self.token.weight @ vocabulary.weight, self.token.bias
        return matrix, bias if vocabulary.bias is None else bias + self.token.weight @ vocabulary.bias

    def fold(self, vocabulary: VocabularyLayer) -> FoldedSequence:
        """Return an equal module for inference: W E is computed once, the sequence layer contains the normalisation."""
        normal = self.normalisation
        with torch.no_grad():
            matrix, bias = self._token_layer(vocabulary)
            scale, shift = normal.affine(normal.mean, normal.variance)
        folded = FoldedSequence(self.width, self.boundary)
        # `sequence` is transposed and multiplied with `@`, which is a MatMul in the graph. A linear layer of its input,
        # which has two dimensions, would be a Gemm, and the int8 quantiser does not support that.
        sequence = (self.sequence.weight * scale.flatten().unsqueeze(1)).T
        sequence_bias = self.sequence.bias * scale.flatten() + shift.flatten()
        buffers = {"matrix": matrix, "bias": bias, "sequence": sequence, "sequence_bias": sequence_bias}
        for name, tensor in buffers.items():
            folded.register_buffer(name, tensor.detach().contiguous())
        return folded


class FoldedSequence(nn.Module):
    """A sequence layer for inference, made by `SequenceLayer.fold`."""

    matrix: Tensor  # W E, (hidden, states)
    bias: Tensor  # W b + c
    sequence: Tensor  # (tokens x hidden, tokens x outputs)
    sequence_bias: Tensor

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
        """Compute `SequenceLayer.forward`; `vocabulary` is not read, as `matrix` contains it."""
        tokens = self.sequence.shape[1] // self.width
        hidden = nn.functional.linear(states, self.matrix, self.bias)
        window = _pad_window(hidden * attention_mask.unsqueeze(-1).to(hidden.dtype), tokens)
        logits = window.flatten(1) @ self.sequence + self.sequence_bias
        return pool_words(logits.view(logits.shape[0], -1, self.width), word_index) + cast(
            Tensor, self.boundary(boundaries)
        )


class WindowNormalisation(nn.Module):
    """Batch normalisation (Ioffe and Szegedy 2015) of each value of each token, for windows of different lengths.

    The statistics of a position are over the windows that are long enough; for equal lengths this is `nn.BatchNorm1d`.
    A position that only one window of the batch has is normalised by the running statistics and does not change them.
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
        if self.training:
            mean, variance = self._batch_statistics(vectors, mask)
        else:
            mean, variance = self.mean[: vectors.shape[1]], self.variance[: vectors.shape[1]]
        scale, shift = self.affine(mean, variance)
        return (vectors * scale + shift) * mask

    def affine(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """Return scale and shift, (tokens, values), that normalise by these statistics."""
        scale = self.weight[: len(mean)] * torch.rsqrt(variance + _EPSILON)
        return scale, self.bias[: len(mean)] - mean * scale

    def _batch_statistics(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of a batch, (tokens, values), and update the running ones."""
        windows = mask.sum(dim=0)
        mean = (vectors * mask).sum(dim=0) / windows.clamp(min=1)
        variance = ((vectors - mean).square() * mask).sum(dim=0) / windows.clamp(min=1)
        unbiased = (variance * windows / (windows - 1).clamp(min=1)).detach()
        in_several = windows > 1
        running_mean, running_variance = self.mean[: len(mean)], self.variance[: len(mean)]
        used = torch.where(in_several, mean, running_mean), torch.where(in_several, variance, running_variance)
        weight = (in_several * _MOMENTUM).expand_as(mean)
        running_mean.lerp_(mean.detach(), weight)
        running_variance.lerp_(unbiased, weight)
        return used


def _pad_window(vectors: Tensor, tokens: int) -> Tensor:
    """Zero-pad `vectors`, (batch, positions, values), to `tokens` positions, which are not fewer."""
    zeros = vectors.new_zeros(1, tokens, vectors.shape[2]).expand(vectors.shape[0], -1, -1)
    return torch.cat([vectors, zeros], dim=1)[:, :tokens]


def build_sequence(config: ModelConfig, encoder: Encoder) -> SequenceLayer | None:
    """Return the configured sequence layer, if any. Raises ConfigError if the encoder does not fit."""
    if not config.encoder.sequence_hidden:
        return None
    rows, width = encoder.vocabulary.weight.shape
    if width != encoder.width:
        found = f"embeddings of width {width} and no masked-LM head"
        raise ConfigError(
            "model.encoder.name", found, f"the width of the token states {encoder.width} with sequence_hidden"
        )
    return SequenceLayer(
        vocabulary=rows,
        hidden=config.encoder.sequence_hidden,
        tokens=config.window.tokens,
        outputs=len(config.heads.labels),
        dropout=config.encoder.sequence_dropout,
    )
