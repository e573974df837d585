"""Words to sub-word numbers, one word at a time, so that a word always has the same sub-words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from asr_punct.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import normalizers

_CACHED_WORDS = 200_000
_WORD_START = "▁"
"""What SentencePiece writes before a word."""
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_LETTER_STEP = 1e-4
"""By which the unigram trainer tells the scores of letters apart that it puts back."""


class SubwordTokenizer:
    """A `tokenizers` tokenizer that is given words.

    Args:
        tokenizer: any fast tokenizer.
        max_subwords: sub-words kept of one word: the first ones and the last, which stands for the word.
        place: what errors name: its file, where it came from one.

    Raises:
        ModelError: it lacks a special token.
    """

    def __init__(self, tokenizer: Tokenizer, max_subwords: int, place: object = "tokenizer") -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._max_subwords = max_subwords
        self._cache: dict[str, tuple[int, ...]] = {}
        # Funnel and XLNet have <s> and </s> too, which do not stand around their input, or have no vector at all.
        self.start = self._special(place, "[CLS]", "<cls>", "<s>")
        self.end = self._special(place, "[SEP]", "<sep>", "</s>")
        self.pad = self._special(place, "[PAD]", "<pad>")
        self.unknown = self._special(place, "[UNK]", "<unk>")

    def _special(self, place: object, *names: str) -> int:
        for name in names:
            number = self._tokenizer.token_to_id(name)
            if number is not None:
                return number
        raise ModelError(place, "no token " + " or ".join(names), "a tokenizer of the BERT or RoBERTa kind")

    @classmethod
    def from_file(cls, path: Path, max_subwords: int) -> SubwordTokenizer:
        """Load a `tokenizer.json`. Raises ModelError where it is none."""
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
        """Content of a `tokenizer.json`."""
        return str(self._tokenizer.to_str())

    def encode(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Sub-words of each lower-case word; at least one (unknown), at most `max_subwords`."""
        words = [word[: 32 * self._max_subwords] for word in words]
        missing = [word for word in dict.fromkeys(words) if word not in self._cache]
        if len(self._cache) + len(missing) > _CACHED_WORDS:
            self._cache.clear()
            missing = list(dict.fromkeys(words))
        if missing:
            pieces = [[word] for word in missing]
            encodings = self._tokenizer.encode_batch(pieces, is_pretokenized=True, add_special_tokens=False)
            for word, encoding in zip(missing, encodings, strict=True):
                self._cache[word] = self._cut(encoding.ids)
        return [self._cache[word] for word in words]

    def decode(self, subwords: Sequence[int]) -> str:
        """The word of these sub-words, as far as they tell it; no spaces."""
        text = self._tokenizer.decode(list(subwords), skip_special_tokens=False)
        return "".join(text.replace(_WORD_START, "").split())

    def _cut(self, ids: Sequence[int]) -> tuple[int, ...]:
        if len(ids) > self._max_subwords:
            return (*ids[: self._max_subwords - 1], ids[-1])
        return tuple(ids) or (self.unknown,)


def train_tokenizer(words: Iterable[str], vocabulary: int) -> Tokenizer:
    """A BPE tokenizer of about `vocabulary` sub-words learnt from lower-case words; the same ones give the same.

    It reads an apostrophe of either shape as one, any digit as 0, and an abbreviation without its period, as
    recognisers write it. Not WordPiece, whose trainer numbers `##` pieces in the order of a hash table, another in each
    process.
    """
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
    tokenizer.normalizer = _normalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=_SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def train_unigram_tokenizer(words: Iterable[str], vocabulary: int) -> Tokenizer:
    """SentencePiece's unigram model (Kudo 2018) of at most `vocabulary` sub-words, learnt from lower-case words.

    Words are read as `train_tokenizer` reads them, and the same ones give the same tokenizer.
    """
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = _normalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(
        vocab_size=vocabulary, special_tokens=_SPECIAL, unk_token="[UNK]", show_progress=False
    )
    tokenizer.train_from_iterator(words, trainer)
    learnt = json.loads(tokenizer.to_str())["model"]["vocab"]
    tokenizer.model = models.Unigram(_in_order(learnt), _SPECIAL.index("[UNK]"), False)
    return tokenizer


def _in_order(learnt: Iterable[Sequence[Any]]) -> list[tuple[str, float]]:
    """Sub-words with their scores, in an order that does not depend on a hash table, as the trainer's does.

    Sums in the order of that table differ by 1e-10, which rounding takes away. Letters that the model had dropped come
    back with its lowest score and a step more each, 1e-4, in that order too: here all have the lowest score.
    """
    scores = {piece: score for piece, score in learnt if piece not in _SPECIAL}
    lowest = min(scores.values())
    highest = lowest + _LETTER_STEP * sum(len(piece) == 1 for piece in scores)
    rounded = {
        piece: round(lowest if len(piece) == 1 and score <= highest else score, 2) for piece, score in scores.items()
    }
    return [(name, 0.0) for name in _SPECIAL] + sorted(rounded.items(), key=lambda item: (-item[1], item[0]))


def train_word_tokenizer(words: Iterable[str], vocabulary: int) -> Tokenizer:
    """A tokenizer of whole words: the `vocabulary` most frequent lower-case ones that were seen twice or more.

    Words are read as `train_tokenizer` reads them; all others are the unknown one.
    """
    from tokenizers import models, trainers

    tokenizer = Tokenizer(models.WordLevel({}, unk_token="[UNK]"))
    tokenizer.normalizer = _normalizer()
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocabulary + len(_SPECIAL), min_frequency=2, special_tokens=_SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def _normalizer() -> normalizers.Normalizer:
    from tokenizers import Regex, normalizers

    same = {"[’ʼ]": "'", r"\d": "0", r"(?<=\w)\.$": ""}
    return normalizers.Sequence([normalizers.Replace(Regex(found), written) for found, written in same.items()])
