"""Sub-word tokenizers. Words are encoded one at a time, so a word has the same sub-words in every context."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from asr_punct.encoding import visible
from asr_punct.errors import ModelError

TokenizerKind = Literal["bpe", "unigram", "word"]
_CACHED_WORDS = 200_000
_LETTERS_PER_SUBWORD = 32  # words of more than this times `max_subwords` are cut before they are encoded
_WORD_START = "▁"  # prefix of a word's first sub-word in SentencePiece's vocabularies
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


class SubwordTokenizer:
    """Encodes words with a tokenizer of the `tokenizers` library, and caches the result.

    A longer word than `max_subwords` keeps its first `max_subwords - 1` sub-words and the last one. Raises ModelError,
    with the `place`, if the tokenizer has no start, end, padding or unknown token.
    """

    def __init__(self, tokenizer: Tokenizer, max_subwords: int, place: object = "tokenizer") -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._max_subwords = max_subwords
        self._cache: dict[str, tuple[int, ...]] = {}
        # <cls> comes before <s>: Funnel and XLNet have both, and enclose the input in <cls> and <sep>.
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
    def special(self) -> tuple[int, int, int]:
        """Ids of the start, end and padding tokens."""
        return self.start, self.end, self.pad

    @property
    def size(self) -> int:
        """Size of the vocabulary."""
        return int(self._tokenizer.get_vocab_size())

    def to_json(self) -> str:
        """Return the content of a `tokenizer.json`."""
        return str(self._tokenizer.to_str())

    def encode(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Return 1 to `max_subwords` token ids for each lower-case word: the unknown token if it has no sub-words."""
        words = [word[: _LETTERS_PER_SUBWORD * self._max_subwords] for word in words]
        cache = self._cache  # other threads may replace it
        missing = [word for word in dict.fromkeys(words) if word not in cache]
        if len(cache) + len(missing) > _CACHED_WORDS:
            cache = self._cache = {}
            missing = list(dict.fromkeys(words))
        inputs = [[visible(word)] for word in missing]
        encodings = self._tokenizer.encode_batch(inputs, is_pretokenized=True, add_special_tokens=False)
        for word, encoding in zip(missing, encodings, strict=True):
            cache[word] = self._shorten(encoding.ids)
        return [cache[word] for word in words]

    def decode(self, subwords: Sequence[int]) -> str:
        """Return the word of these token ids; unknown tokens appear as `[UNK]`."""
        text = self._tokenizer.decode(list(subwords), skip_special_tokens=False)
        return "".join(text.replace(_WORD_START, "").split())

    def _shorten(self, ids: Sequence[int]) -> tuple[int, ...]:
        if len(ids) > self._max_subwords:
            return (*ids[: self._max_subwords - 1], ids[-1])
        return tuple(ids) or (self.unknown,)


def train_tokenizer(words: Iterable[str], vocabulary: int, kind: TokenizerKind = "bpe") -> Tokenizer:
    """Train a tokenizer on lower-case words; the result is deterministic.

    It normalises words as recognisers write them: straight apostrophes, no period after an abbreviation (`etc.`). All
    digits become 0, but in `unigram`, where they stay (Poláček et al. 2023, section 3.2). `vocabulary` is the number of
    sub-words: approximate for `bpe`, the maximum for `unigram`; for
    `word` the number of words. WordPiece is not offered because its trainer orders tokens by a hash table.
    """
    options: dict[str, Any] = {"special_tokens": _SPECIAL, "show_progress": False}
    if kind == "bpe":
        tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
        trainer: trainers.Trainer = trainers.BpeTrainer(vocab_size=vocabulary, **options)
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(vocab_size=vocabulary, unk_token="[UNK]", **options)
    else:
        tokenizer = Tokenizer(models.WordLevel({}, unk_token="[UNK]"))
        trainer = trainers.WordLevelTrainer(vocab_size=vocabulary + len(_SPECIAL), min_frequency=2, **options)
    replacements = {"[’ʼ]": "'", r"(?<=\w)\.$": ""} | ({} if kind == "unigram" else {r"\d": "0"})
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(pattern), replacement) for pattern, replacement in replacements.items()]
    )
    if kind != "word":
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.train_from_iterator(words, trainer)
    if kind == "unigram":
        subwords = json.loads(tokenizer.to_str())["model"]["vocab"]
        tokenizer.model = models.Unigram(_sorted_subwords(subwords), _SPECIAL.index("[UNK]"), False)
    return tokenizer


def _sorted_subwords(trained: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Sort sub-words by score and round the scores, so that the result does not depend on a hash table.

    The trainer sums scores in the order of that table, and at its end restores single letters with the lowest score
    plus a multiple of 1e-4 in that order; here all of them have the lowest score.
    """
    scores = {subword: score for subword, score in trained if subword not in _SPECIAL}
    lowest = min(scores.values())
    highest_restored = lowest + 1e-4 * sum(len(subword) == 1 for subword in scores)
    for subword, score in scores.items():
        restored = len(subword) == 1 and score <= highest_restored
        scores[subword] = round(lowest if restored else score, 2)
    return [(name, 0.0) for name in _SPECIAL] + sorted(scores.items(), key=lambda item: (-item[1], item[0]))
