"""Written text made fit for training: what went wrong in its files is mended, lines that nobody would say are told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from asr_punct.text import clean

_CP1252 = {chr(code): bytes((code,)) for code in range(0x80, 0x100)} | {
    char: char.encode("cp1252") for char in "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
}
_MOJIBAKE = re.compile("â€.?|[ÂÃ][\x80-\xbf]", re.DOTALL)
_LIGATURES = dict(enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"), start=0xFB00))
_LIGATURED = re.compile("[\ufb00-\ufb06]")
_TAG = re.compile(r"</?[a-z]+\d?/?>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\w)[*_]+|[*_]+(?!\w)")
_LOOSE_ACUTE = re.compile(r"(?<=i)o´(?=n\b)")
_CLITIC = r"(?:s|t|re|ve|ll|d|m)\b"
_LOOSE_APOSTROPHE = re.compile(rf"(?<=[A-Za-z])(?: ?(['’]) (?={_CLITIC})| (?=n?['’]{_CLITIC}))")
_SPELLED_OK = re.compile(r"\bO_K\b")
_LABEL = re.compile(r"^(?:Q(?=\s+[A-Z])|\]? ?(?:(?:Ma?c|La|De)?[A-Z][A-Z.'’-]+ ?){1,4}:)\s+")
_NUMBERING = re.compile(r"^\(?\d{1,3}[.)]\s+(?=[A-ZÁÉÍÓÚÑ¿¡«“\"—])")
_LOWER_START = re.compile(r"[^\w]*[^\W\d_]")
_CLOSING = "\"'»”’)]*"
_ENDS = tuple(".?!…")
_PAUSES = tuple(":;,—–-")
_DOTS = re.compile(r"\.{4,}")
_SENTENCES = re.compile(r".*[.?!…][\"'»”’)\]]*(?=\s)")
_SYMBOLS = re.compile(r"[|{}\\=<>#~^\t_]")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S")
_LONG_WORD = re.compile(r"[^\W_]{31,}|([=*~-])\1{5,}")
_FEWEST_CUT = 8
_MOST_DIGITS = 0.3
_MOST_CAPITALS = 0.5
_MOST_FOREIGN = 0.1


def mended(line: str, language: str) -> str:
    """The line in Unicode NFC without mojibake, markup, numbering, speaker labels and spaces that split a word.

    Args:
        line: written text.
        language: `es`, `eu` or `en`.
    """
    if not line.isascii():
        line = _LIGATURED.sub(lambda match: _LIGATURES[ord(match[0])], _MOJIBAKE.sub(_decoded, line))
        line = clean(_LOOSE_ACUTE.sub("ó", line))
    if "<" in line:
        line = _TAG.sub("", line)
    if language == "en":
        line = _LOOSE_APOSTROPHE.sub(lambda match: match[1] or "", _SPELLED_OK.sub("OK", line))
        line = _LABEL.sub("", line)
    if "*" in line or "_" in line:
        line = _EMPHASIS.sub("", line)
    return " ".join(_DOTS.sub("...", _NUMBERING.sub("", line)).split())


def _decoded(match: re.Match[str]) -> str:
    """UTF-8 that was read as Windows-1252, read again; a quotation mark whose last byte was lost is a closing one."""
    try:
        return b"".join(_CP1252[char] for char in match[0]).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return "”" + match[0][2:].replace("\x9d", "") if match[0].startswith("â€") else match[0]


def finished(line: str, ordered: bool) -> str:
    """A mended line without what follows its last whole sentence; as it is where hardly anything would be left.

    Args:
        line: a mended line.
        ordered: running text, in which a line may end within a sentence.
    """
    if _is_finished(line, ordered):
        return line
    whole = _SENTENCES.match(line)
    return whole[0] if whole and whole[0].count(" ") + 1 >= _FEWEST_CUT else line


def _is_finished(line: str, ordered: bool) -> bool:
    return line.rstrip(_CLOSING).endswith(_ENDS + _PAUSES if ordered else _ENDS)


def unfit(line: str, ordered: bool) -> str | None:
    """Why a line is nothing that somebody would say, or None.

    Args:
        line: a mended line.
        ordered: running text, in which a line may end within a sentence.
    """
    letters = sum(map(str.isalpha, line))
    if not letters:
        return "no letters"
    if sum(map(str.isdigit, line)) > _MOST_DIGITS * (len(line) - line.count(" ")):
        return "digits"
    if _ADDRESS.search(line):
        return "address"
    if _SYMBOLS.search(line):
        return "symbols"
    if letters > 3 and sum(map(str.isupper, line)) > _MOST_CAPITALS * letters:
        return "capitals"
    if not line.isascii() and sum(map(_foreign, line)) > _MOST_FOREIGN * letters:
        return "other script"
    if line[0] in "([" and line[-1] in ")]":
        return "remark"
    if not _is_finished(line, ordered):
        return "unfinished"
    if _LONG_WORD.search(line):
        return "long word"
    if not ordered and _goes_on(line):
        return "small start"
    return None


def _foreign(char: str) -> bool:
    return char.isalpha() and "\u0250" <= char < "\ufb00"


def joined(lines: Iterable[str]) -> Iterator[str]:
    """Running text with those lines joined that were broken within a sentence.

    They are told by a line without a mark at its end and a small letter at the beginning of the next.

    Args:
        lines: mended lines of one block.
    """
    waiting = ""
    for line in lines:
        if waiting and (_is_finished(waiting, ordered=True) or not _goes_on(line)):
            yield waiting
            waiting = ""
        waiting = f"{waiting} {line}" if waiting else line
    if waiting:
        yield waiting


def _goes_on(line: str) -> bool:
    start = _LOWER_START.match(line)
    return start is not None and start[0][-1].islower()
