"""Segments of Whisper programs as lines: their output on the terminal (`whisper-log`) and `.tsv` (`whisper-tsv`).

    [0.00s -> 2.50s] text                              faster-whisper
    [00:00.000 --> 00:02.500]  text                    whisper; whisperx with `Transcript:` before it and seconds
    [00:00:00.000 --> 00:00:02.500]   (speaker 0) text whisper.cpp

The first word has the segment's start and the last its end, as in subtitles.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TextIO, cast

from asr_punct.errors import InputError, plural
from asr_punct.files import Lines, Pathlike, display_name, read_lines, recording_name
from asr_punct.formats.entries import entry_words, segment_times, sorted_by_start, written_words
from asr_punct.formats.fragments import Fragments
from asr_punct.formats.origins import LineOrigin, ParsedLine, attach_lines, line_origin, lines_around
from asr_punct.formats.times import column_time
from asr_punct.formats.values import format_clock, short_repr
from asr_punct.glyphs import Glyphs
from asr_punct.subtitles.units import with_edges
from asr_punct.words import Seconds, Utterance

LOG, TSV = "whisper-log", "whisper-tsv"
_CLOCK = r"(?:[0-9]{1,7}:)?[0-9]{1,2}:[0-9]{1,2}[.,][0-9]{1,3}|[0-9]{1,10}(?:\.[0-9]{1,6}s?|s)"
_LOG_LINE = re.compile(
    rf"(\s*(?:Transcript:\s*)?\[({_CLOCK})\s*-{{1,2}}>\s*({_CLOCK})\](?:\s*\(speaker ([0-9]+|\?)\))?\s*)"
    r"(.*)",
    re.DOTALL,
)
"""The part of a line before its text, with start, end and speaker; the text."""
_TURN = "[SPEAKER_TURN]"
_LOG_MARGIN = 2
"""Number of spaces that Whisper and whisper.cpp write between the times and the text."""
_HEADER = "start\tend\ttext"
_EXPECTED = "start TAB end TAB text, in whole milliseconds"


def is_whisper_log(lines: Iterable[str]) -> bool:
    """Whether a line has the times of a segment; others may be messages."""
    return any(map(_LOG_LINE.fullmatch, lines))


def is_whisper_tsv(lines: Iterable[str]) -> bool:
    """Whether the first line is the header of Whisper's `.tsv`."""
    return next(iter(lines), "") == _HEADER


