"""Character classes of written text.

A token is scanned by its *shape*: a string of the same length with one character for the class of each code point, so
that one small regular expression serves all scripts:

    a A o   letter: lower case, upper case, no case   0    digit or other number
    m       combining or formatting character        %    symbol that is pronounced
    . , ; : ? ! ¿ ¡ …      that mark                 - –  hyphen (or minus), dash
    |   period that is in no number or abbreviation
    « »     quotation mark that opens, closes        "    quotation mark without a side
    ' 6 9 ` apostrophe or quotation mark: ' ‘ ’ `    ( )  bracket
    / _ · * character that may join parts of a word  x    anything else
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from asr_punct.languages import LANGUAGES
from asr_punct.marks import MARKS, Kind, Mark

_READ_OTHERWISE = (Kind.DASH, Kind.QUOTE, Kind.ELLIPSIS)
MARK_OF = {mark.glyph: mark for mark in MARKS if mark.kind not in _READ_OTHERWISE} | {"|": Mark.PERIOD}
"""Marks of the shapes that always have the same mark; `scanner` reads dashes, quotation marks and ellipses."""
MARK_SHAPES = "".join(MARK_OF) + "…-–«»\"'69`"
"""Shapes of all marks and quotation marks."""
_CLASSES = {char: char for char in (*MARK_OF, *"`/_·*")} | {
    ".": ".．",
    "|": "॥。" + "".join(sorted({each.period for each in LANGUAGES.values()} - {Mark.PERIOD.glyph})),
    ",": ",，،、",
    ";": ";；؛",
    ":": ":：",
    "?": "?？؟",
    "!": "!！",
    "…": "…‥⋯",
    "-": "-‐‑−－",
    "–": "‒–—―⸺⸻",
    "«": "«“„‟‹",
    "»": "»”›",
    '"': '"＂″',
    "'": "'´′",
    "6": "‘‛",
    "9": "’",
    "(": "([{",
    ")": ")]}",
    "%": "%‰€$£&+=@°§#",
}
_SHAPES_OF = {mark: mark.glyph for mark in MARKS} | {
    Mark.PERIOD: ".|",
    Mark.DASH: "-–",
    Mark.OPEN_DASH: "-–",
    Mark.OPEN_QUOTE: "«6\"'`",
    Mark.QUOTE: "»9\"'`",
}
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ud800-\udfff]")


class _Shapes(dict[int, str]):
    """Class of every code point, computed on first use."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char.isalpha():
            shape = "A" if char != char.lower() else "a" if char != char.upper() else "o"
        elif char.isnumeric():
            shape = "0"
        else:
            category = unicodedata.category(char)
            shape = "m" if category[0] == "M" or category == "Cf" else "x"
        self[code] = shape
        return shape


_SHAPES = _Shapes({ord(char): shape for shape, chars in _CLASSES.items() for char in chars})


def characters_of(marks: Iterable[Mark]) -> str:
    """Return the characters that may be read as one of the marks."""
    return "".join(dict.fromkeys(_CLASSES[shape] for mark in marks for shape in _SHAPES_OF[mark]))


def shape_of(token: str) -> str:
    """Return the classes of a token's code points, one character each."""
    return token.translate(_SHAPES)


def clean(text: str, dropped: Counter[str] | None = None) -> str:
    """Return NFC text without zero-width characters, soft hyphens, byte order marks and lone surrogates.

    `dropped` counts the removed characters.
    """
    if text.isascii():
        return text
    if dropped is not None:
        dropped.update(_INVISIBLE.findall(text))
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
