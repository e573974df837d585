"""A file to read: its format is detected once, and its JSON is parsed once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.data_dir import is_data_dir
from asr_punct.formats.files import AUDIO_SUFFIXES, Pathlike, display_name, read_text_file, uncompressed_name
from asr_punct.formats.formats import FORMATS, READABLE, format_by_name
from asr_punct.formats.json_values import Values, parse_json_values
from asr_punct.formats.lhotse import is_supervisions
from asr_punct.formats.nemo import is_manifest
from asr_punct.formats.text import read_text
from asr_punct.formats.unnamed import plain_text, refuse_table
from asr_punct.words import Utterance

_NOT_READ = {".ass", ".mlf", ".trs", ".eaf", ".rttm", ".xml", ".html", ".pdf", ".docx", ".odt"}
"""Suffixes of files with words that are not plain text: their times and tags would be read as words."""


class Source:
    """A file to read.

    Args:
        path: the file; `-` is standard input, which is text unless a format is given.
        format_name: its format; None: by its name, for `.json` and `.jsonl` by its content, else text.

    Raises:
        AsrPunctError: the format is unknown, or cannot be read.
    """

    def __init__(self, path: Pathlike, format_name: str | None = None) -> None:
        if format_name is not None and format_name not in READABLE:
            raise AsrPunctError(f"--from: found {format_name!r}, expected one of {' '.join(READABLE)}")
        self.path, self._given = path, format_name

    @cached_property
    def format(self) -> str:
        """The format, given or detected.

        Raises:
            InputError: the file cannot be read, or is JSON of an unknown format.
        """
        if self._given is not None or self._by_name not in ("json", "nemo"):
            return self._given or self._by_name or "text"
        if self._by_name == "nemo":
            return "lhotse" if is_supervisions(self.path) else "nemo"
        return "nemo" if is_manifest(self.path) else _recognised(self._content, self.path)

    @property
    def has_given_format(self) -> bool:
        """Whether the format was given, so that the file need not be read to know it."""
        return self._given is not None

    @property
    def is_json(self) -> bool:
        """Whether the format given, or the suffix, is that of a JSON document."""
        return (name := self._given or self._by_name) is not None and FORMATS[name].recognises is not None

    @cached_property
    def _by_name(self) -> str | None:
        return format_by_name(uncompressed_name(self.path))

    @cached_property
    def _content(self) -> Any:
        """Value of a JSON file; `Values` if it has several."""
        values = parse_json_values(read_text_file(self.path), display_name(self.path))
        return values if len(values.items) > 1 else values.items[0]

    def utterances(self) -> Iterator[Utterance]:
        """Return the utterances; the file is read while they are iterated over.

        Raises:
            InputError: it is a file that is not read, has another form than its format, or seems to be no text.
        """
        if self._given is None:
            self._check_kind()
            if self._by_name is None:
                return plain_text(read_text(self.path), self.path)
        return self._read()

    def _read(self) -> Iterator[Utterance]:
        chosen = FORMATS[self.format]
        if chosen.read:
            yield from chosen.read(self.path)
        elif chosen.utterances and chosen.recognises:
            if isinstance(self._content, Values) and not chosen.recognises(self._content):
                raise InputError(display_name(self.path), _shape(self._content), "one")
            yield from chosen.utterances(self._content, self.path)

    def _check_kind(self) -> None:
        """Raise InputError for files that are not read, or only with `--from`."""
        place, suffix = display_name(self.path), Path(self.path).suffix.lower()
        if suffix in AUDIO_SUFFIXES:
            raise InputError(place, "audio", "words (asr-punct transcribe reads audio)")
        if suffix in _NOT_READ:
            raise InputError(place, f"a {suffix} file", f"a format that is read: --from {' '.join(READABLE)}")
        if is_data_dir(self.path):
            expected = "a file (--from kaldi reads it, in score --ref-from and --hyp-from)"
            raise InputError(self.path, "a data directory", expected)
        refuse_table(self.path)


def _recognised(content: Any, path: Pathlike) -> str:
    """Return the format of a JSON file's value."""
    for name, format_ in FORMATS.items():
        if format_.recognises and format_.recognises(content):
            return name
    names = " ".join(name for name, format_ in FORMATS.items() if format_.recognises)
    lists = " (a list: Whisper's segments with start, end, text, or Vosk's results)" * isinstance(content, list)
    raise InputError(display_name(path), _shape(content), f"JSON of one of {names}, or a NeMo manifest{lists}")


def _shape(content: Any) -> str:
    """Describe a JSON value for an error message."""
    if isinstance(content, Values):
        return f"{len(content.items)} JSON values one after the other"
    if isinstance(content, list) and content and isinstance(content[0], dict) and content[0]:
        return f"a list of {_shape(content[0]).replace('an object', 'objects', 1)}"
    if isinstance(content, dict) and content:
        return f"an object with {', '.join(map(repr, list(content)[:5]))}"
    kinds = {dict: "an empty object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(content), "a number")
