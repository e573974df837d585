"""Part-of-speech embeddings concatenated with word vectors (Shi et al. 2021, section 2.1), and a small tagger."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from asr_punct.config import PART_OF_SPEECH_TAGS, ContextConfig, PosConfig
from asr_punct.errors import ConfigError
from asr_punct.model.convolution import ConvolutionContext
from asr_punct.model.flair import FlairTagger
from asr_punct.model.lookup import LookupEncoder
from asr_punct.subwords import SubwordTokenizer


class PosTagger(nn.Module):
    """A small part-of-speech tagger: embeddings of the encoder's sub-words, gated convolutions, softmax."""

    def __init__(self, config: PosConfig, vocabulary: int) -> None:
        super().__init__()
        self.words = LookupEncoder(
            vocab_size=vocabulary + 1,  # one for the padding of words of fewer than three sub-words
            hidden_size=config.width,
            table_width=config.table_width,
            pad_token_id=vocabulary,
            max_position_embeddings=1,
        )
        layers = ContextConfig(kind="convolution", kernels=config.kernels, heads=1, dropout=config.dropout)
        self.context = ConvolutionContext(layers, config.width, max_words=1)
        self.linear = nn.Linear(config.width, len(PART_OF_SPEECH_TAGS))

    @property
    def weights(self) -> Tensor:
        return self.linear.weight

    def logits(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return logits, (batch, words, tags)."""
        encoded = self.words(input_ids, torch.ones_like(input_ids), word_index, torch.zeros_like(word_index))
        return cast(Tensor, self.linear(self.context(encoded.words, (word_index > 0).long())))

    def forward(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return the indices of the likeliest tags, (batch, words)."""
        return self.logits(input_ids, word_index).argmax(dim=-1)


class PosFusion(nn.Module):
    """Concatenates each word vector, of size `width`, with an embedding of the word's tag; the tagger is frozen."""

    def __init__(self, tagger: PosTagger | FlairTagger, width: int) -> None:
        super().__init__()
        self.tagger = tagger
        tags, size = tagger.weights.shape
        self.table = nn.Embedding(tags, size)
        self.width = width + size
        if isinstance(tagger, nn.Module):
            tagger.requires_grad_(False).eval()

    def copy_tagger_weights(self) -> None:
        """Set the embeddings to the tagger's softmax weights."""
        with torch.no_grad():
            self.table.weight.copy_(self.tagger.weights)

    def train(self, mode: bool = True) -> PosFusion:
        super().train(mode)
        if isinstance(self.tagger, nn.Module):
            self.tagger.eval()
        return self

    def forward(self, vectors: Tensor, input_ids: Tensor, word_index: Tensor) -> Tensor:
        with torch.no_grad():
            tags = self.tagger(input_ids, word_index)
        return torch.cat([vectors, self.table(tags).to(vectors.dtype)], dim=-1)


def build_pos(config: PosConfig, width: int, vocabulary: int, tokenizer: SubwordTokenizer | None) -> PosFusion | None:
    """Return the configured part-of-speech fusion, if any. A flair tagger needs the encoder's tokenizer.

    Raises AsrPunctError if flair is not installed or has no such tagger.
    """
    if config.tagger == "none":
        return None
    if config.tagger == "own":
        return PosFusion(PosTagger(config, vocabulary), width)
    if tokenizer is None:
        raise ConfigError("pos: found tagger flair without the encoder's tokenizer")
    fusion = PosFusion(FlairTagger(config.name, tokenizer), width)
    if config.weights == "tagger":
        fusion.copy_tagger_weights()
    return fusion
