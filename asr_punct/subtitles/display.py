"""When cues are shown.

A cue is shown from the start of its first word until its last word ends, or longer: for `min_seconds`, or up to
`linger` more to be read at `speed`. If less than `closed_gap` then remains before the next cue, it ends `min_gap`
before that one, but is shown for at least half of the time between their starts. It is never shown for more than
`max_seconds`. The last two rules can end it before its last word does.

Where people speak fast, or at once, a cue has less time than it takes to read, and the next one may have more. So a cue
may begin up to `MAX_DELAY` after its first word. The delays of all cues of a channel are those with the lowest sum of
costs, found by dynamic programming: the cost of the display times (`display_cost`), `OVER_LIMIT` for each cue that is
too short or too fast, and `DELAY` for each second of delay.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from asr_punct.subtitles.limits import Limits
from asr_punct.words import Seconds

TOO_SHORT = 15.0
TOO_FAST = 4.0
OVER_LIMIT = 0.5
DELAY = 0.5
MAX_DELAY: Seconds = 0.5
_STEP: Seconds = 0.1
"""Delays are multiples of it."""
_LATEST: Seconds = 1.0
"""No delay makes a word later than this."""
_ROUNDING = 1e-6
"""A cost of less is an error of rounding."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the display time of a cue depends on.

    Attributes:
        start: start of its first word.
        end: end of its last word.
        characters: its length, with spaces.
        late: seconds by which a word of it is said before `start`, because others spoke at once.
    """

    start: Seconds
    end: Seconds
    characters: int
    late: Seconds


_END = Spoken(math.inf, math.inf, 0, math.inf)
"""What follows the last cue."""


def end_time(cue: Spoken, following: Seconds, limits: Limits) -> Seconds:
    """Return when a cue disappears; the next one is shown at `following`, infinite after the last cue."""
    read = min(cue.start + cue.characters / limits.speed, cue.end + limits.linger)
    until = max(cue.end, cue.start + limits.min_seconds, read)
    if following - until < limits.closed_gap:
        until = following
    until = min(until, max(following - limits.min_gap, (cue.start + following) / 2))
    return min(until, cue.start + limits.max_seconds)


def display_cost(seconds: Seconds, characters: int, limits: Limits) -> float:
    """Return the cost of a display time that is too short for a cue, or for reading its text.

    It is `TOO_SHORT` times the share of `min_seconds` by which it is too short, and `TOO_FAST` · (characters that
    cannot be read at `speed`) / `characters` of a line.
    """
    too_fast = max(0.0, characters - limits.speed * seconds) / limits.characters
    return TOO_SHORT * max(0.0, 1 - seconds / limits.min_seconds) + TOO_FAST * too_fast


def display_times(cues: Sequence[Spoken], limits: Limits) -> list[tuple[Seconds, Seconds]]:
    """Return when each cue of a channel, in order, is shown and disappears."""
    costs = {0.0: 0.0}  # of the cues before this one, by its delay
    before = list[dict[Seconds, Seconds]]()  # the best delay of each cue, by that of the next one
    for cue, following in pairwise([*cues, _END]):
        needs_none = len(costs) == 1 and _cost(cue, 0.0, following.start, limits) == 0
        best = {
            delay: min(
                (cost + _cost(cue, own, following.start + delay, limits) + DELAY * delay, own)
                for own, cost in costs.items()
            )
            for delay in ((0.0,) if needs_none else _delays(following))
        }
        costs = {delay: cost for delay, (cost, _) in best.items()}
        before.append({delay: own for delay, (_, own) in best.items()})
    times, delay, following_start = list[tuple[Seconds, Seconds]](), 0.0, _END.start
    for cue, choice in zip(reversed(cues), reversed(before), strict=True):
        delay = choice[delay]
        shown = _delayed(cue, delay)
        times.append((shown.start, end_time(shown, following_start, limits)))
        following_start = shown.start
    return times[::-1]


def _delays(cue: Spoken) -> tuple[Seconds, ...]:
    most = max(0.0, min(MAX_DELAY, _LATEST - cue.late))
    return tuple(round(step * _STEP, 3) for step in range(int(most / _STEP + 1e-9) + 1))


def _delayed(cue: Spoken, delay: Seconds) -> Spoken:
    return replace(cue, start=round(cue.start + delay, 3)) if delay else cue


def _cost(cue: Spoken, delay: Seconds, following: Seconds, limits: Limits) -> float:
    shown = _delayed(cue, delay)
    if shown.start > following:
        return math.inf
    cost = display_cost(end_time(shown, following, limits) - shown.start, cue.characters, limits)
    return cost + OVER_LIMIT * (cost > _ROUNDING)
