"""Read and write files: one package per family of formats, and a registry of them (`registry`)."""

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from asr_punct.encoding import UTF8, TextForm
from asr_punct.errors import ArgumentError, InputError, Setting
from asr_punct.files import STANDARD_STREAM, Pathlike, display_name, uncompressed_name, write_bytes, write_file
from asr_punct.formats.cues.writers import SUBTITLE_FORMATS, OnCue, check_subtitle_format, write_subtitles
from asr_punct.formats.registry import (
    BY_SUFFIX,
    FORMATS,
    WRITABLE,
    WRITABLE_FILES,
    WRITTEN_BACK,
    BinaryFormat,
    DirectoryFormat,
    format_by_name,
)
from asr_punct.formats.source import Source
from asr_punct.formats.time_sources import named_time_source
from asr_punct.formats.times import OnBadTimes, checked, with_times_that_make_sense
from asr_punct.glyphs import Glyphs
from asr_punct.subtitles import Limits
from asr_punct.words import Utterance, with_time_source

_LOG = logging.getLogger(__name__)


def detect(path: Pathlike) -> str:
    """Return the format of a file, detected as in `Source`.

    It is `text` for standard input, which can be read only once: use a `Source` to detect its format and read it.
    """
    return "text" if str(path) == STANDARD_STREAM else Source(path).format


def read(
    source: Pathlike | Source,
    format_name: str | None = None,
    *,
    may_be_empty: bool = False,
    times: str | None = None,
    strict: bool = False,
    on_bad_times: OnBadTimes | None = None,
) -> Iterator[Utterance]:
    """Yield the utterances of a file, while it is read; `.xz` and `.gz` files are decompressed.

    Args:
        source: the file.
        format_name: its format; None: detected, as in `Source`.
        may_be_empty: whether JSON, or a file of one recording, may have no words, as recognisers write it for silence.
        times: source of the words' times, one of `words.TIME_SOURCES`; None: as in the file.
        strict: whether times that make no sense are an error. If not, they are unknown (`times.checked`).
        on_bad_times: gets them at the end, if there are any; None: they are logged.

    Raises AsrPunctError for an unknown format or source of times, and InputError for a file that has no words or is
    malformed, or whose format is unknown and not text.
    """
    source = source if isinstance(source, Source) else Source(source, format_name)
    utterances = source.utterances()
    if times is not None:
        time_source = named_time_source(times)
        utterances = (with_time_source(utterance, time_source) for utterance in utterances)
    return _checked(source, utterances, may_be_empty, strict, on_bad_times)


def _checked(
    source: Source, utterances: Iterator[Utterance], may_be_empty: bool, strict: bool, on_bad_times: OnBadTimes | None
) -> Iterator[Utterance]:
    """Yield the utterances with times that make sense. Raises InputError if there are no words."""
    place, has_words, is_logged = display_name(source.file), False, on_bad_times is None
    on_bad_times = on_bad_times or (lambda bad: _LOG.warning("%s: %s", place, bad))
    read_as = FORMATS[source.format]
    words = checked(utterances, place, one_recording=read_as.one_recording, strict=strict, on_bad_times=on_bad_times)
    for utterance in words:
        has_words = has_words or bool(utterance.words)
        yield utterance
    if is_logged and source.file.form.is_guessed:
        _LOG.warning("%s: %s", place, source.file.form.guess)
    if not (has_words or (may_be_empty and read_as.may_be_silent)):
        raise InputError(place, "no words", "at least one word")


def output_format(path: Pathlike, format_name: str | None = None, source: Source | None = None) -> str:
    """Return the format of an output: the given one, else the input's, else that of its name, else text.

    The format of the input `source` is used if the output's suffix allows it (Whisper's for `.json`), and if it was
    given and both have the same unknown suffix. A suffix `.xz` or
    `.gz` is ignored. Raises AsrPunctError if the format cannot be written, the suffix is unknown, or the input is JSON
    of an unknown format.
    """
    if format_name is None and source is not None:
        format_name = _input_format(path, source)
    if format_name is None and source is not None and source.is_given and _has_own_suffix(path, source):
        format_name = source.format
    if format_name is None and str(path) != STANDARD_STREAM:
        name = uncompressed_name(path)
        format_name, suffix = format_by_name(name), Path(name).suffix
        if suffix and format_name is None:
            found, expected = f"the suffix {suffix}, which no format has", f"one of {' '.join(BY_SUFFIX)}"
            raise InputError(path, found, f"{expected}, or the name of a format", Setting("target_format"))
    format_name = format_name or "text"
    if format_name not in (*WRITABLE, *WRITTEN_BACK):
        raise ArgumentError("target_format", repr(format_name), f"one of {' '.join(WRITABLE)}")
    return format_name


