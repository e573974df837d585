"""Clean written text for training: repair damaged lines, and find lines that are unfit for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from asr_punct.text import clean

_EMPHASIS = re.compile(r"(?<!\w)[*_]+|[*_]+(?!\w)")  # *word*, _word_
_CLITIC = r"(?:s|t|re|ve|ll|d|m)\b"
_LOOSE_APOSTROPHE = re.compile(rf"(?<=[A-Za-z])(?: ?(['’]) (?={_CLITIC})| (?=n?['’]{_CLITIC}))")  # don’ t, we 're
_SPEAKER = re.compile(r"^(?:Q(?=\s+[A-Z])|\]? ?(?:(?:Ma?c|La|De)?[A-Z][A-Z.'’-]+ ?){1,4}:)\s+")  # MR. SMITH: and Q
_NUMBERING = re.compile(r"^\(?\d{1,3}[.)]\s+(?=[A-ZÁÉÍÓÚÑ¿¡«“\"—])")  # 12. and (3) before a capital
_FIRST_LETTER = re.compile(r"[^\w]*([^\W\d_])")
_CLOSING = "\"'»”’)]*"
_SENTENCE_ENDS = tuple(".?!…")
_CLAUSE_ENDS = tuple(":;,—–-")
_SYMBOLS = re.compile(r"[|{}\\=<>#~^\t_]")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S")
_MAX_DIGIT_SHARE = 0.3
_MAX_CAPITAL_SHARE = 0.5


def repaired(line: str, language: str) -> str:
    """Return the line in NFC, without markup, numbering, speaker labels and English detached apostrophes (`it 's`).

    Args:
        line: written text.
        language: `es`, `eu` or `en`.
    """
    line = clean(line)
    if language == "en":
        line = _SPEAKER.sub("", _LOOSE_APOSTROPHE.sub(lambda match: match[1] or "", line))
    if "*" in line or "_" in line:
        line = _EMPHASIS.sub("", line)
    return " ".join(_NUMBERING.sub("", line).split())


def join_broken_lines(lines: Iterable[str]) -> Iterator[str]:
    """Join lines of running text that were broken within a sentence.

    A break is within a sentence if no punctuation precedes it and a lower-case letter follows.

    Args:
        lines: repaired lines of one block.
    """
    waiting = ""
    for line in lines:
        if waiting and (_is_finished(waiting, running_text=True) or not _starts_lower_case(line)):
            yield waiting
            waiting = ""
        waiting = f"{waiting} {line}" if waiting else line
    if waiting:
        yield waiting


def reason_to_drop(line: str, running_text: bool) -> str | None:
    """Return the reason not to train on a repaired line, or None.

    Args:
        line: a repaired line.
        running_text: whether lines continue each other, so that a line may end within a sentence.
    """
    letters = sum(map(str.isalpha, line))
    if not letters:
        return "no letters"
    if sum(map(str.isdigit, line)) > _MAX_DIGIT_SHARE * (len(line) - line.count(" ")):
        return "digits"
    if _ADDRESS.search(line):
        return "address"
    if _SYMBOLS.search(line):
        return "symbols"
    if letters > 3 and sum(map(str.isupper, line)) > _MAX_CAPITAL_SHARE * letters:
        return "capitals"
    if line[0] in "([" and line[-1] in ")]":
        return "remark"
    if not _is_finished(line, running_text):
        return "unfinished"
    if not running_text and _starts_lower_case(line):
        return "lower-case start"
    return None


def _is_finished(line: str, running_text: bool) -> bool:
    return line.rstrip(_CLOSING).endswith(_SENTENCE_ENDS + _CLAUSE_ENDS if running_text else _SENTENCE_ENDS)


def _starts_lower_case(line: str) -> bool:
    start = _FIRST_LETTER.match(line)
    return start is not None and start[1].islower()
