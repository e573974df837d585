"""Parse XML without document types, and escape text for XML.

A file can make a parser expand entities or read other files only by a document type declaration, so it is refused.
"""

import re
from collections.abc import Mapping
from typing import Protocol
from xml.parsers import expat
from xml.sax.saxutils import escape

from asr_punct.errors import InputError

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 cannot contain, not even escaped."""


class Handler(Protocol):
    """Receives the elements of a document in order; positions are byte offsets."""

    def start(self, name: str, attributes: Mapping[str, str], position: int, line: int) -> None:
        """Handle a start tag, with its position and line."""

    def end(self, name: str, position: int) -> None:
        """Handle an end tag."""

    def text(self, text: str) -> None:
        """Handle text; consecutive text may come in several calls."""


def parse_xml(content: bytes, handler: Handler, place: str) -> None:
    """Pass the elements of a UTF-8 document to the handler.

    Raises InputError if the document is not well-formed, or declares a document type.
    """
    parser = expat.ParserCreate(encoding="utf-8")

    def refuse(*_: object) -> None:
        found = "a document type declaration"
        raise InputError(f"{place}:{parser.CurrentLineNumber}", found, "XML without one (entities are not read)")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: handler.start(
        name, attributes, parser.CurrentByteIndex, parser.CurrentLineNumber
    )
    parser.EndElementHandler = lambda name: handler.end(name, parser.CurrentByteIndex)
    parser.CharacterDataHandler = handler.text
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise InputError(f"{place}:{error.lineno}", expat.ErrorString(error.code), "well-formed XML") from None


def escape_xml(text: str) -> str:
    """Return the text for the content of an element or for an attribute in double quotes.

    Raises InputError if the text has a character that XML cannot contain.
    """
    if found := _NO_XML.search(text):
        raise InputError(f"the text {text[:40]!r}", f"the character {found[0]!r}", "characters that XML can contain")
    return escape(text, {'"': "&quot;"})


def attributes(values: Mapping[str, str]) -> str:
    """Return attributes with a space before each."""
    return "".join(f' {name}="{escape_xml(value)}"' for name, value in values.items())
