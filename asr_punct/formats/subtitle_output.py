"""Write subtitles: the cues of a subtitle file with new text, or new cues from words with times."""

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
from asr_punct.formats.subtitles import CueOrigin
from asr_punct.marks import Glyphs
from asr_punct.subtitles import NETFLIX, Cue, Limits, make_cues, parse_limits
from asr_punct.words import Seconds, Utterance

_POINT: dict[Kind, str] = {"srt": ",", "vtt": "."}
_HEADER = "WEBVTT\n"


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


def limited(format_name: str, limits: Limits) -> Callable[[Iterable[Utterance], TextIO, Glyphs], None]:
    """Return the writer of new cues with these limits.

    Raises:
        AsrPunctError: the format is not a subtitle format.
    """
    writers = {"srt": write_srt, "vtt": write_vtt}
    if format_name not in writers:
        raise AsrPunctError(f"--subtitles: found the output {format_name}, expected --to {' or '.join(writers)}")
    return partial(writers[format_name], limits=limits)


def chosen_limits(text: str | None, format_name: str) -> Limits | None:
    """Return the limits of the option `--subtitles`, or None without it.

    Raises:
        AsrPunctError: the limits are invalid, or the output format is not a subtitle format.
    """
    if text is None:
        return None
    limits = parse_limits(text)
    limited(format_name, limits)
    return limits


class _Writer:
    """Writes one file.

    Attributes:
        _count: number of cues written.
        _shown: last line written, for cues that repeat it.
        _recording: recording of the new cues.
    """

    def __init__(self, kind: Kind, out: TextIO, glyphs: Glyphs) -> None:
        self._kind, self._out, self._glyphs = kind, out, glyphs
        self._count, self._shown = 0, ""
        self._recording: str | None = None

    def write(self, utterances: Iterable[Utterance], limits: Limits | None) -> None:
        for is_cue, group in groupby(
            utterances, key=lambda item: limits is None and isinstance(item.origin, CueOrigin)
        ):
            if is_cue:
                for utterance in group:
                    self._write_cue(utterance)
            else:
                for cue in _in_time(self._of_one_recording(make_cues(group, limits or NETFLIX, self._glyphs))):
                    text = "".join(escaped(line, self._kind) + "\n" for line in cue.lines)
                    self._write_new_cue(cue.start, cue.end, voice(cue.speaker, self._kind) + text)
        if not self._count and self._kind == "vtt":
            self._out.write(_HEADER)

    def _write_cue(self, utterance: Utterance) -> None:
        """Write a cue of a file with new text."""
        cue = utterance.origin
        if not isinstance(cue, CueOrigin):
            return
        if cue.kind == self._kind:
            self._out.writelines(line + "\n" for line in self._lines_before(cue))
            self._out.write(self._text(cue, utterance))
            self._out.writelines(line + "\n" for line in cue.after)
            self._count += 1
        else:
            self._write_new_cue(cue.start, cue.end, self._text(cue, utterance))

    def _lines_before(self, cue: CueOrigin) -> tuple[str, ...]:
        has_header = self._count or self._kind == "srt" or cue.before[0].startswith("WEBVTT")
        return cue.before if has_header else ("WEBVTT", "", *cue.before)

    def _text(self, cue: CueOrigin, utterance: Utterance) -> str:
        """Return the text of a cue; every line ends with a line break."""
        labels = utterance.labels
        if len(cue.text.words) != len(labels):
            found, expected = counted_as(len(labels), "word"), f"the {len(cue.text.words)} of its cue"
            raise InputError(f"utterance {utterance.id!r}", found, expected)
        parts = [self._repeated(cue.head), self._between(cue.text.between[0], cue.kind)]
        rows = zip(cue.text.words, utterance.words, labels, cue.text.between[1:], strict=True)
        for word, token, label, after in rows:
            text = written(word, token.text, label, self._glyphs, cue.kind)
            parts.append(text if cue.kind == self._kind else escaped(plain(text, cue.kind), self._kind))
            parts.append(self._between(after, cue.kind))
        return self._finished("".join(parts), cue.kind == self._kind)

    def _repeated(self, text: str) -> str:
        """Return the repeated line as the cue before was written."""
        return text.replace(text.strip(), self._shown) if self._shown and text.strip() else text

    def _between(self, text: str, kind: Kind) -> str:
        return text if kind == self._kind else between_words(text, kind)

    def _finished(self, text: str, same: bool) -> str:
        """Return the text with line ends, and remember its last line; drop empty lines if the format changes."""
        lines = text.removesuffix("\n").split("\n") if text else []
        bare = [strip_tags(line, self._kind).strip() for line in lines]
        self._shown = next(filter(None, reversed(bare)), self._shown)
        return "".join(line + "\n" for line in (lines if same else filter(None, bare)))

    def _of_one_recording(self, cues: Iterable[Cue]) -> Iterator[Cue]:
        """Yield the cues. Raises InputError if they are of several recordings."""
        for cue in cues:
            if self._recording not in (None, cue.recording):
                found = f"recordings {self._recording!r} and {cue.recording!r}"
                raise InputError("subtitles", found, "one recording a file")
            self._recording = cue.recording
            yield cue

    def _write_new_cue(self, start: Seconds, end: Seconds, text: str) -> None:
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
    """Yield the cues sorted by start; all cues of a channel may follow those of another.

    The cues are stored in a temporary file; memory has 16 bytes a cue.

    Raises:
        InputError: the file cannot be written.
    """
    starts, places = array("d"), array("q")
    with ExitStack() as stack:
        try:
            stored = stack.enter_context(TemporaryFile())
            for cue in cues:
                starts.append(cue.start)
                places.append(stored.tell())
                pickle.dump(cue, stored)
            stored.flush()
        except OSError as error:
            raise InputError("subtitles", error.strerror or str(error), "room for a temporary file (TMPDIR)") from None
        for number in sorted(range(len(starts)), key=starts.__getitem__):
            stored.seek(places[number])
            yield pickle.load(stored)
