"""Part-of-speech embeddings concatenated with word vectors (Shi et al. 2021, section 2.1), and two taggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import torch
from torch import Tensor, nn

from asr_punct.config import PART_OF_SPEECH_TAGS, ContextConfig, PosConfig
from asr_punct.errors import ConfigError, MissingPackageError, first_line
from asr_punct.model.context import ConvolutionContext
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
        """Weights of the softmax layer, (tags, width)."""
        return self.linear.weight

    def logits(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return logits (batch, words, tags) of inputs as in `features.Features`."""
        encoded = self.words(input_ids, torch.ones_like(input_ids), word_index, torch.zeros_like(word_index))
        return cast(Tensor, self.linear(self.context(encoded.words, (word_index > 0).long())))

    def forward(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return the indices of the likeliest tags, (batch, words)."""
        return self.logits(input_ids, word_index).argmax(dim=-1)


class FlairTagger:
    """A flair tagger (Akbik et al. 2019), by its name in flair's hub or its file. It reads words as text.

    Raises MissingPackageError if flair is not installed, and ConfigError if there is no such tagger.
    """

    def __init__(self, name: str, tokenizer: SubwordTokenizer) -> None:
        try:
            sentence, tagger = import_module("flair.data").Sentence, import_module("flair.models").SequenceTagger
        except ImportError:
            raise MissingPackageError("model.pos.tagger flair", "flair", "pip install flair") from None
        self._sentence_class, self._tokenizer = sentence, tokenizer
        try:
            self._tagger = tagger.load(name)
        except (OSError, ValueError) as error:
            raise ConfigError("model.pos.name", repr(name), f"a flair tagger: {first_line(error)}") from None

    def __deepcopy__(self, memo: Mapping[int, Any]) -> FlairTagger:
        return self  # the tagger does not change

    @property
    def weights(self) -> Tensor:
        """Weights of the softmax layer, (tags, width)."""
        return cast(Tensor, self._tagger.linear.weight)

    def __call__(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return the indices of the likeliest tags in flair's list of tags, (batch, words); 0 at padding."""
        windows = zip(input_ids.tolist(), word_index.tolist(), strict=True)
        sentences = [self._sentence_class(self._words(ids, [end for end in ends if end])) for ids, ends in windows]
        self._tagger.predict(sentences)
        tags = torch.zeros_like(word_index)
        for row, sentence in enumerate(sentences):
            indices = [self._tag_index(token) for token in sentence]
            tags[row, : len(indices)] = torch.tensor(indices, device=tags.device)
        return tags

    def _words(self, ids: Sequence[int], ends: Sequence[int]) -> list[str]:
        starts = [1, *(end + 1 for end in ends[:-1])]  # token 0 is the start token
        # flair leaves out empty tokens, but each word needs a tag
        return [self._tokenizer.decode(ids[start : end + 1]) or "_" for start, end in zip(starts, ends, strict=True)]

    def _tag_index(self, token: Any) -> int:
        label = token.get_label(self._tagger.tag_type)
        return int(self._tagger.label_dictionary.get_idx_for_item(label.value))


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
        """Set the mode of this module; the tagger stays in evaluation mode."""
        super().train(mode)
        if isinstance(self.tagger, nn.Module):
            self.tagger.eval()
        return self

    def forward(self, vectors: Tensor, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return vectors with tag embeddings, (batch, words, width), for inputs as in `features.Features`."""
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
        raise ConfigError("model.pos.tagger", "flair without the encoder's tokenizer", "both")
    fusion = PosFusion(FlairTagger(config.name, tokenizer), width)
    if config.weights == "tagger":
        fusion.copy_tagger_weights()
    return fusion
