"""The case of each word, decided together with the mark before it.

With `DecodeSettings.sentence_capitals`, the word after a . or ? gets a capital, unless that is very unlikely, as on
`1976an` or the letter of a list. After a comma, even with ¿ or ¡, or after no mark, a word gets one only if it is
likely to have one although no sentence ends before it: P(capital) also counts sentence starts, so P(sentence end) is
subtracted, also that of a . or ? that is switched off. A function word, such as `and`, gets none there; acronyms
(`ETA`) are exempt.

The log-odds of these cases are added to the logits of . and ?: a capital that only a sentence start explains makes them
likelier, and a likely lower-case word less likely.

A long word is written in capitals only if that is much more likely than any other case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from asr_punct.decode.flags import FlagArray, WordFlag, has_flag
from asr_punct.decode.settings import CAPITAL_FOLLOWS, DecodeSettings, Float64Array, FloatArray, case_logits, sigmoid
from asr_punct.decode.word_marks import BoolArray, IntArray
from asr_punct.marks import CASES, LEFT, MARKS, Case, Labels, Mark, mark_bits, marks_of_bits

_MARK_BITS = 1 << np.arange(len(MARKS))
_ENDS = [MARKS.index(mark) for mark in CAPITAL_FOLLOWS]
_END_BITS = mark_bits(CAPITAL_FOLLOWS)
_COMMAS = (Mark.COMMA, Mark.SEMICOLON)
_BREAKS = (*CAPITAL_FOLLOWS, Mark.ELLIPSIS, Mark.QUOTE, Mark.DASH)
"""Marks that allow a capital after them even with a comma: `etc.,` `«Bai», Esan`; not !, as in `¡Kaixo!, zer moduz`."""
_SPEECH_OPENERS = (Mark.OPEN_QUOTE, Mark.OPEN_DASH)
"""Opening marks that allow a capital even after a comma; ¿ and ¡ do not, as in `Ana, ¿vienes?`."""
_COMMA_BITS, _LEFT_BITS, _BREAK_BITS, _SPEECH_BITS = map(mark_bits, (_COMMAS, LEFT, _BREAKS, _SPEECH_OPENERS))
_ALL_CAPS = CASES.index(Case.ALL_CAPS)
_MAX_COST = 2.0
"""Log-odds against a capital from which a word needs none after . or ?."""
_LONG_WORD_COST = 2.0
"""Subtracted from the logit of ALL_CAPS on a long word."""


def separates(marks: Collection[Mark]) -> bool:
    """Whether any case may follow these marks: a right mark, and no comma or semicolon without one of `_BREAKS`."""
    only_comma = any(mark in marks for mark in _COMMAS) and not any(mark in marks for mark in _BREAKS)
    return not only_comma and any(mark not in LEFT for mark in marks)


class CaseChoices(NamedTuple):
    """The cases that consecutive words may get, (words,) each.

    A word whose case is fixed has choices too; `inference.tokens.Token.merge_labels` ignores them.

    Attributes:
        best: index of the most likely case.
        capital: index of the case after . or ?, mostly the most likely capital.
        inside: index of the case after a comma or no mark.
        cost: subtracted from the logits of . and ? of the word before, after which this one needs a capital.
        ended: whether a . or ? of the input ends a sentence after the word.
        separated: whether the marks of the input after the word allow any case of the next word.
        comma: whether the input has a comma or semicolon after the word and no mark of those.
    """

    best: IntArray
    capital: IntArray
    inside: IntArray
    cost: Float64Array
    ended: BoolArray
    separated: BoolArray
    comma: BoolArray

    @classmethod
    def from_probabilities(
        cls,
        probabilities: FloatArray,
        flags: FlagArray,
        settings: DecodeSettings,
        before: Float64Array,
        unwritten: Float64Array,
    ) -> CaseChoices:
        """Return the choices of words with these probabilities of cases, (words, cases).

        `before` are the logits of marks of the word before each of them, (words, marks), and `unwritten` its
        `decoder.unwritten_end_logits`, (words,); both without a row for the first word of a document.
        """
        logits = case_logits(probabilities, settings)
        logits[has_flag(flags, WordFlag.LONG_WORD), _ALL_CAPS] -= _LONG_WORD_COST
        best, capital = logits.argmax(axis=1), logits[:, 1:].argmax(axis=1) + 1
        cost = logits[:, 0] - logits[:, 1:].max(axis=1)
        function_word = has_flag(flags, WordFlag.FUNCTION_WORD)
        may_keep = (best > 0) & (~function_word | has_flag(flags, WordFlag.LEFT_TAKEN))
        written = before[:, _ENDS].max(axis=1)

        def keeps_capital(end_logits: Float64Array) -> BoolArray:
            return np.asarray(may_keep & (_inside_probability(logits, end_logits) > 0.5) | (best == _ALL_CAPS))

        needs_none = (cost > _MAX_COST) & ~function_word
        capital[needs_none] = 0
        cost[keeps_capital(written) | needs_none | has_flag(flags, WordFlag.CASE_FIXED)] = 0.0
        return cls(
            best=best,
            capital=capital,
            inside=np.where(keeps_capital(np.maximum(written, unwritten)), best, 0),
            cost=cost,
            ended=has_flag(flags, WordFlag.ENDED),
            separated=has_flag(flags, WordFlag.SEPARATED),
            comma=has_flag(flags, WordFlag.RIGHT_TAKEN) & ~has_flag(flags, WordFlag.SEPARATED),
        )

    def concatenate(self, other: CaseChoices) -> CaseChoices:
        """Return the choices of these words, followed by those of the next words."""
        columns: Iterable[Any] = zip(self, other, strict=True)
        return CaseChoices(*map(np.concatenate, columns))

    def drop_first(self, words: int) -> CaseChoices:
        """Return the choices without those of the first words."""
        columns: Iterable[Any] = self
        return CaseChoices(*(column[words:] for column in columns))


def _inside_probability(logits: Float64Array, end_logits: Float64Array) -> Float64Array:
    """Return P(capital | no sentence ends before the word), (words,), from log-probabilities of cases, (words, cases).

    P(capital) = P(end) + (1 - P(end)) P(capital | no end), if the word after every sentence end has a capital.
    `end_logits` are those of the word before each of them, without one for the first word of a document.
    """
    odds = np.exp(logits)
    capital = odds[:, 1:].sum(axis=1) / odds.sum(axis=1)
    ends = np.zeros(len(logits))
    ends[len(logits) - len(end_logits) :] = sigmoid(end_logits)
    return np.asarray((capital - ends) / np.maximum(1 - ends, 1e-6))


class Capitals:
    """Chooses the case of consecutive words, given their marks."""

    def __init__(self, settings: DecodeSettings) -> None:
        self._sentence_capitals = settings.sentence_capitals
        # what is after the last word: no mark; only a comma or semicolon; a . or ?
        self._no_mark = self._only_comma = self._ended = False

    def subtract_cost(self, logits: Float64Array, next_cost: Float64Array) -> None:
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
        only_comma = ((codes & _COMMA_BITS > 0) & (codes & _BREAK_BITS == 0)) | choices.comma[:words]
        no_mark = (codes & ~_LEFT_BITS == 0) & ~choices.comma[:words] & ~choices.separated[:words]
        inside = _delayed(self._no_mark, no_mark) & (codes & _LEFT_BITS == 0)
        inside |= _delayed(self._only_comma, only_comma) & (codes & _SPEECH_BITS == 0)
        cases = np.where(inside, choices.inside[:words], choices.best[:words])
        if self._sentence_capitals:
            ended = choices.ended[:words] | (codes & _END_BITS > 0)
            cases = np.where(_delayed(self._ended, ended), choices.capital[:words], cases)
            self._ended = bool(ended[last])
        self._no_mark, self._only_comma = bool(no_mark[last]), bool(only_comma[last])
        return list(map(_labels, (codes * len(CASES) + cases).tolist()))

    def end_document(self) -> None:
        """Forget the last word: the first word of the next document gets its best case.

        It need not have a capital, because a recording can begin in the middle of a sentence.
        """
        self._no_mark = self._only_comma = self._ended = False


def _delayed(first: bool, values: BoolArray) -> BoolArray:
    """Return for each word the value of the word before it, (words,); `first` is that before the first one."""
    return np.concatenate([[first], values[:-1]])


@cache
def _labels(code: int) -> Labels:
    mark_code, case = divmod(code, len(CASES))
    return Labels(marks_of_bits(mark_code), CASES[case])
