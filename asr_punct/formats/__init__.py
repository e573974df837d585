"""One module a format; this one finds the format of a file and reads or writes it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.data_dir import is_data_dir
from asr_punct.formats.files import (
    AUDIO_SUFFIXES,
    MAX_TIME,
    STANDARD_STREAM,
    Pathlike,
    display_name,
    uncompressed_name,
    write_file,
)
from asr_punct.formats.formats import (
    FORMATS,
    READABLE,
    WRITABLE,
    format_by_name,
    format_of_file,
    is_other_format,
    read_json_file,
    read_jsonl_file,
)
from asr_punct.formats.json_values import shown
from asr_punct.formats.subtitle_output import limited
from asr_punct.formats.text import read_text
from asr_punct.formats.unnamed import plain_text, refuse_table
from asr_punct.marks import Glyphs
from asr_punct.subtitles import Limits
from asr_punct.words import Utterance, named_time_source, with_time_source


def read_utterances(
    path: Pathlike,
    format_name: str | None = None,
    *,
    silence: bool = False,
    times: str | None = None,
) -> Iterator[Utterance]:
    """Utterances of a file, lazily; the format is guessed where none is named, standard input is text.

    A file whose name says nothing is text, the content of a `.json` or `.jsonl` tells its format, and a file named
    `.xz` or `.gz` is of the format that the name without it says.

    Args:
        path: the file.
        format_name: its format.
        silence: whether JSON may have no words, as a recogniser writes it where nobody speaks.
        times: where the words' times come from, one of `words.TIME_SOURCES`; None leaves what the file says.

    Raises:
        AsrPunctError: the format is not known, or none that is read; or no such source of times.
        InputError: the file has no words at all, not the form of its format, a time beyond `files.MAX_TIME`, or nothing
            says its format and it is no text (`unnamed`).
    """
    utterances = _read_unnamed(path) if format_name is None else _read_named(path, format_name)
    if times is not None:
        source = named_time_source(times)
        utterances = (with_time_source(utterance, source) for utterance in utterances)
    name = format_name or format_by_name(uncompressed_name(path))
    may_be_empty = silence and name is not None and FORMATS[name].recognises is not None
    return _checked(utterances, path, may_be_empty)


def _read_named(path: Pathlike, format_name: str) -> Iterator[Utterance]:
    read = FORMATS[format_name].read if format_name in FORMATS else None
    if read is None:
        raise AsrPunctError(f"--from: found {format_name!r}, expected one of {' '.join(READABLE)}")
    return read(path)


def _read_unnamed(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a file of which nothing but its name and content says what it is."""
    if Path(path).suffix.lower() in AUDIO_SUFFIXES:
        raise InputError(display_name(path), "audio", "words (asr-punct transcribe hears them)")
    if is_other_format(path):
        expected = f"a format that is read: --from {' '.join(READABLE)}"
        raise InputError(display_name(path), f"a {Path(path).suffix.lower()} file", expected)
    if is_data_dir(path):
        raise InputError(path, "a data directory", "a file (--from kaldi reads it, in score --ref-from and --hyp-from)")
    refuse_table(path)
    name = format_by_name(uncompressed_name(path))
    if name == "json":
        return read_json_file(path)
    if name == "nemo":
        return read_jsonl_file(path)
    read = FORMATS[name].read if name else None
    return read(path) if read else plain_text(read_text(path), path)


def _checked(utterances: Iterator[Utterance], path: Pathlike, may_be_empty: bool) -> Iterator[Utterance]:
    """The utterances; an error where there are no words, or one has a time, which may be a sum, that is too large."""
    words = 0
    for utterance in utterances:
        for word in utterance.words:
            time = word.end if word.end is not None else word.start
            if time is not None and time > MAX_TIME:
                found = f"{time:g} s for the word {shown(word.text)}"
                raise InputError(display_name(path), found, f"times of at most {MAX_TIME} s")
        words += len(utterance.words)
        yield utterance
    if not (words or may_be_empty):
        raise InputError(display_name(path), "no words", "at least one word")


def output_format(
    path: Pathlike, format_name: str | None = None, source: Pathlike | None = None, source_format: str | None = None
) -> str:
    """The format to write: the one named, else by the file's name, text for standard output and a name without suffix.

    A name of `.xz` or `.gz` says the format that it says without it.

    Args:
        path: the output.
        format_name: its format.
        source: the input, whose format is kept where the output's name may be of it (Whisper's JSON as `.json`).
        source_format: the input's format, where it is named.

    Raises:
        AsrPunctError: it cannot be written, or the name does not say which it is.
        InputError: the input is JSON of none of the formats.
    """
    if format_name is None and source is not None:
        format_name = _kept_format(path, source, source_format)
    if format_name is None and str(path) != STANDARD_STREAM:
        name = uncompressed_name(path)
        format_name, suffix = format_by_name(name), Path(name).suffix
        if suffix and format_name not in WRITABLE:
            raise AsrPunctError(f"--to: found none and the output {path}, expected one of {' '.join(WRITABLE)}")
    name = format_name or "text"
    if name not in WRITABLE:
        raise AsrPunctError(f"--to: found {name!r}, expected one of {' '.join(WRITABLE)}")
    return name


def _kept_format(path: Pathlike, source: Pathlike, source_format: str | None) -> str | None:
    """The input's format where the output's name may be of it, else None."""
    name = uncompressed_name(path).lower()
    keeping = [each for each, format_ in FORMATS.items() if name.endswith(format_.kept_as)]
    if keeping and source_format is None and os.path.isfile(source):
        source_format = format_of_file(source)
    return source_format if source_format in keeping else None


def write_utterances(
    utterances: Iterable[Utterance],
    path: Pathlike,
    glyphs: Glyphs,
    format_name: str | None = None,
    subtitles: Limits | None = None,
) -> None:
    """Write utterances to a file, or a directory, that appears only when it is complete (`-`: standard output).

    Args:
        utterances: what to write.
        path: where to.
        glyphs: how words are written.
        format_name: of the file; by its name where None.
        subtitles: limits of the cues that are made of all words, in a format of subtitles.

    Raises:
        AsrPunctError: the format cannot be written.
    """
    name = output_format(path, format_name)
    chosen = FORMATS[name]
    write = chosen.write if subtitles is None else limited(name, subtitles)
    if write is not None:
        with write_file(path) as out:
            write(utterances, out, glyphs)
    elif chosen.write_to is not None:
        chosen.write_to(utterances, path, glyphs)
