"""Files of unknown format: they are text, unless their first lines look like another format.

If such a file were read as text, its names, times and keys would become words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from asr_punct.errors import InputError
from asr_punct.formats.ctm import COMMENT, could_be_row
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.marks import CASES
from asr_punct.words import Utterance

_CHECKED_LINES = 5
"""Number of first lines that are checked, without empty lines and comments."""
_JSON = re.compile(r'\{ ?("|$)|\[ ?(\{|$)')
_CUE_START = re.compile(r"[\d:.,]+")
_PAUSE = re.compile(r"-|\d+(\.\d+)?")
_TABLES = ("wav.scp", "utt2spk", "segments", "utt2doc", "ctm")
_Lines = Sequence[Sequence[str]]


def _is_json(lines: _Lines) -> bool:
    return _JSON.match(" ".join(lines[0])) is not None


def _are_cues(lines: _Lines) -> bool:
    times = any(line[1:2] == ["-->"] and _CUE_START.fullmatch(line[0]) for line in lines)
    return lines[0][0] == "WEBVTT" or times


def _are_rows(lines: _Lines) -> bool:
    return all(map(could_be_row, lines))


def _is_textgrid(lines: _Lines) -> bool:
    return lines[0][:2] == ["File", "type"] and "ooTextFile" in lines[0][-1]


def _is_tsv(lines: _Lines) -> bool:
    rows = [line for line in lines if line[0] != "#"]
    return bool(rows) and all(len(row) == 4 and _PAUSE.fullmatch(row[2]) and row[3] in CASES for row in rows)


_SIGNS: Sequence[tuple[Callable[[_Lines], bool], str, str]] = (
    (_is_json, "JSON", "--from and its format (whisper, nemo …)"),
    (_are_cues, "cues of subtitles", "--from srt or vtt"),
    (_are_rows, "rows of a CTM", "--from ctm"),
    (_is_textgrid, "a TextGrid", "--from textgrid"),
    (_is_tsv, "rows of a TSV", "--from tsv"),
)
"""Test for a format, its name, and the option that reads it."""


def refuse_table(path: Pathlike) -> None:
    """Raise InputError for the `text` of a data directory, whose lines begin with names."""
    path = Path(path)
    if path.name == "text" and any((path.parent / name).exists() for name in _TABLES):
        expected = "the directory, --from kaldi (--from text where it is text)"
        raise InputError(path, "the text of a data directory", expected)


def plain_text(utterances: Iterator[Utterance], path: Pathlike) -> Iterator[Utterance]:
    """Yield the lines of a text file.

    Raises:
        InputError: the first lines look like another format.
    """
    first, lines = [], list[list[str]]()
    for utterance in utterances:
        first.append(utterance)
        tokens = [word.text for word in utterance.words]
        if tokens and not tokens[0].startswith(COMMENT):
            lines.append(tokens)
        if len(lines) == _CHECKED_LINES:
            break
    for matches, found, instead in _SIGNS:
        if lines and matches(lines):
            raise InputError(display_name(path), found, f"text, or {instead} (--from text where it is text)")
    yield from chain(first, utterances)
