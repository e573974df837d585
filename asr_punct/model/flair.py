"""Part-of-speech tags predicted by a flair tagger, which is not stored in the model directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import torch
from torch import Tensor

from asr_punct.errors import ConfigError, MissingPackageError, first_line
from asr_punct.subwords import SubwordTokenizer


class FlairTagger:
    """A flair tagger (Akbik et al. 2019), by its name in flair's hub or its file. It reads words as text.

    Raises MissingPackageError if flair is not installed, and ConfigError if there is no such tagger.
    """

    def __init__(self, name: str, tokenizer: SubwordTokenizer) -> None:
        try:
            sentence, tagger = import_module("flair.data").Sentence, import_module("flair.models").SequenceTagger
        except ImportError:
            raise MissingPackageError("model.pos.tagger flair", "flair", "pip install flair") from None
        self._sentence, self._tokenizer = sentence, tokenizer
        try:
            self._tagger = tagger.load(name)
        except (OSError, ValueError) as error:
            raise ConfigError(f"pos: flair tagger {name!r}: {first_line(error)}") from None

    def __deepcopy__(self, memo: Mapping[int, Any]) -> FlairTagger:
        return self  # the tagger does not change

    @property
    def weights(self) -> Tensor:
        return cast(Tensor, self._tagger.linear.weight)

    def __call__(self, input_ids: Tensor, word_index: Tensor) -> Tensor:
        """Return the indices of the likeliest tags in flair's list of tags, (batch, words); 0 at padding."""
        windows = zip(input_ids.tolist(), word_index.tolist(), strict=True)
        sentences = [self._sentence(self._decode(ids, [end for end in ends if end])) for ids, ends in windows]
        self._tagger.predict(sentences)
        tags = torch.zeros_like(word_index)
        for row, sentence in enumerate(sentences):
            indices = [self._tag_index(token) for token in sentence]
            tags[row, : len(indices)] = torch.tensor(indices, device=tags.device)
        return tags

    def _decode(self, ids: Sequence[int], ends: Sequence[int]) -> list[str]:
        starts = [1, *(end + 1 for end in ends[:-1])]
        # flair leaves out empty tokens, but each word needs a tag
        return [self._tokenizer.decode(ids[start : end + 1]) or "_" for start, end in zip(starts, ends, strict=True)]

    def _tag_index(self, token: Any) -> int:
        label = token.get_label(self._tagger.tag_type)
        return int(self._tagger.label_dictionary.get_idx_for_item(label.value))
