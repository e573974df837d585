"""The cues of a file as lines, found as the parser of the W3C and players do.

WebVTT (https://www.w3.org/TR/webvtt1/#webvtt-parser-algorithm): a line with times begins a cue, whose text ends before
an empty line or the next arrow, and the number above that if cues are numbered. SubRip, as ffmpeg reads it: the text
ends before the next line with times and the number above that, and may have empty lines. All other lines (notes,
styles, blocks without times) are kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from asr_punct.files import Lines
from asr_punct.formats.cues.clock import ARROW, Times, is_srt_times, times_of_line

_NO_CUES = ("WEBVTT", "NOTE", "STYLE", "REGION", "Region:")
"""Beginnings of blocks that are not shown."""


@dataclass(frozen=True, slots=True)
class Block:
    """A cue as lines: those `before` its text, the last of which has its times, and its text.

    `times` is None for the lines after the last cue, which are then `before`.
    """

    before: tuple[str, ...]
    times: Times | None = None
    id: str = ""
    text: tuple[str, ...] = ()


def vtt_blocks(lines: Lines) -> Iterator[Block]:
    """Yield the cues of a WebVTT file, and the lines after the last one; the first has the header before it."""
    block, before, text, number = None, list[str](), list[str](), list[str]()
    for _, line in lines:
        if block and (not line or ARROW in line):
            is_numbered = line and text and block.id.isdecimal() and _is_number_after(text[-1].strip(), block.id)
            number = [text.pop()] if is_numbered else []
            yield _with_text(block, text)
            block, before, text = None, number.copy(), []
        if block:
            text.append(line)
            continue
        times = times_of_line(line, is_srt=False)
        if times:
            is_named = (before and before == number) or (len(before) > 1 and not before[-2])
            name = before[-1] if is_named else ""
            block = Block((*before, line), times, name)
        before.append(line)
    if block:
        yield _with_text(block, text)
    yield Block(() if block else tuple(before))


def stray_texts(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first line of each block of a WebVTT file without times that is no header, note, style or region.

    `lines` are those before a cue's text, or after the last cue.
    """
    for is_empty, group in groupby(lines, key=lambda line: not line.strip()):
        block = list(group)
        is_known = block[0].startswith(_NO_CUES) or any(ARROW in line for line in block) or block[0].strip().isdecimal()
        if not (is_empty or is_known or block[-1].endswith("}")):  # of a style with an empty line
            yield block[0]


def srt_blocks(lines: Lines) -> Iterator[Block]:
    """Yield the cues of a SubRip file, and the lines after the last one.

    Below a line with times begins the text: there `12:30 ->` is words, and only exact times begin another cue.
    """
    block, body = None, list[str]()
    for _, line in lines:
        times = times_of_line(line, is_srt=True)
        if not times or (block and not body and not is_srt_times(line)):
            body.append(line)
            continue
        end = _text_end(body, block.id, has_next=True) if block else 0
        if block:
            yield _with_text(block, body[:end])
        name = body[-1].strip() if len(body) > end else ""
        block, body = Block((*body[end:], line), times, name), []
    end = _text_end(body, block.id, has_next=False) if block else 0
    if block:
        yield _with_text(block, body[:end])
    yield Block(tuple(body[end:]))


def _with_text(block: Block, text: Sequence[str]) -> Block:
    return Block(block.before, block.times, block.id, tuple(text))


def _text_end(lines: Sequence[str], name: str, *, has_next: bool) -> int:
    """Return how many of the lines after a line with times are the cue's text, without empty lines at its end.

    The lines of the cue named `1`, if another cue has its times below them:

        Good day / 2                    1: the number of the next cue is no text
        Good / (empty) / day / 2        3: a text may have empty lines
        Good / (empty) / 2 / day / 3    1: nor is a block that begins with the number after the cue's and has no times
        Good / (empty) / Intro          1: the next cue's name, a block of one line
    """
    end = len(lines) - 1 if has_next and _ends_in_name(lines) else len(lines)
    end = next((i for i in range(1, end) if not lines[i - 1].strip() and _is_number_after(lines[i].strip(), name)), end)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _ends_in_name(lines: Sequence[str]) -> bool:
    """Whether the last of the lines above a line with times is a number, or a block of one line below a text."""
    *above, last = map(str.strip, lines or [""])
    return last.isdecimal() or bool(last and above and not above[-1] and any(above))


def _is_number_after(line: str, name: str) -> bool:
    """Whether a line is the number of the cue after the one of this name; any number if that is none."""
    return line.isdecimal() and (not name.isdecimal() or int(line[:20]) == int(name[:20]) + 1)
