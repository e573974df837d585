"""Tables of a Kaldi data directory: `wav.scp`, `text`, `segments`, `utt2spk` and, optionally, `utt2doc`.

`utt2doc` is an addition of this project for corpora with one segment per audio file, like mintzai-ST: a line has an
utterance and its document, and the lines are in the order of speech.
"""

import math
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike, read_lines
from asr_punct.formats.times import column_time
from asr_punct.words import Seconds

Segments = Mapping[str, tuple[str, Seconds, Seconds]]
"""Recording, start and end by utterance; an end of infinity is that of the recording."""


@dataclass(frozen=True, slots=True)
class DataUtterance:
    """An utterance of a data directory; its times are those in the audio file, `end` None for the end of the file.

    `audio` is a path or a command (`recordings.AudioFiles`), None without `wav.scp`. `text` is None if the file `text`
    lacks the utterance.
    """

    id: str
    audio: str | None
    start: Seconds
    end: Seconds | None
    text: str | None
    document: str
    recording: str


def read_data_dir(path: Pathlike) -> Iterator[DataUtterance]:
    """Yield the utterances of a data directory in the order of `utt2doc`, else of `segments`, `text` or `wav.scp`."""
    root, expected = Path(path), "a data directory with wav.scp and text"
    if not os.path.isdir(root):
        raise InputError(root, "no such directory", expected)
    audio, texts, documents = (read_mapping(root / name) for name in ("wav.scp", "text", "utt2doc"))
    segments = read_segment_times(root / "segments")
    if not (audio or texts):
        raise InputError(root, "neither wav.scp nor text", expected)
    for name in documents or segments or texts or audio:
        recording, start, end = segments.get(name, (name, 0.0, math.inf))
        if audio and recording not in audio:
            raise InputError(root / "wav.scp", f"no recording {recording!r}", f"the audio of utterance {name!r}")
        last = None if end == math.inf else end
        document = documents.get(name, recording)
        yield DataUtterance(name, audio.get(recording), start, last, texts.get(name), document, recording)


def read_wav_scp(path: Pathlike) -> dict[str, str]:
    """Return the path of each recording's audio file, or a command that writes it (see `recordings.AudioFiles`).

    Raises InputError if the table is missing.
    """
    if not os.path.isfile(path):
        raise InputError(path, "no such file", "a wav.scp: recording and audio file, a line each")
    return read_mapping(Path(path))


def read_table(path: Pathlike) -> Iterator[tuple[int, str, str]]:
    """Yield number, first column and remaining text of each line that is not empty; nothing for a missing file."""
    if not os.path.exists(path):
        return
    for number, line in read_lines(path):
        name, *values = line.split(maxsplit=1) or [""]
        if name:
            yield number, name, values[0].rstrip() if values else ""


def read_mapping(path: Pathlike) -> dict[str, str]:
    """Return the text of each line by its first column; empty for a missing file. A name twice is an InputError."""
    return {name: value for _, name, value in _unique(path)}


def _unique(path: Pathlike) -> Iterator[tuple[int, str, str]]:
    seen: set[str] = set()
    for number, name, value in read_table(path):
        if name in seen:
            raise InputError(f"{path}:{number}", f"{name!r} again", "each name once")
        seen.add(name)
        yield number, name, value


def read_segment_times(path: Path) -> Segments:
    """Read `segments`; empty for a missing file. A malformed line or a name twice is an InputError.

    An end of -1, or one that makes no sense, is the end of the recording; such a start is its beginning.
    """
    segments: dict[str, tuple[str, Seconds, Seconds]] = {}
    for number, name, value in _unique(path):
        columns, place = value.split(), f"{path}:{number}"
        if len(columns) != 3:
            raise InputError(place, plural(len(columns) + 1, "column"), "4 columns: utterance recording start end")
        start, end = (column_time(column, place, "time") for column in columns[1:])
        start = start if start >= 0 else 0.0
        segments[name] = (columns[0], start, end if end >= start else math.inf)
    return segments


def recording_of(name: str, segments: Segments) -> str:
    """Return the recording of an utterance, which is the utterance itself without `segments`."""
    return segments[name][0] if segments else name


def read_channels(root: Path) -> dict[str, tuple[str, str]]:
    """Return file and channel of each recording that `reco2file_and_channel` lists; Kaldi calls a channel a recording.

    Raises InputError for a malformed line.
    """
    channels: dict[str, tuple[str, str]] = {}
    for number, name, value in _unique(root / "reco2file_and_channel"):
        columns = value.split()
        if len(columns) != 2:
            place = f"{root / 'reco2file_and_channel'}:{number}"
            raise InputError(place, plural(len(columns) + 1, "column"), "3 columns: recording file channel")
        channels[name] = columns[0], columns[1]
    return channels


def read_speakers(root: Path, segments: Segments) -> dict[str, str]:
    """Return the speakers of `utt2spk` by utterance.

    Those that Kaldi's recipes write for an unknown speaker, the utterance or its recording, are left out.
    """
    table = read_mapping(root / "utt2spk")
    recordings = {name: recording for name, (recording, _, _) in segments.items()}
    return {name: speaker for name, speaker in table.items() if speaker not in (name, recordings.get(name))}


def order_of_speech(root: Path, names: Collection[str], segments: Segments, documents: Mapping[str, str]) -> list[str]:
    """Return the utterances in the order of `utt2doc`, else by the start of their segment in each recording.

    Raises InputError if one of these tables exists and lacks an utterance.
    """
    for table_name, table in (("segments", segments), ("utt2doc", documents)):
        missing = [name for name in names if name not in table]
        if table and missing:
            raise InputError(root / table_name, f"no utterance {missing[0]!r}", "the utterances of text")
    if not (documents or segments):
        return list(names)
    wanted = set(names)
    ordered = [name for name in documents or segments if name in wanted]
    if documents:
        return ordered
    recordings = {recording: number for number, (recording, _, _) in enumerate(segments.values())}
    return sorted(ordered, key=lambda name: (recordings[segments[name][0]], segments[name][1]))
