"""Labels for a live stream: each word is decided by the few words in sight after it, and never again.

The marks are balanced as `decode.balance` has it, with two differences, for what has been committed is open and what
closes it may be out of sight. What opens may stay open past the last word in sight. And a sentence that a committed ¿
or ¡ began ends where a sentence ends, as a question or an exclamation: the score of the mark that closes it is there
the highest of . ? and !, not its own where that is lower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asr_punct.decode.balance import Rules
from asr_punct.decode.decoder import BARRIER, MARK_BITS, Capitals, Flags, balance_rules, readable_scores
from asr_punct.decode.settings import DecodeSettings, FloatArray, ScoreArray, case_scores
from asr_punct.decode.words import (
    BITS,
    CLOSING,
    ENDS,
    OPENING,
    PERIOD,
    SETS,
    BoolArray,
    IntArray,
    chosen_marks,
    sums,
    worth,
)
from asr_punct.marks import Labels

_BEGUN = SETS
"""Flag of a state: a committed ¿ or ¡ began the sentence."""
_STATES = 2 * SETS
_FREE, _INSIDE, _ENDING = range(3)


@dataclass(frozen=True)
class _Moves:
    """What can be done on a word, one move a row, in the order of the states before it.

    Attributes:
        first: place of each state's first move. *Shape:* (states,).
        before: state before the word. *Shape:* (moves,), as all others.
        opened: set that is opened.
        closed: set that is closed.
        unopened: what of that was not open.
        after: state after the word.
        worth: which worth of the closing set counts: where no ¿ or ¡ stays open, where one does, or that of the end
            of a sentence which a committed one began.
    """

    first: IntArray
    before: IntArray
    opened: IntArray
    closed: IntArray
    unopened: IntArray
    after: IntArray
    worth: IntArray


class OnlineDecoder:
    """Decodes documents word by word, each once, by the scores of the words in sight.

    What it opens is closed before a word where no mark can close it, for the input has marks there, and at the
    document's end. Only where such a mark is a token of its own, and so comes too late to be seen, is it left open.

    Args:
        settings: of the model.
        classes: the model's, each a set of marks; none where it decides each mark on its own.
    """

    def __init__(self, settings: DecodeSettings, classes: tuple[str, ...] = ()) -> None:
        self._settings, self._classes = settings, classes
        self._rules = balance_rules(settings, classes)
        self._active = np.array(self._rules.active)
        self._penalty = sums(np.where(self._active, self._rules.unopened, 0.0)[None])[0]
        self._moves = _moves(self._rules)
        self._capitals = Capitals(settings)
        self._state = 0

    def commit(self, labels: FloatArray, cases: FloatArray, flags: Flags, end: bool) -> Labels:
        """Labels of the document's next word.

        Args:
            labels: probabilities of the marks of that word and of the words in sight after it, (words, marks), or of
                their classes.
            cases: probabilities of their cases, (words, cases).
            flags: of marks that stand in the input, (words,).
            end: whether the document ends with the last of them; else there are two words at least.
        """
        scores = readable_scores(labels, flags, end, self._settings, self._classes)
        choices, costs = self._capitals.read(case_scores(cases, self._settings), flags)
        self._capitals.charge(scores[:-1], costs[1:])
        opened, closed, after = self._best(scores, flags & BARRIER > 0, end)
        free = (scores[:1, OPENING] > 0) & ~self._active
        inside = np.array([after & ENDS > 0])
        chosen = chosen_marks(scores[:1], opened | free @ BITS, np.array([closed]), inside)
        self._state = after | _BEGUN * int(inside[0])
        result = self._capitals.label(int(chosen[0] @ MARK_BITS), *choices[0])
        if end and len(scores) == 1:
            self._capitals.restart()
        return result

    def _best(self, scores: ScoreArray, barriers: BoolArray, end: bool) -> tuple[int, int, int]:
        """Sets to open and to close on the first word, and what is open after it."""
        moves = self._moves
        values = self._values(scores)
        closings = scores[:, CLOSING][:, self._active]
        closed_around = barriers | ~np.isfinite(closings).all(axis=1)
        state = 0 if closed_around[0] else self._state
        values[np.outer(closed_around, (moves.before > 0) | (moves.after > 0))] = -np.inf
        best = np.zeros(_STATES)
        if end:
            best[1:] = -np.inf
        for row in values[:0:-1]:
            best = np.maximum.reduceat(row + best[moves.after], moves.first)
        total = np.where(moves.before == state, values[0] + best[moves.after], -np.inf)
        move = int(total.argmax())
        return int(moves.opened[move]), int(moves.closed[move]), int(moves.after[move]) % SETS

    def _values(self, scores: ScoreArray) -> ScoreArray:
        """What each move is worth on each word, (words, moves)."""
        own = worth(scores)
        ends = scores[:, CLOSING[:2]]
        highest = np.maximum(ends.max(axis=1), scores[:, PERIOD])[:, None]
        raised = scores.copy()
        raised[:, CLOSING[:2]] = np.where(np.isfinite(ends), highest, ends)
        tables = np.stack([own.free, own.inside, worth(raised).free])
        moves = self._moves
        gained = tables[moves.worth, :, moves.closed].T + sums(scores[:, OPENING])[:, moves.opened]
        return np.asarray(gained - self._penalty[moves.unopened])


def _moves(rules: Rules) -> _Moves:
    """All moves that the rules admit."""
    active = int(np.array(rules.active) @ BITS)
    rows = []
    for state in range(_STATES):
        begun, held_before = state & _BEGUN, state % SETS
        if (begun and not held_before & ENDS) or held_before & ~active:
            rows.append((state, 0, 0, 0, state, _FREE))  # never reached
            continue
        for opened in range(SETS):
            for closed in range(SETS):
                held = held_before | opened
                after, unopened = held & ~closed, closed & active & ~held
                ends_sentence = closed & ENDS
                if opened & (held_before | ~active) or (ends_sentence and after & ENDS):
                    continue
                if begun and ends_sentence and unopened & ENDS:
                    continue
                kind = _INSIDE if after & ENDS else _ENDING if begun else _FREE
                rows.append((state, opened, closed, unopened, after | (begun if after & ENDS else 0), kind))
    columns = np.array(rows).T
    return _Moves(np.searchsorted(columns[0], np.arange(_STATES)), *columns)
