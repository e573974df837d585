"""Marks of the input as evidence: what they say about the ¿ ? and ¡ ! of a sentence."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from asr_punct.decode.inputs import BoolArray, DecoderInput, Float64Array, IntArray, WordFlag
from asr_punct.decode.quotations import quotations
from asr_punct.decode.word_marks import CLOSING, OPENING, PAIR_BITS, PERIOD
from asr_punct.marks import MARKS, Mark

_ELLIPSIS = MARKS.index(Mark.ELLIPSIS)
_SENTENCE_BITS = PAIR_BITS[:2]
"""Those of ¿ ? and ¡ !, which are before « » in `marks.PAIRS`."""


@dataclass(frozen=True)
class GivenPairs:
    """The marks of the input that bear on pairs; every array is (words,).

    Attributes:
        opened: pairs whose ¿ or ¡ is before the word.
        closed: pairs whose ? or ! is after it.
        must_open: whether these need their ¿ or ¡.
        never_open: whether none is added for these.
        ended: whether a sentence or a speaker's turn ends after the word, so that no ¿ or ¡ stays open.
        quoted: whether a quotation mark or bracket is beside the word, so that no « stays open.
        turn_ends: whether a speaker's turn ends after the word: a « should not stay open.
        marks: all marks of the input, (words, marks).
        quotations: first and last words of its quotations and brackets.
    """

    opened: IntArray
    closed: IntArray
    must_open: BoolArray
    never_open: BoolArray
    ended: BoolArray
    quoted: BoolArray
    turn_ends: BoolArray
    marks: BoolArray
    quotations: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, words: DecoderInput) -> GivenPairs | None:
        """Return what the input says about pairs; None if it has no marks and no turns."""
        known = WordFlag.ENDED | WordFlag.QUOTED | WordFlag.TURN_ENDS | WordFlag.MUST_END
        if not words.given_bits.any() and not words.has(known).any():
            return None
        given, turn_ends = words.given, words.has(WordFlag.TURN_ENDS)
        ended = (
            turn_ends
            | words.has(WordFlag.MUST_END)
            | given[:, PERIOD]
            | words.has(WordFlag.ENDED) & ~given[:, _ELLIPSIS]
        )
        opened, closed = (given[:, marks[:2]] @ _SENTENCE_BITS for marks in (OPENING, CLOSING))
        must, never = words.has(WordFlag.MUST_OPEN), words.has(WordFlag.NEVER_OPEN)
        quoted = words.has(WordFlag.QUOTED)
        found = tuple(quotations(words)) if quoted.any() else ()
        return cls(opened, closed, must, never, ended, quoted, turn_ends, given, found)

    def at(self, words: IntArray) -> GivenPairs:
        """Return what is said about some of the words, by index, without the quotations."""
        arrays = {each.name: getattr(self, each.name)[words] for each in fields(self) if each.name != "quotations"}
        return GivenPairs(**arrays)

    def relevant(self, distance: int) -> BoolArray:
        """Return whether each word is given, or at most so many words before a given ? or ! or after a given ¿ or ¡."""
        result = self.marks.any(axis=1) | self.ended | self.quoted | self.turn_ends
        before, after = self.closed > 0, self.opened > 0
        for places, step in ((before, -1), (after, 1)):
            for place in np.flatnonzero(places).tolist():
                first, last = sorted((place, place + step * distance))
                result[max(0, first) : last + 1] = True
        return result

    def set_logits(self, logits: Float64Array) -> Float64Array:
        """Return the logits of marks, (words, marks), with 0 for the ¿ ? ¡ and ! of the input."""
        result = logits.copy()
        for marks, sets in ((OPENING, self.opened), (CLOSING, self.closed)):
            for mark, bit in zip(marks, _SENTENCE_BITS, strict=False):
                result[sets & bit > 0, mark] = 0.0
        return result
