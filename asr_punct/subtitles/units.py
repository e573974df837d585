"""What a cue is made of: written words with times, each with what it costs to break after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from asr_punct.errors import TIMES, InputError
from asr_punct.marks import LEFT, SENTENCE_ENDS, Glyphs, Mark, write_text
from asr_punct.text import read_marks, split_token
from asr_punct.text.periods import is_initial
from asr_punct.words import Seconds, Utterance, Word

NO_MARK, BOUND = 8.0, 4.0
"""Costs of a break after a word without marks, and more where the word belongs to the next one."""
COMMA, STOP, SENTENCE = 3.0, 2.0, 0.0
"""Costs of a break after a comma or a quotation mark, after `; : … –`, and after `. ? !`."""
OVERLAP: Seconds = 10.0
"""So long before the last word of an utterance the next one may begin: speakers interrupt each other."""
_SPEECH = 15.0
"""Characters a second, where a word at the edge of an utterance has no time."""
_STOPS = frozenset({Mark.SEMICOLON, Mark.COLON, Mark.ELLIPSIS, Mark.DASH})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BASQUE_SPANISH = _words(
    """el la los las lo un una unos unas al del de a ante bajo con contra desde en entre hacia hasta para por según sin
    sobre tras y e o u ni que si como cuando donde porque pero su sus mi mis tu tus nuestro nuestra este esta estos
    estas ese esa esos esas no se me te le les nos muy más tan he has ha hemos han
    eta edo ala baina ez oso zer zein nola non noiz hain"""
)
"""Of both, for a text may be in both, and is then named by one."""
_ENGLISH = _words(
    """the a an of to in on at by for from with about into over after before between through and or but nor that which
    who if when because as than my your his her its our their this these those not no very is are was were be been have
    has had will would can could should may might must do does did i we he she they you"""
)
_BOUND_WORDS = {"es": _BASQUE_SPANISH, "eu": _BASQUE_SPANISH, "en": _ENGLISH}
"""Words that belong to the next one: articles, prepositions, conjunctions, clitics, auxiliaries."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word as it is written, with the lone marks that stay beside it.

    Attributes:
        text: what stands in the cue, not broken over lines.
        start: beginning in seconds, not before that of the unit before it.
        end: end in seconds, not before `start`.
        weight: cost of a break after it, where no pause follows.
        ends: whether a sentence ends with it.
        speaker: as in `Utterance`.
    """

    text: str
    start: Seconds
    end: Seconds
    weight: float
    ends: bool
    speaker: str = ""


class Units:
    """The units of consecutive utterances of one channel, which it takes one by one.

    Times are in whole milliseconds and in order: a word that begins before the one before it begins with it. A token
    of marks alone stays with the word that it belongs to, as long as they fit on a line.

    Args:
        glyphs: how words are written, and the language that they are in.
        characters: the longest line.
    """

    def __init__(self, glyphs: Glyphs, characters: int) -> None:
        self._glyphs, self._characters = glyphs, characters
        self._latest = self._begun = 0.0
        self._held: Unit | None = None

    def push(self, utterance: Utterance) -> Iterator[Unit]:
        """Take in the words of an utterance, with their labels; the units that are certain now.

        Raises:
            InputError: it has no times at all, or begins before the one before it or much before its end.
        """
        if self._held is not None and utterance.words:
            self._held = replace(self._held, weight=min(self._held.weight, COMMA))
        for number, unit in enumerate(_joined(_written(utterance, self._glyphs), self._characters)):
            if number == 0 and (unit.start < self._begun or unit.start < self._latest - OVERLAP):
                found = f"{unit.start:g} s after {self._latest:g} s in recording {utterance.recording!r}"
                raise InputError(f"utterance {utterance.id!r}", found, "utterances in the order of time")
            yield from self.rest()
            self._begun = unit.start if number == 0 else self._begun
            self._latest = max(self._latest, unit.start)
            self._held = replace(unit, start=self._latest, end=max(self._latest, unit.end))

    def rest(self) -> Iterator[Unit]:
        """The unit that has not come out, where there is one."""
        if self._held is not None:
            yield self._held
        self._held = None


@dataclass(frozen=True, slots=True)
class _Piece:
    unit: Unit
    lone: bool
    opens: bool
    dash: bool


def _written(utterance: Utterance, glyphs: Glyphs) -> Iterator[_Piece]:
    if not utterance.words:
        return
    labels = utterance.labels
    for word, label, (start, end) in zip(utterance.words, labels, filled_times(utterance), strict=False):
        before, core, after = split_token(word.text, glyphs.name)
        marks = (label.marks | read_marks(before, after)) - set(LEFT)
        if marks == {Mark.PERIOD} and is_initial(core, label.case, glyphs.name):
            marks = frozenset()
        weight = _weight(marks, core.lower(), glyphs.name)
        text = write_text([word.text], [label], glyphs)
        unit = Unit(text, round(start, 3), round(end, 3), weight, bool(marks & SENTENCE_ENDS), utterance.speaker)
        dash = not core and read_marks(before, after) == {Mark.DASH}
        yield _Piece(unit, lone=not core, opens=bool(before) and not after, dash=dash)


def _weight(marks: frozenset[Mark], word: str, language: str) -> float:
    if marks & SENTENCE_ENDS:
        return SENTENCE
    if marks:
        return STOP if marks & _STOPS else COMMA
    return NO_MARK + BOUND * (word in _BOUND_WORDS.get(language, ()))


def _joined(pieces: Iterable[_Piece], characters: int) -> Iterator[Unit]:
    """Units in which no break falls between a lone mark and its word; a dash after a sentence is of the next one."""
    held: Unit | None = None
    opened = False
    for piece in pieces:
        opens = piece.opens or (piece.dash and held is not None and held.ends)
        if held is None:
            held, opened = piece.unit, piece.lone
        elif (opened or (piece.lone and not opens)) and len(held.text) + len(piece.unit.text) < characters:
            held, opened = _with(held, piece.unit, piece.lone), opened and piece.lone
        else:
            yield held
            held, opened = piece.unit, piece.lone and opens
    if held is not None:
        yield held


def _with(unit: Unit, other: Unit, lone: bool) -> Unit:
    """Both as one; a lone mark after a word adds its own weight to what stood there."""
    weight = min(unit.weight, other.weight) if lone else other.weight
    ends = other.ends or (lone and unit.ends)
    return replace(unit, text=f"{unit.text} {other.text}", end=other.end, weight=weight, ends=ends)


def filled_times(utterance: Utterance) -> Iterator[tuple[Seconds, Seconds]]:
    """Start and end of every word; those that are not known lie between those that are, by the words' lengths.

    Before the first time that is known, and after the last one, words take as long as their length says.

    Raises:
        InputError: there is no time at all.
    """
    words = utterance.words
    times = [time for word in words for time in (word.start, word.end)]
    known = [place for place, time in enumerate(times) if time is not None]
    if not known:
        raise InputError(f"utterance {utterance.id!r}", "words without times", TIMES)
    filled = _edges(times, known, _steps(words))
    return zip(filled[::2], filled[1::2], strict=True)


def _steps(words: Sequence[Word]) -> list[int]:
    """Characters between each start or end and the next one: those of the word, and none between two words."""
    return [step for word in words for step in (len(word.text), 0)]


def _edges(times: Sequence[Seconds | None], known: Sequence[int], steps: Sequence[int]) -> list[Seconds]:
    filled = [0.0 if time is None else time for time in times]
    for place in range(known[0] - 1, -1, -1):
        filled[place] = max(0.0, filled[place + 1] - steps[place] / _SPEECH)
    for place in range(known[-1] + 1, len(times)):
        filled[place] = filled[place - 1] + steps[place - 1] / _SPEECH
    for left, right in pairwise(known):
        passed, total = 0, sum(steps[left:right])
        for place in range(left + 1, right):
            passed += steps[place - 1]
            filled[place] = filled[left] + (filled[right] - filled[left]) * passed / total
    return filled
