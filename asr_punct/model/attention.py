"""Self-attention over the words of a window: that of Shi et al. 2021 over words and their tags, and a rotary one."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError


def split_heads(read: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value, (batch, heads, words, size), of what a layer reads for them, (batch, words, 3 width)."""
    batch, words, width = read.shape
    query, key, value = read.view(batch, words, 3, heads, width // 3 // heads).permute(2, 0, 3, 1, 4).unbind(0)
    return query, key, value


def join_heads(mixed: Tensor) -> Tensor:
    """Vectors (batch, words, width) of those of all heads, (batch, heads, words, size)."""
    batch, heads, words, size = mixed.shape
    return mixed.transpose(1, 2).reshape(batch, words, heads * size)


def attend(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None, dropout: float = 0.0, scale: float | None = None
) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1), (batch, heads, words, size) as all are.

    `seen`, (batch, 1, 1 or words, words), is False where a word does not look. `dropout` is of the probabilities;
    `scale` is 1 / sqrt(size) unless given. On a CPU it is written out, which trains three times as fast as torch's
    fused one.
    """
    if query.device.type != "cpu":
        return nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=seen, dropout_p=dropout, scale=scale
        )
    scores = (query * (scale or query.shape[-1] ** -0.5)) @ key.transpose(-1, -2)
    if seen is not None:
        scores = scores + torch.where(seen, 0.0, -1e4).to(scores.dtype)
    weights = scores.softmax(dim=-1).to(value.dtype)
    return (nn.functional.dropout(weights, dropout) if dropout else weights) @ value


def _of_all(seen: Tensor) -> Tensor:
    """What every word looks at, (batch, 1, 1, words), of the words that there are, (batch, words)."""
    return seen[:, None, None, :]


class AttentionLayer(nn.Module):
    """Multi-head attention and a feed-forward network, each added to what it reads and normalised after.

    Vaswani et al. 2017, sections 3.1 to 3.3, with the GELU of Shi et al.'s published code. No positions are added:
    transformer encoders have told them already.

    Args:
        width: size of the word vectors, a multiple of the heads.
        heads: attention heads.
        feed_forward: width of the network's hidden layer.
        dropout: before each sum.
    """

    def __init__(self, width: int, heads: int, feed_forward: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.read = nn.Linear(width, 3 * width)
        self.write = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, feed_forward), nn.GELU(), nn.Linear(feed_forward, width))
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Vectors (batch, words, width) of `vectors`; `word_mask` (batch, words) is 0 at padding."""
        query, key, value = split_heads(self.read(vectors), self.heads)
        written = self.write(join_heads(attend(query, key, value, _of_all(word_mask > 0))))
        attended = self.attention_norm(vectors + self.dropout(written))
        return cast(Tensor, self.norm(attended + self.dropout(self.network(attended))))


class AttentionContext(nn.Module):
    """Layers of self-attention over the window.

    Args:
        config: layers, heads, feed-forward width and dropout.
        width: size of the word vectors.

    Raises:
        ConfigError: the heads do not divide the width.
    """

    def __init__(self, config: ContextConfig, width: int) -> None:
        super().__init__()
        if width % config.heads:
            raise ConfigError(f"context: width {width} of its vectors is not a multiple of heads {config.heads}")
        self.width = width
        hidden = config.feed_forward or 4 * width
        self.layers = nn.ModuleList(
            AttentionLayer(width, config.heads, hidden, config.dropout) for _ in range(config.layers)
        )

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Contextual vectors (batch, words, width) of `vectors`; `word_mask` (batch, words) is 0 at padding."""
        for layer in self.layers:
            vectors = layer(vectors, word_mask)
        return vectors


class RotaryAttention(nn.Module):
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
        self.write = zero_linear(width, width)
        self.dropout = nn.Dropout(dropout)
        size = width // heads
        angles = torch.outer(torch.arange(max_words), 10_000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Vectors (batch, words, width) of `vectors`; `mask` (batch, words, 1) is 0 at padding."""
        query, key, value = split_heads(self.read(self.norm(vectors)), self.heads)
        mixed = attend(self._turn(query), self._turn(key), value, _of_all(mask.squeeze(-1) > 0))
        return cast(Tensor, vectors + self.dropout(self.write(join_heads(mixed))))

    def _turn(self, vectors: Tensor) -> Tensor:
        """Rotary positions (Su et al. 2021, equation 34)."""
        words = vectors.shape[-2]
        cosine, sine = self.cosine[:words].to(vectors.dtype), self.sine[:words].to(vectors.dtype)
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)


def zero_linear(inputs: int, outputs: int) -> nn.Linear:
    """A linear layer that gives zeros until it has learnt, so that a residual block starts as the identity."""
    layer = nn.Linear(inputs, outputs)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
