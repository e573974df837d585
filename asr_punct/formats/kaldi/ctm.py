"""CTM: `utterance channel start duration word [confidence [type speaker]]`, in seconds, one word per line.

Kaldi writes 5 or 6 columns, and rows with the word `<eps>` for silence. NeMo's Forced Aligner writes 8 columns, with
`NA` as confidence, and `<space>` between the words of a segment. Lines that start with `;;` are comments (NIST). Of
alternatives (`* * <ALT_BEGIN>`, `<ALT>`, `<ALT_END>`) the first is read, and all are kept.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from asr_punct.errors import EXPECTED_TIMES, InputError, plural
from asr_punct.files import AUDIO_SUFFIXES, Pathlike, display_name, read_lines
from asr_punct.formats.entries import with_edge_times
from asr_punct.formats.origins import LineOrigin, keep_line, line_origin
from asr_punct.formats.times import UNKNOWN, column_time, confidence_of, end_after
from asr_punct.formats.values import format_seconds, one_token
from asr_punct.glyphs import Glyphs, write_word
from asr_punct.subtitles.units import filled_times, with_edges
from asr_punct.words import Seconds, TimeSource, Utterance, Word, has_times

COMMENT = ";;"
_FORMAT = "ctm"
_SILENCE, _NO_ALTERNATIVE = "<eps>", "@"
_ALTERNATIVES, _NEXT_ALTERNATIVE = {"<ALT_BEGIN>": 1, "<ALT_END>": 0}, "<ALT>"
"""Words of rows around alternatives (NIST), whose times are `*`, with the number of the alternative that follows."""
_SPACE = "<space>"
_SPACES = re.compile(f"((?:{_SPACE})+)")
_ROW = re.compile(r"(\s*(?:\S+\s+){4})(\S+)(.*)", re.DOTALL)
"""The four columns before the word, the word, and the rest of the line."""
_SECONDS = re.compile(r"\d+(?:\.\d+)?")
_COLUMN_COUNTS = (5, 6, 8)
_ALIGNER_COLUMNS = ["NA", "lex"]
"""Confidence and type in rows of the Forced Aligner."""
_EXPECTED = "5, 6 or 8 columns: utterance channel start duration word [confidence [type speaker]]"


@dataclass(frozen=True, slots=True)
class RowsById:
    """Origin of an utterance of a data directory: the first column of its CTM rows is its id, not its recording."""


def read_ctm(path: Pathlike) -> Iterator[Utterance]:
    """Yield the utterances of a CTM file: consecutive rows with the same name and channel.

    The utterance's name is also its recording. Silence rows are skipped. If a row has several words, the first has its
    start and the last its end.
    """
    pending: list[str] = []
    for (name, channel), rows in groupby(_rows(path, pending), key=itemgetter(0)):
        words = tuple(word for _, found in rows for word in found)
        origin = LineOrigin(_FORMAT, after=tuple(pending)) if pending else None  # only at the end of the file
        yield Utterance(words, name, recording=name, channel=channel, time_source=_time_source(words), origin=origin)


def _time_source(words: Sequence[Word]) -> TimeSource:
    """Return `ctc` for rows of NeMo's Forced Aligner, which have no confidence, else the default of CTM."""
    first = line_origin(words[0].origin, _FORMAT)
    from_aligner = first is not None and first.tail.split()[:2] == _ALIGNER_COLUMNS
    return "ctc" if from_aligner else "asr"


