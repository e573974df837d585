"""The best balanced marks of a span of words: exact dynamic programming over what is open.

What balanced means:
  * a sentence ends after a word that bears . ? or !; there neither ¿ nor ¡ may stay open, so each is followed by its
    own closing mark on the word that ends its sentence (`¡¿Qué?!` closes both);
  * a ? or ! without its opening mark is allowed, for languages that have none, at a penalty; a ¿ or ¡ without its
    closing mark is not;
  * each closing quotation mark has its opening one and the reverse, and a quotation may hold many sentences;
  * no pair stands inside itself; how different pairs cross each other is free;
  * nothing is open before the first word, after the last, and on either side of a barrier;
  * a pair of which a mark is switched off has no rule.

Most words have no part in this. A ¿ is worth its ? only where its score outweighs the penalty that it saves, a «
only where some » after it outweighs it, and a mark that closes only where some opening one does; all other words keep
their own best marks, and words between which only "nothing open" can be best are passed over. Both cuts are exact:
leaving out a pair that gains nothing never breaks a rule.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from asr_punct.decode.settings import ScoreArray
from asr_punct.decode.words import (
    BITS,
    CLOSING,
    ENDS,
    OPENING,
    PERIOD,
    SETS,
    BoolArray,
    IntArray,
    Worth,
    chosen_marks,
    ends_sentence,
    sums,
    worth,
)


@dataclass(frozen=True)
class Rules:
    """Which pairs are balanced, and what an unopened closing mark costs.

    Attributes:
        active: whether each pair is balanced.
        unopened: penalty of a closing mark without its opening one, of each pair.
    """

    active: tuple[bool, bool, bool]
    unopened: tuple[float, float, float]


@dataclass(frozen=True)
class Balanced:
    """The best marks.

    Attributes:
        marks: *Shape:* (words, marks).
        open_after: opening set that is open after each word. *Shape:* (words,).
    """

    marks: BoolArray
    open_after: IntArray


class _Step(NamedTuple):
    """A word on the best path to a state: the sets chosen there, and what is open after it."""

    before: _Step | None
    word: int
    opening: int
    closing: int
    after: int


@dataclass(frozen=True)
class _Search:
    """What the search looks up, by word.

    Attributes:
        worth: of the closing sets.
        opening: scores of opening sets. *Shape:* (words, sets).
        penalty: of unopened closing sets. *Shape:* (sets,).
        own: closing set that is best where nothing is open.
        base: worth of it, less its penalty.
        may_open: opening sets' bits that can be part of the best path.
        may_close: closing sets' bits that can.
        gain: most that any « still open can gain from the word on. *Shape:* (words + 1,).
    """

    worth: Worth
    opening: ScoreArray
    penalty: ScoreArray
    own: IntArray
    base: ScoreArray
    may_open: IntArray
    may_close: IntArray
    gain: ScoreArray


def balance(scores: ScoreArray, rules: Rules, barriers: BoolArray) -> Balanced:
    """The marks of the highest total score, penalties taken off, that keep the rules.

    Args:
        scores: of the marks, (words, marks); -inf where one must not be set.
        rules: which pairs are balanced.
        barriers: words at whose sides nothing is open, (words,).
    """
    search = _prepare(scores, rules)
    own_marks = chosen_marks(scores, 0 * search.own, search.own, np.zeros(len(scores), dtype=bool))
    events = np.flatnonzero((search.may_open > 0) | (search.may_close > 0) | ends_sentence(own_marks) | barriers)
    path: _Step | None = _best_path(search, rules, events.tolist(), barriers.tolist())
    opening, closing, after = 0 * search.own, search.own.copy(), 0 * search.own
    end = len(scores)
    while path:
        opening[path.word], closing[path.word], after[path.word : end] = path.opening, path.closing, path.after
        end = path.word
        path = path.before
    free = (scores[:, OPENING] > 0) & ~np.array(rules.active)
    return Balanced(chosen_marks(scores, opening | free @ BITS, closing, after & ENDS > 0), after)


def _prepare(scores: ScoreArray, rules: Rules) -> _Search:
    active = np.array(rules.active)
    words = worth(scores)
    penalty = sums(np.where(active, rules.unopened, 0.0)[None])[0]
    penalised = words.free - penalty
    own = penalised.argmax(axis=1)
    closing = scores[:, CLOSING].copy()
    closing[:, -1] += np.maximum(scores[:, PERIOD], 0.0)
    gain = np.zeros(len(scores) + 1)
    gain[:-1] = np.maximum(np.maximum.accumulate(closing[::-1, -1])[::-1], 0.0)
    opening = scores[:, OPENING]
    saved = np.stack([np.full(len(scores), rules.unopened[0]), np.full(len(scores), rules.unopened[1]), gain[:-1]], 1)
    may_open = (opening + saved > 0) & active
    paying = closing - np.where(active, rules.unopened, 0.0) > 0  # a period beside a quotation mark does not bar these
    most = np.where(may_open, opening, -np.inf).max(axis=0)
    return _Search(
        worth=words,
        opening=sums(opening),
        penalty=penalty,
        own=own,
        base=penalised.max(axis=1),
        may_open=may_open @ BITS,
        may_close=((closing > -most) | paying) @ BITS | own,
        gain=gain,
    )


def _best_path(search: _Search, rules: Rules, events: Sequence[int], barriers: Sequence[bool]) -> _Step | None:
    """The path of the highest score, its values told relative to the words' own best."""
    openings = [word for word in events if search.may_open[word]]
    live: dict[int, tuple[float, _Step | None]] = {0: (0.0, None)}
    place = 0
    while place < len(events):
        if len(live) == 1:
            following = bisect_left(openings, events[place])
            if following == len(openings):
                break
            place = bisect_left(events, openings[following])
        word = events[place]
        live = _advance(search, live, word, barriers[word])
        closed = live[0][0]
        bounds = (*rules.unopened[:-1], search.gain[word + 1])
        live = {state: entry for state, entry in live.items() if entry[0] + _bound(state, bounds) > closed or not state}
        place += 1
    return live[0][1]


