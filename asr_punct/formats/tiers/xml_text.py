"""Escape text for XML."""

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from asr_punct.errors import InputError

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 cannot contain, not even escaped."""


def escape_xml(text: str) -> str:
    """Return the text for an element or an attribute. Raises InputError for a character that XML cannot contain."""
    if found := _NO_XML.search(text):
        raise InputError(f"the text {text[:40]!r}", f"the character {found[0]!r}", "characters that XML can contain")
    return escape(text, {'"': "&quot;"})


def attributes(values: Mapping[str, str]) -> str:
    """Return the attributes as XML (` name="value"`), each with a space before it."""
    return "".join(f' {name}="{escape_xml(value)}"' for name, value in values.items())