def _input_format(path: Pathlike, source: Source) -> str | None:
    """Return the input's format if an output of this name may have it and would by default have another, else None."""
    name = uncompressed_name(path)
    if str(path) == STANDARD_STREAM:
        suffix = STANDARD_STREAM
    elif str(path).endswith(os.sep) or os.path.isdir(path):
        suffix = ""
    else:
        suffix = Path(name).suffix.lower()
        if not suffix and format_by_name(name):  # a name such as `ctm` is itself a suffix
            return None
    written = [each for each in FORMATS.values() if each.write or each.write_back]
    _, *others = [each.name for each in written if suffix in each.suffixes] or [""]
    return source.format if others and source.is_known and source.format in others else None


def _has_own_suffix(path: Pathlike, source: Source) -> bool:
    """Whether an output has the suffix of the input, which no format has, such as `.log`, and its format is written."""
    suffix, own = (Path(uncompressed_name(each)).suffix.lower() for each in (path, source.file))
    return suffix == own != "" and suffix not in BY_SUFFIX and source.format in (*WRITABLE, *WRITTEN_BACK)


def with_glyphs(utterances: Iterable[Utterance], glyphs: Glyphs) -> tuple[Iterator[Utterance], Glyphs]:
    """Return the utterances, and the glyphs of the language of the first one."""
    remaining = iter(utterances)
    first = list(islice(remaining, 1))
    return chain(first, remaining), glyphs.of(first[0].language) if first else glyphs


def write(
    utterances: Iterable[Utterance],
    path: Pathlike,
    glyphs: Glyphs,
    format_name: str | None = None,
    subtitles: Limits | None = None,
    on_cue: OnCue | None = None,
    *,
    form: TextForm | None = None,
) -> None:
    """Write utterances to a file or directory that appears when it is complete (`-`: standard output).

    Args:
        utterances: the utterances.
        path: the output.
        glyphs: glyphs of the marks.
        format_name: format of the output; None: by its name.
        subtitles: limits of new cues; None: the cues of the input. Only for subtitle formats.
        on_cue: called with each cue of subtitles. Only for subtitle formats.
        form: the input's form, which its bytes that could not be decoded keep too; None: UTF-8, and U+FFFD for them.

    Raises AsrPunctError if the format cannot be written, or only into a file that was read and these are not its words.
    """
    name = output_format(path, format_name)
    chosen = FORMATS[name]
    if subtitles or on_cue:
        check_subtitle_format(name, "subtitles")
    utterances = with_times_that_make_sense(utterances)
    if isinstance(chosen, DirectoryFormat):
        chosen.write(utterances, path, glyphs)
        return
    if isinstance(chosen, BinaryFormat):
        write_bytes(path, binary_content(utterances, glyphs, chosen, subtitles, on_cue))
        return
    form = replace(form, lacking=chosen.lacking) if form else None
    with write_file(path, "keep" if form else "replace", form or UTF8) as out:
        if subtitles or on_cue:
            write_subtitles(utterances, out, glyphs, name, subtitles, on_cue)
        else:
            write_stream(utterances, out, glyphs, name)


def binary_content(
    utterances: Iterable[Utterance],
    glyphs: Glyphs,
    chosen: BinaryFormat,
    limits: Limits | None = None,
    on_cue: OnCue | None = None,
) -> bytes:
    """Return the content of a file that is not text; of `limits` and `on_cue` see `write_subtitles`."""
    of_cues = (limits, on_cue) if chosen.name in SUBTITLE_FORMATS else ()
    return chosen.content(with_times_that_make_sense(utterances), glyphs, *of_cues)


def write_stream(
    utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs, format_name: str, limits: Limits | None = None
) -> None:
    """Write utterances to an open file; of `limits` see `write_subtitles`.

    Raises ArgumentError for a format that is not written to a file.
    """
    chosen = FORMATS[format_name]
    writer = None if isinstance(chosen, DirectoryFormat | BinaryFormat) else chosen.write or chosen.write_back
    if writer is None:
        raise ArgumentError("target_format", repr(format_name), f"one of {' '.join(WRITABLE_FILES)}")
    utterances = with_times_that_make_sense(utterances)
    if limits is None:
        writer(utterances, out, glyphs)
    else:
        write_subtitles(utterances, out, glyphs, format_name, limits)
