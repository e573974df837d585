"""Cues by an exact dynamic programme over the places where they may break.

A cue is consecutive words of one channel of a recording. It is allowed if its lines keep `characters` and `lines` of
the limits, its words last at most `most_seconds`, and one speaker says them; a word alone is always allowed. Of all
ways to cut the channel into allowed cues that one is taken whose sum of these costs is the least:

* each cue: `CUE`;
* its break, after its last word: the word's weight (`units`: 0 after `. ? !`, 2 after `; : … –`, 3 after a comma, 8
  after no mark and 12 where the word belongs to the next one; at the end of an utterance at most 3) times 1 - pause /
  `LONG_PAUSE`, nothing where the pause is longer; the channel's last break costs nothing;
* inside it: `SENTENCE_INSIDE` for each end of a sentence, `PAUSE_INSIDE` for each second of a pause above
  `SHORT_PAUSE`;
* `TOO_SHORT` times the part of `least_seconds` that it is not shown;
* `TOO_FAST` for each full line (`characters`) more than can be read at `speed` while it is shown;
* its lines (`lines.break_lines`).

A lone mark stays with its word (`units.Units`). A cue is shown from the start of its first word to the end of its last,
longer where it would be too short or too fast (`linger`) or where the time to the next cue would be below `closed`, and
never into the `gap` before the next one's start: its time depends on its own words and the start of the next, so the
programme is exact.

For each word it looks back over the words that one cue can hold, so that time is linear in the number of words. Cues
come out as soon as all the best ways that can still be chosen agree on them. Where they do not over `LOOK_BACK`
words, the best one so far is taken, so that memory is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter

from asr_punct.marks import Glyphs
from asr_punct.subtitles.limits import Limits
from asr_punct.subtitles.lines import break_lines
from asr_punct.subtitles.units import Unit, Units
from asr_punct.words import Seconds, Utterance

CUE = 2.0
LONG_PAUSE: Seconds = 1.0
SENTENCE_INSIDE = 3.0
SHORT_PAUSE: Seconds = 0.5
PAUSE_INSIDE = 4.0
TOO_SHORT = 6.0
TOO_FAST = 4.0
LOOK_BACK = 4096
_CHECKED = 256
"""Words after which it is looked which cues all ways agree on."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle.

    Attributes:
        start: when it appears, in seconds.
        end: when it goes.
        lines: its text.
        recording: what it is of.
        speaker: who says it, as in `Utterance`.
    """

    start: Seconds
    end: Seconds
    lines: tuple[str, ...]
    recording: str = ""
    speaker: str = ""


def make_cues(utterances: Iterable[Utterance], limits: Limits, glyphs: Glyphs) -> Iterator[Cue]:
    """Cues of utterances with labels, lazily, a recording after the other.

    Those of one channel do not overlap, and come in the order of time; before, between or after them come those of the
    recording's other channels. A cue may hold words of several utterances of one speaker. Words without times lie
    between those that have some, by their lengths (`units.filled_times`).

    Args:
        utterances: those of a recording follow each other, those of each of its channels in the order of time.
        limits: what a cue may be.
        glyphs: how words are written.

    Raises:
        InputError: an utterance has no times at all, or is not in the order of time.
    """
    for recording, group in groupby(utterances, key=attrgetter("recording")):
        channels: dict[str, _Channel] = {}
        for utterance in group:
            if utterance.channel not in channels:
                channels[utterance.channel] = _Channel(limits, glyphs, recording)
            yield from channels[utterance.channel].push(utterance)
        for channel in channels.values():
            yield from channel.rest()


class _Channel:
    """The cues of one channel, whose utterances it takes one by one."""

    def __init__(self, limits: Limits, glyphs: Glyphs, recording: str) -> None:
        self._units = Units(glyphs, limits.characters)
        self._programme = Programme(limits, recording)

    def push(self, utterance: Utterance) -> Iterator[Cue]:
        """Take in an utterance; the cues that are certain now."""
        for unit in self._units.push(utterance):
            yield from self._programme.push(unit)

    def rest(self) -> Iterator[Cue]:
        """All cues that have not come out."""
        for unit in self._units.rest():
            yield from self._programme.push(unit)
        yield from self._programme.rest()


def _end(start: Seconds, said: Seconds, length: int, following: Seconds | None, limits: Limits) -> Seconds:
    """When a cue goes.

    Args:
        start: of its first word.
        said: end of its last word.
        length: its characters, line breaks counted as spaces.
        following: start of the word after it, or None.
        limits: what a cue may be.
    """
    end = max(said, start + limits.least_seconds, min(start + length / limits.speed, said + limits.linger))
    if following is not None:
        if following - end < limits.closed:
            end = following
        end = min(end, max(following - limits.gap, (start + following) / 2))
    return min(end, start + limits.most_seconds)


class Programme:
    """The cheapest cues of the units of one channel, which it takes one by one.

    It holds units, and for every place between them the cheapest way to it and its last break.

    Args:
        limits: what a cue may be.
        recording: what the cues are of.
    """

    def __init__(self, limits: Limits, recording: str = "") -> None:
        self._limits, self._recording = limits, recording
        self._last: Unit | None = None
        self._units: list[Unit] = []
        self._following: list[Seconds | None] = []
        self._cost, self._back = [0.0], [0]
        self._room = limits.lines * (limits.characters + 1) - 1
        self._checked = _CHECKED

    def push(self, unit: Unit) -> Iterator[Cue]:
        """Take in a unit; the cues that are certain now."""
        self._reach(unit.start)
        self._last = unit
        if len(self._units) >= self._checked:
            yield from self._agreed()

    def rest(self) -> Iterator[Cue]:
        """All cues that have not come out."""
        self._reach(None)
        return self._release(len(self._units))

    def _reach(self, following: Seconds | None) -> None:
        """Find the cheapest way to the end of the last unit, now that it is known when the next one starts, if any."""
        if self._last is None:
            return
        self._units.append(self._last)
        self._following.append(following)
        cost, back = self._best(self._last, following)
        self._cost.append(cost)
        self._back.append(back)
        self._last = None

    def _best(self, last: Unit, following: Seconds | None) -> tuple[float, int]:
        """The cheapest way to the end of the units that are held, and where its last cue begins.

        Costs that take longer to compute are added only where the others leave a chance: none is below 0.
        """
        best, back = math.inf, 0
        for cost, first, length in sorted(self._breaks(last, following)):
            if cost >= best:
                break
            start = self._units[first].start
            cost += _badly_shown(_end(start, last.end, length, following, self._limits) - start, length, self._limits)
            if cost < best:
                cost += self._lines(first, len(self._units))[0]
            if cost < best:
                best, back = cost, first
        return best, back

    def _breaks(self, last: Unit, following: Seconds | None) -> Iterator[tuple[float, int, int]]:
        """For every place where a cue that ends here may begin: the costs up to it and of breaks, it, characters."""
        units, most, after = self._units, self._limits.most_seconds, last
        fixed = CUE + (0.0 if following is None else last.weight * max(0.0, 1 - (following - last.end) / LONG_PAUSE))
        length = -1
        for first in range(len(units) - 1, -1, -1):
            unit = units[first]
            length += len(unit.text) + 1
            if unit is not last:
                if length > self._room or last.end - unit.start > most or unit.speaker != last.speaker:
                    break
                fixed += _inside(unit, after)
            yield self._cost[first] + fixed, first, length
            after = unit

    def _lines(self, first: int, end: int) -> tuple[float, tuple[int, ...]]:
        chosen = self._units[first:end]
        return break_lines([len(unit.text) for unit in chosen], [unit.weight for unit in chosen], self._limits)

    def _agreed(self) -> Iterator[Cue]:
        """The cues that all ways to the places where the next cue may begin have in common."""
        end = len(self._units)
        places = set(range(max(0, end - self._room), end + 1))
        while len(places) > 1:
            latest = max(places)
            places.remove(latest)
            places.add(self._back[latest])
        place = places.pop()
        if not place and end >= LOOK_BACK:
            place = end
            while place > end - self._room:
                place = self._back[place]
        yield from self._release(place)
        self._checked = len(self._units) + _CHECKED

    def _release(self, end: int) -> Iterator[Cue]:
        """The cues of the best way to a place, and no more of them held."""
        places = [end]
        while places[-1]:
            places.append(self._back[places[-1]])
        places.reverse()
        for first, after in pairwise(places):
            yield self._cue(first, after)
        del self._units[:end], self._following[:end], self._cost[:end]
        self._back = [max(0, place - end) for place in self._back[end:]]

    def _cue(self, first: int, end: int) -> Cue:
        units = self._units[first:end]
        bounds = (0, *self._lines(first, end)[1], len(units))
        lines = tuple(" ".join(unit.text for unit in units[a:b]) for a, b in pairwise(bounds))
        length = sum(map(len, lines)) + len(lines) - 1
        stop = _end(units[0].start, units[-1].end, length, self._following[end - 1], self._limits)
        return Cue(units[0].start, round(stop, 3), lines, self._recording, units[0].speaker)


def _inside(unit: Unit, following: Unit) -> float:
    """Cost of what a cue does not break at, though it might."""
    pause = following.start - unit.end
    return SENTENCE_INSIDE * unit.ends + (PAUSE_INSIDE * (pause - SHORT_PAUSE) if pause > SHORT_PAUSE else 0.0)


def _badly_shown(seconds: Seconds, length: int, limits: Limits) -> float:
    """Cost of a time that is too short, for eyes or for its text."""
    short = max(0.0, 1 - seconds / limits.least_seconds) if limits.least_seconds else 0.0
    return TOO_SHORT * short + TOO_FAST * max(0.0, length - limits.speed * seconds) / limits.characters
