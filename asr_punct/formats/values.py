"""Values of text formats: seconds, names of one token, XML; and how errors show a value."""

import math
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from asr_punct.encoding import visible
from asr_punct.errors import InputError
from asr_punct.words import Seconds

Object = Mapping[str, Any]
"""A JSON object."""
MAX_TIME = 10**10
"""Maximum time in seconds, also the maximum of other numbers in JSON. A float of that size resolves milliseconds."""
_SHORT = 80
"""Maximum number of characters of a value in an error message."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 cannot contain, not even escaped."""


def short_repr(value: object) -> str:
    """Return the value as errors show it, cut to 80 characters, with `…` if it is longer."""
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def parse_seconds(text: str, place: str, name: str) -> Seconds:
    """Parse seconds from 0 to `MAX_TIME`. Raises InputError with `place` and `name` (`start`) for other text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= MAX_TIME:
        raise InputError(place, f"{name} {text!r}", f"a number of seconds, 0 or more and at most {MAX_TIME}")
    return value


def format_clock(seconds: Seconds, point: str = ".") -> str:
    """Format seconds as `01:02:03.500`."""
    minutes, ms = divmod(round(seconds * 1000), 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{ms // 1000:02}{point}{ms % 1000:03}"


def format_seconds(value: Seconds) -> str:
    """Format seconds with two to six decimals (`0.30`, `1.25`, `0.000001`)."""
    whole, _, decimals = f"{value:.6f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"


def one_token(name: str) -> str:
    """Return the name with `_` for white space, so that it is one column."""
    return re.sub(r"\s+", "_", name)


def escape_xml(text: str) -> str:
    """Return the text for an element or an attribute, with U+FFFD for bytes that were not UTF-8.

    Raises InputError for a character that XML cannot contain.
    """
    text = visible(text)
    if found := _NO_XML.search(text):
        raise InputError(f"the text {text[:40]!r}", f"the character {found[0]!r}", "characters that XML can contain")
    return escape(text, {'"': "&quot;"})


def xml_attributes(values: Mapping[str, str]) -> str:
    """Return the attributes as XML (` name="value"`), each with a space before it."""
    return "".join(f' {name}="{escape_xml(value)}"' for name, value in values.items())