def is_ctm(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the columns of a file's first lines look like rows of a CTM."""
    return all(map(could_be_row, rows))


def could_be_row(columns: Sequence[str]) -> bool:
    """Whether columns look like a CTM row: 5, 6 or 8, with start and duration numbers, one of them with a point."""
    times = columns[2:4]
    return len(columns) in _COLUMN_COUNTS and all(map(_SECONDS.fullmatch, times)) and any("." in time for time in times)


def _rows(path: Pathlike, pending: list[str]) -> Iterator[tuple[tuple[str, str], tuple[Word, ...]]]:
    """Yield (name, channel) and the words of each row; `pending` gets the lines without words since the last row."""
    seen: set[tuple[str, str]] = set()
    previous, alternative = None, 0
    for number, line in read_lines(path):
        columns, match, place = line.split(), _ROW.match(line), f"{display_name(path)}:{number}"
        is_row = len(columns) in _COLUMN_COUNTS
        mark = columns[4].upper() if is_row and columns[2:4] == ["*", "*"] else ""
        alternative = _ALTERNATIVES.get(mark, alternative + (mark == _NEXT_ALTERNATIVE))
        no_words = (_SILENCE, _NO_ALTERNATIVE) if alternative else (_SILENCE,)
        is_skipped = mark or alternative > 1 or (is_row and columns[4] in no_words)
        if not columns or line.startswith(COMMENT) or is_skipped:
            keep_line(pending, line, place)
            continue
        if not match or not is_row:
            raise InputError(place, plural(len(columns), "column"), _EXPECTED)
        start, duration = (column_time(columns[i], place, name) for i, name in ((2, "start"), (3, "duration")))
        confidence = confidence_of(column_time(columns[5], place, "confidence")) if len(columns) > 5 else None
        key = columns[0], columns[1]
        if key != previous and key in seen:
            raise InputError(place, f"utterance {key[0]!r} again", "the rows of an utterance together")
        seen.add(key)
        previous = key
        origin = LineOrigin(_FORMAT, tuple(pending), match[1], match[3])
        pending.clear()
        word = Word(columns[4], start, end_after(start, duration), confidence, speaker=_speaker(columns[7:]))
        yield key, _split(word, origin)


def _speaker(columns: Sequence[str]) -> str:
    """Return the speaker of the columns after the type, "" if there is none or it is unknown."""
    return "" if not columns or columns[0].strip("<>").upper() in UNKNOWN else columns[0]


def _split(word: Word, origin: LineOrigin) -> tuple[Word, ...]:
    """Return the words of a row's token, as `la<space>casa` has two; a token that is only `<space>` is one word.

    The first word has the origin of the row, the others one whose head is the `<space>` before them.
    """
    texts = _SPACES.split(word.text)  # word, spaces, word …; the first and last word may be empty
    if not any(texts[::2]):
        return (replace(word, origin=origin),)
    if not texts[0]:
        texts, origin = texts[2:], replace(origin, head=origin.head + texts[1])
    if not texts[-1]:
        texts, origin = texts[:-2], replace(origin, tail=texts[-2] + origin.tail)
    pairs = zip(texts[::2], [origin, *(LineOrigin(_FORMAT, head=space) for space in texts[1::2])], strict=True)
    words = [Word(text, confidence=word.confidence, origin=place, speaker=word.speaker) for text, place in pairs]
    return with_edge_times(words, word.start, word.end)


def write_ctm(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write utterances with their marks attached to the words.

    Words that were read from a CTM keep their row and the lines around it. Other words get a row named by their
    recording, because their times count from its beginning; the rows of a recording are sorted by channel and time. The
    rows of utterances of data directories, and of those without a recording, are named by the utterance's id. Rows have
    a confidence if it is known; white space in names becomes `_`. Missing times are interpolated. Raises InputError if
    no word of an utterance has a start and an end, or a recording's utterances are not consecutive.
    """
    finished: set[str] = set()
    for (by_recording, name), group in groupby(_named(utterances), key=itemgetter(0, 1)):
        if by_recording:
            if name in finished:
                raise InputError(f"recording {name!r}", "utterances in two places", "those of a recording together")
            finished.add(name)
            rows = [(u.channel, start, text) for _, _, u in group for start, text in _row_texts(u, name, glyphs)]
            out.writelines(text for _, _, text in sorted(rows, key=itemgetter(0, 1)))
        else:
            for _, _, utterance in group:
                out.writelines(text for _, text in _row_texts(utterance, name, glyphs))
                if end := line_origin(utterance.origin, _FORMAT):
                    out.writelines(f"{line}\n" for line in end.after)


def _named(utterances: Iterable[Utterance]) -> Iterator[tuple[bool, str, Utterance]]:
    """Yield each utterance to write, whether its rows are named by its recording, and the name."""
    for number, utterance in enumerate(with_edges(utterances), start=1):
        if not utterance.words and not line_origin(utterance.origin, _FORMAT):
            continue
        keeps_rows = any(line_origin(word.origin, _FORMAT) for word in utterance.words)
        by_id = keeps_rows or isinstance(utterance.origin, RowsById) or not (utterance.recording and utterance.words)
        audio = Path(utterance.recording)
        recording = audio.stem if audio.suffix.lower() in AUDIO_SUFFIXES else utterance.recording
        name = utterance.id or utterance.recording or f"utterance{number}"
        yield not by_id, one_token(name if by_id else recording), utterance


def _row_texts(utterance: Utterance, name: str, glyphs: Glyphs) -> Iterator[tuple[Seconds, str]]:
    """Yield start and text of each row of an utterance, with the lines before it."""
    start, text, tail, glyphs = 0.0, "", "", glyphs.of(utterance.language)
    for word, label in zip(_with_times(utterance), utterance.labels, strict=True):
        origin = line_origin(word.origin, _FORMAT)
        if origin and _SPACES.fullmatch(origin.head):  # the word shares a row with the word before it
            text += origin.head
        else:
            if text:
                yield start, text + tail
            row = origin or _new_row(word, name, utterance.channel)
            start, tail = word.start or 0.0, f"{row.tail}\n"
            text = "".join(f"{line}\n" for line in row.before) + row.head
        text += write_word(word.text, label, glyphs)
    if text:
        yield start, text + tail


def _with_times(utterance: Utterance) -> Sequence[Word]:
    """Return the words with missing times interpolated, if times of words are known."""
    words = utterance.words
    only_edges = utterance.time_source == "segment" and len(words) > 1
    if only_edges or not has_times(words) or all(None not in (word.start, word.end) for word in words):
        return words
    times = zip(utterance.words, filled_times(utterance), strict=True)
    return [replace(word, start=start, end=end) for word, (start, end) in times]


def _new_row(word: Word, name: str, channel: str) -> LineOrigin:
    if word.start is None or word.end is None:
        raise InputError(name, f"word {word.text!r} without times", EXPECTED_TIMES)
    columns = [name, one_token(channel or "1"), format_seconds(word.start), format_seconds(word.end - word.start)]
    tail = "" if word.confidence is None else f" {word.confidence:g}"
    return LineOrigin(_FORMAT, head=" ".join(columns) + " ", tail=tail)
