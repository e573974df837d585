"""Limits of a search for pairs (`states`) that follow from what it found: it is repeated until all of them hold.

* No ¿ or ¡ is added whose end is `MAX_SENTENCE_WORDS` or more words away.
* In a text of sentences no « is added whose » is beyond the end of its sentence, unless both are likely: their logits
  must be -2 or more for one sentence end between them, -1 for two, 0 for three. In a stream » is added at the end of
  the sentence at the latest.
* A ¿ or ¡ is added in the same quotation or bracket of the input as its end, or outside as it.
* Where the language of the words is known, a sentence in one without ¿ and ¡ gets none, and its ? or ! costs nothing
  (both on one word do); in another one a ? or ! is added only with its ¿ or ¡.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from asr_punct.decode.given import GivenPairs
from asr_punct.decode.inputs import BoolArray, Float64Array, IntArray
from asr_punct.decode.openings import Opens
from asr_punct.decode.word_marks import CLOSING, OPENING, Pair, sentence_ends
from asr_punct.marks import PAIRS

MAX_SENTENCE_WORDS = 40
"""Maximum number of words from ¿ to ? or from ¡ to !; one question in a hundred of written text is longer."""
_SENTENCE_BITS = np.array([Pair.QUESTION, Pair.EXCLAMATION])
USUAL, FREE, FORBIDDEN = range(3)
"""What a ? or ! without its ¿ or ¡ costs: the penalty of the settings, nothing, or too much."""


@dataclass(frozen=True)
class PairPath:
    """The paired marks that a search chose: sets of pairs opened by, closed by and open after each word, (words,)."""

    opened: IntArray
    closed: IntArray
    open_after: IntArray


class Found(NamedTuple):
    """What a search found: the marks with those that are given and their logits, (words, marks), and the pairs."""

    marks: BoolArray
    path: PairPath
    logits: Float64Array
    start: int = 0
    """The pairs that are open before the first word."""


@dataclass(frozen=True)
class Sentences:
    """What is known of the sentences of a text.

    Attributes:
        opens: whether a sentence opens with ¿ and ¡; None: that is not known of any.
        holds_quotes: whether a quotation ends in the sentence in which it begins.
    """

    opens: Opens | None = None
    holds_quotes: bool = False


NOTHING_KNOWN = Sentences()


@dataclass(frozen=True)
class SearchLimits:
    """What is allowed at each word.

    Attributes:
        closed_to: pairs whose opening mark is not added. *Shape:* (words, pairs).
        costs: `USUAL`, `FREE` or `FORBIDDEN`: what an added ? or ! costs without its ¿ or ¡. *Shape:* (words,).
        quote_end: the word after which a « that is open before the first word may not stay open, by index.
    """

    closed_to: BoolArray
    costs: IntArray
    quote_end: int | None = None

    @classmethod
    def none(cls, words: int, cost: int = USUAL) -> SearchLimits:
        """Return those of words that have none, but for the cost of a ? or !."""
        return cls(np.zeros((words, len(PAIRS)), dtype=bool), np.full(words, cost))

    def of(self, words: IntArray) -> SearchLimits:
        """Return those of some of the words, by index."""
        return SearchLimits(self.closed_to[words], self.costs[words])

    def applied(self, logits: Float64Array) -> Float64Array:
        """Return the logits of marks, (words, marks), with -inf for opening marks that are not allowed."""
        if not self.closed_to.any():
            return logits
        result = logits.copy()
        result[:, OPENING] = np.where(self.closed_to, -np.inf, logits[:, OPENING])
        return result

    def tightened(self, found: Found, given: GivenPairs | None, sentences: Sentences) -> SearchLimits | None:
        """Return these limits with those that the search broke; None if it kept all."""
        closed_to, costs, quote_end = self.closed_to.copy(), self.costs.copy(), self.quote_end
        opened = found.path.opened if given is None else found.path.opened & ~given.opened
        _limit_length(found.path, opened, closed_to)
        for first, last in given.quotations if given is not None else ():
            _limit_crossing(found.path, opened, (first, last), closed_to)
        if sentences.holds_quotes:
            _limit_quotes(found, closed_to)
            quote_end = _quote_end(found)
        if sentences.opens:
            added = found.path.closed if given is None else np.where(given.closed > 0, 0, found.path.closed)
            _limit_languages(found, (opened, added), sentences.opens, closed_to, costs)
        changed = (closed_to != self.closed_to).any() or (costs != self.costs).any()
        if self.quote_end is None and quote_end is not None:
            return SearchLimits(closed_to, costs, quote_end)
        return SearchLimits(closed_to, costs, self.quote_end) if changed else None


def _limit_length(path: PairPath, opened: IntArray, closed_to: BoolArray) -> None:
    """Close the words from each added ¿ or ¡ on that are too far from its end to it, in place."""
    for pair, bit in enumerate((Pair.QUESTION, Pair.EXCLAMATION)):
        for start, end in _spans(opened, path.closed, bit):
            if end - start >= MAX_SENTENCE_WORDS:
                closed_to[start : end - MAX_SENTENCE_WORDS + 1, pair] = True


def _limit_crossing(path: PairPath, opened: IntArray, quotation: tuple[int, int], closed_to: BoolArray) -> None:
    """Close the words from each added ¿ or ¡ whose end is on the other side of an edge of a quotation, in place."""
    first, last = quotation
    for pair, bit in enumerate((Pair.QUESTION, Pair.EXCLAMATION)):
        closed = path.closed.copy()
        closed[-1:] |= path.open_after[-1:]  # of a stream
        for start, end in _spans(opened, closed, bit):
            if first <= start <= last < end:
                closed_to[start : last + 1, pair] = True
            elif start < first <= end < last:
                closed_to[start:first, pair] = True


def _limit_quotes(found: Found, closed_to: BoolArray) -> None:
    """Close the words from « to the last sentence end before its » to «, in place."""
    ends = np.flatnonzero(sentence_ends(found.marks))
    for start, end in _spans(found.path.opened, found.path.closed, Pair.QUOTE):
        before = ends[np.searchsorted(ends, start) : np.searchsorted(ends, end)]
        likely = min(found.logits[start, OPENING[-1]], found.logits[end, CLOSING[-1]])
        if len(before) and likely < len(before) - 3:
            closed_to[start : end + 1, -1] = True


def _quote_end(found: Found) -> int | None:
    """Return the first sentence end after which a « stays open that was open before the first word."""
    ends = np.flatnonzero(sentence_ends(found.marks))
    if not (found.start & Pair.QUOTE and len(ends)):
        return None
    closes = (found.path.closed[: ends[0] + 1] & Pair.QUOTE).any()
    return None if closes else int(ends[0])


def _limit_languages(
    found: Found, added: tuple[IntArray, IntArray], opens: Opens, closed_to: BoolArray, costs: IntArray
) -> None:
    """Limit the marks of sentences whose language is known, in place; `added` are pairs opened and closed, (words,)."""
    opened, closed = added
    ends = np.flatnonzero(sentence_ends(found.marks))
    for start in np.flatnonzero(opened & Pair.SENTENCE):
        end = int(ends[np.searchsorted(ends, start)]) if len(ends) and ends[-1] >= start else len(opened) - 1
        if opens(int(start), end + 1) is False:
            closed_to[_sentence_start(ends, start) : end + 1, :2] = True
            costs[end] = FREE
    unclosed = np.where(found.path.closed[:, None] & _SENTENCE_BITS, -np.inf, found.logits[:, CLOSING[:2]])
    for likely in np.flatnonzero((unclosed.max(axis=1, initial=-np.inf) > 0) & (costs == USUAL)):
        if opens(_sentence_start(ends, likely), int(likely) + 1) is False:
            costs[likely] = FREE
    open_before = np.insert(found.path.open_after[:-1], 0, found.start) | found.path.opened
    for closing in np.flatnonzero(closed & Pair.SENTENCE & ~open_before):
        if costs[closing] == USUAL and opens(_sentence_start(ends, closing), int(closing) + 1):
            costs[closing] = FORBIDDEN


def _spans(opened: IntArray, closed: IntArray, bit: int) -> list[tuple[int, int]]:
    """Return the words of each opening mark of a pair and of the first closing mark from there on."""
    starts, ends = np.flatnonzero(opened & bit), np.flatnonzero(closed & bit)
    places = np.searchsorted(ends, starts)
    return [(int(start), int(ends[place])) for start, place in zip(starts, places, strict=True) if place < len(ends)]


def _sentence_start(ends: IntArray, word: np.integer) -> int:
    """Return the word after the last sentence end before a word."""
    place = int(np.searchsorted(ends, word))
    return int(ends[place - 1]) + 1 if place else 0
