"""The line with the times of a cue: `00:01:02.500 --> 00:01:04.000`, and in SubRip a comma before the milliseconds.

A line that only looks like one has times that are not known (`NotATime`): `0:01 -> NaN:NaN` begins a cue too.
"""

import re

from asr_punct.formats.times import NotATime
from asr_punct.words import Seconds

ARROW = "-->"
_CLOCK = re.compile(r"(?:([0-9]{1,7}):)?([0-9]{1,2}):([0-9]{1,2})(?:[.,]([0-9]{1,9}))?")
_HOURS = "[0-9]+:[0-9]+:[0-9]+[.,0-9]*"
_WORD_TIME = re.compile(rf"<({_CLOCK.pattern})>")
_OTHER_ARROW = re.compile(r"(-{0,2} ?-> ?|[–—]+>|→)")
_LIKE_CLOCK = re.compile(r"[-+]?(?:[0-9]|NaN|undefined|:)(?:[0-9:.,;+-]|NaN|undefined)*", re.IGNORECASE)
_SRT_TIMES = re.compile(rf"{_HOURS} *{ARROW} *{_HOURS}")
Times = tuple[Seconds, Seconds]
"""Start and end of a cue."""


def clock_time(text: str, *, may_overflow: bool = False) -> Seconds:
    """Return the seconds of a clock; minutes and seconds above 59 are counted if they `may_overflow`, as players do."""
    match = _CLOCK.fullmatch(text)
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[:3]) if match else (0, 0, 0)
    if match is None or (max(minutes, seconds) > 59 and not may_overflow):
        return NotATime(text)
    return round(hours * 3600 + minutes * 60 + float(f"{seconds}.{match[4] or 0}"), 3)


def times_of_line(line: str, *, is_srt: bool) -> Times | None:
    """Return the times of a line, None if it is no line of times. SubRip's may have another arrow, such as `->`."""
    arrow = ARROW if ARROW in line else _other_arrow(line) if is_srt else None
    if not arrow:
        return None
    left, _, right = line.partition(arrow)
    start = left.replace(" ", "") if is_srt else left.strip()
    end = next(iter(right.split()), "")
    # a side that is empty is judged by the other one: `0:01 -->` begins a cue
    if not (_LIKE_CLOCK.fullmatch(start or end) and _LIKE_CLOCK.fullmatch(end or start)):
        return None
    return clock_time(start, may_overflow=is_srt), clock_time(end, may_overflow=is_srt)


def is_srt_times(line: str) -> bool:
    """Whether a line is one of times as SubRip writes it, with hours on both sides of the arrow."""
    return _SRT_TIMES.match(line.strip()) is not None


def _other_arrow(line: str) -> str | None:
    found = _OTHER_ARROW.search(line)
    return found[0] if found and ":" in line[: found.start()] else None


def has_word_time(text: str) -> bool:
    """Whether a text of WebVTT has times inside (`<00:00:01.500>`)."""
    return _WORD_TIME.search(text) is not None


def word_times(text: str) -> list[Seconds]:
    """Return the times inside a text of WebVTT."""
    return [clock_time(match[1]) for match in _WORD_TIME.finditer(text)]
