"""Which words a recogniser takes for which: those that sound alike, those a letter apart, and misspelt forms.

Words sound alike that have one key. A key is what is left of a word when accents are folded and a table of rules is
gone through: the same letter for b and v, c, s and z, g and j, none for h, and so on; English has a table of its own,
after Metaphone (Philips 1990, Hanging on the Metaphone) but with one vowel for all.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from asr_punct.features import DOCUMENT_START
from asr_punct.marks import CASES, LEFT, SENTENCE_ENDS, Case, Mark, mark_bits
from asr_punct.training.corpus import Corpus

CANDIDATES = 8
"""Candidates of a word at most."""
_COMMON = 1 / 2000
"""Share of the running words from which a word is common."""
_FREQUENT = 20
"""Occurrences from which words are compared letter by letter, and misspelt without being names."""
_SHORTEST_MISSPELT = 4
"""Letters of a word that is misspelt, at least."""

_Rules = tuple[tuple[str, str], ...]
_Pairs = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]

_IBERIAN: _Rules = (
    (r"['’-]", ""),
    (r"ch|t[xsz]", "C"),
    (r"ph", "f"),
    (r"qu(?=[ei])|q|ck", "k"),
    (r"g(?=[ei])", "j"),
    (r"gu(?=[ei])", "g"),
    (r"c(?=[ei])|[zx]", "s"),
    (r"c", "k"),
    (r"ll", "y"),
    (r"y", "i"),
    (r"[vw]", "b"),
    (r"h", ""),
    (r"n(?=[bp])", "m"),
    (r"([^\W\d_])\1+", r"\1"),
    (r"d$", ""),
)
_ENGLISH: _Rules = (
    (r"['’-]", ""),
    (r"^[kg](?=n)|^p(?=[ns])|^w(?=r)|(?<=m)b$|(?<=w)h", ""),
    (r"gh(?=t|$)", ""),
    (r"tch|ch", "C"),
    (r"sh|[ts]i(?=o|a)|ci(?=o|a)", "S"),
    (r"th", "T"),
    (r"ph", "f"),
    (r"dg(?=[eiy])|g(?=[eiy])", "j"),
    (r"c(?=[eiy])|z|^x", "s"),
    (r"qu", "kw"),
    (r"ck|[cq]", "k"),
    (r"x", "ks"),
    (r"(?<=[^\n][^aeiouy\n])e(?=d?$)", ""),
    (r"h|(?<=[aeiou])w(?![aeiou])", ""),
    (r"[aeiouy]+", "a"),
    (r"([^\W\d_])\1+", r"\1"),
)
_IBERIAN_SPELLINGS: _Rules = (
    (r"b", "v"),
    (r"v", "b"),
    (r"c(?=[ei])", "s"),
    (r"z", "s"),
    (r"s(?=[aeiou])", "z"),
    (r"ll", "y"),
    (r"y(?=[aeiou])", "ll"),
    (r"h", ""),
    (r"g(?=[ei])", "j"),
    (r"j", "g"),
    (r"k", "c"),
    (r"qu", "k"),
    (r"tx", "ch"),
    (r"ch", "tx"),
    (r"t[sz]", "z"),
    (r"x", "s"),
    (r"rr", "r"),
    (r"m(?=[bp])", "n"),
    (r"[dt]$", ""),
    (r"i(?=[aeiou])", "y"),
)
_ENGLISH_SPELLINGS: _Rules = (
    (r"ph", "f"),
    (r"ck", "k"),
    (r"k", "c"),
    (r"c(?=[aou])", "k"),
    (r"c(?=[eiy])", "s"),
    (r"([bdfglmnprst])\1", r"\1"),
    (r"ee", "ea"),
    (r"ea", "ee"),
    (r"y$", "ie"),
    (r"(?:ie|ey)$", "y"),
    (r"z", "s"),
    (r"sh", "ch"),
    (r"th", "t"),
    (r"gh", ""),
    (r"ou", "u"),
    (r"v", "b"),
    (r"(?<=[aeiou])([nlt])(?=[aeiou])", r"\1\1"),
    (r"(?<=..)e$", ""),
)
_VOWELS: _Rules = ((r"a", "e"), (r"e", "i"), (r"i", "e"), (r"o", "u"), (r"u", "o"))


def sound_keys(words: Sequence[str], language: str) -> list[str]:
    """Keys of lower-case words; those with one key sound alike in the `language` (`en`, or any other: es, eu)."""
    text = "".join(c for c in unicodedata.normalize("NFD", "\n".join(words)) if not unicodedata.combining(c))
    for pattern, replacement in _ENGLISH if _is_english(language) else _IBERIAN:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text.split("\n") if words else []


def _is_english(language: str) -> bool:
    return language.split("+")[0] == "en"


@dataclass(frozen=True)
class Confusions:
    """What may stand in the place of each word of a vocabulary.

    Places from the vocabulary's length on are those of the words in `extra`.

    Attributes:
        extra: words that are not in the vocabulary: misspelt forms, and fillers.
        offsets: *Shape:* (vocabulary + 1,), where each word's candidates begin, and the last one's end.
        candidates: *Shape:* (all candidates,), places.
        cumulative: *Shape:* (vocabulary,), share of the running words that are this word or one before it.
        common: *Shape:* (vocabulary,), whether a word is at least one running word in 2,000.
        names: *Shape:* (vocabulary,), whether a word is mostly capitalised where no sentence begins.
        fillers: *Shape:* (fillers,), places.
    """

    extra: tuple[str, ...]
    offsets: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.int32]
    cumulative: npt.NDArray[np.float64]
    common: _Bools
    names: _Bools
    fillers: npt.NDArray[np.int32]

    @classmethod
    def from_corpus(cls, corpus: Corpus, language: str, fillers: Sequence[str] = ()) -> Confusions:
        """Confusions of a corpus' words; its vocabulary then needs `extra` at its end."""
        words = corpus.vocabulary.words
        counts = np.bincount(corpus.words, minlength=len(words))
        return cls.from_vocabulary(words, counts, _names(corpus), language, fillers)

    @classmethod
    def from_vocabulary(
        cls,
        vocabulary: Sequence[str],
        counts: npt.NDArray[np.integer],
        names: _Bools,
        language: str,
        fillers: Sequence[str] = (),
    ) -> Confusions:
        """Confusions of lower-case words.

        A word's candidates are misspelt forms (up to two of a name, one of a word with at least 20 occurrences) and the
        most frequent words with its key or, among words with at least 20 occurrences, a letter apart; 8 at most.

        Args:
            vocabulary: distinct words.
            counts: occurrences of each, (vocabulary,).
            names: which ones are names, (vocabulary,).
            language: of the rules (`sound_keys`).
            fillers: words that `noise` inserts.
        """
        index = {word: place for place, word in enumerate(vocabulary)}
        misspelt = _misspelt_pairs(vocabulary, names, names | (counts >= _FREQUENT), language, index)
        places = [index.setdefault(filler, len(index)) for filler in fillers]
        alike = _sound_pairs(sound_keys(vocabulary, language), counts)
        pairs = np.concatenate([misspelt, alike, _letter_pairs(vocabulary, counts)])
        weights = np.append(counts, np.full(len(index) - len(vocabulary), counts.sum() + 1))
        offsets, candidates = _most_frequent(pairs, weights, len(vocabulary))
        shares = counts / max(int(counts.sum()), 1)
        return cls(
            extra=tuple(index)[len(vocabulary) :],
            offsets=offsets,
            candidates=candidates,
            cumulative=np.cumsum(shares),
            common=shares >= _COMMON,
            names=names,
            fillers=np.array(places, np.int32),
        )


