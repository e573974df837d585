"""Clean written text for training: repair damaged lines, and find lines that nobody would say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from asr_punct.errors import MissingExtraError
from asr_punct.text import clean

_CUT_QUOTE = re.compile(r"â€(?=\s|$)")
_TAG = re.compile(r"</?[a-z]+\d?/?>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\w)[*_]+|[*_]+(?!\w)")
_LOOSE_ACUTE = re.compile(r"(?<=i)o´(?=n\b)")
_CLITIC = r"(?:s|t|re|ve|ll|d|m)\b"
_LOOSE_APOSTROPHE = re.compile(rf"(?<=[A-Za-z])(?: ?(['’]) (?={_CLITIC})| (?=n?['’]{_CLITIC}))")
_SPELLED_OK = re.compile(r"\bO_K\b")
_SPEAKER = re.compile(r"^(?:Q(?=\s+[A-Z])|\]? ?(?:(?:Ma?c|La|De)?[A-Z][A-Z.'’-]+ ?){1,4}:)\s+")
_NUMBERING = re.compile(r"^\(?\d{1,3}[.)]\s+(?=[A-ZÁÉÍÓÚÑ¿¡«“\"—])")
_DOTS = re.compile(r"\.{4,}")
_FIRST_LETTER = re.compile(r"[^\w]*([^\W\d_])")
_CLOSING = "\"'»”’)]*"
_ENDS = tuple(".?!…")
_PAUSES = tuple(":;,—–-")
_SENTENCES = re.compile(r".*[.?!…][\"'»”’)\]]*(?=\s)")
_SYMBOLS = re.compile(r"[|{}\\=<>#~^\t_]")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S")
_LONG_WORD = re.compile(r"[^\W_]{31,}|([=*~-])\1{5,}")
_FEWEST_WORDS_KEPT = 8
_MOST_DIGITS = 0.3
_MOST_CAPITALS = 0.5
_MOST_FOREIGN = 0.1


def repaired(line: str, language: str) -> str:
    """Return the line in Unicode NFC without encoding errors, markup, numbering, speaker labels and split words.

    Args:
        line: written text.
        language: `es`, `eu` or `en`.
    """
    if not line.isascii():
        line = clean(_LOOSE_ACUTE.sub("ó", _fix_encoding(_CUT_QUOTE.sub("”", line))))
    if "<" in line:
        line = _TAG.sub("", line)
    if language == "en":
        line = _LOOSE_APOSTROPHE.sub(lambda match: match[1] or "", _SPELLED_OK.sub("OK", line))
        line = _SPEAKER.sub("", line)
    if "*" in line or "_" in line:
        line = _EMPHASIS.sub("", line)
    return " ".join(_DOTS.sub("...", _NUMBERING.sub("", line)).split())


def _fix_encoding(line: str) -> str:
    try:
        from ftfy import TextFixerConfig, fix_text
    except ImportError:
        raise MissingExtraError("repairing text", "train", "ftfy") from None
    return fix_text(line, TextFixerConfig(unescape_html=False, fix_character_width=False, uncurl_quotes=False))


def finished(line: str, ordered: bool) -> str:
    """Return a repaired line without the words after its last complete sentence, unless few words would remain.

    Args:
        line: a repaired line.
        ordered: whether the text is running text, in which a line may end within a sentence.
    """
    if _is_finished(line, ordered):
        return line
    complete = _SENTENCES.match(line)
    return complete[0] if complete and complete[0].count(" ") + 1 >= _FEWEST_WORDS_KEPT else line


def _is_finished(line: str, ordered: bool) -> bool:
    return line.rstrip(_CLOSING).endswith(_ENDS + _PAUSES if ordered else _ENDS)


def unfit(line: str, ordered: bool) -> str | None:
    """Return the reason not to train on a repaired line, if there is one; `ordered` as in `finished`."""
    letters = sum(map(str.isalpha, line))
    if not letters:
        return "no letters"
    foreign = sum(char.isalpha() and "\u0250" <= char < "\ufb00" for char in line)
    reasons = {
        "digits": sum(map(str.isdigit, line)) > _MOST_DIGITS * (len(line) - line.count(" ")),
        "address": _ADDRESS.search(line),
        "symbols": _SYMBOLS.search(line),
        "capitals": letters > 3 and sum(map(str.isupper, line)) > _MOST_CAPITALS * letters,
        "other script": foreign > _MOST_FOREIGN * letters,
        "remark": line[0] in "([" and line[-1] in ")]",
        "unfinished": not _is_finished(line, ordered),
        "long word": _LONG_WORD.search(line),
        "small start": not ordered and _starts_small(line),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def joined(lines: Iterable[str]) -> Iterator[str]:
    """Join the lines of running text that were broken within a sentence.

    A break is within a sentence if no mark is before it and a small letter follows.

    Args:
        lines: repaired lines of one block.
    """
    waiting = ""
    for line in lines:
        if waiting and (_is_finished(waiting, ordered=True) or not _starts_small(line)):
            yield waiting
            waiting = ""
        waiting = f"{waiting} {line}" if waiting else line
    if waiting:
        yield waiting


def _starts_small(line: str) -> bool:
    start = _FIRST_LETTER.match(line)
    return start is not None and start[1].islower()
