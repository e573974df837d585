"""Whisper's `.csv` (`whisper-csv`), as whisper.cpp writes it: times in milliseconds, the text in double quotes.

    start,end,text          start,end,speaker,text
    250,2125," qué dijo"    250,2125,"0"," qué dijo"

Quotes inside the text are doubled. The first word has the segment's start and the last its end.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from asr_punct.errors import InputError, plural
from asr_punct.files import Lines, Pathlike, display_name, read_lines
from asr_punct.formats.entries import entry_words
from asr_punct.formats.lines.whisper_lines import (
    milliseconds,
    named_segments,
    new_milliseconds,
    running_text,
    with_header,
    written_segments,
)
from asr_punct.formats.origins import LineOrigin, ParsedLine, lines_around
from asr_punct.formats.values import short_repr
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance

CSV = "whisper-csv"
_HEADERS = "start,end,text", "start,end,speaker,text"
_QUOTE, _QUOTED = '"', re.compile('"(?:[^"]|"")*"')


def is_whisper_csv(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines begin with the header."""
    return len(rows[0]) == 1 and rows[0][0] in _HEADERS


def read_whisper_csv(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line with words after the header.

    Raises InputError for another header, a line with other columns, and times that are no numbers.
    """
    return named_segments(_parsed(read_lines(path), display_name(path)), path)


def _parsed(lines: Lines, name: str) -> Iterator[ParsedLine]:
    columns = 0
    for number, line in lines:
        place, row = f"{name}:{number}", line.split(",", max(columns - 1, 0))
        if not columns:
            if line not in _HEADERS:
                raise InputError(place, short_repr(line), f"the header {' or '.join(_HEADERS)}")
            columns = line.count(",") + 1
            yield place, line
        elif not line.strip():
            yield place, line
        elif len(row) != columns:
            raise InputError(place, plural(len(row), "column"), _HEADERS[columns > 3])
        else:
            yield place, _segment(row, place) or line


def _segment(row: list[str], place: str) -> Utterance | None:
    """Return the utterance of a row, None if it has no words. Raises InputError for a text that does not end here."""
    *others, text = row
    quote = _QUOTE if text.startswith(_QUOTE) else ""
    plain = text[1:-1].replace(_QUOTE * 2, _QUOTE) if quote else text
    if quote and not _QUOTED.fullmatch(text):
        raise InputError(place, short_repr(text), "a text in double quotes that ends in its line")
    start, end = (milliseconds(column, place) for column in others[:2])
    speaker = others[2].strip(f"{_QUOTE} ") if len(others) > 2 else ""
    before, after = plain[: len(plain) - len(plain.lstrip())], plain[len(plain.rstrip()) :]
    origin = LineOrigin(CSV, head=",".join([*others, quote]) + before, tail=after + quote)
    words = tuple(entry_words(plain, start, end, None, place))
    return Utterance(words, speaker=speaker, time_source="segment", origin=origin) if words else None


def write_whisper_csv(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the header and a line for each utterance with words; those of a `.csv` keep all but their words.

    Raises InputError as `write_whisper_log`.
    """

    def line_of(utterance: Utterance, origin: LineOrigin | None) -> str:
        text = running_text(utterance, glyphs)
        quoted = text.replace(_QUOTE, _QUOTE * 2)
        if origin:
            return lines_around(origin, quoted if origin.tail.endswith(_QUOTE) else text)
        return ",".join([*new_milliseconds(utterance), f'"{quoted}"\n'])

    out.writelines(with_header(written_segments(utterances, CSV, line_of), *_HEADERS))