def _names(corpus: Corpus) -> _Bools:
    """Words that are capitalised most times that they stand inside a sentence, (vocabulary,)."""
    size = len(corpus.vocabulary.words)
    ends = np.uint16(mark_bits(SENTENCE_ENDS | {Mark.ELLIPSIS, Mark.COLON}))
    inside = (corpus.boundaries & DOCUMENT_START == 0) & (corpus.marks & np.uint16(mark_bits(LEFT)) == 0)
    inside[1:] &= corpus.marks[:-1] & ends == 0
    capital = inside & (corpus.cases != CASES.index(Case.O))
    capitals, all_inside = (np.bincount(corpus.words[chosen], minlength=size) for chosen in (capital, inside))
    names: _Bools = 2 * capitals > all_inside
    return names


def _array(pairs: Iterable[tuple[int, int]]) -> _Pairs:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def _sound_pairs(keys: Sequence[str], counts: npt.NDArray[np.integer]) -> _Pairs:
    """Each word with the most frequent ones of its key."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place in np.argsort(-counts, kind="stable").tolist():
        groups[keys[place]].append(place)
    groups.pop("", None)
    return _array(
        (word, other)
        for group in groups.values()
        for word in group
        for other in group[: CANDIDATES + 1]
        if word != other
    )


def _letter_pairs(vocabulary: Sequence[str], counts: npt.NDArray[np.integer]) -> _Pairs:
    """Pairs of frequent words one substituted, inserted or deleted letter apart, both ways."""
    frequent = np.flatnonzero(counts >= _FREQUENT)
    ordered = frequent[np.argsort(-counts[frequent], kind="stable")].tolist()
    index = {vocabulary[place]: place for place in ordered}
    gaps: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    pairs: set[tuple[int, int]] = set()
    for place in ordered:
        word = vocabulary[place]
        for i in range(len(word)):
            shorter = index.get(word[:i] + word[i + 1 :])
            if shorter is not None:
                pairs |= {(place, shorter), (shorter, place)}
            gap = gaps[word[:i], word[i + 1 :]]
            if len(gap) <= CANDIDATES:
                gap.append(place)
            else:
                pairs.update((place, other) for other in gap)
    pairs.update(pair for gap in gaps.values() if len(gap) > 1 for pair in permutations(gap, 2))
    return _array(pairs)


def _misspelt_pairs(
    vocabulary: Sequence[str], names: _Bools, chosen: _Bools, language: str, index: dict[str, int]
) -> _Pairs:
    """Each `chosen` word with its misspelt forms; those that are new are added to `index`.

    All are spelt by ear, and names with another vowel too.
    """
    spellings = _compiled(_ENGLISH_SPELLINGS if _is_english(language) else _IBERIAN_SPELLINGS)
    vowels = _compiled(_VOWELS)
    pairs: list[tuple[int, int]] = []
    for place in np.flatnonzero(chosen).tolist():
        word = vocabulary[place]
        if len(word) < _SHORTEST_MISSPELT or not word.isalpha():
            continue
        forms = [_respelt(word, rules) for rules in ((spellings, vowels) if names[place] else (spellings,))]
        pairs.extend((place, index.setdefault(form, len(index))) for form in forms if form != word)
    return _array(pairs)


def _compiled(rules: _Rules) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in rules]


def _respelt(word: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str:
    """The word after the first rule that changes it, looked for from a place that depends on the word."""
    first = zlib.crc32(word.encode()) % len(rules)
    for pattern, replacement in (*rules[first:], *rules[:first]):
        form = pattern.sub(replacement, word, count=1)
        if form != word:
            return form
    return word


def _most_frequent(
    pairs: _Pairs, weights: npt.NDArray[np.integer], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Offsets and places of the weightiest candidates of each of `size` words, without repetition."""
    pairs = np.unique(pairs, axis=0)
    pairs = pairs[np.lexsort((pairs[:, 1], -weights[pairs[:, 1]], pairs[:, 0]))]
    numbers = np.bincount(pairs[:, 0], minlength=size)
    rank = np.arange(len(pairs)) - (np.cumsum(numbers) - numbers)[pairs[:, 0]]
    offsets = np.concatenate([[0], np.cumsum(np.minimum(numbers, CANDIDATES))])
    return offsets, pairs[rank < CANDIDATES, 1].astype(np.int32)
