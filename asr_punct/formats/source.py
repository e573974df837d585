"""A file to read. Its format is detected once, and its JSON is parsed once."""

import logging
import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from asr_punct.encoding import TOLERANT
from asr_punct.errors import ArgumentError, InputError, Setting, plural
from asr_punct.files import AUDIO_SUFFIXES, InputFile, Pathlike, display_name, read_text_file, uncompressed_name
from asr_punct.formats import registry
from asr_punct.formats.json.nodes import Values, parse_json_values
from asr_punct.formats.kaldi.ctm import COMMENT
from asr_punct.formats.kaldi.directory import is_data_dir, is_text_of_data_dir
from asr_punct.formats.values import short_repr
from asr_punct.words import Utterance

_LOG = logging.getLogger(__name__)
_FIRST_LINES, _FIRST_ROWS = 100, 5
"""Numbers of lines by which the format of a text file is detected, and of rows by which other formats are refused."""
_JSON_START = re.compile(r'\{ ?("|$)|\[ ?(\{|$)')
_JSON_LINES = re.compile(r'[\[{]\n[\[{"]|\{ ?"[^"]*" ?:')
"""A line that opens an object or list, such as those between the messages of a program."""


class Source:
    """A file to read; the path `-` is standard input.

    If `format_name` is None, the format is detected from the suffix and, for .json, .jsonl, .tsv, .txt, unknown
    suffixes and streams, from the content; if the suffix is unknown and nothing fits, it is text. Only streams, which
    have no name to correct, are read as what two lines or more of them look like (`resembles`). `tiers` are the names
    of those to read; none: those of words or speech. The encoding is that of an `InputFile`; of other paths it is
    `TOLERANT`. Raises ArgumentError if `format_name` is unknown or has no reader, or is that of a directory and
    `path` is in memory.
    """

    def __init__(self, path: Pathlike, format_name: str | None = None, tiers: Sequence[str] = ()) -> None:
        self.file = InputFile.of(path, TOLERANT)
        readable = registry.READABLE_FILES if self.file.is_in_memory else registry.READABLE
        if format_name is not None and format_name not in readable:
            raise ArgumentError("source_format", repr(format_name), f"one of {' '.join(readable)}")
        self._given, self._by_name = format_name, registry.format_by_name(uncompressed_name(path))
        self._tiers = tiers

    @cached_property
    def format(self) -> str:
        """The format, given or detected. Raises InputError for a missing file, or JSON of an unknown format."""
        if self._given is not None:
            return self._given
        if self._is_like_text and is_text_of_data_dir(self.file):
            return "kaldi-text"
        is_json = self._by_name == "json" or self._is_json_in_text
        if found := self._recognised():
            return found
        if is_json:
            return self._json_format()
        may_resemble = self.is_stream and len(self._spoken_lines()) > 1  # one line with two numbers may be text
        return self._by_name or (self._resembled() if may_resemble else None) or "text"

    @property
    def is_known(self) -> bool:
        """Whether the format was given, or can be detected because the file exists."""
        return self._given is not None or self.is_stream or os.path.isfile(self.file)

    @property
    def is_given(self) -> bool:
        """Whether the format was given."""
        return self._given is not None

    @property
    def is_stream(self) -> bool:
        """Whether the input can be read only once: standard input, a named pipe."""
        return self.file.is_stream

    def utterances(self) -> Iterator[Utterance]:
        """Return the utterances; the file is read while they are iterated over."""
        if self._given is None:
            self._refuse_unreadable()
        return self._read()

    def _read(self) -> Iterator[Utterance]:
        chosen = registry.FORMATS[self.format]
        if self.format == "kaldi-text" and not (self.is_given or is_text_of_data_dir(self.file)):
            first = next(filter(str.strip, self.file.first_lines(_FIRST_LINES))).split(maxsplit=1)[0]
            message = "%s: read as kaldi-text, because each line begins with an id, which is no word (first: %r)"
            _LOG.warning(message, display_name(self.file), first)
        if self._given is None and self._by_name in (None, "text") and self.format == "text":
            self._refuse_other_formats()
        if self._tiers:
            yield from self._read_tiers(chosen)
        elif isinstance(chosen, registry.JsonFormat):
            if isinstance(self._content, Values) and not chosen.recognises(self._content):
                raise InputError(display_name(self.file), _describe(self._content), "one")
            yield from chosen.read(self._content, self.file)
        elif chosen.read:
            yield from chosen.read(self.file)

    def _read_tiers(self, chosen: registry.Format) -> Iterator[Utterance]:
        if not (isinstance(chosen, registry.TextFormat) and chosen.read_tiers):
            with_tiers = [name for name, each in registry.FORMATS.items() if getattr(each, "read_tiers", None)]
            raise ArgumentError("tiers", f"a file of the format {chosen.name}", f"one of {' '.join(with_tiers)}")
        return chosen.read_tiers(self.file, self._tiers)

    @property
    def _is_like_text(self) -> bool:
        return self._by_name in (None, "text", "tsv")

    @cached_property
    def _is_json_in_text(self) -> bool:
        """Whether a `.txt` file, a stream or one of an unknown suffix begins as JSON does."""
        lines = self.file.first_lines(_FIRST_LINES) if self._by_name in (None, "text") else ()
        return _JSON_START.match(" ".join(next(filter(str.strip, lines), "").split())) is not None

    def _recognised(self) -> str | None:
        """Return the format of lines that recognises the first ones, if the suffix does not decide; else None."""
        suffixes = {".txt", ".tsv"} if self._is_like_text else {*registry.FORMATS[str(self._by_name)].suffixes}
        suffixes |= {".jsonl"} if self._is_json_in_text else set()
        for name, each in registry.FORMATS.items():
            may_be = name != self._by_name and not suffixes.isdisjoint(each.suffixes)
            recognises = each.recognises if may_be and isinstance(each, registry.TextFormat) else None
            if recognises and recognises(self.file.first_lines(_FIRST_LINES)):
                return name
        return None

    @cached_property
    def _content(self) -> Any:
        """The value of a JSON file; `Values` if it has several."""
        values = parse_json_values(read_text_file(self.file), display_name(self.file))
        return values if len(values) > 1 else values[0]

    def _json_format(self) -> str:
        formats = [each for each in registry.FORMATS.values() if isinstance(each, registry.JsonFormat)]
        for each in formats:
            if each.recognises(self._content):
                return each.name
        expected = f"JSON of one of {' '.join(each.name for each in formats)}, or a NeMo manifest"
        how = " (how to convert other JSON: docs/formats.md, JSON)"
        setting = None if self._by_name == "json" else Setting("source_format")
        raise InputError(display_name(self.file), _describe(self._content), expected + how, setting)

    def _refuse_unreadable(self) -> None:
        """Raise InputError for files that are not read, or only if their format is given."""
        path, place = Path(self.file), display_name(self.file)
        suffix = Path(uncompressed_name(path)).suffix.lower()
        if suffix in AUDIO_SUFFIXES:
            raise InputError(place, "audio", "words (asr-punct transcribe reads audio)")
        if suffix in registry.UNREADABLE_SUFFIXES:
            expected = f"a file of one of {' '.join(registry.READABLE)}, or the name of its format"
            raise InputError(place, f"a {suffix} file", expected, Setting("source_format"))
        kaldi = Setting("source_format", "kaldi")
        if not self.file.is_in_memory and is_data_dir(path):
            raise InputError(place, "a data directory", "a file, or the format kaldi", kaldi)
        if not self.file.is_in_memory and os.path.isdir(path):
            raise InputError(place, "a directory", "a file (asr-punct batch reads directories)")
        if self._is_like_text and is_text_of_data_dir(self.file) and os.path.exists(path.parent / "ctm"):
            expected = "the directory in the format kaldi, or the format kaldi-text, without times"
            raise InputError(place, "the text of a data directory with a ctm", expected, kaldi)

    def _refuse_other_formats(self) -> None:
        """Raise InputError if a file of an unknown suffix, or `.txt`, looks like another format than text."""
        spoken = self._spoken_lines()
        texts = [" ".join(line.split()) for line in spoken]
        pairs = map("\n".join, pairwise([*texts, ""]))
        if (texts and _JSON_START.match(texts[0])) or any(map(_JSON_LINES.match, pairs)):
            self._refuse("JSON", "")
        for kind, pattern in registry.UNREADABLE_LINES.items():
            if spoken and pattern.match(spoken[0]):
                self._refuse(kind, "")
        if name := self._resembled():
            self._refuse(f"what looks like {name}", name)

    def _resembled(self) -> str | None:
        """Return the format that the first lines look like, which is not text; None: text."""
        rows = [line.split() for line in self._spoken_lines()[:_FIRST_ROWS]]
        for name, each in registry.FORMATS.items():
            if rows and isinstance(each, registry.TextFormat) and each.resembles and each.resembles(rows):
                return name
        return None

    def _spoken_lines(self) -> list[str]:
        """Return those of the first lines that are neither empty nor comments."""
        lines = self.file.first_lines(_FIRST_LINES)
        return [line for line in lines if line.strip() and not line.lstrip().startswith(COMMENT)]

    def _refuse(self, found: str, name: str) -> None:
        expected = "text, or the name of its format (text for plain text)"
        raise InputError(display_name(self.file), found, expected, Setting("source_format", name))


def _describe(content: Any) -> str:
    if isinstance(content, Values):
        return f"{len(content)} JSON values one after the other"
    if content and isinstance(content, dict):
        return f"an object with {', '.join(map(repr, list(content)[:5]))}"
    if content and isinstance(content, list) and all(isinstance(each, str) for each in content):
        return f"a list of {plural(len(content), 'string')}"
    return short_repr(content)
