"""Context layers, between pause fusion and heads: they relate the words of a window to each other.

`width` is the size of their output vectors. `forward` gets vectors (batch, words, width) and a mask of the words
(batch, words), which is 0 at padding.
"""

from typing import TypeAlias, cast

from torch import Tensor, nn

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError
from asr_punct.model.attention import AttentionContext
from asr_punct.model.convolution import ConvolutionContext
from asr_punct.model.encoder import modern_bert
from asr_punct.model.recurrent import BidirectionalLSTM, RecurrentContext


class NoContext(nn.Module):
    """The identity on word vectors of size `width`."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Return `vectors`, (batch, words, width)."""
        return vectors


class TransformerContext(nn.Module):
    """A small transformer over the words of the window (AutoPunct: González-Docasal et al. 2021, section 3.2.2).

    The paper has BERT layers. ModernBERT layers are used here because they learn faster.
    """

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__()
        self.width = width
        self.layers = modern_bert(
            vocab_size=1,
            hidden_size=width,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            # A gated layer has three matrices: at 8/3 of the width they have as many weights as two at 4 times it.
            intermediate_size=config.feed_forward or 8 * width // 3,
            local_attention=config.local_attention,
            dropout=config.dropout,
            max_position_embeddings=max_words,
            pad_token_id=0,
        )

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Return contextual vectors (batch, words, width); `word_mask` (batch, words) is 0 at padding."""
        return cast(Tensor, self.layers(inputs_embeds=vectors, attention_mask=word_mask).last_hidden_state)


Context: TypeAlias = (
    NoContext | TransformerContext | ConvolutionContext | RecurrentContext | BidirectionalLSTM | AttentionContext
)


def build_context(config: ContextConfig, width: int, max_words: int) -> Context:
    """Return the configured context layers for word vectors of size `width`, and windows of at most `max_words` words.

    Raises ConfigError if the width is not a multiple of the number of heads, or of twice that with rotary positions.
    """
    multiple_of = {"transformer": 2 * config.heads, "attention": config.heads, "convolution": 2 * config.heads}
    if width % multiple_of.get(config.kind, 1):
        expected = f"a multiple of {multiple_of[config.kind]} with {config.heads} heads"
        raise ConfigError(f"context: width of the word vectors must be {expected}, found {width}")
    if config.kind == "transformer":
        return TransformerContext(config, width, max_words)
    if config.kind == "convolution":
        return ConvolutionContext(config, width, max_words)
    if config.kind == "brnn":
        return RecurrentContext(width)
    if config.kind == "bilstm":
        return BidirectionalLSTM(width)
    if config.kind == "attention":
        return AttentionContext(config, width)
    return NoContext(width)
