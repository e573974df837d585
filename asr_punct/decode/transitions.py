"""The rules of paired marks as a state machine.

A state is the set of pairs that are open after a word, 8 in all. `next_state` has the rules:

  * a pair is not opened again while it is open, and no ¿ or ¡ while the other one is, except on the same word;
  * no ¿ or ¡ stays open where a period, ? or ! ends a sentence (`¡¿Qué?!` closes both on one word);
  * a » needs its «; a ? or ! without ¿ or ¡ costs a penalty, for languages without opening marks;
  * if a word has ? and !, both were opened, or neither (`¡Qué?!` gets ¿ too);
  * different pairs may cross, and a quotation may contain many sentences;
  * a pair has no rules if one of its marks is not enabled.

One more bit of a state is whether the open ¿ or ¡ is settled: the input has it, or a live stream has output it. It
cannot be undone, so its sentence ends at the next likely sentence end.

The marks of the input need not obey the rules, so their words have further transitions: a settled ¿ or ¡, or that of
the word itself, may be dropped, that is, never closed. If the word has another ? or ! of the input, that ends its
sentence (`¡qué dices?`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from asr_punct.decode.inputs import BoolArray, IntArray
from asr_punct.decode.word_marks import PAIR_SETS, Pair

SETTLED = PAIR_SETS
"""Bit of a state: the ¿ or ¡ that is open is in the input or was already output."""
STATES = [state for state in range(2 * PAIR_SETS) if not state & SETTLED or state & Pair.SENTENCE]
"""All states; the first `PAIR_SETS` of them have nothing settled."""
NO_SENTENCE_OPEN, SENTENCE_OPEN, SETTLED_ENDS = range(3)
"""Effect of a transition on an open ¿ or ¡, for the scores of the right marks of its word."""
_Row = tuple[int, ...]


def next_state(state: int, opened: int, closed: int, ruled: int) -> int | None:
    """Return the state after a word with these marks, or None if the rules forbid them.

    The word has the opening marks of the pairs `opened` and the closing marks of the pairs `closed`; `ruled` pairs have
    rules.
    """
    open_on_word = state & ~SETTLED | opened
    after = open_on_word & ~closed
    unopened = closed & ruled & ~open_on_word
    opened_twice = opened & state or (opened & Pair.SENTENCE and state & Pair.SENTENCE)
    crosses_sentence_end = closed & Pair.SENTENCE and after & Pair.SENTENCE
    ends_with_other_mark = state & SETTLED and unopened & Pair.SENTENCE
    opens_one_of_two = closed & Pair.SENTENCE == Pair.SENTENCE and unopened in (Pair.QUESTION, Pair.EXCLAMATION)
    if opened & ~ruled or opened_twice or crosses_sentence_end or ends_with_other_mark or opens_one_of_two:
        return None
    return after | (state & SETTLED if after & Pair.SENTENCE else 0)


@dataclass(frozen=True)
class Transitions:
    """All transitions that the rules allow, sorted by `before`; every array but `first` is (transitions,).

    Attributes:
        first: first transition of each state. *Shape:* (states,).
        before: index of the state before the word.
        after: index of the state after it.
        opened: pairs whose opening marks the word has.
        closed: pairs whose closing marks the word has.
        unopened: the pairs of `closed` that were not opened.
        context: `NO_SENTENCE_OPEN`, `SENTENCE_OPEN` (after the word) or `SETTLED_ENDS` (on the word).
        given: the ¿ and ¡ of `opened`, if the input has them.
        dropped: whether the ¿ or ¡ that was open is never closed.
    """

    first: IntArray
    before: IntArray
    after: IntArray
    opened: IntArray
    closed: IntArray
    unopened: IntArray
    context: IntArray
    given: IntArray
    dropped: BoolArray

    @classmethod
    def of(cls, rows: Iterator[_Row], states: int) -> Transitions:
        """Return transitions between the first states of `STATES` from rows of all arrays but `first`, sorted."""
        before, after, opened, closed, unopened, context, given, dropped = np.array(list(rows)).T
        first = np.searchsorted(before, np.arange(states))
        return cls(first, before, after, opened, closed, unopened, context, given, dropped > 0)


@cache
def list_transitions(ruled: int, states: int) -> Transitions:
    """Return the transitions between the first states of `STATES` for an input without marks."""
    return Transitions.of((row for before in range(states) for row in _rows(before, ruled)), states)


@cache
def list_given_transitions(ruled: int) -> Transitions:
    """Return the transitions between all states for an input with marks."""
    rows = (
        row
        for before in range(len(STATES))
        for given in range(Pair.SENTENCE + 1)
        for make in (_rows, _dropping_rows)
        for row in make(before, ruled, given)
    )
    return Transitions.of(rows, len(STATES))


def _rows(before: int, ruled: int, given: int = 0) -> Iterator[_Row]:
    """Yield the transitions from a state on a word whose ¿ and ¡ of the input are `given`."""
    state = STATES[before]
    for opened, closed in product(range(PAIR_SETS), repeat=2):
        after = next_state(state, opened, closed, ruled)
        if after is None or (given and opened & Pair.SENTENCE != given):
            continue
        if given and after & Pair.SENTENCE:
            after |= SETTLED
        ended = SETTLED_ENDS if state & SETTLED else NO_SENTENCE_OPEN
        context = SENTENCE_OPEN if after & Pair.SENTENCE else ended
        yield before, STATES.index(after), opened, closed, closed & ruled & ~(state | opened), context, given, 0


def _dropping_rows(before: int, ruled: int, given: int) -> Iterator[_Row]:
    """Yield those on which a ¿ or ¡ is dropped that is settled, or else `given`."""
    state = STATES[before]
    if state & SETTLED:
        for _, after, opened, closed, unopened, context, _, _ in _rows(state & Pair.QUOTE, ruled, given):
            if opened & Pair.SENTENCE == given:
                yield before, after, opened, closed, unopened & ~Pair.SENTENCE, context, given, 1
    if given and (state & SETTLED or not state & Pair.SENTENCE):
        for _, after, opened, closed, unopened, context, _, _ in _rows(state & Pair.QUOTE, ruled):
            if not opened & Pair.SENTENCE:
                yield before, after, opened | given, closed, unopened & ~Pair.SENTENCE, context, given, 1
