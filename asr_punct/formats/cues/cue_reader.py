"""SubRip (`.srt`) and WebVTT (`.vtt`): cues with times and text.

A cue is an utterance. Its first word has the start of the cue and its last word the end. Other words have a start only
if WebVTT has times inside the text, as YouTube's does (`<00:00:01.500><c>word</c>`). A cue does not end where speech
ends, so pauses are unknown.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from asr_punct.errors import InputError, plural
from asr_punct.files import Lines, Pathlike, display_name, read_lines, recording_name
from asr_punct.formats.cues.blocks import Block, srt_blocks, stray_texts, vtt_blocks
from asr_punct.formats.cues.clock import ARROW, Times, has_word_time, word_times
from asr_punct.formats.cues.cue_text import MARKUPS, SRT, VTT, CueText, Markup
from asr_punct.formats.entries import with_edge_times
from asr_punct.formats.fragments import Fragments
from asr_punct.formats.origins import LineOrigin
from asr_punct.formats.times import NotATime
from asr_punct.words import Seconds, Utterance, Word

_LOG = logging.getLogger(__name__)
MAX_CUE = 2**20
"""Maximum number of characters of a cue and the lines before it, which are in memory together."""
_CUE_START = re.compile(r"[\d:.,]+")
_HEADER = re.compile(r"WEBVTT(?:[ \t]|$)")
_FIRST_CUES = 20
"""Number of cues by which it is seen whether a file repeats lines."""
_GAP: Seconds = 0.05
"""A cue that repeats a line starts at most this long after the end of the one before it, and has new lines or is this
short."""
_EXPECTED = {
    "srt": "a cue: its number, HH:MM:SS,mmm --> HH:MM:SS,mmm, its text, an empty line",
    "vtt": "a cue: HH:MM:SS.mmm --> HH:MM:SS.mmm, its text, an empty line",
}


@dataclass(frozen=True, slots=True)
class CueOrigin(LineOrigin):
    """Place of a cue in its file; `Utterance.origin`.

    `before` has the lines before its text: notes, empty lines, identifier, times and settings. `head` has the lines of
    its text that only repeat the last line of the cue before (YouTube). `start` and `end` are those of the file; NaN if
    they are no times.
    """

    start: Seconds = 0.0
    end: Seconds = 0.0
    text: CueText = field(default_factory=CueText)

    @property
    def markup(self) -> Markup:
        """Markup of the file."""
        return MARKUPS[self.format]


def is_vtt(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like WebVTT."""
    return rows[0][0] == "WEBVTT"


