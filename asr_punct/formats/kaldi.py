"""Kaldi data directories: `wav.scp`, `text`, `segments`, `utt2spk`, and `utt2doc` where utterances follow each other.

`utt2doc` (utterance, document) is the project's addition for corpora that hold one segment a file, like mintzai-ST:
it names the recording that the segments come from, and its lines stand in the order of speech.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.files import Pathlike, parse_seconds, read_lines
from asr_punct.words import Seconds


@dataclass(frozen=True, slots=True)
class DataUtterance:
    """An utterance of a data directory.

    Attributes:
        id: its name.
        audio: the audio file, or None without `wav.scp`.
        start: where it begins in the file.
        end: where it ends in the file, None for the file's end.
        text: its written text, or None where `text` has none.
        document: what it is a consecutive part of.
        recording: name of its audio; utterances of one recording have their times on one clock.
    """

    id: str
    audio: Path | None
    start: Seconds
    end: Seconds | None
    text: str | None
    document: str
    recording: str


def read_data_dir(path: Pathlike) -> Iterator[DataUtterance]:
    """Utterances of a data directory in the order of `utt2doc`, else of `segments`, `text` or `wav.scp`.

    Raises:
        InputError: the directory or what it needs is missing, or a line names what another file lacks.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError(root, "no such directory", "a data directory with wav.scp and text")
    audio = unique_names(root / "wav.scp")
    texts = unique_names(root / "text")
    documents = unique_names(root / "utt2doc")
    segments = read_segments(root / "segments")
    if not (audio or texts):
        raise InputError(root, "neither wav.scp nor text", "a data directory with wav.scp and text")
    for name in documents or segments or texts or audio:
        recording, start, end = segments.get(name, (name, 0.0, None))
        if audio and recording not in audio:
            raise InputError(root / "wav.scp", f"no recording {recording!r}", f"the audio of utterance {name!r}")
        yield DataUtterance(
            id=name,
            audio=_audio_path(audio[recording], root / "wav.scp") if audio else None,
            start=start,
            end=end,
            text=texts.get(name),
            document=documents.get(name, recording),
            recording=recording,
        )


def read_wav_scp(path: Pathlike) -> dict[str, Path]:
    """Recording names and their audio files. Raises InputError where the file is missing or holds a command."""
    if not Path(path).is_file():
        raise InputError(path, "no such file", "a wav.scp: recording and audio file, a line each")
    return {name: _audio_path(value, path) for name, value in unique_names(Path(path)).items()}


def _audio_path(value: str, place: Pathlike) -> Path:
    if value.endswith("|"):
        raise InputError(place, f"the command {value!r}", "the path of an audio file")
    return Path(value)


def read_table(path: Path) -> Iterator[tuple[int, str, str]]:
    """Number, first column and rest of each line that is not empty; nothing for a file that is not there."""
    if not path.exists():
        return
    for number, line in read_lines(path):
        name, *rest = line.split(maxsplit=1)[:2] or [""]
        if name:
            yield number, name, rest[0].rstrip() if rest else ""


def unique_names(path: Path) -> dict[str, str]:
    """First column and rest of each line; nothing for a file that is not there. Raises InputError for a name again."""
    return {name: value for _, name, value in _unique(path)}


def _unique(path: Path) -> Iterator[tuple[int, str, str]]:
    seen: set[str] = set()
    for number, name, value in read_table(path):
        if name in seen:
            raise InputError(f"{path}:{number}", f"{name!r} again", "each name once")
        seen.add(name)
        yield number, name, value


def read_segments(path: Path) -> dict[str, tuple[str, Seconds, Seconds]]:
    """Recording, start and end of each utterance of a `segments`; nothing for a file that is not there.

    Raises:
        InputError: a line of other than four columns, times that are none, or an utterance again.
    """
    segments = {}
    for number, name, value in _unique(path):
        columns, place = value.split(), f"{path}:{number}"
        if len(columns) != 3:
            raise InputError(place, counted_as(len(columns) + 1, "column"), "4 columns: utterance recording start end")
        start, end = (parse_seconds(column, place, "time") for column in columns[1:])
        if end < start:
            raise InputError(place, f"end {end} before start {start}", "an end at or after the start")
        segments[name] = (columns[0], start, end)
    return segments
