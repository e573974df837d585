"""One module a format; this one finds the format of a file and reads or writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from json import JSONDecodeError, loads
from pathlib import Path
from typing import TextIO

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.io.ctm import COMMENT, could_be_row, read_ctm, write_ctm
from asr_punct.io.files import STANDARD_STREAM, Pathlike, display_name, read_lines, write_file
from asr_punct.io.json import read_json, write_json
from asr_punct.io.nemo import read_nemo
from asr_punct.io.text import read_text, write_text_lines
from asr_punct.io.textgrid import read_textgrid
from asr_punct.io.tsv import read_tsv, write_tsv
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance

Reader = Callable[[Pathlike], Iterator[Utterance]]
Writer = Callable[[Iterable[Utterance], TextIO, Glyphs], None]

READERS: dict[str, Reader] = {
    "text": read_text,
    "tsv": read_tsv,
    "json": read_json,
    "ctm": read_ctm,
    "textgrid": read_textgrid,
    "nemo": read_nemo,
}
WRITERS: dict[str, Writer] = {"text": write_text_lines, "tsv": write_tsv, "json": write_json, "ctm": write_ctm}
_BY_SUFFIX = {".txt": "text", ".tsv": "tsv", ".json": "json", ".ctm": "ctm", ".textgrid": "textgrid", ".jsonl": "nemo"}
_OTHERS = (".srt", ".vtt", ".ass", ".stm", ".mlf", ".trs", ".eaf", ".rttm", ".xml", ".html", ".pdf", ".docx", ".odt")
"""Formats that hold words but are not read: as plain text, their times and tags would come out as words."""

_LOOKED_AT = 5
"""Lines that tell a CTM from text, empty ones and comments left out."""


def guess_format(path: Pathlike) -> str | None:
    """Format by the file's name, a `.json` by its content; standard streams and unknown names are None.

    A file named `.xz` is of the format that the name without it says.
    """
    name = Path(path).name.removesuffix(".xz")
    if Path(name).suffix.lower() == ".json" and Path(path).is_file() and _is_manifest(path):
        return "nemo"
    return _by_name(name)


def _by_name(path: Pathlike) -> str | None:
    name = Path(path).name.lower()
    return _BY_SUFFIX.get(Path(name).suffix) or _BY_SUFFIX.get("." + name)


def _is_manifest(path: Pathlike) -> bool:
    """Whether the first line is a whole JSON object that names an audio file."""
    first = next((line for _, line in read_lines(path) if line.strip()), "")
    try:
        item = loads(first)
    except (JSONDecodeError, RecursionError):
        return False
    return isinstance(item, dict) and "audio_filepath" in item


def read_utterances(path: Pathlike, format_name: str | None = None) -> Iterator[Utterance]:
    """Utterances of a file, lazily; the format is guessed where none is named, standard input is text.

    A file whose name says nothing is text.

    Raises:
        AsrPunctError: the format is not known, or none that is read.
        InputError: the file has no words at all, not the form of its format, or rows of a CTM where it is text because
            nothing says otherwise.
    """
    suffix = Path(path).suffix.lower()
    if format_name is None and suffix in _OTHERS:
        raise InputError(display_name(path), f"a {suffix} file", f"a format that is read: --from {' '.join(READERS)}")
    name = format_name or guess_format(path)
    if name is None:
        return _not_empty(_not_ctm(read_text(path), path), path)
    if name not in READERS:
        raise AsrPunctError(f"--from: found {name!r}, expected one of {' '.join(READERS)}")
    return _not_empty(READERS[name](path), path)


def _not_ctm(utterances: Iterator[Utterance], path: Pathlike) -> Iterator[Utterance]:
    """The lines of a text; an error if the first ones are all rows of a CTM, whose names and times would be words."""
    first, lines = [], list[list[str]]()
    for utterance in utterances:
        first.append(utterance)
        columns = [word.text for word in utterance.words]
        if columns and not columns[0].startswith(COMMENT):
            lines.append(columns)
        if len(lines) == _LOOKED_AT:
            break
    if lines and all(map(could_be_row, lines)):
        raise InputError(display_name(path), "rows of a CTM", "text, or --from ctm (--from text where it is text)")
    yield from chain(first, utterances)


def _not_empty(utterances: Iterator[Utterance], path: Pathlike) -> Iterator[Utterance]:
    words = 0
    for utterance in utterances:
        words += len(utterance.words)
        yield utterance
    if not words:
        raise InputError(display_name(path), "no words", "at least one word")


def output_format(path: Pathlike, format_name: str | None = None) -> str:
    """The format to write: the one named, else by the file's name, text for standard output and a name without suffix.

    Raises:
        AsrPunctError: it cannot be written, or the name does not say which it is.
    """
    if format_name is None and str(path) != STANDARD_STREAM:
        format_name, suffix = _by_name(path), Path(path).suffix
        if suffix and format_name not in WRITERS:
            raise AsrPunctError(f"--to: found none and the output {path}, expected one of {' '.join(WRITERS)}")
    name = format_name or "text"
    if name not in WRITERS:
        raise AsrPunctError(f"--to: found {name!r}, expected one of {' '.join(WRITERS)}")
    return name


def write_utterances(
    utterances: Iterable[Utterance], path: Pathlike, glyphs: Glyphs, format_name: str | None = None
) -> None:
    """Write utterances to a file that appears only when it is complete (`-`: standard output).

    Raises:
        AsrPunctError: the format cannot be written.
    """
    writer = WRITERS[output_format(path, format_name)]
    with write_file(path) as out:
        writer(utterances, out, glyphs)
