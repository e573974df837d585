"""SubRip (`.srt`) and WebVTT (`.vtt`): cues with times and text.

A cue is an utterance. Its first word has the start of the cue and its last word the end. Other words have a start only
if WebVTT has times inside the text, as YouTube's does (`<00:00:01.500><c>word</c>`). A cue does not end where speech
ends, so pauses are unknown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name, read_lines, recording_name
from asr_punct.formats.cues.cue_text import SRT, VTT, CueText, Markup
from asr_punct.formats.entries import with_edge_times
from asr_punct.formats.origins import LineOrigin
from asr_punct.words import Seconds, Utterance, Word

MAX_CUE = 2**20
"""Maximum number of characters of a cue and the lines before it, which are in memory together."""
_TIME = r"(?:([0-9]{1,6}):)?([0-5]?[0-9]):([0-5]?[0-9])[.,]([0-9]{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_WORD_TIME = re.compile(rf"<{_TIME}>")
_CUE_START = re.compile(r"[\d:.,]+")
_CLOCK = re.compile(r"[0-9]:[0-9]")
_ARROW = "-->"
_OTHER_BLOCKS = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_EXPECTED = {
    "srt": "a cue: its number, HH:MM:SS,mmm --> HH:MM:SS,mmm, its text, an empty line",
    "vtt": "a cue: HH:MM:SS.mmm --> HH:MM:SS.mmm, its text, an empty line",
}


@dataclass(frozen=True, slots=True)
class CueOrigin(LineOrigin):
    """Place of a cue in its file; `Utterance.origin`.

    `before` has the lines before its text: notes, empty lines, identifier, times and settings. `head` has the lines of
    its text that only repeat the last line of the cue before (YouTube).
    """

    start: Seconds = 0.0
    end: Seconds = 0.0
    text: CueText = field(default_factory=CueText)

    @property
    def markup(self) -> Markup:
        """Markup of the file."""
        return VTT if self.format == VTT.format else SRT


def is_vtt(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like WebVTT."""
    return rows[0][0] == "WEBVTT"


