"""STM (NIST's segment time marks): `file channel speaker start end [<label>] transcript`, one segment per line.

Times are in seconds. Lines that start with `;;` are comments. Lines without a transcript (those of the speaker
`inter_segment_gap`), or with the transcript `ignore_time_segment_in_scoring`, are not utterances.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, compress, groupby
from operator import itemgetter
from typing import TextIO

from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike, display_name, read_lines
from asr_punct.formats.entries import segment_times, with_edge_times, written_words
from asr_punct.formats.kaldi.ctm import COMMENT
from asr_punct.formats.origins import LineOrigin, ParsedLine, attach_lines, line_origin, lines_around
from asr_punct.formats.times import column_time
from asr_punct.formats.values import format_seconds, one_token, short_repr
from asr_punct.glyphs import Glyphs
from asr_punct.subtitles.units import with_edges
from asr_punct.words import Seconds, Utterance, Word, annotate, split_words

_FORMAT = "stm"
_IGNORED = "ignore_time_segment_in_scoring"
_LINE = re.compile(r"(\s*(?:\S+\s+){4}\S+(?:\s+<[^<>]*>)?)(?!\S)\s*(.*)", re.DOTALL)
"""The columns before the transcript, and the transcript."""
_ALTERNATIVES = re.compile(r"\{[^{}]*\s/\s[^{}]*\}")
_TOKEN = re.compile(r"[{}]|[^\s{}]+")
_NO_ALTERNATIVE = "@"
_COLUMN_COUNT = 5
"""Columns before the label and the transcript."""
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_COLUMNS = "file channel speaker start end [<label>] transcript"
_NO_LABEL = "<NA>"
_NO_SPEAKER = "unknown"


def is_stm(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the columns of a file's first lines look like segments: two numbers, one with a point, in order."""
    times = [row[3:5] for row in rows if len(row) >= _COLUMN_COUNT]
    are_numbers = len(times) == len(rows) and all(map(_SECONDS.fullmatch, chain.from_iterable(times)))
    return are_numbers and all("." in start + end and float(start) <= float(end) for start, end in times)


