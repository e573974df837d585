"""Values of text formats: seconds, time sources and names of one token."""

import math
import re
from typing import Any, cast, get_args

from asr_punct.errors import InputError
from asr_punct.words import TimeSource

MAX_TIME = 10**10
"""Maximum time in seconds, also the maximum of other numbers in JSON. A float of that size resolves milliseconds."""


def parse_seconds(text: str, place: str, name: str) -> float:
    """Parse seconds from 0 to `MAX_TIME`. Raises InputError with `place` and `name` (`start`) for other text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= MAX_TIME:
        raise InputError(place, f"{name} {text!r}", f"a number of seconds, 0 or more and at most {MAX_TIME}")
    return value


def parse_time_source(value: Any, place: str) -> TimeSource:
    """Check a time source that a file names. Raises InputError with `place` for other values."""
    if value not in get_args(TimeSource):
        raise InputError(place, f"times {value!r}", f"one of {' '.join(get_args(TimeSource))}")
    return cast(TimeSource, value)


def one_token(name: str) -> str:
    """Return the name with `_` for white space, so that it is one column."""
    return re.sub(r"\s+", "_", name)


def format_clock(seconds: float, point: str = ".") -> str:
    """Format seconds as `01:02:03.500`."""
    minutes, ms = divmod(round(seconds * 1000), 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{ms // 1000:02}{point}{ms % 1000:03}"


def format_seconds(value: float) -> str:
    """Format seconds with two to six decimals (`0.30`, `1.25`, `0.000001`)."""
    whole, _, decimals = f"{value:.6f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"
