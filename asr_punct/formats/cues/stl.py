"""EBU STL (EBU Tech 3264, 1991), the binary subtitle file of broadcasters: 25 frames a second, Latin alphabet, open.

A block about the file (GSI) of 1024 bytes, then for each cue one or more blocks (TTI) of 128 bytes. Their text is in
ISO 6937: an accent stands before its letter.
"""

import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from asr_punct.errors import InputError
from asr_punct.formats.cues.writers import OnCue, plain_cues
from asr_punct.glyphs import Glyphs
from asr_punct.languages import facts_of
from asr_punct.subtitles import Cue, Limits
from asr_punct.words import Utterance

_FRAMES = 25
"""Number of frames a second."""
_OVERLAPPED = 12
"""Number of frames that a cue is shown at least before one that overlaps it."""
_CHARACTERS, _ROWS = 40, 23
"""Number of characters of a line, if none is longer, and of lines on the screen, as teletext has."""
_TEXT = 112
"""Number of bytes of text in a block."""
_NEW_LINE, _UNUSED = b"\x8a", b"\x8f"
_LAST_BLOCK = 0xFF
_MAX_CUES = 0xFFFF
_ACCENTS = {
    **dict(zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308", range(0xC1, 0xC9), strict=True)),
    **{"\u030a": 0xCA, "\u0327": 0xCB, "\u030b": 0xCD, "\u0328": 0xCE, "\u030c": 0xCF},
}
_SINGLE = {
    **dict(zip("¡¢£$¥", range(0xA1, 0xA6), strict=True)),
    **dict(zip("§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿", range(0xA7, 0xC0), strict=True)),
    **dict(zip("—¹®©™♪", range(0xD0, 0xD6), strict=True)),
    **dict(zip("ÆĐªĦ", (0xE1, 0xE2, 0xE3, 0xE4), strict=True)),
    **dict(zip("ŁØŒºÞŦŊ", range(0xE8, 0xEF), strict=True)),
    **dict(zip("æđðħı", range(0xF1, 0xF6), strict=True)),
    **dict(zip("łøœßþŧŋ", range(0xF8, 0xFF), strict=True)),
}
"""Characters that are one byte and not ASCII, nor a letter with an accent."""
_REPLACED = str.maketrans({"…": "...", "–": "—"})
"""Marks that ISO 6937 does not have."""


def stl_content(
    utterances: Iterable[Utterance], glyphs: Glyphs, limits: Limits | None = None, on_cue: OnCue | None = None
) -> bytes:
    """Return a file with the cues that `write_subtitles` would write.

    Raises InputError as it does, and for a character that the file cannot have, or too many cues.
    """
    cues = list(plain_cues(utterances, glyphs, limits))
    if len(cues) > _MAX_CUES:
        raise InputError("subtitles", f"{len(cues)} cues", f"at most {_MAX_CUES} in EBU STL")
    if on_cue:
        for cue in cues:
            on_cue(cue)
    shown = _frames(cues)
    timed = enumerate(zip(cues, shown, strict=True))
    blocks = [block for number, (cue, (start, end)) in timed for block in _cue_blocks(number, cue, start, end)]
    return _head(cues, shown[0][0] if shown else 0, len(blocks), glyphs.name) + b"".join(blocks)


def _frames(cues: Sequence[Cue]) -> list[tuple[int, int]]:
    """Return the first frame of each cue and the one after its last.

    A screen has one cue at a time, and programs leave out those of no frame. A cue ends where the next one begins,
    which waits until this one was there for `_OVERLAPPED` frames, or for its own time if that is shorter.
    """
    starts, ends = list[int](), list[int]()
    for cue in cues:
        start, end = round(cue.start * _FRAMES), round(cue.end * _FRAMES)
        if ends and ends[-1] > start:
            ends[-1] = max(start, min(ends[-1], starts[-1] + _OVERLAPPED))
            start = ends[-1]
        starts.append(start)
        ends.append(max(end, start + 1))
    return list(zip(starts, ends, strict=True))


def _head(cues: Sequence[Cue], first: int, blocks: int, language: str) -> bytes:
    today = time.strftime("%y%m%d")
    title = cues[0].recording if cues else ""
    longest = max((len(_encoded(line)) for cue in cues for line in cue.lines), default=0)
    fields = [
        "850STL25.01000" + facts_of(language).stl_number,
        f"{_ascii(title):32.32}{'':160}{'':16}{today}{today}00",
        f"{blocks:05}{len(cues):05}001{min(99, max(_CHARACTERS, longest)):02}{_ROWS:02}1",
        f"{'0' * 8}{_frames_text(first)}11{'':3}",
    ]
    return "".join(fields).ljust(1024).encode("ascii")


def _ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode()


def _cue_blocks(number: int, cue: Cue, start: int, end: int) -> Iterator[bytes]:
    text = _NEW_LINE.join(_encoded(line) for line in cue.lines)
    row = max(0, _ROWS - len(cue.lines))
    parts = [text[first : first + _TEXT] for first in range(0, len(text), _TEXT)]
    for index, part in enumerate(parts):
        extension = _LAST_BLOCK if index == len(parts) - 1 else index
        head = bytes([0, *number.to_bytes(2, "little"), extension, 0, *_timecode(start), *_timecode(end), row, 2, 0])
        yield head + part.ljust(_TEXT, _UNUSED)


def _timecode(frame: int) -> tuple[int, int, int, int]:
    """Return hours, minutes, seconds and frames."""
    whole, frames = divmod(frame, _FRAMES)
    return whole // 3600 % 24, whole // 60 % 60, whole % 60, frames


def _frames_text(frame: int) -> str:
    return "".join(f"{part:02}" for part in _timecode(frame))


def _encoded(line: str) -> bytes:
    return b"".join(map(_character, unicodedata.normalize("NFC", line.translate(_REPLACED))))


def _character(character: str) -> bytes:
    """Return a character in ISO 6937. Raises InputError if it has none."""
    if character in _SINGLE:
        return bytes([_SINGLE[character]])
    if " " <= character < "\x7f":
        return character.encode("ascii")
    letter, accent = (decomposed := unicodedata.normalize("NFD", character))[:1], decomposed[1:]
    if accent in _ACCENTS and letter.isascii():
        return bytes([_ACCENTS[accent], ord(letter)])
    raise InputError("subtitles", f"the character {character!r}", "Latin letters and signs that EBU STL has")
