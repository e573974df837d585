"""Labels for a stream of words: decoding by blocks, so that memory does not grow with the transcript."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from asr_punct.decode.balance import Balanced, Rules, balance
from asr_punct.decode.classes import class_scores, possible_marks
from asr_punct.decode.settings import CAPITAL_FOLLOWS, DecodeSettings, FloatArray, ScoreArray, case_scores, mark_scores
from asr_punct.decode.words import BoolArray, ends_sentence
from asr_punct.marks import CASES, LEFT, MARKS, PAIRS, Labels, Mark, mark_bits

BLOCK_WORDS = 1024
"""Words that are decoded together, and so the most that a quotation or a sentence can hold."""
LOOKAHEAD_WORDS = 64
"""Words of a block, its last, that are only looked at."""
LEFT_TAKEN, RIGHT_TAKEN, BARRIER, ENDED, CASE_FIXED = 1, 2, 4, 8, 16
"""Flags of a word: in its token marks stand on the left, on the right, one of . ? ! or of a pair, one of . ?; its case
is no choice, for it has a capital there, or can have none."""
Flags = npt.NDArray[np.uint8]
CaseChoice = tuple[int, int, bool]
"""Numbers of a word's best case and its best capital, and whether a . or ? of the input ends a sentence there."""
MARK_BITS = 1 << np.arange(len(MARKS))
IS_LEFT = np.array([mark in LEFT for mark in MARKS])
"""Whether each mark stands before its word."""
_DASH = MARKS.index(Mark.DASH)
_ENDS = [MARKS.index(mark) for mark in CAPITAL_FOLLOWS]
_END_BITS = mark_bits(CAPITAL_FOLLOWS)
_NO_SCORES = np.zeros((0, len(MARKS)))


class Decoder:
    """Decodes documents word by word; which pieces they come in changes nothing.

    A document is decoded in blocks of 1,024 words. Each is searched exactly (`balance`), committed up to its last
    sentence end outside of pairs that has 64 words after it, and what follows begins the next block. Without such an
    end it is committed up to a word where nothing is open; without that its first words are decoded once more, all
    closed at the 960th.

    No DASH stands after a document's last word: it announces words.

    Marks that stand in the input are not the decoder's: it sets none on their side, and nothing that it opens stays
    open beside a mark there that ends a sentence or is one of a pair. So its own marks are balanced by themselves.

    Args:
        settings: of the model.
        classes: the model's, each a set of marks; none where it decides each mark on its own.
    """

    def __init__(self, settings: DecodeSettings, classes: tuple[str, ...] = ()) -> None:
        self._settings = settings
        self._classes = classes
        self._rules = balance_rules(settings, classes)
        self._capitals = Capitals(settings)
        self._scores: ScoreArray = _NO_SCORES
        self._barriers: BoolArray = np.zeros(0, dtype=bool)
        self._cases: list[CaseChoice] = []

    def push(self, labels: FloatArray, cases: FloatArray, flags: Flags, end: bool) -> list[Labels]:
        """Labels of the words that are decided, the document's next ones in order.

        Args:
            labels: probabilities of the marks of the document's next words, (words, marks), or of their classes.
            cases: probabilities of their cases, (words, cases).
            flags: of marks that stand in the input, (words,).
            end: whether the document ends with them; then all of its words are decided.
        """
        scores = readable_scores(labels, flags, False, self._settings, self._classes)
        self._scores = np.concatenate([self._scores, scores])
        if end:
            self._scores[-1:, _DASH] = -np.inf
        self._barriers = np.concatenate([self._barriers, flags & BARRIER > 0])
        choices, costs = self._capitals.read(case_scores(cases, self._settings), flags)
        self._cases += choices
        before = self._scores[-len(costs) - 1 : -1]
        self._capitals.charge(before, costs[len(costs) - len(before) :])
        decided = list(chain.from_iterable(self._blocks(end)))
        result = [self._capitals.label(code, *choice) for code, choice in zip(decided, self._cases, strict=False)]
        del self._cases[: len(decided)]
        if end:
            self._capitals.restart()
        return result

    def _blocks(self, end: bool) -> Iterator[list[int]]:
        """Mark sets of the words that can be committed, as bits."""
        while len(self._scores) > BLOCK_WORDS:
            found = self._balance(BLOCK_WORDS)
            words = _cut(found)
            if not words:
                words = BLOCK_WORDS - LOOKAHEAD_WORDS
                found = self._balance(words)
            yield self._commit(found, words)
        if end and len(self._scores):
            words = len(self._scores)
            yield self._commit(self._balance(words), words)

    def _balance(self, words: int) -> Balanced:
        return balance(self._scores[:words], self._rules, self._barriers[:words])

    def _commit(self, found: Balanced, words: int) -> list[int]:
        self._scores, self._barriers = self._scores[words:], self._barriers[words:]
        codes: list[int] = (found.marks[:words] @ MARK_BITS).tolist()
        return codes