def read_stm(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment of an STM file.

    The first word has the segment's start and the last its end. Pauses are unknown, because a segment may begin and end
    with silence. Of alternatives (`{ a / b / @ }`) the first is read, and all are kept.
    """
    return attach_lines(_parsed_lines(path))


def _parsed_lines(path: Pathlike) -> Iterator[ParsedLine]:
    for number, line in read_lines(path):
        place = f"{display_name(path)}:{number}"
        utterance = _utterance(line, number, place) if line.strip() and not line.startswith(COMMENT) else None
        yield place, utterance or line


def _utterance(line: str, number: int, place: str) -> Utterance | None:
    match, columns = _LINE.fullmatch(line), line.split()
    if not match:
        raise InputError(place, plural(len(columns), "column"), _COLUMNS)
    name, channel, speaker = columns[:3]
    start, end = (column_time(columns[i], place, what) for i, what in ((3, "start"), (4, "end")))
    words, tail = _words(match[2], place)
    if not words or _is_ignored(match[2]):
        return None
    return Utterance(
        with_edge_times(words, start, end),
        id=f"{name}-{number}",
        recording=name,
        channel=channel,
        speaker="" if speaker == _NO_SPEAKER else speaker,
        time_source="segment",
        origin=LineOrigin(_FORMAT, head=match[1], tail=tail),
    )


def _words(transcript: str, place: str) -> tuple[Sequence[Word], str]:
    """Return the words, those of the first alternatives, and the text after the last one.

    If there are alternatives, the origin of each word has the text before it.
    """
    if not _ALTERNATIVES.search(transcript):
        return split_words(transcript), ""
    words, are_first, end = list[Word](), list[bool](), 0
    for token in _TOKEN.finditer(transcript):
        if token[0] == "{":
            are_first.append(True)
        elif token[0] == "}" and are_first:
            are_first.pop()
        elif token[0] == "/" and are_first:
            are_first[-1] = False
        elif token[0] == "}":
            are_first.append(False)
            break
        elif all(are_first) and not (are_first and token[0] == _NO_ALTERNATIVE):
            words.append(Word(token[0], origin=LineOrigin(_FORMAT, head=transcript[end : token.start()])))
            end = token.end()
    if are_first:
        raise InputError(place, f"the alternatives {short_repr(transcript)}", "a } for each {")
    return words, transcript[end:]


def _is_ignored(transcript: str) -> bool:
    return transcript.strip().lower() == _IGNORED


def without_ignored_segments(hypotheses: Iterable[Utterance], references: Iterable[Utterance]) -> Iterator[Utterance]:
    """Yield the hypotheses without the words in segments that an STM reference excludes from scoring.

    As in NIST's sclite, a word belongs to the first segment of its recording and channel that ends after the word's
    middle, else to the last one. Words without times are kept. Where words are removed, pauses become unknown.
    """
    segments = defaultdict[tuple[str, str], list[tuple[Seconds, bool]]](list)
    for utterance in references:
        origin = line_origin(utterance.origin, _FORMAT)
        for line in (*origin.before, origin.head, *origin.after) if origin else ():
            match = None if line.startswith(COMMENT) else _LINE.fullmatch(line)
            if match:
                name, channel, _, _, end = line.split()[:5]
                segments[name, channel].append((float(end), _is_ignored(match[2])))
    for utterance in hypotheses:
        in_channel = sorted(segments[utterance.recording, utterance.channel])
        is_scored = [_is_scored(word, in_channel) for word in utterance.words]
        if all(is_scored):
            yield utterance
        else:
            words = tuple(compress(utterance.words, is_scored))
            yield annotate(replace(utterance, words=words), pauses=None)


def _is_scored(word: Word, segments: Sequence[tuple[Seconds, bool]]) -> bool:
    """Whether the segment of a word is scored; `segments` has the sorted end of each, and whether it is ignored."""
    if not segments or word.start is None or word.end is None:
        return True
    following = bisect_right(segments, (word.start + word.end) / 2, key=itemgetter(0))
    return not segments[min(following, len(segments) - 1)][1]


def write_stm(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each utterance with words.

    Segments that were read from an STM keep all columns but the transcript, the lines around them, and their order.
    Other segments last from their first word's start to their last word's end and are sorted by recording, channel and
    start; white space in names becomes `_`. Raises InputError if an utterance has no times, or words that would be
    read as alternatives.
    """
    numbered = ((number, each) for number, each in enumerate(with_edges(utterances), start=1) if each.words)
    for from_stm, group in groupby(numbered, key=lambda item: line_origin(item[1].origin, _FORMAT) is not None):
        lines = (_line_text(number, utterance, glyphs) for number, utterance in group)
        out.writelines(lines if from_stm else sorted(lines, key=_recording_and_start))


def _line_text(number: int, utterance: Utterance, glyphs: Glyphs) -> str:
    written = written_words(utterance, glyphs)
    places = [line_origin(word.origin, _FORMAT) for word in utterance.words]
    spaces = [place.head if place else " " * bool(i) for i, place in enumerate(places)]
    text = "".join(f"{space}{word}" for space, word in zip(spaces, written, strict=True))
    origin = line_origin(utterance.origin, _FORMAT) or _new_line(utterance, number, text)
    return lines_around(origin, f" {text}")


def _recording_and_start(line: str) -> tuple[str, str, Seconds]:
    """Return recording, channel and start of a line."""
    name, channel, _, start, _ = line.split(maxsplit=4)
    return name, channel, float(start)


def _new_line(utterance: Utterance, number: int, text: str) -> LineOrigin:
    if found := _ALTERNATIVES.search(text):
        raise InputError(
            f"utterance {utterance.id or number!r}", repr(found[0]), "words that are no alternatives in STM"
        )
    times = segment_times(utterance.words, f"utterance {utterance.id or number!r}")
    name = one_token(utterance.recording or utterance.id or f"utterance{number}")
    speaker = one_token(utterance.speaker or _NO_SPEAKER)
    columns = [name, one_token(utterance.channel or "1"), speaker, *map(format_seconds, times)]
    if text.startswith("<"):
        columns.append(_NO_LABEL)
    return LineOrigin(_FORMAT, head=" ".join(columns))
