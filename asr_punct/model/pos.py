"""Parts of speech joined to word vectors (Shi et al. 2021, section 2.1), and a small tagger that says them."""

from __future__ import annotations

from typing import TypeAlias, cast

import torch
from torch import Tensor, nn

from asr_punct.config import ContextConfig, PosConfig
from asr_punct.corpora.conllu import TAGS
from asr_punct.errors import ConfigError
from asr_punct.model.convolution import ConvolutionContext
from asr_punct.model.flair import FlairTagger
from asr_punct.model.lookup import LookupEncoder
from asr_punct.subwords import SubwordTokenizer


class PosTagger(nn.Module):
    """A small tagger that reads an encoder's own sub-words: a table of them, gated convolutions, a softmax layer.

    Args:
        config: its sizes.
        vocabulary: sub-words; one row more stands where a word has fewer than three of them.
    """

    def __init__(self, config: PosConfig, vocabulary: int) -> None:
        super().__init__()
        self.words = LookupEncoder(
            vocab_size=vocabulary + 1,
            hidden_size=config.width,
            table_width=config.table_width,
            pairs=0,
            pair_width=1,
            pad_token_id=vocabulary,
            max_position_embeddings=1,
        )
        layers = ContextConfig(kind="convolution", kernels=config.kernels, heads=1, dropout=config.dropout)
        self.context = ConvolutionContext(layers, config.width, max_words=1)
        self.linear = nn.Linear(config.width, len(TAGS))

    @property
    def weights(self) -> Tensor:
        """The softmax layer's weights, (tags, width)."""
        return self.linear.weight

    def logits(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Logits (batch, words, tags) of inputs as `features.Features` describes them; no document edge is told."""
        vectors = self.words(input_ids, torch.ones_like(input_ids), word_index, torch.zeros_like(word_index))
        return cast(Tensor, self.linear(self.context(vectors, (word_index > 0).long())))

    def forward(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Numbers of the likeliest tags, (batch, words)."""
        return self.logits(input_ids, word_index).argmax(dim=-1)


class NoPos(nn.Module):
    """Word vectors as they are.

    Args:
        width: their size.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, vectors: Tensor, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return `vectors`, (batch, words, width)."""
        return vectors


class PosFusion(nn.Module):
    """Joins to each word's vector the row of its tag (Shi et al. 2021, section 2.1); the rows learn, not the tagger.

    The rows start random; `take_weights` makes them the tagger's.

    Args:
        tagger: says the tags.
        width: size of the word vectors.
    """

    def __init__(self, tagger: PosTagger | FlairTagger, width: int) -> None:
        super().__init__()
        self.tagger = tagger
        tags, more = tagger.weights.shape
        self.table = nn.Embedding(tags, more)
        self.width = width + more
        if isinstance(tagger, nn.Module):
            tagger.requires_grad_(False).eval()

    def take_weights(self) -> None:
        """Make the rows the tagger's softmax weights."""
        with torch.no_grad():
            self.table.weight.copy_(self.tagger.weights)

    def train(self, mode: bool = True) -> PosFusion:
        """Set the mode of the rows; the tagger never trains."""
        super().train(mode)
        if isinstance(self.tagger, nn.Module):
            self.tagger.eval()
        return self

    def forward(self, vectors: Tensor, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """`vectors` with the rows of the words' tags, (batch, words, width); `features.Features` describes inputs."""
        with torch.no_grad():
            tags = self.tagger(input_ids, word_index)
        rows = self.table(tags).to(vectors.dtype)
        return torch.cat([vectors, rows], dim=-1)


Pos: TypeAlias = NoPos | PosFusion


def build_pos(config: PosConfig, width: int, vocabulary: int, tokenizer: SubwordTokenizer | None) -> Pos:
    """The tags that the configuration names, beside vectors of that width.

    Args:
        config: tagger and its sizes.
        width: size of the word vectors.
        vocabulary: sub-words of the encoder.
        tokenizer: of the encoder; only a flair tagger needs it.

    Raises:
        AsrPunctError: flair is not installed, has no such tagger, or there is no tokenizer for it.
    """
    if config.tagger == "none":
        return NoPos(width)
    if config.tagger == "own":
        return PosFusion(PosTagger(config, vocabulary), width)
    if tokenizer is None:
        raise ConfigError("pos: found tagger flair without the encoder's tokenizer")
    fusion = PosFusion(FlairTagger(config.name, tokenizer), width)
    if config.weights == "tagger":
        fusion.take_weights()
    return fusion