def is_srt(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like cues."""
    return not is_vtt(rows) and any(row[1:2] == [ARROW] and _CUE_START.fullmatch(row[0]) for row in rows)


def read_srt(path: Pathlike) -> Iterator[Utterance]:
    """Yield the cues of a file. Raises InputError for one without cues, or a cue longer than `MAX_CUE`."""
    return _Reader(path, SRT).utterances()


def read_vtt(path: Pathlike) -> Iterator[Utterance]:
    """Yield the cues of a file, as `read_srt`. Raises InputError also if it does not begin with WEBVTT."""
    return _Reader(path, VTT).utterances()


def repeats_lines(utterance: Utterance) -> bool:
    """Whether an utterance is a cue that repeats a line of the cue before, as YouTube's rolling captions do."""
    return isinstance(utterance.origin, CueOrigin) and bool(utterance.origin.head)


class _Reader:
    """Reads one file.

    `_size` is the number of characters since the last cue. `_last_line` is the last line of that cue's text, without
    tags. `_repeats` is whether cues repeat the last line of the one before, as in `_repeat_lines`; with
    `_has_word_times`, as in YouTube's WebVTT, whatever their length.
    """

    def __init__(self, path: Pathlike, markup: Markup) -> None:
        self._path, self._markup = path, markup
        self._size, self._last_line = 0, ""
        self._repeats = self._has_word_times = False

    def utterances(self) -> Iterator[Utterance]:
        """Yield an utterance for each cue; the last one gets the lines after it."""
        blocks = self._blocks()
        first = list(islice(blocks, _FIRST_CUES))
        self._repeats = self._repeat_lines(first)
        previous: Utterance | None = None
        stray, fragments = list[str](), Fragments()
        for block in chain(first, blocks):
            stray += stray_texts(block.before) if self._markup is VTT else ()
            if block.times:
                fragments.add("\n".join(block.text))
                if previous is not None:
                    yield previous
                previous = self._utterance(block, block.times)
            elif previous is not None and isinstance(previous.origin, CueOrigin):
                yield replace(previous, origin=replace(previous.origin, after=block.before))
            else:
                lines = block.before if self._markup is SRT else list(stray_texts(block.before))
                if line := next(filter(str.strip, lines), ""):
                    raise self._error(block.before.index(line) + 1, _shown(line))
        fragments.report(display_name(self._path))
        if stray:
            found = f"{plural(len(stray), 'block')} of text without times (first: {_shown(stray[0])})"
            _LOG.warning("%s: %s: no player shows them, and they are not read", display_name(self._path), found)

    def _error(self, number: int, found: str, expected: str = "") -> InputError:
        return InputError(f"{display_name(self._path)}:{number}", found, expected or _EXPECTED[self._markup.format])

    def _blocks(self) -> Iterator[Block]:
        for block in (srt_blocks if self._markup is SRT else vtt_blocks)(self._lines()):
            self._size = 0
            yield block

    def _lines(self) -> Lines:
        """Yield the lines, which a carriage return may end too. Raises InputError for a wrong header and long cues."""
        is_first = self._markup is VTT
        for number, line in read_lines(self._path):
            self._size += len(line) + 1
            if self._size > MAX_CUE:
                raise self._error(number, f"more than {MAX_CUE} characters without a cue")
            for part in line.split("\r"):
                if is_first and not _HEADER.match(part):
                    raise self._error(number, _shown(part), "WEBVTT in the first line")
                is_first = False
                yield number, part

    def _repeat_lines(self, blocks: Sequence[Block]) -> bool:
        """Whether at least half of the cues begin with the last line of the one before, with no gap or in its time."""
        count, repeated, last, last_end = 0, 0, "", 0.0
        for block in blocks:
            lines = [line.strip() for line in block.text if line.strip()]
            if lines and block.times:
                repeated += lines[0] == last and block.times[0] - last_end <= _GAP and _may_repeat(lines, block.times)
                count += bool(last)
                last, last_end = self._markup.without_tags(lines[-1]).strip(), block.times[1]
        return repeated > 1 and 2 * repeated >= count

    def _utterance(self, block: Block, times: Times) -> Utterance:
        repeated, spoken = self._split_repeated(block.text, times)
        text = self._markup.split(spoken)
        cue = CueOrigin(self._markup.format, block.before, repeated, start=times[0], end=times[1], text=text)
        starts = zip(text.words, self._word_starts(cue), strict=True)
        words = tuple(Word(self._markup.token(word), start) for word, start in starts)
        return Utterance(
            with_edge_times(words, cue.start, cue.end) if words else (),
            id=block.id,
            recording=recording_name(self._path),
            speaker=self._markup.speaker(text),
            time_source="segment",
            origin=cue,
        )

    def _split_repeated(self, lines: Sequence[str], times: Times) -> tuple[str, str]:
        """Return the lines that repeat the last line of the cue before, and the remaining text."""
        self._has_word_times |= self._markup is VTT and any(map(has_word_time, lines))
        filled = [i for i, line in enumerate(lines) if line.strip()]
        may_repeat = self._has_word_times or (self._repeats and _may_repeat(filled, times))
        repeats = may_repeat and filled and lines[filled[0]].strip() == self._last_line
        if filled:
            self._last_line = self._markup.without_tags(lines[filled[-1]]).strip()
        count = filled[0] + 1 if repeats else 0
        return "".join(line + "\n" for line in lines[:count]), "\n".join(lines[count:])

    def _word_starts(self, cue: CueOrigin) -> list[Seconds | None]:
        """Return the last time in the text before each word, or None; outside the cue it is no time."""
        starts: list[Seconds | None] = []
        for before in cue.text.between[:-1]:
            time = word_times(before)[-1:] if self._markup is VTT else []
            is_outside = time and (time[0] < cue.start or time[0] > cue.end) and cue.start <= cue.end
            starts.append(NotATime(f"{time[0]:g} outside the cue") if is_outside else next(iter(time), None))
        return starts


def _may_repeat(lines: Sequence[object], times: Times) -> bool:
    """Whether a cue with these lines may begin with a repeated one: it has others, or is too short to be read."""
    return len(lines) > 1 or times[1] - times[0] <= _GAP


def _shown(line: str) -> str:
    return repr(line[:60])
