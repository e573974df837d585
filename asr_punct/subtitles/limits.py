"""What a subtitle may be: how long its lines are, how long it stays, how fast it reads; two published sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from asr_punct.errors import AsrPunctError
from asr_punct.words import Seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a cue. Those of lines and `most_seconds` are kept wherever that can be; the others as far as they can.

    Attributes:
        characters: the longest line, marks and spaces counted.
        lines: the most lines of a cue.
        least_seconds: the shortest time that a cue stays.
        most_seconds: the longest.
        speed: the fastest reading, in characters a second, spaces counted.
        gap: the least time between two cues.
        closed: a shorter time between two cues is closed, down to `gap`: the earlier one stays.
        linger: so long a cue may stay after its last word, to be read at `speed`.

    Raises:
        AsrPunctError: a limit that cannot be kept.
    """

    characters: int
    lines: int
    least_seconds: Seconds
    most_seconds: Seconds
    speed: float
    gap: Seconds
    closed: Seconds
    linger: Seconds

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if not least <= value <= most:
                raise AsrPunctError(f"--subtitles: found {name}={value:g}, expected {least:g} to {most:g}")
        if self.least_seconds >= self.most_seconds:
            found = f"least_seconds={self.least_seconds:g} and most_seconds={self.most_seconds:g}"
            raise AsrPunctError(f"--subtitles: found {found}, expected the first below the second")


_RANGES = (
    ("characters", 8, 200),
    ("lines", 1, 4),
    ("least_seconds", 0, 10),
    ("most_seconds", 0.5, 60),
    ("speed", 1, 1000),
    ("gap", 0, 1),
    ("closed", 0, 10),
    ("linger", 0, 10),
)
"""Of each limit the least and the most: what is longer would need more memory and time than subtitles are worth."""

NETFLIX = Limits(
    characters=42, lines=2, least_seconds=5 / 6, most_seconds=7, speed=17, gap=2 / 24, closed=0.5, linger=0.5
)
"""Timed Text Style Guide of Netflix, General Requirements and the guide for Spanish (partnerhelp.netflixstudios.com).

42 characters a line, 2 lines, 5/6 s to 7 s, 2 frames between cues (here of 24 a second), 17 characters a second for
adults (20 in the guide for English), out-times at most 12 frames after the sound. Gaps of 3 to 11 frames are closed.
"""

BBC = Limits(characters=37, lines=2, least_seconds=1, most_seconds=7, speed=15, gap=0, closed=1, linger=1.5)
"""BBC Subtitle Guidelines (bbc.co.uk/accessibility/forproducts/guides/subtitles).

37 characters a line, 2 lines, 160 to 180 words a minute (180 of five characters each are 15 characters a second), gaps
of 1 s or none, at most 1.5 s after the sound. They name no shortest and no longest time: those here are ours.
"""

PRESETS = {"netflix": NETFLIX, "bbc": BBC}
LIMIT_NAMES = tuple(field.name for field in fields(Limits))


def parse_limits(text: str) -> Limits:
    """Limits by the name of a preset, and changes to it: `netflix`, `bbc,characters=32,lines=1`.

    Raises:
        AsrPunctError: there is no such preset or limit, or a value is no number in its range.
    """
    name, *changes = (part.strip() for part in text.split(","))
    if name not in PRESETS:
        expected = f"{' or '.join(PRESETS)}, then perhaps changes as in netflix,characters=32"
        raise AsrPunctError(f"--subtitles: found {name!r}, expected {expected}")
    values: dict[str, Any] = dict(map(_change, changes))
    return replace(PRESETS[name], **values)


def _change(text: str) -> tuple[str, int | float]:
    name, _, value = text.partition("=")
    kinds = {field.name: int if field.type == "int" else float for field in fields(Limits)}
    if name not in kinds:
        raise AsrPunctError(f"--subtitles: found {text!r}, expected one of {' '.join(kinds)} and =NUMBER")
    try:
        number = kinds[name](value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        kind = "a whole number" if kinds[name] is int else "a number"
        raise AsrPunctError(f"--subtitles: found {text!r}, expected {name}= and {kind}")
    return name, number
