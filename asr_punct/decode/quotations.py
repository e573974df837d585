"""Quotations and brackets of the input: what their edges say about the marks beside them.

* A ¿ or ¡ and its end are in the same quotation, or both outside it.
* Before a clause that says who speaks (`"ven", dijo ana`) a quotation ends with a comma, in Spanish and Basque also
  after its ? or ! (`"¿quién es?", preguntó ella`), and the sentence goes on. It ends with ? if someone asks it.
* A quotation that such a clause introduces has a colon before it, in English a comma or colon, and one of several words
  begins with a capital. In Spanish and Basque the sentence that ends with it has a period after its ? or ! (`preguntó:
  "¿Vienes?".`).
* No dash is added before a quotation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asr_punct.decode.earlier import Earlier, OpenQuotation
from asr_punct.decode.inputs import IS_LEFT, BoolArray, DecoderInput, Float64Array, WordFlag, has_flag
from asr_punct.decode.word_marks import CLOSING, DASH, LEAST, OPENING, PERIOD
from asr_punct.languages import any_language, facts_of
from asr_punct.marks import CASES, MARKS, STOPS, Case, Mark
from asr_punct.text.reporting import asks, ends_reporting, reports

_COMMA, _COLON = MARKS.index(Mark.COMMA), MARKS.index(Mark.COLON)
_OPEN_QUES, _QUESTION = MARKS.index(Mark.OPEN_QUES), MARKS.index(Mark.QUESTION)
_IS_OTHER_STOP = np.array([mark is Mark.DASH or (mark in STOPS and mark is not Mark.COMMA) for mark in MARKS])
_TURN_ENDS = WordFlag.TURN_ENDS | WordFlag.MUST_END
_ANDS = any_language().ands
_CLAUSE_WORDS = 3
_SURE = 3.0
"""Logit of a mark that is sure."""
_POSSIBLE = float(np.finfo(np.float64).min)
"""Logit of the unlikeliest mark that a word may get; of others it is -inf."""
_SURE_CASE = 10.0
"""Subtracted from the log-probability of another case than the sure one."""


def spans(opens: BoolArray, closes: BoolArray) -> list[tuple[int, int]]:
    """Return the first and the last word of each quotation, the inner ones first; those that do not end are left out.

    `opens` and `closes` are whether one opens before each word and closes after it, (words,).
    """
    found, begun = list[tuple[int, int]](), list[int]()
    for word in np.flatnonzero(opens | closes).tolist():
        if opens[word]:
            begun.append(word)
        if closes[word] and begun:
            found.append((begun.pop(), word))
    return found


def quotations(words: DecoderInput) -> list[tuple[int, int]]:
    """Return the first and the last word of each quotation or bracket of the input (see `spans`)."""
    return spans(words.has(WordFlag.OPENS), words.has(WordFlag.CLOSES))


def change_logits_beside_quotations(
    marks: Float64Array, cases: Float64Array, words: DecoderInput, earlier: Earlier, language: str
) -> BoolArray:
    """Change the logits of marks, (words, marks), and cases, (words, cases), beside the input's quotations, in place.

    `language` is that of the words. Returns whether the sentence goes on after each word, which a quotation ends,
    (words,).
    """
    goes_on = np.zeros(len(words), dtype=bool)
    marks[:-1][words.has(WordFlag.OPENS)[1:], DASH] = -np.inf
    opens = words.given[:, OPENING[-1]]
    closes, turn_ends = words.given[:, CLOSING[-1]], words.has(_TURN_ENDS)
    is_american = facts_of(language).stops_inside
    first, found = None, earlier.quotation
    for word in np.flatnonzero(opens | closes).tolist():
        if opens[word]:
            before = _before(word, words, earlier)
            first, found = word, _opened(word, words, earlier)
            if ends_reporting(before):
                chosen = [_COLON] if found.is_inner and not is_american else [_COMMA, _COLON]
                _introduce(marks, cases, word, chosen, has_capital=found.is_inner and not closes[word])
        if closes[word]:
            after = () if turn_ends[word] else words.words[word + 1 : word + 1 + _CLAUSE_WORDS]
            is_reported = begins_clause(after)
            goes_on[word] = is_reported or (found is not None and found.is_inner and not _ANDS.isdisjoint(after[:1]))
            if is_reported:
                _raise(marks, word, [_COMMA])
            if (found is not None and found.is_asked) or (is_reported and asks(after)):
                _ask(marks, first, word)
            first = found = None
    marks[np.outer(goes_on, _IS_OTHER_STOP)] = -np.inf
    return goes_on


def _before(word: int, words: DecoderInput, earlier: Earlier) -> Sequence[str]:
    """Return the last two words before one, or those of its turn if this begins later."""
    texts, flags = (*earlier.texts, *words.words), np.concatenate([earlier.flags, words.flags])
    place, stop = word + len(earlier.flags), word + len(earlier.texts)
    ends = np.flatnonzero(has_flag(flags[max(0, place - 2) : place], _TURN_ENDS))
    return texts[max(0, stop - 2) : stop][int(ends[-1]) + 1 if len(ends) else 0 :]


def _opened(word: int, words: DecoderInput, earlier: Earlier) -> OpenQuotation:
    """Return the quotation that begins with a word; it is inner if a clause before it introduces it alone."""
    before, flags = _before(word, words, earlier), np.concatenate([earlier.flags, words.flags])
    place = word + len(earlier.flags)
    is_second = has_flag(flags[max(0, place - _CLAUSE_WORDS) : place], WordFlag.CLOSES).any()
    is_inner = ends_reporting(before) and not is_second
    return OpenQuotation(is_inner, is_inner and ends_reporting(before, only_asking=True))


def quotation_after(count: int, words: DecoderInput, earlier: Earlier) -> OpenQuotation | None:
    """Return the quotation of the input that is open after `count` words."""
    found = earlier.quotation
    for word in np.flatnonzero(words.has(WordFlag.OPENS | WordFlag.CLOSES)[:count]).tolist():
        found = None if words.has(WordFlag.CLOSES)[word] else _opened(word, words, earlier)
    return found


def _introduce(marks: Float64Array, cases: Float64Array, word: int, chosen: list[int], *, has_capital: bool) -> None:
    """Let one of the chosen marks be before a quotation and, if wanted, a capital begin it, in place."""
    if has_capital:
        cases[word, CASES.index(Case.O)] -= _SURE_CASE
    if word:
        _raise(marks, word - 1, chosen)
        marks[word - 1, ~IS_LEFT & ~np.isin(np.arange(len(MARKS)), chosen)] = -np.inf


def _raise(marks: Float64Array, word: int, chosen: list[int]) -> None:
    """Set the likeliest of the chosen marks that a word may get, in place."""
    best = chosen[int(marks[word, chosen].argmax())]
    if np.isfinite(marks[word, best]):
        marks[word, best] = max(marks[word, best], LEAST)


def begins_clause(following: Sequence[str]) -> bool:
    """Whether words after a quotation say who speaks: `dijo ana`, `she said`, `amak esan zuen`."""
    return bool(reports(following, final=True) or (len(following) > 1 and reports(following[1:], final=True)))


def _ask(marks: Float64Array, first: int | None, last: int) -> None:
    """Let a quotation end with ?, and open with ¿ where one is likeliest, in place; the limits know the language.

    `first` is its first word, None if that is not among the words.
    """
    if marks[last, CLOSING[1]] < 0:
        make_question(marks, first, last, _POSSIBLE)


def make_question(marks: Float64Array, first: int | None, last: int, least: float) -> None:
    """Let words end with ?, and open with ¿ where one is likeliest, in place.

    A mark whose logit is under `least` is not set. `first` is the first of the words, None if ¿ has its place before.
    """
    if marks[last, _QUESTION] < least:
        return
    marks[last, _QUESTION] = max(marks[last, _QUESTION], _SURE)
    if first is not None:
        place = first + int(marks[first : last + 1, _OPEN_QUES].argmax())
        if marks[place, _OPEN_QUES] >= least:
            marks[place, _OPEN_QUES] = max(marks[place, _OPEN_QUES], LEAST)


def stop_outside(marks: BoolArray, logits: Float64Array, words: DecoderInput, earlier: Earlier, language: str) -> None:
    """Add the comma or period after the ? or ! with which a quotation of the input ends, in place.

    There is none if the question has begun before the quotation (`¿quién dijo "no"?`).

    `marks`, with those of the input, and `logits` are (words, marks).
    """
    if facts_of(language).stops_inside:
        return
    ends = (marks & ~words.given)[:, CLOSING[:2]].any(axis=1) & words.given[:, CLOSING[-1]]
    reported = words.has(WordFlag.REPORTED)
    marks[ends & reported & np.isfinite(logits[:, _COMMA]), _COMMA] = True
    found, is_outside = earlier.quotation, earlier.is_asking
    for word in np.flatnonzero(words.has(WordFlag.OPENS | WordFlag.CLOSES)).tolist():
        if words.has(WordFlag.OPENS)[word]:
            found, is_outside = _opened(word, words, earlier), _is_asking(marks[:word], earlier)
        if ends[word] and found is not None and found.is_inner and not (reported[word] or is_outside):
            marks[word, PERIOD] = logits[word, PERIOD] > 0


def _is_asking(marks: BoolArray, earlier: Earlier) -> bool:
    """Return whether a ¿ or ¡ is open after words, given their marks, (words, marks)."""
    edges = np.flatnonzero(marks[:, [*OPENING[:2], *CLOSING[:2]]].any(axis=1))
    return bool(~marks[edges[-1], CLOSING[:2]].any()) if len(edges) else earlier.is_asking
