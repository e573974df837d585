"""Words that a recogniser confuses: those that sound alike or differ by one letter, and misspelt forms of a word.

Words with the same sound key sound alike: `vaca` and `baca`.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
import numpy.typing as npt

from asr_punct.features import DOCUMENT_START
from asr_punct.languages import facts_of
from asr_punct.marks import CASES, LEFT, MAY_END_SENTENCE, Case, mark_bits
from asr_punct.training.corpus import Corpus, positions

_Rules = Sequence[tuple[re.Pattern[str], str]]
CANDIDATES = 8
"""Maximum number of candidates of a word."""
_MIN_COMMON_SHARE = 1 / 2000
"""Minimum share of the running words of a common word."""
_MIN_FREQUENT_COUNT = 20
"""Minimum number of occurrences of a frequent word. Only frequent words have candidates that differ by one letter."""
_MIN_MISSPELT_LETTERS = 4
"""Shorter words are never misspelt."""
_Counts = npt.NDArray[np.integer]
_Pairs = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


@cache
def _rules(table: str) -> _Rules:
    """Parse a table of rules of `Language`."""
    pairs = (rule.partition(">") for rule in table.split())
    return [(re.compile(pattern, re.MULTILINE), replacement) for pattern, _, replacement in pairs]


_VOWELS = _rules("a>e e>i i>e o>u u>o")


def sound_keys(words: Sequence[str], language: str) -> list[str]:
    """Return the sound keys of lower-case words, by the rules of the language or the first of a mixture."""
    text = "".join(c for c in unicodedata.normalize("NFD", "\n".join(words)) if not unicodedata.combining(c))
    for pattern, replacement in _rules(facts_of(language).sound_rules):
        text = pattern.sub(replacement, text)
    return text.split("\n") if words else []


def misspellings(word: str, language: str, *, vowel: bool) -> list[str]:
    """Return a misspelling of the word, such as `govierno`, and with `vowel` one with another vowel, where possible."""
    tables = [_rules(facts_of(language).misspellings), *([_VOWELS] if vowel else [])]
    return [form for rules in tables if (form := _respelt(word, rules)) != word]


def _respelt(word: str, rules: _Rules) -> str:
    """Apply the first rule that changes the word; the word's checksum selects the rule that is tried first."""
    first = zlib.crc32(word.encode()) % len(rules)
    forms = (pattern.sub(replacement, word, count=1) for pattern, replacement in (*rules[first:], *rules[:first]))
    return next((form for form in forms if form != word), word)


@dataclass(frozen=True)
class Confusions:
    """Candidates that can replace each word of a vocabulary."""

    extra: tuple[str, ...]
    """Misspelt forms and fillers outside the vocabulary; they have the indices after it."""
    offsets: npt.NDArray[np.int64]
    """(vocabulary + 1,), index of the first candidate of each word; the last entry is the end."""
    candidates: npt.NDArray[np.int32]
    """(all candidates,), word indices."""
    cumulative: npt.NDArray[np.float64]
    """(vocabulary,), share of the running words up to and including each word."""
    common: _Bools
    """(vocabulary,), whether at least one running word in 2,000 is this word."""
    names: _Bools
    """(vocabulary,), whether a word is mostly capitalised inside sentences."""
    fillers: npt.NDArray[np.int32]
    """(fillers,), word indices."""

    @classmethod
    def from_corpus(cls, corpus: Corpus, language: str, fillers: Sequence[str] = ()) -> Confusions:
        """Find the confusions of a corpus. The caller then adds the words of `extra` to its vocabulary."""
        counts, names = _counts_and_names(corpus)
        return cls.from_vocabulary(corpus.vocabulary.words, counts, names, language, fillers)

    @classmethod
    def from_vocabulary(
        cls, vocabulary: Sequence[str], counts: _Counts, names: _Bools, language: str, fillers: Sequence[str] = ()
    ) -> Confusions:
        """Find the confusions of distinct lower-case words; `counts` are their occurrences in a corpus, (vocabulary,).

        The candidates of a word are its misspelt forms (up to two of a name, one of another frequent word), and the
        most frequent words that have the same sound key or, if both words are frequent, differ by one letter.
        """
        index = {word: i for i, word in enumerate(vocabulary)}
        misspelt = _misspelt_pairs(vocabulary, names, names | (counts >= _MIN_FREQUENT_COUNT), language, index)
        filler_indices = [index.setdefault(filler, len(index)) for filler in fillers]
        alike = _sound_pairs(sound_keys(vocabulary, language), counts)
        pairs = np.concatenate([misspelt, alike, _letter_pairs(vocabulary, counts)])
        weights = np.append(counts, np.full(len(index) - len(vocabulary), counts.sum() + 1))  # misspelt forms first
        offsets, candidates = _most_frequent(pairs, weights, len(vocabulary))
        shares = counts / max(int(counts.sum()), 1)
        return cls(
            extra=tuple(index)[len(vocabulary) :],
            offsets=offsets,
            candidates=candidates,
            cumulative=np.cumsum(shares),
            common=shares >= _MIN_COMMON_SHARE,
            names=names,
            fillers=np.array(filler_indices, np.int32),
        )


