"""The case of each word.

With `DecodeSettings.sentence_capitals`, the word after a . or ? always gets a capital, and the mark is decided together
with it: the cost of the capital is subtracted from the logit of the mark.

A function word, such as `and`, gets no capital after a comma or semicolon: of 222 that the shipped models would write
in test texts 87 are right, and those that are more likely are not right more often. Elsewhere inside a sentence it may
get one, because there a capital is mostly right, and only a mark before the word is missing. A long word is written in
capitals only if that is much more likely than any other case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from asr_punct.decode.flags import FlagArray, WordFlag, has_flag
from asr_punct.decode.settings import CAPITAL_FOLLOWS, DecodeSettings, FloatArray, LogitArray, case_logits
from asr_punct.decode.word_marks import BoolArray, IntArray
from asr_punct.marks import CASES, LEFT, MARKS, Case, Labels, Mark, mark_bits, marks_of_bits

_MARK_BITS = 1 << np.arange(len(MARKS))
_ENDS = [MARKS.index(mark) for mark in CAPITAL_FOLLOWS]
_END_BITS = mark_bits(CAPITAL_FOLLOWS)
_COMMAS = (Mark.COMMA, Mark.SEMICOLON)
_NEW = (*CAPITAL_FOLLOWS, Mark.ELLIPSIS, Mark.QUOTE, Mark.DASH)
"""Marks that allow a capital beside a comma: `etc.,` `«Bai», Esan`; not !, as in `¡Kaixo!, zer moduz`."""
_COMMA_BITS, _BEGIN_BITS, _NEW_BITS = map(mark_bits, (_COMMAS, LEFT, _NEW))
_ALL_CAPS = CASES.index(Case.ALL_CAPS)
_LONG_WORD_COST = 2.0
"""Subtracted from the logit of ALL_CAPS on a long word."""


def is_only_comma(marks: Collection[Mark]) -> bool:
    """Whether a word has a comma or semicolon, and no mark after which a function word may have a capital."""
    return any(mark in marks for mark in _COMMAS) and not any(mark in marks for mark in _NEW)


class CaseChoices(NamedTuple):
    """The cases that consecutive words may get, (words,) each.

    A word whose case is fixed has choices too; `inference.tokens.Token.merge_labels` ignores them.

    Attributes:
        best: index of the most likely case.
        capital: index of the most likely capital.
        after_comma: index of the most likely case after a comma or semicolon: a function word has no capital there.
        cost: cost of a capital as a logit; 0 where it is the most likely case, or the case is fixed.
        ended: whether a . or ? of the input ends a sentence after the word.
        comma: whether a comma or semicolon of the input is after the word.
    """

    best: IntArray
    capital: IntArray
    after_comma: IntArray
    cost: LogitArray
    ended: BoolArray
    comma: BoolArray

    @classmethod
    def from_probabilities(cls, probabilities: FloatArray, flags: FlagArray, settings: DecodeSettings) -> CaseChoices:
        """Return the choices of words with these probabilities of cases, (words, cases)."""
        logits = case_logits(probabilities, settings)
        logits[has_flag(flags, WordFlag.LONG_WORD), _ALL_CAPS] -= _LONG_WORD_COST
        best, capital = logits.argmax(axis=1), logits[:, 1:].argmax(axis=1) + 1
        loses_capital = has_flag(flags, WordFlag.FUNCTION_WORD) & ~has_flag(flags, WordFlag.LEFT_TAKEN)
        after_comma = np.where(loses_capital, 0, best)
        cost = np.maximum(logits[:, 0] - logits[:, 1:].max(axis=1), 0.0)
        cost[has_flag(flags, WordFlag.CASE_FIXED)] = 0.0
        ended, comma = has_flag(flags, WordFlag.ENDED), has_flag(flags, WordFlag.COMMA)
        return cls(best, capital, after_comma, cost, ended, comma)

    def concatenate(self, other: CaseChoices) -> CaseChoices:
        """Return the choices of these words, followed by those of the next words."""
        columns: Iterable[Any] = zip(self, other, strict=True)
        return CaseChoices(*map(np.concatenate, columns))

    def drop_first(self, words: int) -> CaseChoices:
        """Return the choices without those of the first words."""
        columns: Iterable[Any] = self
        return CaseChoices(*(column[words:] for column in columns))


class Capitals:
    """Chooses the case of consecutive words: the best one, a capital after a sentence, none on `and` after a comma."""

    def __init__(self, settings: DecodeSettings) -> None:
        self._sentence_capitals = settings.sentence_capitals
        self._comma = False
        self._ended = False

    def subtract_cost(self, logits: LogitArray, next_cost: LogitArray) -> None:
        """Subtract the cost of a capital on the next word from the logits of . and ?, (words, marks), in place.

        `next_cost`, (words,), is `CaseChoices.cost` of the word after each of these words.
        """
        if self._sentence_capitals:
            logits[:, _ENDS] -= next_cost[:, None]

    def label(self, marks: BoolArray, choices: CaseChoices, decided: int | None = None) -> list[Labels]:
        """Return the labels of the next words, given their marks, (words, marks), and at least as many choices.

        The next call continues after the first `decided` of them, by default after all.
        """
        words = len(marks)
        if not words:
            return []
        codes, last = marks @ _MARK_BITS, (words if decided is None else decided) - 1
        comma = (codes & _COMMA_BITS > 0) & (codes & _NEW_BITS == 0) | choices.comma[:words]
        after_comma = np.concatenate([[self._comma], comma[:-1]]) & (codes & _BEGIN_BITS == 0)
        cases = np.where(after_comma, choices.after_comma[:words], choices.best[:words])
        if self._sentence_capitals:
            ended = choices.ended[:words] | (codes & _END_BITS > 0)
            cases = np.where(np.concatenate([[self._ended], ended[:-1]]), choices.capital[:words], cases)
            self._ended = bool(ended[last])
        self._comma = bool(comma[last])
        return list(map(_labels, (codes * len(CASES) + cases).tolist()))

    def end_document(self) -> None:
        """Forget the last word: the first word of the next document gets its best case.

        It need not have a capital, because a recording can begin in the middle of a sentence.
        """
        self._comma = self._ended = False


@cache
def _labels(code: int) -> Labels:
    mark_code, case = divmod(code, len(CASES))
    return Labels(marks_of_bits(mark_code), CASES[case])
