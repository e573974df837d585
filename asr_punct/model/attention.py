"""Self-attention over the words of a window, as Shi et al. 2021 (section 2.1) fuse words and their tags with."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError
from asr_punct.model.convolution import attend


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
        batch, words, width = vectors.shape
        parts = self.read(vectors).view(batch, words, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = attend(query, key, value, (word_mask > 0)[:, None, None, :])
        written = self.write(mixed.transpose(1, 2).reshape(batch, words, width))
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
