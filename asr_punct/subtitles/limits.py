"""Limits of subtitles: length of lines, display time, reading speed. Two published sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from asr_punct.errors import AsrPunctError
from asr_punct.words import Seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a cue: `characters`, `lines` and `most_seconds` are hard limits, the others are kept where possible.

    Attributes:
        characters: characters of the longest line, with spaces.
        lines: most lines of a cue.
        least_seconds: shortest display time.
        most_seconds: longest display time.
        speed: fastest reading, in characters per second, with spaces.
        gap: shortest time between two cues.
        closed: a shorter time between two cues is reduced to `gap` by showing the earlier cue longer.
        linger: longest time that a cue is shown after its last word, to be read at `speed`.
    """

    characters: int
    lines: int
    least_seconds: Seconds
    most_seconds: Seconds
    speed: float
    gap: Seconds
    closed: Seconds
    linger: Seconds


NETFLIX = Limits(
    characters=42, lines=2, least_seconds=5 / 6, most_seconds=7, speed=17, gap=2 / 24, closed=0.5, linger=0.5
)
"""Timed Text Style Guide of Netflix, General Requirements and the guide for Spanish (partnerhelp.netflixstudios.com).

42 characters a line, 2 lines, 5/6 s to 7 s, 2 frames between cues (24 frames per second), 17 characters per second for
adults (20 in the guide for English), out-times at most 12 frames after the sound. Gaps of 3 to 11 frames are closed.
"""

BBC = Limits(characters=37, lines=2, least_seconds=1, most_seconds=7, speed=15, gap=0, closed=1, linger=1.5)
"""BBC Subtitle Guidelines (bbc.co.uk/accessibility/forproducts/guides/subtitles).

37 characters a line, 2 lines, 160 to 180 words per minute (180 words of five characters are 15 characters per second),
gaps of 1 s or none, at most 1.5 s after the sound. The shortest and longest times are ours.
"""

PRESETS = {"netflix": NETFLIX, "bbc": BBC}
_RANGES: Mapping[str, tuple[float, float]] = {"characters": (8, 200), "lines": (1, 4), "speed": (1, 1000)}
LIMIT_NAMES = tuple(_RANGES)
"""Limits that the option `--subtitles` can change."""


def parse_limits(text: str) -> Limits:
    """Parse the name of a preset with optional changes: `netflix`, `bbc,characters=32,lines=1`.

    Raises:
        AsrPunctError: an unknown preset or limit, or a value outside its range.
    """
    name, *changes = (part.strip() for part in text.split(","))
    if name not in PRESETS:
        expected = f"{' or '.join(PRESETS)}, with optional changes as in netflix,characters=32"
        raise AsrPunctError(f"--subtitles: found {name!r}, expected {expected}")
    limits = PRESETS[name]
    for change in changes:
        limits = _changed(limits, change)
    return limits


def _changed(limits: Limits, change: str) -> Limits:
    name, _, value = change.partition("=")
    if name not in _RANGES:
        raise AsrPunctError(f"--subtitles: found {change!r}, expected one of {' '.join(_RANGES)} and =NUMBER")
    least, most = _RANGES[name]
    try:
        number = float(value) if name == "speed" else int(value)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        kind = "a number" if name == "speed" else "a whole number"
        raise AsrPunctError(f"--subtitles: found {change!r}, expected {name}= and {kind} from {least:g} to {most:g}")
    changed: dict[str, Any] = {name: number}
    return replace(limits, **changed)
