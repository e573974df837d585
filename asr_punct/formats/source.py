"""A file to read. Its format is detected once, and its JSON is parsed once."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from asr_punct.errors import AsrPunctError, InputError, plural
from asr_punct.files import (
    AUDIO_SUFFIXES,
    STANDARD_STREAM,
    MemoryFile,
    Pathlike,
    StartedFile,
    display_name,
    read_lines,
    read_text_file,
    uncompressed_name,
)
from asr_punct.formats.json.lhotse import is_supervisions
from asr_punct.formats.json.nemo import is_manifest
from asr_punct.formats.json.values import Values, parse_json_values, short_repr
from asr_punct.formats.kaldi.ctm import COMMENT, could_be_row
from asr_punct.formats.kaldi.directory import is_data_dir
from asr_punct.formats.registry import FORMATS, READABLE, READABLE_FILES, format_by_name
from asr_punct.marks import CASES
from asr_punct.words import Utterance

_UNSUPPORTED = {".ass", ".ttml", ".mlf", ".trs", ".rttm", ".xml", ".html", ".pdf", ".docx", ".odt"}
"""Suffixes of formats without a reader. If they were read as text, their times and tags would become words."""
_START_LINES = 100
"""Number of first lines by which the format of a text file is detected."""
_DATA_DIR_TABLES = ("wav.scp", "utt2spk", "segments", "utt2doc", "ctm")


class Source:
    """A file to read; the path `-` is standard input.

    If `format_name` is None, the format is detected from the suffix and, for .json, .jsonl, .tsv, .txt and unknown
    suffixes, from the content; if the suffix is unknown and nothing fits, it is text. Raises AsrPunctError if
    `format_name` is unknown or has no reader, or is that of a directory and `path` is in memory.
    """

    def __init__(self, path: Pathlike, format_name: str | None = None) -> None:
        self._in_memory = isinstance(path, MemoryFile)
        readable = READABLE_FILES if self._in_memory else READABLE
        if format_name is not None and format_name not in readable:
            raise AsrPunctError(f"--from: found {format_name!r}, expected one of {' '.join(readable)}")
        self.path, self._given = path, format_name
        self._by_name = format_by_name(uncompressed_name(path))
        self._is_detected_by_lines = format_name is None and self._by_name in (None, "text", "tsv")

    @cached_property
    def format(self) -> str:
        """The format, given or detected. Raises InputError for a missing file, or JSON of an unknown format."""
        if self._given is not None:
            return self._given
        if self._by_name == "nemo":
            return "lhotse" if is_supervisions(self.path) else "nemo"
        if self._by_name == "json":
            return "nemo" if is_manifest(self.path) else _detect_json(self._content, self.path)
        if not self._is_detected_by_lines:
            return str(self._by_name)
        if self._is_kaldi_text:
            return "kaldi-text"
        lines, _ = self._first_lines_and_path
        found = (name for name, format_ in FORMATS.items() if (test := format_.recognises_lines) and test(lines))
        return next(found, self._by_name or "text")

    @property
    def _is_kaldi_text(self) -> bool:
        """Whether the file is the `text` of a data directory."""
        path = Path(self.path)
        if self._in_memory or uncompressed_name(path) != "text":
            return False
        return any(os.path.exists(path.parent / name) for name in _DATA_DIR_TABLES)

    @property
    def has_given_format(self) -> bool:
        """Whether the format was given, so that it is known without reading the file."""
        return self._given is not None

    @property
    def is_json(self) -> bool:
        """Whether the given format, or else the suffix, is that of a JSON document."""
        name = self._given or self._by_name
        return name is not None and FORMATS[name].recognises is not None

    @property
    def is_stream(self) -> bool:
        """Whether the input can be read only once: standard input, a named pipe."""
        is_special = os.path.exists(self.path) and not os.path.isfile(self.path) and not os.path.isdir(self.path)
        return not self._in_memory and (is_special or str(self.path) == STANDARD_STREAM)

    @cached_property
    def _content(self) -> Any:
        """The value of a JSON file; `Values` if it has several."""
        values = parse_json_values(read_text_file(self.path), display_name(self.path))
        return values if len(values.items) > 1 else values.items[0]

    @cached_property
    def _first_lines_and_path(self) -> tuple[list[str], Pathlike]:
        """The first lines of a text file, and the path for its reader, a `StartedFile` if it is a stream."""
        lines, first = read_lines(self.path), list[tuple[int, str]]()
        try:
            first += islice(lines, _START_LINES)
        except InputError:
            if self.is_stream:
                raise
        path = StartedFile(str(self.path), chain(first, lines)) if self.is_stream else self.path
        return [line for _, line in first], path

    def utterances(self) -> Iterator[Utterance]:
        """Return the utterances; the file is read while they are iterated over."""
        if self._given is None:
            self._refuse_unsupported()
        return self._read()

    def _read(self) -> Iterator[Utterance]:
        chosen = FORMATS[self.format]
        if self._given is None and self._by_name is None and self.format == "text":
            self._refuse_other_formats()
        if chosen.read:
            yield from chosen.read(self._first_lines_and_path[1] if self._is_detected_by_lines else self.path)
        elif chosen.utterances and chosen.recognises:
            if isinstance(self._content, Values) and not chosen.recognises(self._content):
                raise InputError(display_name(self.path), _describe(self._content), "one")
            yield from chosen.utterances(self._content, self.path)

    def _refuse_unsupported(self) -> None:
        """Raise InputError for files that are not read, or only with `--from`."""
        path = Path(self.path)
        place, suffix = display_name(self.path), Path(uncompressed_name(path)).suffix.lower()
        if suffix in AUDIO_SUFFIXES:
            raise InputError(place, "audio", "words (asr-punct transcribe reads audio)")
        if suffix in _UNSUPPORTED:
            raise InputError(place, f"a {suffix} file", f"a format that is read: --from {' '.join(READABLE)}")
        if not self._in_memory and is_data_dir(self.path):
            expected = "a file (to read the directory: --from kaldi, in score --ref-from and --hyp-from)"
            raise InputError(self.path, "a data directory", expected)
        if self._is_kaldi_text and os.path.exists(path.parent / "ctm"):
            expected = "the directory with --from kaldi (or --from kaldi-text, without its times)"
            raise InputError(path, "the text of a data directory with a ctm", expected)

    def _refuse_other_formats(self) -> None:
        """Raise InputError if a file of unknown format looks like another format than text.

        Its names, times and keys would become words.
        """
        first, _ = self._first_lines_and_path
        lines = [line.split() for line in first if line.strip() and not line.lstrip().startswith(COMMENT)]
        for looks_like_it, found, option in _OTHER_FORMATS:
            if lines and looks_like_it(lines[:_CHECKED_LINES]):
                raise InputError(display_name(self.path), found, f"text, or {option} (--from text if it is plain text)")


_OTHER_JSON = " (how to convert other JSON: docs/formats.md, JSON)"


def _detect_json(content: Any, path: Pathlike) -> str:
    for name, format_ in FORMATS.items():
        if format_.recognises and format_.recognises(content):
            return name
    names = " ".join(name for name, format_ in FORMATS.items() if format_.recognises)
    raise InputError(display_name(path), _describe(content), f"JSON of one of {names}, or a NeMo manifest{_OTHER_JSON}")


def _describe(content: Any) -> str:
    if isinstance(content, Values):
        return f"{len(content.items)} JSON values one after the other"
    if content and isinstance(content, dict):
        return f"an object with {', '.join(map(repr, list(content)[:5]))}"
    if content and isinstance(content, list) and all(isinstance(each, str) for each in content):
        return f"a list of {plural(len(content), 'string')}"
    return short_repr(content)


_Lines = Sequence[Sequence[str]]
_CHECKED_LINES = 5
"""Number of first lines that are checked, without empty lines and comments."""
_JSON_START = re.compile(r'\{ ?("|$)|\[ ?(\{|$)')
_CUE_TIME = re.compile(r"[\d:.,]+")
_PAUSE = re.compile(r"-|\d+(\.\d+)?")


def _looks_like_cues(lines: _Lines) -> bool:
    has_times = any(line[1:2] == ["-->"] and _CUE_TIME.fullmatch(line[0]) for line in lines)
    return lines[0][0] == "WEBVTT" or has_times


def _looks_like_tsv(lines: _Lines) -> bool:
    rows = [line for line in lines if line[0] != "#"]
    return bool(rows) and all(len(row) == 4 and _PAUSE.fullmatch(row[2]) and row[3] in CASES for row in rows)


_OTHER_FORMATS: Sequence[tuple[Callable[[_Lines], object], str, str]] = (
    (lambda lines: _JSON_START.match(" ".join(lines[0])), "JSON", "--from and its format (whisper, nemo …)"),
    (_looks_like_cues, "cues of subtitles", "--from srt or vtt"),
    (lambda lines: all(map(could_be_row, lines)), "rows of a CTM", "--from ctm"),
    (lambda lines: lines[0][:2] == ["File", "type"] and "ooTextFile" in lines[0][-1], "a TextGrid", "--from textgrid"),
    (lambda lines: lines[0][0].startswith(("<?xml", "<ANNOTATION_DOCUMENT")), "XML", "--from eaf"),
    (_looks_like_tsv, "rows of a TSV", "--from tsv"),
)
"""Test of the first lines, split at white space; what was found; the option that reads such a file."""
