"""SubRip (`.srt`) and WebVTT (`.vtt`): cues with times and text.

A cue is an utterance. Its first word has the start of the cue and its last word the end; other words have times only
where WebVTT has them inside the text (`<00:00:01.500><c>word</c>`, as YouTube writes: starts, no ends). When a cue goes
says little of when speech ends, so pauses are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from asr_punct.errors import InputError
from asr_punct.formats.cue_text import CueText, Kind, cut, plain_word, strip_tags, voice_of
from asr_punct.formats.files import Pathlike, display_name, read_lines
from asr_punct.formats.tokens import recording_name
from asr_punct.words import Seconds, Utterance, Word

MAX_CUE = 2**20
"""Characters from the text of one cue to that of the next, at most: a cue is held as a whole."""
_TIME = r"(?:([0-9]{1,6}):)?([0-5]?[0-9]):([0-5]?[0-9])[.,]([0-9]{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_INLINE = re.compile(rf"<{_TIME}>")
_ARROW = "-->"
_OTHER_BLOCKS = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_EXPECTED: dict[Kind, str] = {
    "srt": "a cue: its number, HH:MM:SS,mmm --> HH:MM:SS,mmm, its text, an empty line",
    "vtt": "a cue: HH:MM:SS.mmm --> HH:MM:SS.mmm, its text, an empty line",
}
_LONG = 60
_ORDER = "cues in the order of time"


@dataclass(frozen=True, slots=True)
class FileCue:
    """A cue as its file has it; `Utterance.origin`.

    Attributes:
        kind: of the file.
        head: lines before the text: notes, empty lines, identifier, times and settings.
        start: in seconds.
        end: in seconds.
        repeated: the beginning of the text that repeats the last line of the cue before, as YouTube's do; no words.
        text: the rest of the text, cut at its words.
        tail: lines after the last cue of the file.
    """

    kind: Kind
    head: tuple[str, ...]
    start: Seconds
    end: Seconds
    repeated: str
    text: CueText
    tail: tuple[str, ...] = ()


def read_srt(path: Pathlike) -> Iterator[Utterance]:
    """Cues of a SubRip file, lazily.

    Raises:
        InputError: a cue without number or times, times that are none or go back, more than `MAX_CUE` in a cue.
    """
    return _Reader(path, "srt").utterances()


def read_vtt(path: Pathlike) -> Iterator[Utterance]:
    """Cues of a WebVTT file, lazily.

    Raises:
        InputError: no `WEBVTT` at its beginning, and what `read_srt` raises.
    """
    return _Reader(path, "vtt").utterances()


_Block = tuple[int, list[str], list[str]]
"""Number of the first line after them, empty lines, and the lines up to the next empty one."""


class _Reader:
    """Reads one file.

    Attributes:
        _head: lines since the last cue.
        _size: their characters.
        _shown: last line of the last cue's text, without tags.
        _timed: whether words of the file have times.
    """

    def __init__(self, path: Pathlike, kind: Kind) -> None:
        self._path, self._kind, self._name = path, kind, display_name(path)
        self._head: list[str] = []
        self._size, self._shown, self._timed = 0, "", False

    def utterances(self) -> Iterator[Utterance]:
        """One a cue; what stands after the last cue is known at the end."""
        held: tuple[FileCue, Utterance] | None = None
        begun = self._kind == "srt"
        for number, empty, lines in self._blocks():
            self._head += empty
            if not lines or (begun and self._is_other(lines)):
                self._head += lines
            elif not begun:
                self._check_header(number, lines)
                self._head, begun = lines, True
            else:
                cue = self._cue(number, lines)
                if held is not None:
                    if cue.start < held[0].start:
                        raise self._error(number, f"{cue.start:g} s after {held[0].start:g} s", _ORDER)
                    yield held[1]
                held = cue, self._utterance(cue, number)
        if held is not None:
            yield replace(held[1], origin=replace(held[0], tail=tuple(self._head)))

    def _error(self, number: int, found: str, expected: str) -> InputError:
        return InputError(f"{self._name}:{number}", found, expected)

    def _blocks(self) -> Iterator[_Block]:
        empty, lines, first = list[str](), list[str](), 1
        for number, line in read_lines(self._path):
            blank = not line.strip() if self._kind == "srt" else not line
            if blank and lines:
                yield first, empty, lines
                empty, lines = [], []
            first = number if not lines else first
            (empty if blank else lines).append(line)
            self._size += len(line) + 1
            if self._size > MAX_CUE:
                raise self._error(number, f"more than {MAX_CUE} characters without a cue", _EXPECTED[self._kind])
        yield first, empty, lines

    def _check_header(self, number: int, lines: Sequence[str]) -> None:
        if number > 1 or not re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
            raise self._error(number, repr(lines[0][:_LONG]), "WEBVTT in the first line")
        for after, line in enumerate(lines):
            if _ARROW in line:
                raise self._error(number + after, repr(line[:_LONG]), "an empty line between WEBVTT and the first cue")

    def _is_other(self, lines: Sequence[str]) -> bool:
        """Whether a block is a note, a style or a region of WebVTT."""
        return self._kind == "vtt" and _OTHER_BLOCKS.match(lines[0]) is not None and _ARROW not in lines[0]

    def _cue(self, number: int, lines: Sequence[str]) -> FileCue:
        """The cue of a block, whose first or second line has its times."""
        place = 0 if _ARROW in lines[0] else 1
        shown = lines[place] if len(lines) > place and _ARROW in lines[place] else lines[0]
        match = _TIMES.fullmatch(shown)
        if match is None:
            raise self._error(number + place * (shown is not lines[0]), repr(shown[:_LONG]), _EXPECTED[self._kind])
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        if end < start:
            raise self._error(number + place, f"end {end:g} before start {start:g}", "an end at or after the start")
        for after, line in enumerate(lines[place + 1 :], number + place + 1):
            if _TIMES.fullmatch(line):
                raise self._error(after, repr(line[:_LONG]), "an empty line before the next cue")
        head, self._head, self._size = (*self._head, *lines[: place + 1]), [], 0
        repeated, text = self._split(lines[place + 1 :])
        return FileCue(self._kind, head, start, end, repeated, cut(text, self._kind))

    def _split(self, lines: Sequence[str]) -> tuple[str, str]:
        """What repeats the last line of the cue before, where words of the file have times, and the rest."""
        self._timed = self._timed or (self._kind == "vtt" and any(map(_INLINE.search, lines)))
        spoken = [place for place, line in enumerate(lines) if line.strip()]
        again = self._timed and spoken and lines[spoken[0]].strip() == self._shown
        if spoken:
            self._shown = bare(lines[spoken[-1]], self._kind)
        count = spoken[0] + 1 if again else 0
        return "".join(line + "\n" for line in lines[:count]), "\n".join(lines[count:])

    def _utterance(self, cue: FileCue, number: int) -> Utterance:
        tokens = [plain_word(word, self._kind) for word in cue.text.words]
        starts = self._inline_starts(cue, number)
        starts[:1] = [cue.start] * bool(tokens)
        ends = [None] * (len(tokens) - 1) + [cue.end] * bool(tokens)
        words = tuple(map(Word, tokens, starts, ends))
        name = next((line for line in cue.head[-2:-1] if line.strip() and _ARROW not in line), "")
        return Utterance(
            words,
            name,
            recording=recording_name(self._path),
            speaker=voice_of(cue.text, self._kind),
            time_source="segment",
            origin=cue,
        )

    def _inline_starts(self, cue: FileCue, number: int) -> list[Seconds | None]:
        """The time that stands before each word."""
        starts: list[Seconds | None] = []
        latest = cue.start
        for before in cue.text.between[:-1]:
            times = [_seconds(match.groups()) for match in _INLINE.finditer(before)] if self._kind == "vtt" else []
            for time in times:
                if not latest <= time <= cue.end:
                    raise self._error(number, f"{time:g} s inside a cue", f"{latest:g} to {cue.end:g} s")
                latest = time
            starts.append(times[-1] if times else None)
        return starts


def bare(text: str, kind: Kind) -> str:
    """A line without its tags and the white space around it."""
    return strip_tags(text, kind).strip()


def _seconds(parts: Sequence[str | None]) -> Seconds:
    hours, minutes, seconds, decimals = parts
    return round(int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{seconds}.{decimals}"), 3)
