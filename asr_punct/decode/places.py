"""Places in a sentence where marks are not added, or are, whatever the model says of the word alone.

* A ¿ or ¡ begins a clause: unless it is likely it is added only after a word that may get a mark, and that word gets a
  comma or colon if it has none (`Kevin, ¿vienes?`), unless it is a function word (`y ¿qué?`).
* No dash is added after a quotation mark or bracket of the input (`"hola" –dijo`). `quotations` has the other marks
  beside them.
* No dash is added beside an added comma (`un referente, – insisto`), and no period beside an added dash that breaks a
  turn off (`I mean –`).
* A turn that a dash or name of the input ends is a question, if that is possible and the next begins with a reply.
* A hesitation that begins a sentence, or follows a function word, asks nothing (`eh`): it is between commas.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from asr_punct.decode.density import expect_fewer
from asr_punct.decode.earlier import Earlier
from asr_punct.decode.inputs import (
    IS_LEFT,
    BoolArray,
    DecoderInput,
    FlagArray,
    Float64Array,
    WordFlag,
    has_flag,
)
from asr_punct.decode.quotations import change_logits_beside_quotations, make_question, stop_outside
from asr_punct.decode.word_marks import CLOSING, DASH, LEAST, OPEN_DASH, OPENING, PERIOD
from asr_punct.marks import CASES, END_OR_BREAK_OFF, LEFT, MARKS, RIGHT, Case, Kind, Mark

_COMMA, _COLON = MARKS.index(Mark.COMMA), MARKS.index(Mark.COLON)
_SENTENCE_OPENING = OPENING[:2]
_IS_SENTENCE_PAIR = np.isin(np.arange(len(MARKS)), [*_SENTENCE_OPENING, *CLOSING[:2]])
_BREAKS = [i for i, mark in enumerate(MARKS) if mark in RIGHT and mark.kind <= Kind.COMMA]
"""Marks after a word that may be before ¿ or ¡."""
_SPEECH = [i for i, mark in enumerate(MARKS) if mark in LEFT and mark.kind in (Kind.QUOTE, Kind.DASH)]
_ENDS = [i for i, mark in enumerate(MARKS) if mark in END_OR_BREAK_OFF]
_POSSIBLE = -2.0
"""Logit from which a mark is possible beside a ¿ or ¡."""
_LIKELY = 1.0
"""Logit from which a ¿ or ¡ needs no mark before it; after a function word it is 0."""
_ALL_CAPS = CASES.index(Case.ALL_CAPS)
_LOWER_START = 2.0
"""Subtracted from the log-probability that a hesitation begins a document in lower case."""
_MARKED = WordFlag.QUOTED | WordFlag.ENDED | WordFlag.MUST_END | WordFlag.TURN_ENDS | WordFlag.RIGHT_TAKEN


def in_place(words: DecoderInput, earlier: Earlier, language: str = "") -> DecoderInput:
    """Return the words, of a language, without marks where they have no place, given the words before them."""
    marks, flags = words.marks.copy(), words.flags
    previous = np.insert(words.flags[:-1], 0, earlier.flags[-1:].sum())
    if words.given_bits.any():
        expect_fewer(marks, words)
    _bar_openings(marks, words, previous, earlier.is_bare)
    marks[has_flag(previous, WordFlag.QUOTED), OPEN_DASH] = -np.inf
    _ask_before_answers(marks, words)
    cases = _settle_hesitations(marks, words, previous, earlier.begins)
    if words.has(WordFlag.QUOTED).any():
        cases = cases.copy()
        goes_on = change_logits_beside_quotations(marks, cases, words, earlier, language)
        flags = np.where(goes_on, flags | np.uint32(WordFlag.REPORTED), flags)
    return replace(words, marks=marks, cases=cases, flags=flags)


def _bar_openings(marks: Float64Array, words: DecoderInput, previous: FlagArray, is_bare: bool) -> None:
    """Set the logits of unlikely ¿ and ¡ to -inf, in place, after words that get no mark."""
    breaks = (marks[:, _BREAKS].max(axis=1) >= _POSSIBLE) | words.has(_MARKED)
    after_break = np.insert(breaks[:-1], 0, not is_bare) | (marks[:, _SPEECH] >= _POSSIBLE).any(axis=1)
    after_break |= words.has(WordFlag.OPENS)
    least = np.where(has_flag(previous, WordFlag.NEVER_NAME), 0, _LIKELY)
    for mark in _SENTENCE_OPENING:
        marks[~after_break & (marks[:, mark] <= least), mark] = -np.inf


def _ask_before_answers(marks: Float64Array, words: DecoderInput) -> None:
    """Let turns before `sí` or `no` be questions where that is possible, in place."""
    if not words.has(WordFlag.ANSWERED).any():
        return
    first = 0
    for last in np.flatnonzero(words.has(WordFlag.MUST_END)).tolist():
        if words.flags[last] & WordFlag.ANSWERED:
            make_question(marks, first, last, _POSSIBLE)
        first = last + 1


def _settle_hesitations(marks: Float64Array, words: DecoderInput, previous: FlagArray, begins: bool) -> Float64Array:
    """Let hesitations ask nothing, in place in the logits of marks, and return the logits of cases.

    One in capitals is a name (`EH Bildu`), and so is one to which the input gives a capital after a word that has none
    and ends no sentence (`an HMM`).
    """
    is_name = words.has(WordFlag.CASE_FIXED) & ~has_flag(
        previous, WordFlag.CASE_FIXED | WordFlag.ENDED | WordFlag.MUST_END
    )
    is_name[: int(begins)] = False
    here = words.has(WordFlag.HESITATION) & (words.cases.argmax(axis=1) != _ALL_CAPS) & ~is_name
    if not here.any():
        return words.cases
    after = has_flag(previous, WordFlag.NEVER_NAME | WordFlag.ENDED | WordFlag.MUST_END)
    after[: 2 * begins] = True
    here &= after
    marks[np.outer(here, _IS_SENTENCE_PAIR)] = -np.inf
    commas = (here | np.append(here[1:], False)) & np.isfinite(marks[:, _COMMA])
    marks[commas, _COMMA] = np.maximum(marks[commas, _COMMA], LEAST)
    cases = words.cases.copy()
    if begins and bool(here[0]):
        cases[0, CASES.index(Case.O)] -= _LOWER_START
    return cases


def sentence_may_follow(marks: BoolArray, words: DecoderInput) -> BoolArray:
    """Return whether a sentence may begin after each word, (words,), given all marks, (words, marks)."""
    return np.asarray(marks[:, _ENDS].any(axis=1) | words.has(WordFlag.TURN_ENDS))


def settle(marks: BoolArray, logits: Float64Array, words: DecoderInput, earlier: Earlier, language: str) -> None:
    """Give the word before an added ¿ or ¡ a comma or colon if it has no mark, and take dashes away that have no place.

    `marks`, with those of the input, and `logits` are (words, marks); `language` is that of the words.
    """
    starts = np.insert(sentence_may_follow(marks, words)[:-1], 0, earlier.starts)
    marks[~starts & ~words.given[:, OPEN_DASH], OPEN_DASH] = False
    marks[marks[:, _COMMA], DASH] = False
    added = marks & ~words.given
    breaks_off = added[:, DASH] & words.has(WordFlag.TURN_ENDS)
    marks[breaks_off & added[:, PERIOD], PERIOD] = False
    opened = np.asarray(added[:, _SENTENCE_OPENING].any(axis=1) & ~marks[:, _SPEECH].any(axis=1))
    free = ~marks[:, ~IS_LEFT].any(axis=1) & ~words.has(_MARKED | WordFlag.NEVER_NAME)
    for word in np.flatnonzero(opened[1:] & free[:-1]).tolist():
        best = max((_COMMA, _COLON), key=lambda mark: logits[word, mark])
        marks[word, best] = np.isfinite(logits[word, best])
    if words.has(WordFlag.CLOSES).any():
        stop_outside(marks, logits, words, earlier, language)
