"""Identify the language of recognised words.

Words in Latin letters are identified by a linear model of hashed character n-grams (`identifier.npz`), trained by
`egs/models/local/train_language.py`; words in other letters by their script. Needs only numpy, and loads the model when
it is first used.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from asr_punct.caching import cached_by_word
from asr_punct.languages import LANGUAGES
from asr_punct.text import split_sound

MODEL = Path(__file__).parent / "identifier.npz"
MIN_WORDS = 3
"""Texts with fewer words are not identified."""
CLEAR_ODDS = 10.0
"""Odds from which fewer words are in a language: of two English words 74 % are read as English, and 0.1 % of Spanish
and Basque ones; of three words 94 % and 0.2 %."""
_LENGTHS = range(1, 5)
"""Lengths of n-grams, in characters."""
_LETTERS = re.compile(r"[^\W\d_]+")
_TAGS = ("<", "[")
_SCRIPTS = {script: code for code, each in LANGUAGES.items() for script in each.scripts}


@dataclass(frozen=True, slots=True)
class Guess:
    """The likely language of a text, its probability, and the probabilities of all possible languages by code."""

    language: str
    probability: float
    probabilities: dict[str, float]

    def probability_of(self, languages: Iterable[str]) -> float:
        """Return the probability that the text is in one of the languages, or in a mixture of them."""
        return sum(self.probabilities.get(language, 0.0) for language in languages)


@dataclass(frozen=True, slots=True)
class _Model:
    """Linear model with a class for each language: `weights`, (buckets, classes), `scale` and `bias`, (classes,)."""

    languages: tuple[str, ...]
    weights: NDArray[np.int8]
    scale: NDArray[np.float32]
    bias: NDArray[np.float32]


def identify(words: Iterable[str], minimum: int = MIN_WORDS) -> Guess | None:
    """Return the likely language of words as a recogniser writes them, or None for fewer than `minimum`, 1 or more.

    Marks, capitals, numbers and sounds such as `<unk>` and `(laughs)` are ignored. In other scripts than Latin the
    guess is a common language of the script.
    """
    tokens = list(letters_of(words))
    if len(tokens) < minimum:
        return None
    scripts = [_script(token[0]) for token in tokens]
    script, count = Counter(scripts).most_common(1)[0]
    if script != "LATIN":
        language = _SCRIPTS.get(script, script.lower())
        share = count / len(tokens)
        return Guess(language, share, {language: share})
    model = _load()
    found = [_weight_sum(token) for token, each in zip(tokens, scripts, strict=True) if each == "LATIN"]
    weight_sum = np.sum([weights for weights, _ in found], axis=0, dtype=np.int64)
    logits = weight_sum * model.scale / sqrt(sum(ngrams for _, ngrams in found)) + model.bias
    exponentials = np.exp(logits - logits.max())
    probabilities = dict(zip(model.languages, (exponentials / exponentials.sum()).tolist(), strict=True))
    best = max(probabilities, key=probabilities.__getitem__)
    return Guess(best, probabilities[best], probabilities)


def known_languages() -> frozenset[str]:
    """Return the codes of the languages that can be identified."""
    return frozenset(_load().languages) | frozenset(_SCRIPTS.values())


def letters_of(words: Iterable[str]) -> Iterator[str]:
    """Yield the words in lower case without marks, numbers and sounds; an apostrophe or hyphen splits a word."""
    for word in words:
        yield from _parts(word)


@cached_by_word(1 << 14)
def _parts(word: str) -> Sequence[str]:
    if word.startswith(_TAGS) or split_sound(word) is not None:
        return ()
    return _LETTERS.findall(unicodedata.normalize("NFC", word).lower())


@cached_by_word(1 << 14)
def _weight_sum(word: str) -> tuple[NDArray[np.int32], int]:
    """Return the sum of the weights of a word's n-grams, (classes,), and their number."""
    weights = _load().weights
    hashes = ngram_hashes(word, len(weights))
    return weights[hashes].sum(axis=0, dtype=np.int32), len(hashes)


def ngram_hashes(word: str, buckets: int) -> NDArray[np.int64]:
    """Return the buckets, (n-grams,), of the n-grams of a word, with its edges as `_`, and of the whole word."""
    marked = f"_{word}_"
    ngrams = {marked[i : i + n] for n in _LENGTHS for i in range(len(marked) - n + 1)}
    return np.array([crc32(ngram.encode()) % buckets for ngram in sorted(ngrams | {marked})], dtype=np.int64)


@lru_cache(maxsize=1 << 10)
def _script(letter: str) -> str:
    """Return the script of a letter, as the first word of its Unicode name."""
    return unicodedata.name(letter, "").split(" ")[0]


@cache
def _load() -> _Model:
    with np.load(MODEL) as file:
        languages = tuple(map(str, file["languages"]))
        return _Model(languages, file["weights"], file["scale"], file["bias"])
