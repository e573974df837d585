"""Self-attention over the words of a window.

In all layers `vectors` and the result are (batch, words, width), and `word_mask`, (batch, words), is 0 at padding.
"""

from typing import cast

import torch
from torch import Tensor, nn


def split_heads(projected: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value, (batch, heads, words, size), of a joint projection (batch, words, 3 width)."""
    batch, words, width = projected.shape
    query, key, value = projected.view(batch, words, 3, heads, width // 3 // heads).permute(2, 0, 3, 1, 4).unbind(0)
    return query, key, value


def join_heads(mixed: Tensor) -> Tensor:
    """Concatenate the vectors of all heads, (batch, heads, words, size), to (batch, words, width)."""
    batch, heads, words, size = mixed.shape
    return mixed.transpose(1, 2).reshape(batch, words, heads * size)


def attend(query: Tensor, key: Tensor, value: Tensor, word_mask: Tensor) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1), (batch, heads, words, size)."""
    # torch's fused function trains slower on a CPU
    logits = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
    logits = logits + torch.where(word_mask[:, None, None, :] > 0, 0.0, -1e4).to(logits.dtype)  # -inf may give NaN
    return cast(Tensor, logits.softmax(dim=-1).to(value.dtype) @ value)


class AttentionLayer(nn.Module):
    """Multi-head attention and a feed-forward network, each followed by a residual sum and normalisation.

    Vaswani et al. 2017, sections 3.1 to 3.3, but with GELU, as in the code of Shi et al. 2021, and without positions.
    """

    def __init__(self, width: int, heads: int, feed_forward: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.read = nn.Linear(width, 3 * width)  # query, key and value
        self.write = nn.Linear(width, width)  # output projection
        self.attention_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, feed_forward), nn.GELU(), nn.Linear(feed_forward, width))
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        mixed = attend(*split_heads(self.read(vectors), self.heads), word_mask)
        attended = self.attention_norm(vectors + self.dropout(self.write(join_heads(mixed))))
        return cast(Tensor, self.norm(attended + self.dropout(self.network(attended))))


class RotaryAttention(nn.Module):
    """A pre-normalised residual layer of self-attention with rotary positions; initially the identity."""

    cosine: Tensor
    sine: Tensor

    def __init__(self, width: int, heads: int, max_words: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.read = nn.Linear(width, 3 * width)  # query, key and value
        self.write = zero_linear(width, width)  # output projection
        self.dropout = nn.Dropout(dropout)
        size = width // heads
        angles = torch.outer(torch.arange(max_words), 10_000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        query, key, value = split_heads(self.read(self.norm(vectors)), self.heads)
        mixed = attend(self._rotate(query), self._rotate(key), value, word_mask)
        return cast(Tensor, vectors + self.dropout(self.write(join_heads(mixed))))

    def _rotate(self, vectors: Tensor) -> Tensor:
        """Rotate queries or keys by their positions (Su et al. 2021, equation 34)."""
        words = vectors.shape[-2]
        cosine, sine = self.cosine[:words].to(vectors.dtype), self.sine[:words].to(vectors.dtype)
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)


def zero_linear(inputs: int, outputs: int) -> nn.Linear:
    """Return a linear layer of zeros, so that a residual block is initially the identity."""
    layer = nn.Linear(inputs, outputs)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
