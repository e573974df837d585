"""Clean written text for training: repair damaged lines, and find lines that are unfit for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from asr_punct.errors import MissingExtraError
from asr_punct.text import clean

_CUT_QUOTE = re.compile(r"â€(?=\s|$)")  # ” in the wrong encoding, its last byte lost
_TAG = re.compile(r"</?[a-z]+\d?/?>", re.IGNORECASE)  # <sub>, <br/>
_EMPHASIS = re.compile(r"(?<!\w)[*_]+|[*_]+(?!\w)")  # *word*, _word_
_LOOSE_ACUTE = re.compile(r"(?<=i)o´(?=n\b)")  # legislacio´n
_CLITIC = r"(?:s|t|re|ve|ll|d|m)\b"
# I don’ t, we 're, do n't
_LOOSE_APOSTROPHE = re.compile(rf"(?<=[A-Za-z])(?: ?(['’]) (?={_CLITIC})| (?=n?['’]{_CLITIC}))")
_SPELLED_OK = re.compile(r"\bO_K\b")
# MR. SMITH: and the Q of an interview
_SPEAKER = re.compile(r"^(?:Q(?=\s+[A-Z])|\]? ?(?:(?:Ma?c|La|De)?[A-Z][A-Z.'’-]+ ?){1,4}:)\s+")
# 12. and (3) before a capital
_NUMBERING = re.compile(r"^\(?\d{1,3}[.)]\s+(?=[A-ZÁÉÍÓÚÑ¿¡«“\"—])")
_DOTS = re.compile(r"\.{4,}")
_FIRST_LETTER = re.compile(r"[^\w]*([^\W\d_])")
_CLOSING = "\"'»”’)]*"
_SENTENCE_ENDS = tuple(".?!…")
_CLAUSE_ENDS = tuple(":;,—–-")
_SENTENCES = re.compile(r".*[.?!…][\"'»”’)\]]*(?=\s)")  # all complete sentences of a line
_SYMBOLS = re.compile(r"[|{}\\=<>#~^\t_]")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S")
_LONG_WORD = re.compile(r"[^\W_]{31,}|([=*~-])\1{5,}")  # also a ruler: ------
_OTHER_SCRIPTS = ("\u0250", "\ufb00")  # first character of them, and the first one after them
_MIN_WORDS_KEPT = 8
_MAX_DIGIT_SHARE = 0.3
_MAX_CAPITAL_SHARE = 0.5
_MAX_OTHER_SCRIPT_SHARE = 0.1


def repaired(line: str, language: str) -> str:
    """Return the line in NFC, repaired.

    Encoding errors and detached apostrophes (`it 's`) are repaired; markup, numbering and speaker labels are removed.

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


def without_fragment(line: str, running_text: bool) -> str:
    """Return a repaired line without the words after its last complete sentence, unless few words would remain.

    Args:
        line: a repaired line.
        running_text: whether lines continue each other, so that a line may end within a sentence.
    """
    if _is_finished(line, running_text):
        return line
    complete = _SENTENCES.match(line)
    return complete[0] if complete and complete[0].count(" ") + 1 >= _MIN_WORDS_KEPT else line


def _is_finished(line: str, running_text: bool) -> bool:
    return line.rstrip(_CLOSING).endswith(_SENTENCE_ENDS + _CLAUSE_ENDS if running_text else _SENTENCE_ENDS)


def reason_to_drop(line: str, running_text: bool) -> str | None:
    """Return the reason not to train on a repaired line, or None; `running_text` as in `without_fragment`."""
    if reason := _unusual_characters(line):
        return reason
    if line[0] in "([" and line[-1] in ")]":
        return "remark"
    if not _is_finished(line, running_text):
        return "unfinished"
    if _LONG_WORD.search(line):
        return "long word"
    if not running_text and _starts_lower_case(line):
        return "lower-case start"
    return None


def _unusual_characters(line: str) -> str | None:
    """Return the reason to drop a line because of its characters, or None."""
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
    first, end = _OTHER_SCRIPTS
    if sum(char.isalpha() and first <= char < end for char in line) > _MAX_OTHER_SCRIPT_SHARE * letters:
        return "other script"
    return None


def joined(lines: Iterable[str]) -> Iterator[str]:
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


def _starts_lower_case(line: str) -> bool:
    start = _FIRST_LETTER.match(line)
    return start is not None and start[1].islower()