def read_whisper_log(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line with times and words. Other lines are messages, and are kept."""
    return named_segments(_parsed_log(read_lines(path), display_name(path)), path, _LOG_MARGIN)


def read_whisper_tsv(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line with words after the header.

    Raises InputError for another header, a line without three columns, and times that are no numbers of milliseconds.
    """
    return named_segments(_parsed_tsv(read_lines(path), display_name(path)), path)


def named_segments(lines: Iterator[ParsedLine], path: Pathlike, margin: int = 0) -> Iterator[Utterance]:
    """Yield the utterances with names, each with the lines without words before it.

    `margin` is the number of spaces between the times of a line and its text.
    """
    name, fragments = recording_name(path), Fragments()
    for number, utterance in enumerate(attach_lines(lines), start=1):
        head = cast(LineOrigin, utterance.origin).head
        fragments.add(head[len(head.rstrip(" ")) + margin :] + utterance.words[0].text)
        yield replace(utterance, id=f"{name}-{number}", recording=name)
    fragments.report(display_name(path))


def _parsed_log(lines: Lines, name: str) -> Iterator[ParsedLine]:
    for number, line in lines:
        place, match = f"{name}:{number}", _LOG_LINE.fullmatch(line)
        text = match[5].rstrip().removesuffix(_TURN).rstrip() if match else ""
        words = entry_words(text, _seconds(match[2]), _seconds(match[3]), None, place) if match else []
        if match and words:
            origin = LineOrigin(LOG, head=match[1], tail=match[5][len(text) :])
            speaker = "" if match[4] in (None, "?") else match[4]
            yield place, Utterance(tuple(words), speaker=speaker, time_source="segment", origin=origin)
        else:
            yield place, line


def _seconds(clock: str) -> Seconds:
    """Return the time of `1:02:03.500`, `02:03.500`, `123.5s` or `123.5`."""
    *larger, seconds = clock.removesuffix("s").replace(",", ".").split(":")
    total = float(seconds)
    for unit, value in zip((60, 3600), reversed(larger), strict=False):
        total += unit * int(value)
    return round(total, 6)


def _parsed_tsv(lines: Lines, name: str) -> Iterator[ParsedLine]:
    for number, line in lines:
        place, columns = f"{name}:{number}", line.split("\t")
        if number == 1 and line != _HEADER:
            raise InputError(place, short_repr(line), f"the header {short_repr(_HEADER)}")
        if number == 1 or not line.strip():
            yield place, line
            continue
        if len(columns) != 3:
            raise InputError(place, plural(len(columns), "column"), _EXPECTED)
        start, end = (milliseconds(column, place) for column in columns[:2])
        words = entry_words(columns[2], start, end, None, place)
        origin = LineOrigin(TSV, head="\t".join([*columns[:2], ""]))
        yield place, Utterance(tuple(words), time_source="segment", origin=origin) if words else line


def milliseconds(text: str, place: str) -> Seconds:
    """Return the seconds of a column in milliseconds. Raises InputError if it is no number."""
    return column_time(text, place, "time") / 1000


def write_whisper_log(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each utterance with words; those of a log keep all but their words, and the other lines.

    Utterances of other formats are sorted by their start. Raises InputError for an utterance without times, or
    utterances of other formats with times of several recordings.
    """

    def line_of(utterance: Utterance, origin: LineOrigin | None) -> str:
        text = running_text(utterance, glyphs)
        clocks = "" if origin else " --> ".join(map(format_clock, times_of(utterance)))
        return lines_around(origin, text) if origin else f"[{clocks}]  {text}\n"

    out.writelines(written_segments(utterances, LOG, line_of))


def write_whisper_tsv(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the header and a line for each utterance with words, as `write_whisper_log`."""

    def line_of(utterance: Utterance, origin: LineOrigin | None) -> str:
        text = running_text(utterance, glyphs)
        return lines_around(origin, text) if origin else "\t".join([*new_milliseconds(utterance), f"{text}\n"])

    out.writelines(with_header(written_segments(utterances, TSV, line_of), _HEADER))


def written_segments(
    utterances: Iterable[Utterance], format_name: str, line_of: Callable[[Utterance, LineOrigin | None], str]
) -> Iterator[str]:
    """Yield the line of each utterance with words, with the lines around it; those of other formats at the end."""
    others: list[Utterance] = []
    for utterance in utterances:
        if origin := line_origin(utterance.origin, format_name):
            yield line_of(utterance, origin)
        elif utterance.words:
            others.append(utterance)
    for utterance in with_edges(sorted_by_start(others)):
        yield line_of(utterance, None)


def with_header(lines: Iterable[str], *headers: str) -> Iterator[str]:
    """Yield the lines, after the first of the headers unless they begin with one."""
    for i, line in enumerate(lines):
        if not i and not line.startswith(tuple(f"{header}\n" for header in headers)):
            yield f"{headers[0]}\n"
        yield line


def running_text(utterance: Utterance, glyphs: Glyphs) -> str:
    """Return the written words of a segment as text."""
    return " ".join(written_words(utterance, glyphs, running=True))


def times_of(utterance: Utterance) -> tuple[Seconds, Seconds]:
    """Return start and end of a segment. Raises InputError if it has no times."""
    return segment_times(utterance.words, f"utterance {utterance.id!r}")


def new_milliseconds(utterance: Utterance) -> list[str]:
    """Return start and end of a segment in whole milliseconds."""
    return [str(round(time * 1000)) for time in times_of(utterance)]
