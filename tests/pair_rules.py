"""Rules of marks, written out, for brute force tests of both decoders."""

import itertools

import numpy as np

from asr_punct.decode.word_marks import QUESTION_BONUS
from asr_punct.marks import MARKS, Mark

STOPS = {Mark.COMMA, Mark.PERIOD, Mark.COLON, Mark.SEMICOLON}
ENDS, OPENS = frozenset({Mark.QUESTION, Mark.EXCLAMATION}), frozenset({Mark.OPEN_QUES, Mark.OPEN_EXCL})
PAIRS = ((Mark.OPEN_QUES, Mark.QUESTION), (Mark.OPEN_EXCL, Mark.EXCLAMATION), (Mark.OPEN_QUOTE, Mark.QUOTE))


def table(rows):
    """Probabilities (words, marks) of rows of them by mark; the others are very unlikely."""
    return np.array([[row.get(mark, 0.001) for mark in MARKS] for row in rows], dtype=np.float32)


def violation(rows, active=frozenset(MARKS)):
    """Which rule the marks of a document break, if any, and its closing marks without an opening one."""
    open_pairs, unopened = set(), []
    for marks in rows:
        before, outer = len(unopened), open_pairs - {Mark.OPEN_QUOTE}
        for opening, closing in PAIRS:
            if closing not in active or opening not in active:
                continue
            if opening in marks and opening in open_pairs:
                return "inside itself", unopened
            if opening in marks and closing in ENDS and outer:
                return "inside the other", unopened
            if opening in marks:
                open_pairs.add(opening)
            if closing in marks and opening in open_pairs:
                open_pairs.remove(opening)
            elif closing in marks:
                unopened.append(closing)
        if marks >= ENDS and set(unopened[before:]) in ({Mark.QUESTION}, {Mark.EXCLAMATION}):
            return "one of ? and ! is opened", unopened
        if marks & (ENDS | {Mark.PERIOD}) and open_pairs - {Mark.OPEN_QUOTE}:
            return "open at a sentence's end", unopened
        if len(marks & STOPS) > 1:
            return "two stops", unopened
        if Mark.PERIOD in marks and marks & (ENDS | {Mark.ELLIPSIS}) and Mark.QUOTE not in marks:
            return "period beside an end", unopened
        if marks & (ENDS | {Mark.ELLIPSIS}) and marks & STOPS and Mark.QUOTE not in marks:
            return "comma beside an end", unopened
    if open_pairs:
        return "open at the end", unopened
    return "a quotation without a beginning" if Mark.QUOTE in unopened else None, unopened


def bonus(marks, scores):
    """Of a ? or ! that replaces a comma, colon or semicolon."""
    if not marks & ENDS or Mark.QUOTE in marks:
        return 0.0
    return min(max(0.0, *(scores[mark] for mark in STOPS - {Mark.PERIOD})), QUESTION_BONUS)


FORCED, UNCLOSED = 20.0, 3.0


def given_cost(rows, given, must_open, penalties, scores, state=frozenset(), settled=False):
    """The lowest penalty of the marks of a document of which some are given, or infinity if they break a rule.

    `rows` are the sets of all marks of each word, `given` those of the input. A ¿ or ¡ of the input may stay unclosed.
    `must_open` is whether a ? or ! of the input needs its ¿ or ¡; False: it gets none, None: it may get one. A ? or !
    that ends what ¿ or ¡ of the input began counts as much as the likeliest of . ? and !.
    """
    if not rows:
        return np.inf if state else 0.0
    marks, fixed, costs = rows[0], given[0], []
    opens, closes, sentence = fixed & OPENS, fixed & ENDS, state & OPENS
    ended = Mark.PERIOD in fixed
    for drops_open, drops_own in itertools.product((False, True), repeat=2):
        if (drops_open and not (settled and sentence)) or (drops_own and not opens):
            continue
        dropped = drops_open or drops_own
        if (dropped and not closes and marks & ENDS) or (dropped and marks & OPENS != opens):
            continue
        cost = 0.0 if not dropped or closes else UNCLOSED if ended else FORCED
        before = state - OPENS if drops_open else state
        own = marks - OPENS if drops_own else marks
        if before & OPENS and (own & OPENS or (drops_own and not drops_open)):
            continue
        after, unopened = set(before), set()
        if own & after & {opening for opening, _ in PAIRS}:
            continue
        after |= {opening for opening, _ in PAIRS if opening in own}
        for opening, closing in PAIRS:
            if closing in marks and opening in after:
                after.remove(opening)
            elif closing in marks:
                unopened.add(closing)
        remains = settled and not drops_open
        if must_open[0] is False and closes - unopened and not (remains or opens):
            continue
        if (marks & (ENDS | {Mark.PERIOD}) and after & OPENS) or (remains and unopened & ENDS):
            continue
        if marks >= ENDS and len(unopened & ENDS) == 1:
            continue
        if not dropped:
            cost += sum(
                (FORCED if must_open[0] else 0.0) if closing in closes else penalties[closing] for closing in unopened
            )
        elif Mark.QUOTE in unopened:
            continue
        if remains and not after & OPENS:
            ends = [scores[0][MARKS.index(mark)] for mark in (Mark.PERIOD, *ENDS)]
            cost -= sum(max(ends) - scores[0][MARKS.index(mark)] for mark in (marks & ENDS) - fixed)
        still = bool(after & OPENS) and (remains or bool(opens and not drops_own))
        rest = given_cost(rows[1:], given[1:], must_open[1:], penalties, scores[1:], frozenset(after), still)
        costs.append(cost + rest)
    return min(costs, default=np.inf)
