"""Labels of whole documents, decoded in blocks so that memory does not grow with their length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from asr_punct.decode.capitals import Capitals, CaseChoices
from asr_punct.decode.classes import class_mark_logits, possible_marks
from asr_punct.decode.flags import FlagArray, WordFlag, has_flag
from asr_punct.decode.settings import CAPITAL_FOLLOWS, DecodeSettings, Float64Array, FloatArray, mark_logits
from asr_punct.decode.states import PairPath, PairSearch
from asr_punct.decode.word_marks import (
    CLOSING,
    DASH,
    OPEN_DASH,
    OPENING,
    PAIR_BITS,
    PERIOD,
    BoolArray,
    Pair,
    best_marks,
    closing_scores,
    ends_sentence,
)
from asr_punct.marks import LEFT, MARKS, Labels

BLOCK_WORDS = 1024
"""Words that are decoded together: the maximum length of a quotation or sentence."""
LOOKAHEAD_WORDS = 64
"""Number of words at the end of a block that are decoded again with the next block."""
MAX_SENTENCE_WORDS = 40
"""Maximum number of words from ¿ to ? or from ¡ to !; one question in a hundred of written text is longer."""
_IS_LEFT = np.array([mark in LEFT for mark in MARKS])
"""Whether each mark is written before its word."""


class Decoder:
    """Decodes documents, pushed in parts of any size; the sizes do not change the result.

    A document is decoded in blocks of 1,024 words, each by an exact search. A block ends, and the next one begins,
    after the last of its first 960 words that ends a sentence outside all pairs; if there is none, after the last one
    where no pair is open; if there is none either, after word 960, and these 960 words are decoded again with all pairs
    closed at their end.

    The last word of a document gets no DASH, and the first one gets an OPEN_DASH only if another dash may be set within
    the 40 words after it. No ¿ or ¡ is added whose end is 40 or more words away. A side of a word that has marks in the
    input gets no others, and no pair that is added spans a period or paired mark of the input.

    `classes` are the model's classes, each a set of marks; empty for a model that decides each mark on its own.
    """

    def __init__(self, settings: DecodeSettings, classes: tuple[str, ...] = ()) -> None:
        self._settings, self._classes = settings, classes
        self._search = PairSearch.from_settings(settings, possible_marks(settings, classes))
        self._capitals = Capitals(settings)
        self._logits: Float64Array = np.zeros((0, len(MARKS)))
        self._barriers: BoolArray = np.zeros(0, dtype=bool)
        self._unwritten: Float64Array = np.zeros(0)  # `unwritten_end_logits` of the last word
        self._begins = True
        none = np.zeros(0, dtype=np.int64)
        self._cases = CaseChoices(none, none, none, none.astype(np.float64), *[none.astype(bool)] * 3)

    def push(self, labels: FloatArray, cases: FloatArray, flags: FlagArray, end: bool) -> list[Labels]:
        """Add the next words of the document and return the labels of all words that are decided now.

        `labels` are probabilities of marks, (words, marks), or of classes, (words, classes), and `cases` of cases,
        (words, cases); `flags` are (words,). At the `end` of the document all its words are decided.
        """
        self._logits = np.concatenate([self._logits, decision_logits(labels, flags, self._settings, self._classes)])
        if end:
            self._logits[-1:, DASH] = -np.inf
        previous = self._logits[-len(labels) - 1 : -1]  # of the word before each; the first of a document has none
        unwritten = np.concatenate([self._unwritten, unwritten_end_logits(labels, self._settings, self._classes)])
        choices = CaseChoices.from_probabilities(cases, flags, self._settings, previous, unwritten[:-1])
        self._unwritten = unwritten[len(unwritten) :] if end else unwritten[-1:]
        self._capitals.subtract_cost(previous, choices.cost[len(choices.cost) - len(previous) :])
        self._barriers = np.concatenate([self._barriers, has_flag(flags, WordFlag.BARRIER)])
        self._cases = self._cases.concatenate(choices)
        marks = self._decide(end)
        result = self._capitals.label(marks, self._cases)
        self._cases = self._cases.drop_first(len(marks))
        if end:
            self._capitals.end_document()
        return result

    def _decide(self, end: bool) -> BoolArray:
        """Return the marks of the words that can be output, (words, marks), and drop these words."""
        decided = [np.zeros((0, len(MARKS)), dtype=bool)]
        while len(self._logits) > BLOCK_WORDS or (end and len(self._logits)):
            if self._begins:
                drop_lone_dash(self._logits)
                self._begins = False
            is_last = len(self._logits) <= BLOCK_WORDS
            words = len(self._logits) if is_last else BLOCK_WORDS
            marks, path = self._balance(words)
            if not is_last:
                words = _output_length(marks, path)
            if not words:
                words = BLOCK_WORDS - LOOKAHEAD_WORDS
                marks, _ = self._balance(words)
            decided.append(marks[:words])
            self._logits, self._barriers = self._logits[words:], self._barriers[words:]
        self._begins = self._begins or end
        return np.concatenate(decided)

    def _balance(self, words: int) -> tuple[BoolArray, PairPath]:
        return balance(self._logits[:words], self._search, self._barriers[:words])


def decision_logits(
    labels: FloatArray, flags: FlagArray, settings: DecodeSettings, classes: tuple[str, ...]
) -> Float64Array:
    """Return logits of marks, (words, marks): above 0 where a mark should be set, -inf where it must not be.

    The arguments are those of `Decoder` and of its method `push`.
    """
    logits = class_mark_logits(labels, classes, settings) if classes else mark_logits(labels, settings)
    logits[blocked_marks(flags)] = -np.inf
    return logits


def unwritten_end_logits(labels: FloatArray, settings: DecodeSettings, classes: tuple[str, ...]) -> Float64Array:
    """Return the logit of a . or ? that is switched off, after each word, (words,); -inf if none is."""
    off = {mark: settings.thresholds[mark] - 1 for mark in CAPITAL_FOLLOWS if settings.thresholds[mark] > 1}
    if not off:
        return np.full(len(labels), -np.inf)
    settings = replace(settings, thresholds={**settings.thresholds, **off})
    logits = class_mark_logits(labels, classes, settings) if classes else mark_logits(labels, settings)
    return np.asarray(logits[:, list(map(MARKS.index, off))].max(axis=1))


def drop_lone_dash(logits: Float64Array) -> None:
    """Set the logit of OPEN_DASH on the first word to -inf, in place, if no other dash is near: it opens no dialogue.

    `logits` of marks, (words, marks), begin with the first word of a document.
    """
    if not (logits[1 : MAX_SENTENCE_WORDS + 1, [DASH, OPEN_DASH]] >= 0).any():
        logits[:1, OPEN_DASH] = -np.inf


def blocked_marks(flags: FlagArray) -> BoolArray:
    """Return the marks that cannot be added because the input has marks on their side, (words, marks)."""
    left, right = has_flag(flags, WordFlag.LEFT_TAKEN), has_flag(flags, WordFlag.RIGHT_TAKEN)
    return np.outer(left, _IS_LEFT) | np.outer(right, ~_IS_LEFT)


def balance(logits: Float64Array, search: PairSearch, barriers: BoolArray) -> tuple[BoolArray, PairPath]:
    """Return the best marks under the rules of `decode.states` and the maximum length of a sentence, and their pairs.

    The marks and `logits` of marks are (words, marks); `barriers`, (words,), are words at which no pair may be open.
    """
    marks, path = _best_balance(logits, search, barriers)
    while (forbidden := _too_long(path)).any():
        logits = logits.copy()
        logits[:, OPENING[:2]] = np.where(forbidden, -np.inf, logits[:, OPENING[:2]])
        marks, path = _best_balance(logits, search, barriers)
    return marks, path


def _too_long(path: PairPath) -> BoolArray:
    """Return the words from each ¿ or ¡ on that are too far from its end to have it, (words, 2)."""
    result = np.zeros((len(path.opened), 2), dtype=bool)
    for pair, bit in enumerate(PAIR_BITS[:2]):
        starts = np.flatnonzero(path.opened & bit)
        ends = np.flatnonzero(path.closed & bit)
        for start, end in zip(starts, ends[np.searchsorted(ends, starts)], strict=True):
            result[start : max(start, end - MAX_SENTENCE_WORDS + 1), pair] = True
    return result


def _best_balance(logits: Float64Array, search: PairSearch, barriers: BoolArray) -> tuple[BoolArray, PairPath]:
    """Return the marks with the highest sum of logits under the rules of `decode.states`; arguments as in `balance`.

    Only words that can matter to a pair are searched: those where an opening or closing mark may be set, sentence ends
    and barriers. The best marks of all other words are the same in every state.
    """
    without_pairs = closing_scores(logits)[0] - search.set_penalties
    closed, opened = without_pairs.argmax(axis=1), np.zeros(len(logits), int)
    marks = best_marks(logits, opened, closed, np.zeros(len(logits), dtype=bool))
    relevant = (closed > 0) | ends_sentence(marks) | barriers | _may_be_paired(logits, search)
    words = np.flatnonzero(relevant)
    path = search.best_path(logits[words], barriers[words])
    opened[words], closed[words] = path.opened, path.closed
    open_after = np.concatenate([[0], path.open_after])[np.cumsum(relevant)]  # as after the last relevant word
    unruled, sentence_open = search.unruled_opening(logits), open_after & Pair.SENTENCE > 0
    changed = np.flatnonzero(relevant | sentence_open | (unruled > 0))
    pairs = (opened | unruled)[changed], closed[changed], sentence_open[changed]
    marks[changed] = best_marks(logits[changed], *pairs)
    return marks, PairPath(opened, closed, open_after)


def _may_be_paired(logits: Float64Array, search: PairSearch) -> BoolArray:
    """Return the words where setting a mark of a pair can raise the score, (words,).

    An opening ¿ or ¡ avoids the penalty of its closing mark and, where a word may get both ? and !, allows the closing
    mark. A » is allowed only after its «.
    """
    opening, closing = logits[:, OPENING], logits[:, CLOSING].copy()
    closing[:, -1] += np.maximum(logits[:, PERIOD], 0.0)  # a period may be set beside ? ! … only if a » is too
    needs_opening = closing.copy()
    both_may_close = (closing > -opening.max(axis=0, initial=-np.inf))[:, :2].all(axis=1)
    needs_opening[~both_may_close, :2] = -np.inf
    best_later = np.maximum.accumulate(needs_opening[::-1])[::-1]
    saved = np.maximum(best_later, search.pair_penalties)
    saved[:, -1] = np.maximum(best_later[:, -1], 0.0)
    may_open = (opening + saved > 0) & search.ruled
    best_opening = np.where(may_open, opening, -np.inf).max(axis=0, initial=-np.inf)
    return np.asarray((may_open | (closing > -best_opening)).any(axis=1))


def _output_length(marks: BoolArray, path: PairPath) -> int:
    """Return how many words of a block to output; 0 if a pair is open after each of its first 960 words."""
    closed = path.open_after[:-LOOKAHEAD_WORDS] == 0
    ends = np.flatnonzero(closed & ends_sentence(marks[:-LOOKAHEAD_WORDS]))
    candidates = ends if len(ends) else np.flatnonzero(closed)
    return int(candidates[-1]) + 1 if len(candidates) else 0
