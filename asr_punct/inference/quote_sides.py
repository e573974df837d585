"""On which side of the input's quotation marks and brackets the added marks are written: `"¿quién es?", dijo`.

¿ and ¡ are inside, unless the input has their end outside (`"quién es"?`). ? and ! are inside if the quotation has
their ¿ or ¡ or, without any, begins a clause (`he asked, "Are you coming?"`, `have you read "Emma"?`). In American
English so are a comma and a period, but not in brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from asr_punct.characters import characters_of
from asr_punct.decode.inputs import WordFlag
from asr_punct.glyphs import inside_quotes
from asr_punct.inference.tokens import Token
from asr_punct.marks import END_OR_BREAK_OFF, OPENER, SENTENCE_ENDS, SENTENCE_OPENINGS, STOPS, Labels, Mark
from asr_punct.text import read_marks

_OPENING_GLYPHS = tuple(characters_of(SENTENCE_OPENINGS))
_ENDING_GLYPHS = tuple(characters_of(mark for mark in OPENER if mark in SENTENCE_ENDS))
_STOPS = characters_of([*STOPS, Mark.ELLIPSIS])
_ENDS = END_OR_BREAK_OFF - {Mark.PERIOD}
_OPENS, _CLOSES = map(int, (WordFlag.OPENS, WordFlag.CLOSES))


class QuoteSides:
    """Chooses the side for the labels of consecutive words, document by document."""

    def __init__(self, language: str) -> None:
        self._inside_quotes = inside_quotes(language)
        self._document: object = None
        self.begin()

    def begin(self) -> None:
        """Begin another document."""
        self._clause_begins = True
        self._is_pair_open = False  # a ¿ or ¡ that is outside the open quotation
        self._is_own: bool | None = None  # whether the open quotation has the ? or ! at its end; None: none is open

    def place(self, tokens: Sequence[Token], labels: Sequence[Labels], document: object = None) -> list[Labels]:
        """Return the labels of the next tokens, `inside` where the marks are inside quotation marks or brackets.

        Another value of `document` than in the last call says that another one begins.
        """
        if document != self._document:
            self._document = document
            self.begin()
        result = list(labels)
        for i, (token, label) in enumerate(zip(tokens, labels, strict=True)):
            if label.marks or token.left or token.right or token.labels.marks:
                result[i] = self._placed(token, label, is_outside=_ends_outside(tokens[i:]))
            elif token.core:
                self._clause_begins = False
        return result

    def _placed(self, token: Token, label: Labels, is_outside: bool) -> Labels:
        marks = label.marks | read_marks(token.left, token.right)
        begins, self._clause_begins = self._clause_begins, any(not mark.is_left for mark in marks)
        opens_pair = not marks.isdisjoint(SENTENCE_OPENINGS)
        if token.flags & _OPENS:
            self._is_pair_open |= _opens_outside(token.left) or (opens_pair and is_outside)
            self._is_own = not self._is_pair_open and (opens_pair or begins)
        elif opens_pair and self._is_own is None:
            self._is_pair_open = True
        elif opens_pair:
            self._is_own = True
        is_own = bool(self._is_own)
        if token.flags & _CLOSES:
            self._is_own = None
        if not marks.isdisjoint(_ENDS):
            self._is_pair_open = False
        if not (token.core and label.marks and token.flags & (_OPENS | _CLOSES)):
            return label
        is_inside = not (label.marks.isdisjoint(SENTENCE_OPENINGS) or is_outside)
        if token.flags & _CLOSES:
            is_inside |= is_own and not label.marks.isdisjoint(_ENDS)
            is_inside |= Mark.QUOTE in marks and bool(self._inside_quotes) and label.marks <= self._inside_quotes
        return replace(label, inside=True) if is_inside else label


def _opens_outside(left: str) -> bool:
    """Whether the marks before a word have ¿ or ¡ before a quotation mark or bracket."""
    return left.startswith(_OPENING_GLYPHS) and not left.endswith(_OPENING_GLYPHS)


def _ends_outside(tokens: Sequence[Token]) -> bool:
    """Whether the first of these tokens opens a quotation or bracket after which the input has ? or ! (`"qué"?`)."""
    if not tokens[0].flags & _OPENS:
        return False
    last = next((token.right.rstrip(_STOPS) for token in tokens if token.flags & _CLOSES), "")
    return last.endswith(_ENDING_GLYPHS) and not last.startswith(_ENDING_GLYPHS)
