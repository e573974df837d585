"""Limits of subtitles: length of lines, display time, reading speed. Three published sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from asr_punct.errors import ArgumentError
from asr_punct.languages import LANGUAGES
from asr_punct.words import Seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a cue: `characters`, `lines` and `max_seconds` are hard limits, the others are kept where possible.

    Attributes:
        characters: maximum characters of a line, with spaces.
        lines: maximum lines of a cue.
        min_seconds: shortest display time.
        max_seconds: longest display time.
        speed: fastest reading, in characters per second, with spaces.
        min_gap: shortest time between two cues.
        closed_gap: a shorter time between two cues is reduced to `min_gap` by showing the earlier cue longer.
        linger: longest time that a cue is shown after its last word, to be read at `speed`.
        dash: text before each line of a cue with several speakers.
        speeds: `speed` for other languages, by language.
    """

    characters: int
    lines: int
    min_seconds: Seconds
    max_seconds: Seconds
    speed: float
    min_gap: Seconds
    closed_gap: Seconds
    linger: Seconds
    dash: str = "-"
    speeds: Mapping[str, float] = field(default_factory=dict, hash=False)

    def of_language(self, language: str) -> Limits:
        """Return the limits for a language."""
        return replace(self, speed=self.speeds.get(language, self.speed), speeds={})


NETFLIX = Limits(
    characters=42,
    lines=2,
    min_seconds=5 / 6,
    max_seconds=7,
    speed=17,
    min_gap=2 / 24,
    closed_gap=0.5,
    linger=0.5,
    speeds={code: speed for code, each in LANGUAGES.items() if (speed := each.reading_speeds.get("netflix"))},
)
"""Timed Text Style Guide of Netflix: General Requirements, and the guides for Spanish, Basque and English
(partnerhelp.netflixstudios.com).

5/6 to 7 s; two lines of 42 characters; two frames (of 24 a second) between cues; gaps of 3 to 11 frames are closed; a
cue ends at most 12 frames after the sound; two speakers of a cue have a line each, after a hyphen without a space. 20
characters a second for adults in English were read in a quotation of the guide. 17 in Spanish and Basque were not
checked.
"""

BBC = Limits(
    characters=37, lines=2, min_seconds=1, max_seconds=7, speed=15, min_gap=0, closed_gap=1, linger=1.5, dash="– "
)
"""BBC Subtitle Guidelines (bbc.co.uk/accessibility/forproducts/guides/subtitles).

Two lines; 160 to 180 words per minute (read in a quotation): 180 words of five characters are 15 characters per
second; a cue ends at most 1.5 s after speech. The length of a line is given as a share of the picture (68 % of 16:9);
37 characters are a line of Teletext. Shortest and longest display times, 1 and 7 s, and the dash are ours; the gap of
1 s was not checked.
"""

UNE = Limits(characters=37, lines=2, min_seconds=1, max_seconds=6, speed=15, min_gap=2 / 25, closed_gap=0.5, linger=1.5)
"""UNE 153010:2012, the Spanish standard of subtitles for deaf and hard of hearing people.

Two lines of 37 characters, and 15 characters a second. The standard is not free and was not read: the speed was read
in articles about it, and 37 characters are a line of Teletext. Display times and gaps are ours.
"""

PRESETS = {"netflix": NETFLIX, "bbc": BBC, "une": UNE}
_RANGES: Mapping[str, tuple[float, float]] = {"characters": (8, 200), "lines": (1, 4), "speed": (1, 1000)}
LIMIT_NAMES = tuple(_RANGES)
"""Limits that users can change."""


def parse_limits(text: str) -> Limits:
    """Parse the name of a preset with optional changes: `bbc,characters=32,lines=1`. Raises ArgumentError."""
    name, *changes = (part.strip() for part in text.split(","))
    if name not in PRESETS:
        expected = f"{', '.join(PRESETS)}, with optional changes as in netflix,characters=32"
        raise ArgumentError("subtitles", repr(name), expected)
    changed: dict[str, Any] = dict(map(_parse_change, changes))
    if "speed" in changed:
        changed["speeds"] = {}
    return replace(PRESETS[name], **changed)


def _parse_change(change: str) -> tuple[str, float]:
    name, _, value = change.partition("=")
    if name not in _RANGES:
        raise ArgumentError("subtitles", repr(change), f"one of {' '.join(_RANGES)} and =NUMBER")
    least, most = _RANGES[name]
    kind, parse = ("a number", float) if name == "speed" else ("a whole number", int)
    try:
        number = parse(value)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ArgumentError("subtitles", repr(change), f"{name}= and {kind} from {least:g} to {most:g}")
    return name, number