def _counts_and_names(corpus: Corpus) -> tuple[_Counts, _Bools]:
    """Return the occurrences of each word, and which words mostly have a capital inside sentences, (vocabulary,)."""
    size, end_before = len(corpus.vocabulary.words), False
    ends, left = np.uint16(mark_bits(MAY_END_SENTENCE)), np.uint16(mark_bits(LEFT))
    counts, capital_counts, inside_counts = np.zeros((3, size), np.int64)
    for block in corpus.blocks():
        after_end = block.marks & ends > 0
        begins = np.concatenate([[end_before], after_end[:-1]])
        inside = ~begins & (block.boundaries & DOCUMENT_START == 0) & (block.marks & left == 0)
        capital = inside & (block.cases != CASES.index(Case.O))
        for total, chosen in ((counts, slice(None)), (capital_counts, capital), (inside_counts, inside)):
            np.add.at(total, block.words[chosen], 1)
        end_before = bool(after_end[-1])
    names: _Bools = 2 * capital_counts > inside_counts
    return counts, names


def _array(pairs: Iterable[tuple[int, int]]) -> _Pairs:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def _misspelt_pairs(
    vocabulary: Sequence[str], names: _Bools, chosen: _Bools, language: str, index: dict[str, int]
) -> _Pairs:
    """Pair each `chosen` word with its misspelt forms; add new forms to `index`."""
    return _array(
        (i, index.setdefault(form, len(index)))
        for i in np.flatnonzero(chosen).tolist()
        if len(word := vocabulary[i]) >= _MIN_MISSPELT_LETTERS and word.isalpha()
        for form in misspellings(word, language, vowel=bool(names[i]))
    )


def _sound_pairs(keys: Sequence[str], counts: _Counts) -> _Pairs:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for word in np.argsort(-counts, kind="stable").tolist():
        groups[keys[word]].append(word)
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
    frequent = np.flatnonzero(counts >= _MIN_FREQUENT_COUNT)
    ordered = frequent[np.argsort(-counts[frequent], kind="stable")].tolist()
    index = {vocabulary[i]: i for i in ordered}
    gaps: defaultdict[tuple[str, str], list[int]] = defaultdict(list)  # words by the letters around a gap
    pairs: set[tuple[int, int]] = set()
    for word in ordered:
        letters = vocabulary[word]
        for i in range(len(letters)):
            shorter = index.get(letters[:i] + letters[i + 1 :])
            if shorter is not None:
                pairs |= {(word, shorter), (shorter, word)}
            gap = gaps[letters[:i], letters[i + 1 :]]
            if len(gap) <= CANDIDATES:
                gap.append(word)
            else:
                pairs.update((word, other) for other in gap)
    pairs.update(pair for gap in gaps.values() for pair in permutations(gap, 2))
    return _array(pairs)


def _most_frequent(pairs: _Pairs, weights: _Counts, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return `offsets` and `candidates` of `Confusions`: for each of `size` words those of the largest weights."""
    pairs = np.unique(pairs, axis=0)
    pairs = pairs[np.lexsort((pairs[:, 1], -weights[pairs[:, 1]], pairs[:, 0]))]
    pairs = pairs[positions(pairs[:, 0]) < CANDIDATES]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=size))])
    return offsets, pairs[:, 1].astype(np.int32)
