"""The case of each word.

With `DecodeSettings.sentence_capitals`, the word after a . or ? always gets a capital, and the mark is decided together
with it: what the capital costs is subtracted from the logit of the mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from asr_punct.decode.flags import FlagArray, WordFlag, has_flag
from asr_punct.decode.settings import CAPITAL_FOLLOWS, DecodeSettings, FloatArray, LogitArray, case_logits
from asr_punct.decode.word_marks import BoolArray, IntArray
from asr_punct.marks import CASES, MARKS, Labels, mark_bits, marks_of_bits

_MARK_BITS = 1 << np.arange(len(MARKS))
_ENDS = [MARKS.index(mark) for mark in CAPITAL_FOLLOWS]
_END_BITS = mark_bits(CAPITAL_FOLLOWS)


class CaseChoices(NamedTuple):
    """The cases that consecutive words may get, (words,) each.

    Attributes:
        best: index of the most likely case.
        capital: index of the most likely capital.
        cost: logits that a capital costs; 0 where it is the most likely case, or the case is fixed.
        ended: whether a . or ? of the input ends a sentence after the word.
    """

    best: IntArray
    capital: IntArray
    cost: LogitArray
    ended: BoolArray

    @classmethod
    def from_probabilities(cls, probabilities: FloatArray, flags: FlagArray, settings: DecodeSettings) -> CaseChoices:
        """Return the choices of words with these probabilities of cases, (words, cases)."""
        logits = case_logits(probabilities, settings)
        cost = np.maximum(logits[:, 0] - logits[:, 1:].max(axis=1), 0.0)
        cost[has_flag(flags, WordFlag.CASE_FIXED)] = 0.0
        return cls(logits.argmax(axis=1), logits[:, 1:].argmax(axis=1) + 1, cost, has_flag(flags, WordFlag.ENDED))

    def followed_by(self, other: CaseChoices) -> CaseChoices:
        """Return the choices of these words and of the ones after them."""
        columns: Iterable[Any] = zip(self, other, strict=True)
        return CaseChoices(*map(np.concatenate, columns))

    def after(self, words: int) -> CaseChoices:
        """Return the choices without those of the first words."""
        columns: Iterable[Any] = self
        return CaseChoices(*(column[words:] for column in columns))


class Capitals:
    """Chooses the case of consecutive words: the best one, or the best capital where a sentence begins."""

    def __init__(self, settings: DecodeSettings) -> None:
        self._sentence_capitals = settings.sentence_capitals
        self._sentence_begins = False

    def subtract_cost(self, logits: LogitArray, next_cost: LogitArray) -> None:
        """Subtract the cost of a capital on the next word, (words,), from the logits of . and ?, in place.

        Args:
            logits: logits of marks, (words, marks).
            next_cost: `CaseChoices.cost` of the word after each of these words.
        """
        if self._sentence_capitals:
            logits[:, _ENDS] -= next_cost[:, None]

    def label(self, marks: BoolArray, choices: CaseChoices) -> list[Labels]:
        """Return the labels of the next words, given their marks, (words, marks), and at least as many choices."""
        words = len(marks)
        codes = marks @ _MARK_BITS
        if self._sentence_capitals and words:
            ended = choices.ended[:words] | (codes & _END_BITS > 0)
            begins = np.concatenate([[self._sentence_begins], ended[:-1]])
            self._sentence_begins = bool(ended[-1])
            cases = np.where(begins, choices.capital[:words], choices.best[:words])
        else:
            cases = choices.best[:words]
        return list(map(_labels, codes.tolist(), cases.tolist()))

    def end_document(self) -> None:
        """Forget whether a sentence begins: the first word of the next document gets its best case."""
        self._sentence_begins = False


@cache
def _labels(mark_code: int, case: int) -> Labels:
    return Labels(marks_of_bits(mark_code), CASES[case])
