"""Rules of marks, written out, for brute force tests of both decoders."""

import numpy as np

from asr_punct.decode.word_marks import QUESTION_BONUS
from asr_punct.marks import MARKS, Mark

STOPS = {Mark.COMMA, Mark.PERIOD, Mark.COLON, Mark.SEMICOLON}
ENDS = {Mark.QUESTION, Mark.EXCLAMATION}
PAIRS = ((Mark.OPEN_QUES, Mark.QUESTION), (Mark.OPEN_EXCL, Mark.EXCLAMATION), (Mark.OPEN_QUOTE, Mark.QUOTE))


def table(rows):
    """Probabilities (words, marks) of rows of them by mark; the others are very unlikely."""
    return np.array([[row.get(mark, 0.001) for mark in MARKS] for row in rows], dtype=np.float32)


def violation(rows, active=frozenset(MARKS), barriers=()):
    """Which rule the marks of a document break, if any, and its closing marks without an opening one."""
    open_pairs, unopened = set(), []
    for i, marks in enumerate(rows):
        if i in barriers and open_pairs:
            return "open at a barrier", unopened
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
        if i in barriers and open_pairs:
            return "open at a barrier", unopened
        if len(marks & STOPS) > 1:
            return "two stops", unopened
        if Mark.PERIOD in marks and marks & (ENDS | {Mark.ELLIPSIS}) and Mark.QUOTE not in marks:
            return "period beside an end", unopened
        if Mark.QUESTION in marks and marks & STOPS and Mark.QUOTE not in marks:
            return "comma beside ?", unopened
    if open_pairs:
        return "open at the end", unopened
    return "a quotation without a beginning" if Mark.QUOTE in unopened else None, unopened


def bonus(marks, scores):
    """Of a ? that replaces a comma, colon or semicolon."""
    if Mark.QUESTION not in marks or Mark.QUOTE in marks:
        return 0.0
    return min(max(0.0, *(scores[mark] for mark in STOPS - {Mark.PERIOD})), QUESTION_BONUS)
