"""Cues out: those of a subtitle file as they were, with other text, or new ones from words with times."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import groupby
from tempfile import TemporaryFile
from typing import TextIO

from asr_punct.errors import AsrPunctError, InputError, counted_as
from asr_punct.formats.cue_text import Kind, between_words, escaped, plain, strip_tags, voice, written
from asr_punct.formats.subtitles import FileCue
from asr_punct.marks import Glyphs
from asr_punct.subtitles import NETFLIX, Cue, Limits, make_cues, parse_limits
from asr_punct.words import Seconds, Utterance

_POINT: dict[Kind, str] = {"srt": ",", "vtt": "."}
_HEADER = "WEBVTT\n"


def write_srt(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs, limits: Limits | None = None) -> None:
    """Write a SubRip file.

    Utterances that are cues of a subtitle file stay cues: with their times, lines, numbers and tags where that was a
    SubRip file too (end of lines and byte order mark apart), else with their times and lines. Others become cues by
    `subtitles.make_cues`, in the order of time: those of different channels may overlap.

    Args:
        utterances: of one recording, those of each channel in the order of time.
        out: where to.
        glyphs: how words are written.
        limits: of new cues, where all utterances become such; where None those of `NETFLIX`, and cues stay cues.

    Raises:
        InputError: an utterance without times, or out of the order of its channel's time, or of another recording.
    """
    _Writer("srt", out, glyphs).write(utterances, limits)


def write_vtt(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs, limits: Limits | None = None) -> None:
    """Write a WebVTT file, as `write_srt` a SubRip file."""
    _Writer("vtt", out, glyphs).write(utterances, limits)


def limited(format_name: str, limits: Limits) -> Callable[[Iterable[Utterance], TextIO, Glyphs], None]:
    """The writer of new cues under limits.

    Raises:
        AsrPunctError: the format is none of subtitles.
    """
    writers = {"srt": write_srt, "vtt": write_vtt}
    if format_name not in writers:
        raise AsrPunctError(f"--subtitles: found the output {format_name}, expected --to {' or '.join(writers)}")
    return partial(writers[format_name], limits=limits)


def chosen_limits(text: str | None, format_name: str) -> Limits | None:
    """The limits that `--subtitles` says, None where it is not given.

    Raises:
        AsrPunctError: they are no limits, or the output is no subtitles.
    """
    if text is None:
        return None
    limits = parse_limits(text)
    limited(format_name, limits)
    return limits


class _Writer:
    """Writes one file; it remembers the last line written, for the cues that repeat it."""

    def __init__(self, kind: Kind, out: TextIO, glyphs: Glyphs) -> None:
        self._kind, self._out, self._glyphs = kind, out, glyphs
        self._count, self._shown = 0, ""
        self._recording: str | None = None

    def write(self, utterances: Iterable[Utterance], limits: Limits | None) -> None:
        for kept, group in groupby(utterances, key=lambda item: limits is None and isinstance(item.origin, FileCue)):
            if kept:
                for utterance in group:
                    self._keep(utterance)
            else:
                for cue in _in_time(self._of_one(make_cues(group, limits or NETFLIX, self._glyphs))):
                    text = "".join(escaped(line, self._kind) + "\n" for line in cue.lines)
                    self._new(cue.start, cue.end, voice(cue.speaker, self._kind) + text)
        if not self._count and self._kind == "vtt":
            self._out.write(_HEADER)

    def _keep(self, utterance: Utterance) -> None:
        """A cue of a file, as it was but for its text."""
        cue = utterance.origin
        if not isinstance(cue, FileCue):
            return
        if cue.kind == self._kind:
            self._out.writelines(line + "\n" for line in self._head(cue))
            self._out.write(self._text(cue, utterance))
            self._out.writelines(line + "\n" for line in cue.tail)
            self._count += 1
        else:
            self._new(cue.start, cue.end, self._text(cue, utterance))

    def _head(self, cue: FileCue) -> tuple[str, ...]:
        whole = self._count or self._kind == "srt" or cue.head[0].startswith("WEBVTT")
        return cue.head if whole else ("WEBVTT", "", *cue.head)

    def _text(self, cue: FileCue, utterance: Utterance) -> str:
        """The lines of a cue, each with its end."""
        labels = utterance.labels
        if len(cue.text.words) != len(labels):
            found, expected = counted_as(len(labels), "word"), f"the {len(cue.text.words)} of its cue"
            raise InputError(f"utterance {utterance.id!r}", found, expected)
        parts = [self._repeated(cue.repeated), self._between(cue.text.between[0], cue.kind)]
        rest = zip(cue.text.words, utterance.words, labels, cue.text.between[1:], strict=True)
        for word, token, label, after in rest:
            text = written(word, token.text, label, self._glyphs, cue.kind)
            parts.append(text if cue.kind == self._kind else escaped(plain(text, cue.kind), self._kind))
            parts.append(self._between(after, cue.kind))
        return self._remembered("".join(parts), cue.kind == self._kind)

    def _repeated(self, text: str) -> str:
        """What repeats the line before, as that was written."""
        return text.replace(text.strip(), self._shown) if self._shown and text.strip() else text

    def _between(self, text: str, kind: Kind) -> str:
        return text if kind == self._kind else between_words(text, kind)

    def _remembered(self, text: str, same: bool) -> str:
        """The text with the ends of its lines, empty ones left out where the cue is new to its format."""
        lines = text.removesuffix("\n").split("\n") if text else []
        bare = [strip_tags(line, self._kind).strip() for line in lines]
        self._shown = next(filter(None, reversed(bare)), self._shown)
        return "".join(line + "\n" for line in (lines if same else filter(None, bare)))

    def _of_one(self, cues: Iterable[Cue]) -> Iterator[Cue]:
        """The cues, all of one recording."""
        for cue in cues:
            if self._recording not in (None, cue.recording):
                found = f"recordings {self._recording!r} and {cue.recording!r}"
                raise InputError("subtitles", found, "one recording a file")
            self._recording = cue.recording
            yield cue

    def _new(self, start: Seconds, end: Seconds, text: str) -> None:
        if self._kind == "vtt":
            self._out.write("\n" if self._count else _HEADER + "\n")
        else:
            self._out.write(f"{chr(10) * bool(self._count)}{self._count + 1}\n")
        self._out.write(f"{self._time(start)} --> {self._time(end)}\n{text}")
        self._count += 1

    def _time(self, seconds: Seconds) -> str:
        minutes, ms = divmod(round(seconds * 1000), 60_000)
        return f"{minutes // 60:02}:{minutes % 60:02}:{ms // 1000:02}{_POINT[self._kind]}{ms % 1000:03}"


def _in_time(cues: Iterable[Cue]) -> Iterator[Cue]:
    """The cues by their starts; those of a channel may all come after those of another.

    They are held in a temporary file, of which memory has sixteen bytes a cue.

    Raises:
        InputError: there is no room for it.
    """
    starts, places = array("d"), array("q")
    with ExitStack() as stack:
        try:
            held = stack.enter_context(TemporaryFile())
            for cue in cues:
                starts.append(cue.start)
                places.append(held.tell())
                pickle.dump(cue, held)
            held.flush()
        except OSError as error:
            raise InputError("subtitles", error.strerror or str(error), "room for a temporary file (TMPDIR)") from None
        for number in sorted(range(len(starts)), key=starts.__getitem__):
            held.seek(places[number])
            yield pickle.load(held)
