"""Which words a recogniser confuses: words that sound alike, words that differ by a letter, and misspelt forms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from asr_punct.features import DOCUMENT_START
from asr_punct.marks import CASES, LEFT, SENTENCE_ENDS, Case, Mark, mark_bits
from asr_punct.training.corpus import Corpus
from asr_punct.training.sounds import misspellings, sound_keys

CANDIDATES = 8
"""Most candidates of a word."""
_COMMON = 1 / 2000
"""Least share of the running words of a common word."""
_FREQUENT = 20
"""Least occurrences of a word that is compared letter by letter, or misspelt without being a name."""
_SHORTEST_MISSPELT = 4
"""Least letters of a word that is misspelt."""

_Counts = npt.NDArray[np.integer]
_Pairs = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Confusions:
    """Candidates that can replace each word of a vocabulary.

    Indices from the vocabulary's length on are words of `extra`.

    Attributes:
        extra: words outside the vocabulary: misspelt forms, and fillers.
        offsets: *Shape:* (vocabulary + 1,), first candidate of each word; the last entry is the end.
        candidates: *Shape:* (all candidates,), word indices.
        cumulative: *Shape:* (vocabulary,), share of the running words up to and including each word.
        common: *Shape:* (vocabulary,), whether at least one running word in 2,000 is this word.
        names: *Shape:* (vocabulary,), whether a word is mostly capitalised inside sentences.
        fillers: *Shape:* (fillers,), word indices.
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
        """Find the confusions of a corpus; its vocabulary then needs the words of `extra` at its end."""
        words = corpus.vocabulary.words
        counts = np.bincount(corpus.words, minlength=len(words))
        return cls.from_vocabulary(words, counts, _names(corpus), language, fillers)

    @classmethod
    def from_vocabulary(
        cls, vocabulary: Sequence[str], counts: _Counts, names: _Bools, language: str, fillers: Sequence[str] = ()
    ) -> Confusions:
        """Find the confusions of lower-case words.

        The candidates of a word are its misspelt forms (up to two of a name, one of a word with 20 occurrences) and
        the most frequent words with its sound key or, among words with 20 occurrences, one letter apart.

        Args:
            vocabulary: distinct words.
            counts: occurrences, (vocabulary,).
            names: whether each word is a name, (vocabulary,).
            language: selects the rules (`sounds.sound_keys`).
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
    """Return which words are mostly capitalised inside sentences, (vocabulary,)."""
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


def _misspelt_pairs(
    vocabulary: Sequence[str], names: _Bools, chosen: _Bools, language: str, index: dict[str, int]
) -> _Pairs:
    """Pair each `chosen` word with its misspelt forms; add new forms to `index`."""
    return _array(
        (place, index.setdefault(form, len(index)))
        for place in np.flatnonzero(chosen).tolist()
        if len(word := vocabulary[place]) >= _SHORTEST_MISSPELT and word.isalpha()
        for form in misspellings(word, language, vowel=bool(names[place]))
    )


def _sound_pairs(keys: Sequence[str], counts: _Counts) -> _Pairs:
    """Pair each word with the most frequent words of its sound key."""
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


def _letter_pairs(vocabulary: Sequence[str], counts: _Counts) -> _Pairs:
    """Pair frequent words that differ by a substituted, inserted or deleted letter, in both directions."""
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


def _most_frequent(pairs: _Pairs, weights: _Counts, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return offsets and indices of the `CANDIDATES` heaviest candidates of each of `size` words."""
    pairs = np.unique(pairs, axis=0)
    pairs = pairs[np.lexsort((pairs[:, 1], -weights[pairs[:, 1]], pairs[:, 0]))]
    numbers = np.bincount(pairs[:, 0], minlength=size)
    rank = np.arange(len(pairs)) - (np.cumsum(numbers) - numbers)[pairs[:, 0]]
    offsets = np.concatenate([[0], np.cumsum(np.minimum(numbers, CANDIDATES))])
    return offsets, pairs[rank < CANDIDATES, 1].astype(np.int32)
