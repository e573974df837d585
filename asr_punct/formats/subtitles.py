"""SubRip (`.srt`) and WebVTT (`.vtt`): cues with times and text.

A cue is an utterance. Its first word has the start of the cue and its last word the end. Other words have a start only
if WebVTT has times inside the text, as YouTube's does (`<00:00:01.500><c>word</c>`). A cue does not end where speech
ends, so pauses are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TextIO

from asr_punct.errors import AsrPunctError, InputError, plural
from asr_punct.formats.cue_text import (
    CueText,
    Kind,
    escape,
    keep_space,
    labelled_word,
    plain_text,
    speaker_of,
    split_words,
    strip_tags,
    token_of,
    voice_tag,
)
from asr_punct.formats.files import Pathlike, display_name, read_lines
from asr_punct.formats.lines import LineOrigin
from asr_punct.formats.tokens import recording_name
from asr_punct.marks import Glyphs
from asr_punct.subtitles import NETFLIX, Limits, make_cues, parse_limits
from asr_punct.words import Seconds, Utterance, Word

MAX_CUE = 2**20
"""Maximum number of characters of a cue and the lines before it, which are in memory together."""
_TIME = r"(?:([0-9]{1,6}):)?([0-5]?[0-9]):([0-5]?[0-9])[.,]([0-9]{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_WORD_TIME = re.compile(rf"<{_TIME}>")
_ARROW = "-->"
_OTHER_BLOCKS = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_EXPECTED: dict[Kind, str] = {
    "srt": "a cue: its number, HH:MM:SS,mmm --> HH:MM:SS,mmm, its text, an empty line",
    "vtt": "a cue: HH:MM:SS.mmm --> HH:MM:SS.mmm, its text, an empty line",
}
_SHOWN_CHARACTERS = 60
_HEADER = "WEBVTT\n"


@dataclass(frozen=True, slots=True)
class CueOrigin(LineOrigin):
    """Place of a cue in its file; `Utterance.origin`.

    `before` has the lines before its text: notes, empty lines, identifier, times and settings. `head` has the lines of
    its text that only repeat the last line of the cue before (YouTube).

    Attributes:
        start: start time in seconds.
        end: end time in seconds.
        text: its text after `head`.
    """

    start: Seconds = 0.0
    end: Seconds = 0.0
    text: CueText = field(default_factory=CueText)

    @property
    def kind(self) -> Kind:
        """Format of the file."""
        return "vtt" if self.format == "vtt" else "srt"


def read_srt(path: Pathlike) -> Iterator[Utterance]:
    """Yield the cues of a SubRip file.

    Raises:
        InputError: a cue without number or times, invalid times or times out of order, a cue longer than `MAX_CUE`.
    """
    return _Reader(path, "srt").utterances()


def read_vtt(path: Pathlike) -> Iterator[Utterance]:
    """Yield the cues of a WebVTT file.

    Raises:
        InputError: the first line is not `WEBVTT`, or as `read_srt`.
    """
    return _Reader(path, "vtt").utterances()


_Block = tuple[int, list[str], list[str]]
"""Number of the first line, the empty lines before it, and the lines up to the next empty line."""


class _Reader:
    """Reads one file.

    Attributes:
        _before: lines since the last cue.
        _size: number of characters since the last cue.
        _last_line: last line of the last cue's text, without tags.
        _has_word_times: whether a cue read so far has times inside its text.
    """

    def __init__(self, path: Pathlike, kind: Kind) -> None:
        self._path, self._kind = path, kind
        self._before: list[str] = []
        self._size, self._last_line, self._has_word_times = 0, "", False

    def utterances(self) -> Iterator[Utterance]:
        """Yield an utterance for each cue; the last one gets the lines after it."""
        previous: tuple[CueOrigin, Utterance] | None = None
        after_header = self._kind == "srt"
        for number, empty, lines in self._blocks():
            self._before += empty
            if not lines or (after_header and self._is_other(lines)):
                self._before += lines
            elif not after_header:
                self._check_header(number, lines)
                self._before, after_header = lines, True
            else:
                cue = self._cue(number, lines)
                if previous is not None:
                    if cue.start < previous[0].start:
                        found = f"{cue.start:g} s after {previous[0].start:g} s"
                        raise self._error(number, found, "cues in the order of time")
                    yield previous[1]
                previous = cue, self._utterance(cue, number)
        if previous is not None:
            yield replace(previous[1], origin=replace(previous[0], after=tuple(self._before)))

    def _error(self, number: int, found: str, expected: str = "") -> InputError:
        return InputError(f"{display_name(self._path)}:{number}", found, expected or _EXPECTED[self._kind])

    def _blocks(self) -> Iterator[_Block]:
        empty, lines, first = list[str](), list[str](), 1
        for number, line in read_lines(self._path):
            is_empty = not line.strip() if self._kind == "srt" else not line
            if is_empty and lines:
                yield first, empty, lines
                empty, lines = [], []
            first = number if not lines else first
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
        return self._kind == "vtt" and _OTHER_BLOCKS.match(lines[0]) is not None and _ARROW not in lines[0]

    def _cue(self, number: int, lines: Sequence[str]) -> CueOrigin:
        """Return the cue of a block; the first or second line has its times."""
        row = next((i for i, line in enumerate(lines[:2]) if _ARROW in line), 0)
        match = _TIMES.fullmatch(lines[row])
        if match is None:
            raise self._error(number + row, _shown(lines[row]))
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        if end < start:
            raise self._error(number + row, f"end {end:g} before start {start:g}", "an end at or after the start")
        head, text = lines[: row + 1], lines[row + 1 :]
        for line_number, line in enumerate(text, number + row + 1):
            if _TIMES.fullmatch(line):
                raise self._error(line_number, _shown(line), "an empty line before the next cue")
        before, self._before, self._size = (*self._before, *head), [], 0
        repeated, spoken = self._split_repeated(text)
        return CueOrigin(self._kind, before, repeated, start=start, end=end, text=split_words(spoken, self._kind))

    def _split_repeated(self, lines: Sequence[str]) -> tuple[str, str]:
        """Return the lines that repeat the last line of the cue before, and the remaining text.

        Only files in which words have times repeat lines.
        """
        self._has_word_times |= self._kind == "vtt" and any(map(_WORD_TIME.search, lines))
        filled = [i for i, line in enumerate(lines) if line.strip()]
        repeats = self._has_word_times and filled and lines[filled[0]].strip() == self._last_line
        if filled:
            self._last_line = strip_tags(lines[filled[-1]], self._kind).strip()
        count = filled[0] + 1 if repeats else 0
        return "".join(line + "\n" for line in lines[:count]), "\n".join(lines[count:])

    def _utterance(self, cue: CueOrigin, number: int) -> Utterance:
        tokens = [token_of(word, self._kind) for word in cue.text.words]
        starts = self._word_starts(cue, number)
        starts[:1] = [cue.start] * bool(tokens)
        ends = [None] * (len(tokens) - 1) + [cue.end] * bool(tokens)
        return Utterance(
            tuple(map(Word, tokens, starts, ends)),
            id=next((line for line in cue.before[-2:-1] if line.strip() and _ARROW not in line), ""),
            recording=recording_name(self._path),
            speaker=speaker_of(cue.text, self._kind),
            time_source="segment",
            origin=cue,
        )

    def _word_starts(self, cue: CueOrigin, number: int) -> list[Seconds | None]:
        """Return the last time in the text before each word, or None."""
        starts: list[Seconds | None] = []
        latest = cue.start
        for before in cue.text.between[:-1]:
            times = [_seconds(match.groups()) for match in _WORD_TIME.finditer(before)] if self._kind == "vtt" else []
            for time in times:
                if not latest <= time <= cue.end:
                    raise self._error(number, f"{time:g} s inside a cue", f"{latest:g} to {cue.end:g} s")
                latest = time
            starts.append(times[-1] if times else None)
        return starts


def _shown(line: str) -> str:
    return repr(line[:_SHOWN_CHARACTERS])


def _seconds(parts: Sequence[str | None]) -> Seconds:
    """Return the time of the groups of `_TIME`: hours, minutes, seconds, decimals."""
    hours, minutes, seconds, decimals = parts
    return round(int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{seconds}.{decimals}"), 3)


def write_srt(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs, limits: Limits | None = None) -> None:
    """Write a SubRip file.

    Utterances that were cues of a SubRip file keep their times, lines, numbers and tags (but not line ends and byte
    order mark); cues of a WebVTT file keep their times and lines. Other utterances become cues by
    `subtitles.make_cues`, in the order of time; cues of different channels may overlap.

    Args:
        utterances: utterances of one recording, those of each channel in the order of time.
        out: stream to write to.
        glyphs: glyphs of the marks.
        limits: limits of new cues, which then replace the cues of a file; None: `NETFLIX`, and cues are kept.

    Raises:
        InputError: an utterance has no times, is out of order in its channel, or belongs to another recording.
    """
    _Writer("srt", out, glyphs).write(utterances, limits)


def write_vtt(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs, limits: Limits | None = None) -> None:
    """Write a WebVTT file, as `write_srt` writes a SubRip file."""
    _Writer("vtt", out, glyphs).write(utterances, limits)


def writer_with_limits(format_name: str, limits: Limits) -> Callable[[Iterable[Utterance], TextIO, Glyphs], None]:
    """Return the writer of new cues with these limits. Raises AsrPunctError for other formats than subtitles."""
    writers = {"srt": write_srt, "vtt": write_vtt}
    if format_name not in writers:
        raise AsrPunctError(f"--subtitles: found the output {format_name}, expected --to {' or '.join(writers)}")
    return partial(writers[format_name], limits=limits)


def chosen_limits(text: str | None, format_name: str) -> Limits | None:
    """Return the limits of the option `--subtitles`, or None without it.

    Raises:
        AsrPunctError: the limits are invalid, or the output format is not a subtitle format.
    """
    limits = None if text is None else parse_limits(text)
    if limits is not None:
        writer_with_limits(format_name, limits)
    return limits


class _Writer:
    """Writes one file.

    Attributes:
        _count: number of cues written.
        _last_line: last line written, without tags, for cues that repeat it.
        _recording: recording of the new cues.
    """

    def __init__(self, kind: Kind, out: TextIO, glyphs: Glyphs) -> None:
        self._kind, self._out, self._glyphs = kind, out, glyphs
        self._count, self._last_line = 0, ""
        self._recording: str | None = None

    def write(self, utterances: Iterable[Utterance], limits: Limits | None) -> None:
        def is_kept(utterance: Utterance) -> bool:
            return limits is None and isinstance(utterance.origin, CueOrigin)

        for kept, group in groupby(utterances, key=is_kept):
            if kept:
                for utterance in group:
                    self._write_kept_cue(utterance)
            else:
                self._write_new_cues(group, limits or NETFLIX)
        if not self._count and self._kind == "vtt":
            self._out.write(_HEADER)

    def _write_kept_cue(self, utterance: Utterance) -> None:
        """Write a cue of a file with new text."""
        cue = utterance.origin
        if not isinstance(cue, CueOrigin):
            return
        text = self._text(cue, utterance)
        if cue.kind != self._kind:
            self._write_cue(cue.start, cue.end, text)
            return
        has_header = self._count or self._kind == "srt" or cue.before[0].startswith("WEBVTT")
        before = cue.before if has_header else ("WEBVTT", "", *cue.before)
        self._out.write("".join(line + "\n" for line in before) + text + "".join(line + "\n" for line in cue.after))
        self._count += 1

    def _text(self, cue: CueOrigin, utterance: Utterance) -> str:
        """Return the text of a cue with the utterance's labels; every line ends with a line break."""
        words, labels, keeps_kind = cue.text.words, utterance.labels, cue.kind == self._kind
        if len(words) != len(labels):
            found, expected = plural(len(labels), "word"), f"the {len(words)} of its cue"
            raise InputError(f"utterance {utterance.id!r}", found, expected)
        repeated = cue.head.strip()
        parts = [cue.head.replace(repeated, self._last_line) if self._last_line and repeated else cue.head]
        between = cue.text.between if keeps_kind else [keep_space(text, cue.kind) for text in cue.text.between]
        parts.append(between[0])
        for word, token, label, after in zip(words, utterance.words, labels, between[1:], strict=True):
            text = labelled_word(word, token.text, label, self._glyphs, cue.kind)
            parts += [text if keeps_kind else escape(plain_text(text, cue.kind), self._kind), after]
        lines = "".join(parts).removesuffix("\n").split("\n") if any(parts) else []
        plain_lines = [strip_tags(line, self._kind).strip() for line in lines]
        self._last_line = next(filter(None, reversed(plain_lines)), self._last_line)
        return "".join(line + "\n" for line in (lines if keeps_kind else filter(None, plain_lines)))

    def _write_new_cues(self, utterances: Iterable[Utterance], limits: Limits) -> None:
        cues = list(make_cues(utterances, limits, self._glyphs))
        for cue in cues:
            if self._recording not in (None, cue.recording):
                found = f"recordings {self._recording!r} and {cue.recording!r}"
                raise InputError("subtitles", found, "one recording a file")
            self._recording = cue.recording
        for cue in sorted(cues, key=attrgetter("start")):
            speakers = cue.speakers if len(cue.speakers) > 1 else (*cue.speakers, *[""] * (len(cue.lines) - 1))
            lines = zip(speakers, cue.lines, strict=True)
            text = (f"{voice_tag(speaker, self._kind)}{escape(line, self._kind)}\n" for speaker, line in lines)
            self._write_cue(cue.start, cue.end, "".join(text))

    def _write_cue(self, start: Seconds, end: Seconds, text: str) -> None:
        self._out.write("\n" if self._count else _HEADER + "\n" if self._kind == "vtt" else "")
        self._count += 1
        if self._kind == "srt":
            self._out.write(f"{self._count}\n")
        self._out.write(f"{self._time(start)} {_ARROW} {self._time(end)}\n{text}")

    def _time(self, seconds: Seconds) -> str:
        minutes, ms = divmod(round(seconds * 1000), 60_000)
        point = "," if self._kind == "srt" else "."
        return f"{minutes // 60:02}:{minutes % 60:02}:{ms // 1000:02}{point}{ms % 1000:03}"
