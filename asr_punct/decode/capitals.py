"""The case of each word, decided together with the mark before it.

With `DecodeSettings.sentence_capitals`, the word after a . ? or ! gets a capital, unless that is very unlikely, as on
`1976an` or the letter of a list; after a sentence end that the input has, or a live stream has output before it knew
the next word, every word gets one that begins with a letter. After a comma, even with ¿ or ¡, or after no mark but a
closing quotation mark, a word gets one only if it is likely to have one although no sentence ends before it: P(capital)
also counts sentence starts, so P(sentence end) is subtracted, also that of a . or ? that may not be set. A function
word, such as `and`, gets none there; acronyms (`ETA`) are exempt.

The log-odds of these cases are added to the logits of . and ?: a capital that only a sentence start explains makes them
likelier, and a likely lower-case word less likely.

A long word is written in capitals only if that is much more likely than any other case.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from asr_punct.decode.inputs import CAPITAL_MARKS, BoolArray, DecoderInput, Float64Array, IntArray, WordFlag, sigmoid
from asr_punct.decode.settings import DecodeSettings
from asr_punct.marks import CASES, MARKS, SENTENCE_ENDS, Case, Labels, Mark, NextCase, mark_bits, marks_of_bits

_MARK_BITS = 1 << np.arange(len(MARKS))
_END_BITS = mark_bits(SENTENCE_ENDS)
_LEFT_BITS = mark_bits(mark for mark in MARKS if mark.is_left)
_NO_BREAK_BITS = _LEFT_BITS | mark_bits([Mark.QUOTE])
_COMMA_BITS = mark_bits(mark for mark in MARKS if mark.next_case is NextCase.LOWER)
_FREE_BITS = mark_bits(mark for mark in MARKS if mark.next_case >= NextCase.ANY_AFTER_COMMA)
_BREAK_BITS, _SPEECH_BITS = _FREE_BITS & ~_LEFT_BITS, _FREE_BITS & _LEFT_BITS
_FIRST_CAP, _ALL_CAPS = CASES.index(Case.FIRST_CAP), CASES.index(Case.ALL_CAPS)
_MAX_COST = 2.0
"""Log-odds against a capital from which a word needs none after . or ?."""
_LONG_WORD_COST = 2.0
"""Subtracted from the logit of ALL_CAPS on a long word."""
_NO_ENDS = np.full((1, 2), -np.inf)


class CaseChoices(NamedTuple):
    """The cases that consecutive words may get, (words,) each but `ends`; ignore those of words whose case is fixed.

    Attributes:
        best: index of the most likely case.
        capital: index of the case after . or ?, mostly the most likely capital.
        inside: index of the case after a comma or no mark.
        cost: subtracted from the logits of . and ? of the word before, after which this one needs a capital.
        first: index of the case after a sentence end that does not depend on it.
        ends: `DecoderInput.ends`, (words, 2).
        ended: whether the marks of the input end a sentence after the word.
        given: the marks of the input, as `mark_bits`.
        reported: whether the sentence goes on with a clause that says who speaks.
    """

    best: IntArray
    capital: IntArray
    inside: IntArray
    first: IntArray
    cost: Float64Array
    ends: Float64Array
    ended: BoolArray
    given: IntArray
    reported: BoolArray


class Capitals:
    """Chooses the case of consecutive words, given their marks."""

    def __init__(self, settings: DecodeSettings) -> None:
        self._sentence_capitals = settings.sentence_capitals
        self.end_document()

    def end_document(self, before_turn: bool = False) -> None:
        """Forget the last word: the first word of the next document gets its best case, `before_turn` a capital.

        It need not have a capital else, because a recording can begin in the middle of a sentence.
        """
        # what is after the last word: no mark; only a comma or semicolon; a . or ?; a clause that says who speaks;
        # an end before an unknown word
        self._no_mark = self._only_comma = self._ended = self._reported = False
        self._surely_ended = before_turn
        self._ends = _NO_ENDS  # of the last word, (1, 2)

    def choices(self, words: DecoderInput) -> CaseChoices:
        """Return the choices of the next words."""
        logits = words.cases.copy()
        logits[words.has(WordFlag.LONG_WORD), _ALL_CAPS] -= _LONG_WORD_COST
        best, capital = logits.argmax(axis=1), logits[:, 1:].argmax(axis=1) + 1
        cost = logits[:, 0] - logits[:, 1:].max(axis=1)
        never_name, reported = words.has(WordFlag.NEVER_NAME), words.has(WordFlag.REPORTED)
        may_keep = (best > 0) & ~never_name
        inside = _inside_probabilities(logits, np.concatenate([self._ends, words.ends[:-1]]))
        keeps_capital = may_keep[:, None] & (inside > 0.5) | (best == _ALL_CAPS)[:, None]
        needs_none = (cost > _MAX_COST) & ~never_name
        capital[needs_none & ~words.has(WordFlag.HESITATION)] = 0
        cost[keeps_capital[:, 0] | needs_none | words.has(WordFlag.CASE_FIXED)] = 0.0
        cost[1:][reported[:-1]] = 0.0
        first = np.where(best == _ALL_CAPS, _ALL_CAPS, _FIRST_CAP)
        return CaseChoices(
            best=best,
            capital=capital,
            inside=np.where(keeps_capital[:, 1], best, 0),
            first=np.where(words.has(WordFlag.NO_CAPITAL), capital, first),
            cost=cost,
            ends=words.ends,
            ended=words.has(WordFlag.ENDED | WordFlag.MUST_END),
            given=words.given_bits,
            reported=reported,
        )

    def subtract_cost(self, logits: Float64Array, choices: CaseChoices) -> None:
        """Subtract the cost of a capital on the next word from the logits of . and ?, (words, marks), in place."""
        if self._sentence_capitals:
            logits[:-1, CAPITAL_MARKS] -= choices.cost[1:, None]

    def label(
        self, marks: BoolArray, sentence_open: BoolArray, choices: CaseChoices, decided: int | None = None
    ) -> list[Labels]:
        """Return the labels of the next words, given their marks, and at least as many choices.

        `marks`, (words, marks), may contain those of the input, which the labels have not. `sentence_open`, (words,),
        is whether a ¿ or ¡ is open after the word. The next call continues after the first `decided` words, by default
        after all.
        """
        words = len(marks)
        given = choices.given[:words]
        added, last = marks @ _MARK_BITS & ~given, (words if decided is None else decided) - 1
        codes = added | given
        only_comma = (codes & _COMMA_BITS > 0) & (codes & _BREAK_BITS == 0)
        no_mark = codes & ~_NO_BREAK_BITS == 0
        reported = choices.reported[:words]
        inside = _delayed(self._no_mark, no_mark) & (codes & _LEFT_BITS == 0)
        inside |= _delayed(self._only_comma, only_comma) & (codes & _SPEECH_BITS == 0)
        inside |= _delayed(self._reported, reported)
        cases = np.where(inside, choices.inside[:words], choices.best[:words])
        if self._sentence_capitals:
            ended, surely = (added & _END_BITS > 0) & ~reported, choices.ended[:words] & ~sentence_open
            cases = np.where(_delayed(self._ended, ended), choices.capital[:words], cases)
            cases = np.where(_delayed(self._surely_ended, surely), choices.first[:words], cases)
            self._ended = bool(ended[last])
            self._surely_ended = bool(surely[last] or (ended[last] and last + 1 == len(choices.best)))
        self._no_mark, self._only_comma = bool(no_mark[last]), bool(only_comma[last])
        self._reported = bool(reported[last])
        self._ends = choices.ends[last : last + 1]
        return list(map(_labels, (added * len(CASES) + cases).tolist()))


def _inside_probabilities(logits: Float64Array, ends: Float64Array) -> Float64Array:
    """Return P(capital | no sentence ends before the word), (words, 2), from logits of cases, (words, cases).

    P(capital) = P(end) + (1 - P(end)) P(capital | no end), if the word after every sentence end has a capital.
    `ends` are those of the word before each of them, (words, 2).
    """
    odds = np.exp(logits)
    capital = (odds[:, 1:].sum(axis=1) / odds.sum(axis=1))[:, None]
    end = sigmoid(ends)
    return np.asarray((capital - end) / np.maximum(1 - end, 1e-6))


def _delayed(first: bool, values: BoolArray) -> BoolArray:
    """Return for each word the value of the word before it, (words,); `first` is that before the first one."""
    return np.concatenate([[first], values[:-1]])


@cache
def _labels(code: int) -> Labels:
    mark_code, case = divmod(code, len(CASES))
    return Labels(marks_of_bits(mark_code), CASES[case])