def _advance(
    search: _Search, live: dict[int, tuple[float, _Step | None]], word: int, barrier: bool
) -> dict[int, tuple[float, _Step | None]]:
    """The best way to each state after a word, from those before it."""
    free, inside, opening = (a[word].tolist() for a in (search.worth.free, search.worth.inside, search.opening))
    base = float(search.base[word])
    result: dict[int, tuple[float, _Step | None]] = {}
    for state, (value, path) in live.items():
        if barrier and state:
            continue
        for opened, closed, unopened, after in _moves(state, int(search.may_open[word]), int(search.may_close[word])):
            if barrier and after:
                continue
            total = value + opening[opened] + (inside if after & ENDS else free)[closed] - base
            if unopened:
                total -= search.penalty[unopened]
            if after not in result or total > result[after][0]:
                result[after] = (total, _Step(path, word, opened, closed, after))
    return result


@cache
def _moves(state: int, may_open: int, may_close: int) -> tuple[tuple[int, int, int, int], ...]:
    """What can be done on a word: sets opened, closed, closed without being open, and what is open afterwards."""
    found = []
    for opened in range(SETS):
        for closed in range(SETS):
            held = state | opened
            after = held & ~closed
            barred = opened & ~may_open or closed & ~may_close or opened & state
            if not barred and not (closed & ENDS and after & ENDS):
                found.append((opened, closed, closed & ~held, after))
    return tuple(found)


def _bound(state: int, bounds: Sequence[float]) -> float:
    """Most that a state can still gain over "nothing open": that state's closing marks, set without their openings."""
    return sum(bound for pair, bound in enumerate(bounds) if state >> pair & 1)