class Capitals:
    """The case of each word: its best one, or its best capital where a sentence begins and the settings ask for it.

    Args:
        settings: of the model.
    """

    def __init__(self, settings: DecodeSettings) -> None:
        self._wanted = settings.sentence_capitals
        self._begins = False

    def read(self, scores: ScoreArray, flags: Flags) -> tuple[list[CaseChoice], ScoreArray]:
        """What the case of each word can be, from scores (words, cases), and what a capital costs it, (words,)."""
        capital = scores[:, 1:].argmax(axis=1) + 1
        ended = flags & ENDED > 0
        costs = np.maximum(scores[:, 0] - scores[:, 1:].max(axis=1), 0.0) * (flags & CASE_FIXED == 0)
        return list(zip(scores.argmax(axis=1).tolist(), capital.tolist(), ended.tolist(), strict=True)), costs

    def charge(self, scores: ScoreArray, costs: ScoreArray) -> None:
        """Take what a capital costs the next word, (words,), off the marks that end a sentence, (words, marks)."""
        if self._wanted:
            scores[:, _ENDS] -= costs[:, None]

    def label(self, code: int, case: int, capital: int, ended: bool) -> Labels:
        """Labels of the next word, whose marks are the bits of `code`."""
        begins, self._begins = self._begins, self._wanted and (ended or code & _END_BITS > 0)
        return _labels(code, capital if begins else case)

    def restart(self) -> None:
        """The document ends."""
        self._begins = False


def balance_rules(settings: DecodeSettings, classes: tuple[str, ...]) -> Rules:
    """What is balanced: pairs of which both marks can be set; a quotation mark alone is none."""
    enabled = possible_marks(settings, classes)
    first, second, third = (opening in enabled and closing in enabled for opening, closing in PAIRS)
    penalties = (settings.unopened[Mark.QUESTION], settings.unopened[Mark.EXCLAMATION], np.inf)
    return Rules((first, second, third), penalties)


def readable_scores(
    labels: FloatArray, flags: Flags, end: bool, settings: DecodeSettings, classes: tuple[str, ...]
) -> ScoreArray:
    """Scores of marks, (words, marks), whatever the labels are; -inf where a mark must not be set.

    Args:
        labels: probabilities of the marks, (words, marks), or of the classes.
        flags: of marks that stand in the input, (words,).
        end: whether the document ends with the last word.
        settings: of the model.
        classes: the model's; none where it decides each mark on its own.
    """
    scores = class_scores(labels, classes, settings) if classes else mark_scores(labels, settings)
    for flag, side in ((LEFT_TAKEN, IS_LEFT), (RIGHT_TAKEN, ~IS_LEFT)):
        scores[np.outer(flags & flag > 0, side)] = -np.inf
    if end:
        scores[-1:, _DASH] = -np.inf
    return scores


def _cut(found: Balanced) -> int:
    """How many words of a block to commit; 0 where something is open all the way."""
    closed = found.open_after[:-LOOKAHEAD_WORDS] == 0
    ends = np.flatnonzero(closed & ends_sentence(found.marks[:-LOOKAHEAD_WORDS]))
    places = ends if len(ends) else np.flatnonzero(closed)
    return int(places[-1]) + 1 if len(places) else 0


@cache
def _labels(code: int, case: int) -> Labels:
    return Labels(frozenset(mark for i, mark in enumerate(MARKS) if code >> i & 1), CASES[case])
