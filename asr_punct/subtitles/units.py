"""Units of cues: written words with times and the cost of a break after each."""

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
"""Cost of a break after a word without marks, and additional cost if the word belongs to the next one."""
COMMA, STOP, SENTENCE = 3.0, 2.0, 0.0
"""Costs of a break after a comma or a quotation mark, after `; : … –`, and after `. ? !`."""
OVERLAP: Seconds = 10.0
"""An utterance may begin this long before the last word of the one before it: speakers interrupt each other."""
_SPEECH = 15.0
"""Characters per second, for words without a time at the edge of an utterance."""
_STOPS = frozenset({Mark.SEMICOLON, Mark.COLON, Mark.ELLIPSIS, Mark.DASH})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BASQUE_SPANISH = _words(
    """el la los las lo un una unos unas al del de a ante bajo con contra desde en entre hacia hasta para por según sin
    sobre tras y e o u ni que si como cuando donde porque pero su sus mi mis tu tus nuestro nuestra este esta estos
    estas ese esa esos esas no se me te le les nos muy más tan he has ha hemos han
    eta edo ala baina ez oso zer zein nola non noiz hain"""
)
"""Both languages in one: a text with both has the name of one."""
_ENGLISH = _words(
    """the a an of to in on at by for from with about into over after before between through and or but nor that which
    who if when because as than my your his her its our their this these those not no very is are was were be been have
    has had will would can could should may might must do does did i we he she they you"""
)
_BOUND_WORDS = {"es": _BASQUE_SPANISH, "eu": _BASQUE_SPANISH, "en": _ENGLISH}
"""Words that belong to the next one: articles, prepositions, conjunctions, clitics, auxiliaries."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A written word with the lone marks beside it; never broken over lines.

    Attributes:
        text: the text in the cue.
        start: start in seconds, not before that of the previous unit.
        end: end in seconds, not before `start`.
        weight: cost of a break after it, without a pause.
        ends: a sentence ends with it.
        speaker: as in `Utterance`.
    """

    text: str
    start: Seconds
    end: Seconds
    weight: float
    ends: bool
    speaker: str = ""


def make_units(utterances: Iterable[Utterance], glyphs: Glyphs, characters: int) -> list[Unit]:
    """Return the units of consecutive utterances of one channel.

    Times are whole milliseconds in order: a word that begins before the previous one begins with it. A token of marks
    alone stays with its word if both fit on a line of `characters`.

    Raises:
        InputError: an utterance has no times, or begins before the previous one or long before its end.
    """
    units: list[Unit] = []
    begun = latest = 0.0
    for utterance in utterances:
        if not utterance.words:
            continue
        if units:
            units[-1] = replace(units[-1], weight=min(units[-1].weight, COMMA))
        added = list(_joined(_written(utterance, glyphs), characters))
        if added[0].start < max(begun, latest - OVERLAP):
            found = f"{added[0].start:g} s after {latest:g} s in recording {utterance.recording!r}"
            raise InputError(f"utterance {utterance.id!r}", found, "utterances in the order of time")
        begun = added[0].start
        for unit in added:
            latest = max(latest, unit.start)
            units.append(replace(unit, start=latest, end=max(latest, unit.end)))
    return units


@dataclass(frozen=True, slots=True)
class _Token:
    """A unit of one token; `lone` if it has only marks, `opens` if these open, `dash` if they are a dash."""

    unit: Unit
    lone: bool
    opens: bool
    dash: bool


def _written(utterance: Utterance, glyphs: Glyphs) -> Iterator[_Token]:
    for word, label, (start, end) in zip(utterance.words, utterance.labels, filled_times(utterance), strict=True):
        before, core, after = split_token(word.text, glyphs.name)
        own_marks = read_marks(before, after)
        marks = (label.marks | own_marks) - set(LEFT)
        if marks == {Mark.PERIOD} and is_initial(core, label.case, glyphs.name):
            marks = frozenset()
        weight = _weight(marks, core.lower(), glyphs.name)
        text = write_text([word.text], [label], glyphs)
        unit = Unit(text, round(start, 3), round(end, 3), weight, bool(marks & SENTENCE_ENDS), utterance.speaker)
        yield _Token(unit, lone=not core, opens=bool(before) and not after, dash=not core and own_marks == {Mark.DASH})


def _weight(marks: frozenset[Mark], word: str, language: str) -> float:
    if marks & SENTENCE_ENDS:
        return SENTENCE
    if marks:
        return STOP if marks & _STOPS else COMMA
    return NO_MARK + BOUND * (word in _BOUND_WORDS.get(language, ()))


def _joined(tokens: Iterable[_Token], characters: int) -> Iterator[Unit]:
    """Join lone marks to their words; a dash after a sentence belongs to the next word."""
    unit: Unit | None = None
    opened = False
    for token in tokens:
        opens = token.opens or (token.dash and unit is not None and unit.ends)
        if unit is None:
            unit, opened = token.unit, token.lone
        elif (opened or (token.lone and not opens)) and len(unit.text) + len(token.unit.text) < characters:
            unit, opened = _join(unit, token), opened and token.lone
        else:
            yield unit
            unit, opened = token.unit, token.lone and opens
    if unit is not None:
        yield unit


def _join(unit: Unit, token: _Token) -> Unit:
    other = token.unit
    weight = min(unit.weight, other.weight) if token.lone else other.weight
    ends = other.ends or (token.lone and unit.ends)
    return replace(unit, text=f"{unit.text} {other.text}", end=other.end, weight=weight, ends=ends)


def filled_times(utterance: Utterance) -> Iterator[tuple[Seconds, Seconds]]:
    """Return start and end of each word; unknown times are interpolated by the lengths of the words.

    Before the first known time and after the last one, words last as long as their length predicts.

    Raises:
        InputError: no time is known.
    """
    words = utterance.words
    times = [time for word in words for time in (word.start, word.end)]
    known = [place for place, time in enumerate(times) if time is not None]
    if not known:
        raise InputError(f"utterance {utterance.id!r}", "words without times", TIMES)
    filled = _interpolate(times, known, _steps(words))
    return zip(filled[::2], filled[1::2], strict=True)


def _steps(words: Sequence[Word]) -> list[int]:
    """Return the characters between each start or end and the next: those of the word, and 0 between two words."""
    return [step for word in words for step in (len(word.text), 0)]


def _interpolate(times: Sequence[Seconds | None], known: Sequence[int], steps: Sequence[int]) -> list[Seconds]:
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
