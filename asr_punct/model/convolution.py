"""Gated convolutions over the words of a window and a little attention: cheap context, most of which is near."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError
from asr_punct.model.attention import RotaryAttention, zero_linear


class GatedConvolution(nn.Module):
    """A residual block: widen, convolve one half over the words, channel by channel, and gate it with the other half.

    Pre-normalised; starts as the identity.

    Args:
        width: size of the word vectors.
        hidden: channels of the convolution.
        kernel: words that it spans, odd.
        dropout: before the block's sum.
    """

    def __init__(self, width: int, hidden: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 2 * hidden)
        self.convolution = nn.Conv1d(hidden, hidden, kernel, padding=kernel // 2, groups=hidden)
        self.narrow = zero_linear(hidden, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Vectors (batch, words, width) of `vectors`; `mask` (batch, words, 1) is 0 at padding."""
        values, gate = self.widen(self.norm(vectors)).chunk(2, dim=-1)
        values = self._convolve(values * mask.to(values.dtype))
        return cast(Tensor, vectors + self.dropout(self.narrow(values * nn.functional.silu(gate))))

    def _convolve(self, values: Tensor) -> Tensor:
        """The convolution over (batch, words, channels), in two dimensions, where torch leaves channels last.

        In one dimension it copies them to and fro, which doubles its time in training on a CPU.
        """
        weight = self.convolution.weight.unsqueeze(2)
        padding = (0, weight.shape[-1] // 2)
        image = values.transpose(1, 2).unsqueeze(2)
        image = nn.functional.conv2d(image, weight, self.convolution.bias, padding=padding, groups=len(weight))
        return image.squeeze(2).transpose(1, 2)


class ConvolutionContext(nn.Module):
    """A layer for each of the configured kernels: a gated convolution, or attention where the kernel is 0.

    Each starts as the identity, so that a trained model can be given more of them.

    Args:
        config: kernels, channels, heads and dropout.
        width: size of the word vectors.
        max_words: longest window.

    Raises:
        ConfigError: the heads do not divide the width.
    """

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__()
        if width % (2 * config.heads):
            raise ConfigError(
                f"context: the encoder's width {width} is not a multiple of twice its heads {config.heads}"
            )
        self.width = width
        hidden = config.feed_forward or width
        self.layers = nn.ModuleList(
            GatedConvolution(width, hidden, kernel, config.dropout)
            if kernel
            else RotaryAttention(width, config.heads, max_words, config.dropout)
            for kernel in config.kernels
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Contextual vectors (batch, words, width) of `vectors`; `word_mask` (batch, words) is 0 at padding."""
        mask = word_mask.unsqueeze(-1)
        for layer in self.layers:
            vectors = layer(vectors, mask)
        return cast(Tensor, self.norm(vectors))
