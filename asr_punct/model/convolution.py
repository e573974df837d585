"""Gated convolutions over the words of a window and a little attention: cheap context, most of which is near."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError


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
        self.narrow = _zero_linear(hidden, width)
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


class Attention(nn.Module):
    """A residual layer of self-attention over the window, with rotary positions; starts as the identity.

    Args:
        width: size of the word vectors, a multiple of twice the heads.
        heads: attention heads.
        max_words: longest window.
        dropout: before the layer's sum.
    """

    cosine: Tensor
    sine: Tensor

    def __init__(self, width: int, heads: int, max_words: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.read = nn.Linear(width, 3 * width)
        self.write = _zero_linear(width, width)
        self.dropout = nn.Dropout(dropout)
        size = width // heads
        angles = torch.outer(torch.arange(max_words), 10_000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Vectors (batch, words, width) of `vectors`; `mask` (batch, words, 1) is 0 at padding."""
        batch, words, width = vectors.shape
        parts = self.read(self.norm(vectors)).view(batch, words, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        seen = (mask.squeeze(-1) > 0)[:, None, None, :]
        mixed = attend(self._turn(query), self._turn(key), value, seen)
        return cast(Tensor, vectors + self.dropout(self.write(mixed.transpose(1, 2).reshape(batch, words, width))))

    def _turn(self, vectors: Tensor) -> Tensor:
        """Rotary positions (Su et al. 2021, equation 34)."""
        words = vectors.shape[-2]
        cosine, sine = self.cosine[:words].to(vectors.dtype), self.sine[:words].to(vectors.dtype)
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)


def attend(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1), (batch, heads, words, size) as all are.

    `seen`, (batch, 1, 1, words), is False at padding. On a CPU it is written out, which trains three times as fast as
    torch's fused one.
    """
    if query.device.type != "cpu":
        return nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
    hidden = torch.where(seen, 0.0, -1e4).to(scores.dtype)
    return cast(Tensor, (scores + hidden).softmax(dim=-1).to(value.dtype) @ value)


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
            else Attention(width, config.heads, max_words, config.dropout)
            for kernel in config.kernels
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Contextual vectors (batch, words, width) of `vectors`; `word_mask` (batch, words) is 0 at padding."""
        mask = word_mask.unsqueeze(-1)
        for layer in self.layers:
            vectors = layer(vectors, mask)
        return cast(Tensor, self.norm(vectors))


def _zero_linear(inputs: int, outputs: int) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