def is_srt(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like cues."""
    return any(row[1:2] == [_ARROW] and _CUE_START.fullmatch(row[0]) for row in rows)


def read_srt(path: Pathlike) -> Iterator[Utterance]:
    """Yield the cues of a file. Raises InputError for wrong times, or a cue longer than `MAX_CUE`."""
    return _Reader(path, SRT).utterances()


def read_vtt(path: Pathlike) -> Iterator[Utterance]:
    """Yield the cues of a file, as `read_srt`."""
    return _Reader(path, VTT).utterances()


class _Reader:
    """Reads one file.

    `_before` has the lines since the last cue, and `_size` is the number of characters since then. `_last_line` is the
    last line of that cue's text, without tags. `_has_word_times` is whether a cue so far has times inside its text.
    """

    def __init__(self, path: Pathlike, markup: Markup) -> None:
        self._path, self._markup = path, markup
        self._before: list[str] = []
        self._size, self._last_line, self._has_word_times = 0, "", False

    def utterances(self) -> Iterator[Utterance]:
        """Yield an utterance for each cue; the last one gets the lines after it."""
        previous: tuple[CueOrigin, Utterance] | None = None
        after_header = self._markup is SRT
        for number, empty, lines in self._blocks():
            self._before += empty
            if not lines or (after_header and self._is_other(lines)):
                self._before += lines
            elif not after_header:
                self._check_header(number, lines)
                self._before, after_header = lines, True
            else:
                cue = self._cue(number, lines)
                if previous is not None and cue.start < previous[0].start:
                    found = f"{cue.start:g} s after {previous[0].start:g} s"
                    raise self._error(number, found, "cues in the order of time")
                if previous is not None:
                    yield previous[1]
                previous = cue, self._utterance(cue, number)
        if previous is not None:
            yield replace(previous[1], origin=replace(previous[0], after=tuple(self._before)))

    def _error(self, number: int, found: str, expected: str = "") -> InputError:
        return InputError(f"{display_name(self._path)}:{number}", found, expected or _EXPECTED[self._markup.format])

    def _blocks(self) -> Iterator[tuple[int, list[str], list[str]]]:
        """Yield each block: number of its first line, empty lines before it, lines up to the next empty line."""
        empty, lines, first = list[str](), list[str](), 1
        for number, line in read_lines(self._path):
            is_empty = not line.strip() if self._markup is SRT else not line
            if is_empty and lines:
                yield first, empty, lines
                empty, lines = [], []
            if not lines:
                first = number
            (empty if is_empty else lines).append(line)
            self._size += len(line) + 1
            if self._size > MAX_CUE:
                raise self._error(number, f"more than {MAX_CUE} characters without a cue")
        yield first, empty, lines

    def _check_header(self, number: int, lines: Sequence[str]) -> None:
        if number > 1 or not re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
            raise self._error(number, _shown(lines[0]), "WEBVTT in the first line")
        for line_number, line in enumerate(lines, number):
            if _ARROW in line:
                raise self._error(line_number, _shown(line), "an empty line between WEBVTT and the first cue")

    def _is_other(self, lines: Sequence[str]) -> bool:
        """Whether a block is a note, a style or a region of WebVTT."""
        return self._markup is VTT and _OTHER_BLOCKS.match(lines[0]) is not None and _ARROW not in lines[0]

    def _cue(self, number: int, lines: Sequence[str]) -> CueOrigin:
        """Return the cue of a block; the first or second line has its times."""
        tests = (lambda line: _ARROW in line), _CLOCK.search  # a line with times but without an arrow is the fault
        row = next((i for test in tests for i, line in enumerate(lines[:2]) if test(line)), 0)
        match = _TIMES.fullmatch(lines[row])
        if match is None:
            raise self._error(number + row, _shown(lines[row]))
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        if end < start:
            raise self._error(number + row, f"end {end:g} before start {start:g}", "an end at or after the start")
        head, lines = lines[: row + 1], lines[row + 1 :]
        for line_number, line in enumerate(lines, number + row + 1):
            if _TIMES.fullmatch(line):
                raise self._error(line_number, _shown(line), "an empty line before the next cue")
        before, self._before, self._size = (*self._before, *head), [], 0
        repeated, spoken = self._split_repeated(lines)
        text = self._markup.split(spoken)
        return CueOrigin(self._markup.format, before, repeated, start=start, end=end, text=text)

    def _split_repeated(self, lines: Sequence[str]) -> tuple[str, str]:
        """Return the lines that repeat the last line of the cue before, and the remaining text.

        Only files in which words have times repeat lines.
        """
        self._has_word_times |= self._markup is VTT and any(map(_WORD_TIME.search, lines))
        filled = [i for i, line in enumerate(lines) if line.strip()]
        repeats = self._has_word_times and filled and lines[filled[0]].strip() == self._last_line
        if filled:
            self._last_line = self._markup.without_tags(lines[filled[-1]]).strip()
        count = filled[0] + 1 if repeats else 0
        return "".join(line + "\n" for line in lines[:count]), "\n".join(lines[count:])

    def _utterance(self, cue: CueOrigin, number: int) -> Utterance:
        starts = zip(cue.text.words, self._word_starts(cue, number), strict=True)
        words = tuple(Word(self._markup.token(word), start) for word, start in starts)
        return Utterance(
            with_edge_times(words, cue.start, cue.end) if words else (),
            id=next((line for line in cue.before[-2:-1] if line.strip() and _ARROW not in line), ""),
            recording=recording_name(self._path),
            speaker=self._markup.speaker(cue.text),
            time_source="segment",
            origin=cue,
        )

    def _word_starts(self, cue: CueOrigin, number: int) -> list[Seconds | None]:
        """Return the last time in the text before each word, or None."""
        starts: list[Seconds | None] = []
        latest = cue.start
        for before in cue.text.between[:-1]:
            times = [_seconds(match.groups()) for match in _WORD_TIME.finditer(before)] if self._markup is VTT else []
            for time in times:
                if not latest <= time <= cue.end:
                    raise self._error(number, f"{time:g} s inside a cue", f"{latest:g} to {cue.end:g} s")
                latest = time
            starts.append(times[-1] if times else None)
        return starts


def _shown(line: str) -> str:
    return repr(line[:60])


def _seconds(parts: Sequence[str | None]) -> Seconds:
    """Return the time of the groups of `_TIME`: hours, minutes, seconds, decimals."""
    hours, minutes, seconds, decimals = parts
    return round(int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{seconds}.{decimals}"), 3)
