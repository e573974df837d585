"""The rules of paired marks as a state machine, and its Viterbi search.

A state is the set of pairs that are open after a word, 8 in all. `next_state` has the rules:

  * a pair is not opened again while it is open;
  * ? and ! end a sentence, and so does a period: no ¿ or ¡ stays open there (`¡¿Qué?!` closes both);
  * a » needs its «; a ? or ! without ¿ or ¡ costs a penalty, for languages without opening marks;
  * nothing is open before the first word of a document, after its last one, and beside marks of the input (barriers);
  * different pairs may cross, a quotation may contain many sentences, and a pair of which one mark is switched off has
    no rules.

A live stream needs one more bit in the state: whether the ¿ or ¡ that is open was already output. Such a sentence
cannot be undone, so it ends at the next likely sentence end: its ? or ! gets the highest logit of . ? and !.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from asr_punct.decode.settings import DecodeSettings, LogitArray
from asr_punct.decode.word_marks import (
    CLOSING,
    OPENING,
    PAIR_BITS,
    PAIR_SETS,
    PERIOD,
    BoolArray,
    IntArray,
    Pair,
    closing_scores,
    sum_sets,
)
from asr_punct.marks import PAIRS, Mark

_OUTPUT = PAIR_SETS
"""Bit of a state: the ¿ or ¡ that is open was already output."""
_STATES = [state for state in range(2 * PAIR_SETS) if not state & _OUTPUT or state & Pair.SENTENCE]
_CLOSED, _OPEN, _ENDED = range(3)


def next_state(state: int, opened: int, closed: int, balanced: int) -> int | None:
    """Return the state after a word with these opening and closing marks, or None where the rules forbid them.

    Args:
        state: before the word.
        opened: set of opening marks.
        closed: set of closing marks.
        balanced: set of the pairs that have rules.
    """
    open_on_word = state & ~_OUTPUT | opened
    after = open_on_word & ~closed
    unopened = closed & balanced & ~open_on_word
    opened_twice = opened & state
    crosses_sentence_end = closed & Pair.SENTENCE and after & Pair.SENTENCE
    ends_as_another = state & _OUTPUT and unopened & Pair.SENTENCE
    if opened & ~balanced or opened_twice or crosses_sentence_end or ends_as_another:
        return None
    return after | (state & _OUTPUT if after & Pair.SENTENCE else 0)


@dataclass(frozen=True)
class _Transitions:
    """All transitions that the rules allow, sorted by `before`; every array is (transitions,) but `first`.

    Attributes:
        first: first transition of each state. *Shape:* (states,).
        before: index of the state before the word.
        after: index of the state after it.
        opened: set of opening marks.
        closed: set of closing marks.
        unopened: those closing marks that have no opening one.
        context: whether a sentence is open after the word, or one that was already output ended on it.
    """

    first: IntArray
    before: IntArray
    after: IntArray
    opened: IntArray
    closed: IntArray
    unopened: IntArray
    context: IntArray


@cache
def _list_transitions(balanced: int) -> _Transitions:
    rows = []
    for before, state in enumerate(_STATES):
        for opened in range(PAIR_SETS):
            for closed in range(PAIR_SETS):
                after = next_state(state, opened, closed, balanced)
                if after is not None:
                    unopened = closed & balanced & ~(state | opened)
                    context = _OPEN if after & Pair.SENTENCE else _ENDED if state & _OUTPUT else _CLOSED
                    rows.append((before, _STATES.index(after), opened, closed, unopened, context))
    columns = np.array(rows).T
    return _Transitions(np.searchsorted(columns[0], np.arange(len(_STATES))), *columns)


@dataclass(frozen=True)
class Path:
    """The marks that a search chose, one item a word.

    Attributes:
        opened: set of opening marks.
        closed: set of closing marks.
        open_after: pairs that are open after the word.
    """

    opened: IntArray
    closed: IntArray
    open_after: IntArray


class PairSearch:
    """Viterbi search over the states.

    Args:
        balanced: pairs that have rules.
        penalties: of a closing mark without its opening one, by pair.

    Attributes:
        balanced: whether each pair has rules, (pairs,).
        unopened: penalty of a closing mark without its opening one, 0 where the pair has no rules, (pairs,).
        penalties: of sets of closing marks without opening ones, (sets,).
    """

    def __init__(self, balanced: tuple[bool, bool, bool], penalties: tuple[float, float, float]) -> None:
        self.balanced = np.array(balanced)
        self.unopened = np.where(balanced, penalties, 0.0)
        self.penalties = sum_sets(self.unopened[None])[0]
        self._transitions = _list_transitions(int(self.balanced @ PAIR_BITS))

    @classmethod
    def of(cls, settings: DecodeSettings, possible: frozenset[Mark]) -> PairSearch:
        """Return a search with rules for the pairs of which both marks are possible; a » without « is never set."""
        first, second, third = (opening in possible and closing in possible for opening, closing in PAIRS)
        penalties = (settings.unopened[Mark.QUESTION], settings.unopened[Mark.EXCLAMATION], np.inf)
        return cls((first, second, third), penalties)

    def unpaired(self, logits: LogitArray) -> IntArray:
        """Return the opening marks without rules that are set, as sets, from the logits of marks, (words, marks)."""
        chosen: IntArray = ((logits[:, OPENING] > 0) & ~self.balanced) @ PAIR_BITS
        return chosen

    def best_path(
        self, logits: LogitArray, closed_around: BoolArray, start: int = 0, *, may_stay_open: bool = False
    ) -> Path:
        """Return the path of the highest sum of logits, penalties subtracted.

        Args:
            logits: of marks, (words, marks).
            closed_around: words beside which nothing is open, (words,).
            start: pairs that were opened before the first word and were already output.
            may_stay_open: whether pairs may be open after the last word.
        """
        table = self._transitions
        scores = self._transition_scores(logits)
        scores[np.outer(closed_around, (table.before > 0) | (table.after > 0))] = -np.inf
        last = np.zeros(len(_STATES))
        last[1:] = 0.0 if may_stay_open else -np.inf
        best_from = [last]
        for row in scores[:0:-1]:
            best_from.append(np.maximum.reduceat(row + best_from[-1][table.after], table.first))
        state = _STATES.index(start | _OUTPUT if start & Pair.SENTENCE else start)
        bounds = [*table.first.tolist(), len(table.before)]
        chosen = []
        for row, best in zip(scores, reversed(best_from), strict=False):
            own = slice(bounds[state], bounds[state + 1])
            chosen.append(bounds[state] + int((row[own] + best[table.after[own]]).argmax()))
            state = int(table.after[chosen[-1]])
        open_after = np.array(_STATES)[table.after[chosen]] & ~_OUTPUT
        return Path(table.opened[chosen], table.closed[chosen], open_after)

    def _transition_scores(self, logits: LogitArray) -> LogitArray:
        """Return the score of each transition on each word, (words, transitions)."""
        table = self._transitions
        ends = logits[:, CLOSING[:2]]
        raised = logits.copy()
        highest = np.maximum(ends.max(axis=1), logits[:, PERIOD])[:, None]
        raised[:, CLOSING[:2]] = np.where(np.isfinite(ends), highest, ends)
        closed, sentence_open = closing_scores(logits)
        by_context = np.stack([closed, sentence_open, closing_scores(raised)[0]])
        opening = sum_sets(logits[:, OPENING])
        scores = by_context[table.context, :, table.closed].T + opening[:, table.opened]
        return np.asarray(scores - self.penalties[table.unopened])
