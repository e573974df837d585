"""SubStation Alpha (`.ass`, `.ssa`): the lines `Dialogue:` of a file, with times, speaker and text.

A line is an utterance: its first word has the start of the line and its last word the end. Comments, styles, drawings
and lines without words are kept for the output.
"""

import re
from collections.abc import Iterator, Sequence

from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike, display_name, read_lines, recording_name
from asr_punct.formats.cues.clock import clock_time
from asr_punct.formats.cues.cue_reader import CueOrigin
from asr_punct.formats.cues.cue_text import ASS, ASS_COLUMNS
from asr_punct.formats.entries import with_edge_times
from asr_punct.formats.origins import ParsedLine, attach_lines
from asr_punct.words import Utterance, Word

_START = re.compile(r"(?i)\[script info\]|(?:dialogue|comment)\s*:[^,]*,\d+:\d\d:\d\d\.\d+,")
"""The start of a file; a line `Dialogue:` without times is text."""
_COLUMNS = ("start", "end", "name")
_DEFAULT = {"start": 1, "end": 2, "name": 4}


def is_ass(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like SubStation Alpha."""
    return _START.match(" ".join(rows[0])) is not None


def read_ass(path: Pathlike) -> Iterator[Utterance]:
    """Yield the lines with words. Raises InputError for a line with fewer columns than the format has."""
    return attach_lines(_lines(path))


def _lines(path: Pathlike) -> Iterator[ParsedLine]:
    places, recording = _DEFAULT, recording_name(path)
    is_events = True
    for number, line in read_lines(path):
        place, kind = f"{display_name(path)}:{number}", line.partition(":")[0].strip().lower()
        if line.lstrip().startswith("["):
            is_events = line.strip().lower() == "[events]"
        elif kind == "format" and is_events:
            places = _places(line, place)
        is_spoken = kind == "dialogue" and is_events
        yield place, _utterance(line, places, place, recording) if is_spoken else line


def _places(line: str, place: str) -> dict[str, int]:
    """Return the places of the columns that a line `Format:` names."""
    names = [name.strip().lower() for name in line.partition(":")[2].split(",")]
    if len(names) != ASS_COLUMNS or names[-1] != "text" or not {"start", "end"} <= {*names}:
        found = plural(len(names), "column")
        raise InputError(place, found, f"{ASS_COLUMNS}, with Start, End and, at the end, Text")
    return {name: names.index(name) for name in _COLUMNS if name in names}


def _utterance(line: str, places: dict[str, int], place: str, recording: str) -> Utterance | str:
    """Return the utterance of a line, or the line if it has no words."""
    columns = line.partition(":")[2].split(",", ASS_COLUMNS - 1)
    if len(columns) < ASS_COLUMNS:
        raise InputError(place, plural(len(columns), "column"), str(ASS_COLUMNS))
    text = ASS.split(line)
    words = tuple(Word(ASS.token(word)) for word in text.words)
    if not words:
        return line
    start, end = (clock_time(columns[places[name]].strip()) for name in ("start", "end"))
    origin = CueOrigin(ASS.format, start=start, end=end, text=text)
    speaker = columns[places["name"]].strip() if "name" in places else ""
    return Utterance(
        with_edge_times(words, start, end),
        recording=recording,
        speaker=speaker,
        time_source="segment",
        origin=origin,
    )
