"""Sub-word tokenizers. Words are encoded one at a time, so that a word always has the same sub-words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from asr_punct.errors import ModelError

_CACHED_WORDS = 200_000
_WORD_START = "▁"
"""SentencePiece's prefix of a word."""
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_LETTER_STEP = 1e-4
"""Difference of the scores that the unigram trainer gives to single letters that it restores."""


class SubwordTokenizer:
    """Encodes words with a `tokenizers` tokenizer.

    Args:
        tokenizer: any fast tokenizer.
        max_subwords: sub-words kept of one word: the first ones and the last, which represents the word.
        place: start of error messages, such as the tokenizer's file.

    Raises:
        ModelError: a special token is missing.
    """

    def __init__(self, tokenizer: Tokenizer, max_subwords: int, place: object = "tokenizer") -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._max_subwords = max_subwords
        self._cache: dict[str, tuple[int, ...]] = {}
        # Funnel and XLNet also have <s> and </s>, but do not use them around the input.
        self.start = self._special(place, "[CLS]", "<cls>", "<s>")
        self.end = self._special(place, "[SEP]", "<sep>", "</s>")
        self.pad = self._special(place, "[PAD]", "<pad>")
        self.unknown = self._special(place, "[UNK]", "<unk>")

    def _special(self, place: object, *names: str) -> int:
        for name in names:
            token_id = self._tokenizer.token_to_id(name)
            if token_id is not None:
                return token_id
        raise ModelError(place, "no token " + " or ".join(names), "a tokenizer of the BERT or RoBERTa kind")

    @classmethod
    def from_file(cls, path: Path, max_subwords: int) -> SubwordTokenizer:
        """Load a `tokenizer.json`. Raises ModelError if it is invalid."""
        try:
            return cls(Tokenizer.from_file(str(path)), max_subwords, path)
        except ModelError:
            raise
        except Exception as error:  # the library raises bare Exception
            raise ModelError(path, f"no tokenizer ({error})", "a tokenizer.json") from None

    @property
    def size(self) -> int:
        """Sub-words of the vocabulary."""
        return int(self._tokenizer.get_vocab_size())

    def to_json(self) -> str:
        """Return the content of a `tokenizer.json`."""
        return str(self._tokenizer.to_str())

    def encode(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the token ids of each lower-case word: at least one (unknown), at most `max_subwords`."""
        words = [word[: 32 * self._max_subwords] for word in words]
        missing = [word for word in dict.fromkeys(words) if word not in self._cache]
        if len(self._cache) + len(missing) > _CACHED_WORDS:
            self._cache.clear()
            missing = list(dict.fromkeys(words))
        if missing:
            single = [[word] for word in missing]
            encodings = self._tokenizer.encode_batch(single, is_pretokenized=True, add_special_tokens=False)
            for word, encoding in zip(missing, encodings, strict=True):
                self._cache[word] = self._cut(encoding.ids)
        return [self._cache[word] for word in words]

    def decode(self, subwords: Sequence[int]) -> str:
        """Return the word of these token ids, without spaces; unknown tokens cannot be restored."""
        text = self._tokenizer.decode(list(subwords), skip_special_tokens=False)
        return "".join(text.replace(_WORD_START, "").split())

    def _cut(self, ids: Sequence[int]) -> tuple[int, ...]:
        if len(ids) > self._max_subwords:
            return (*ids[: self._max_subwords - 1], ids[-1])
        return tuple(ids) or (self.unknown,)


def train_tokenizer(words: Iterable[str], vocabulary: int) -> Tokenizer:
    """Train a BPE tokenizer of about `vocabulary` sub-words on lower-case words; the result is deterministic.

    Apostrophes of both shapes are the same, all digits are 0, and the period of an abbreviation is dropped, as in the
    output of recognisers. WordPiece is not used because its trainer orders tokens by a hash table.
    """
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
    tokenizer.normalizer = _normalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=_SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def train_unigram_tokenizer(words: Iterable[str], vocabulary: int) -> Tokenizer:
    """Train SentencePiece's unigram model (Kudo 2018) of at most `vocabulary` sub-words, as `train_tokenizer`."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = _normalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(
        vocab_size=vocabulary, special_tokens=_SPECIAL, unk_token="[UNK]", show_progress=False
    )
    tokenizer.train_from_iterator(words, trainer)
    learnt = json.loads(tokenizer.to_str())["model"]["vocab"]
    tokenizer.model = models.Unigram(_sorted_vocabulary(learnt), _SPECIAL.index("[UNK]"), False)
    return tokenizer


def _sorted_vocabulary(learnt: Iterable[Sequence[Any]]) -> list[tuple[str, float]]:
    """Sort sub-words by score and round the scores, so that the result does not depend on a hash table.

    Sums in the order of that table differ by 1e-10. Single letters that the trainer restores have the lowest score
    plus a multiple of 1e-4 in that order; here all of them have the lowest score.
    """
    scores = {piece: score for piece, score in learnt if piece not in _SPECIAL}
    lowest = min(scores.values())
    highest = lowest + _LETTER_STEP * sum(len(piece) == 1 for piece in scores)
    rounded = {
        piece: round(lowest if len(piece) == 1 and score <= highest else score, 2) for piece, score in scores.items()
    }
    return [(name, 0.0) for name in _SPECIAL] + sorted(rounded.items(), key=lambda item: (-item[1], item[0]))


def train_word_tokenizer(words: Iterable[str], vocabulary: int) -> Tokenizer:
    """Train a tokenizer of the `vocabulary` most frequent words that occur twice or more, as `train_tokenizer`."""
    tokenizer = Tokenizer(models.WordLevel({}, unk_token="[UNK]"))
    tokenizer.normalizer = _normalizer()
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocabulary + len(_SPECIAL), min_frequency=2, special_tokens=_SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def _normalizer() -> normalizers.Normalizer:
    replaced = {"[’ʼ]": "'", r"\d": "0", r"(?<=\w)\.$": ""}
    return normalizers.Sequence([normalizers.Replace(Regex(found), written) for found, written in replaced.items()])
