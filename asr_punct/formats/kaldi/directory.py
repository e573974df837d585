"""The format `kaldi`: read `text` and `ctm` of a data directory, write a directory with both punctuated.

Utterances are read in the order of speech, because they are context for each other: the order of `utt2doc`, else by the
start of their `segments` in each recording. Recordings that are channels of a file (`reco2file_and_channel`) are one
document. If `ctm` has the same words for an utterance as `text`, the utterance gets their times, and its rows of `ctm`
get marks; the number of other utterances is logged.

The format `kaldi-text`: transcripts alone, `utterance word word …`, one utterance per line (`data/*/text`,
`decode*/scoring_kaldi/*/N.txt`). Each utterance is a separate document: the order of ids need not be that of speech,
and if utterances were context for each other, the model, which has no pauses here, would put fewer marks at their ends.
"""

import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import TextIO

from asr_punct.encoding import TOLERANT
from asr_punct.errors import InputError, plural
from asr_punct.files import InputFile, Pathlike, display_name, read_lines, uncompressed_name, write_file
from asr_punct.formats.entries import written_words
from asr_punct.formats.kaldi.ctm import RowsById, write_ctm
from asr_punct.formats.kaldi.decode_ctm import place_words, write_labelled
from asr_punct.formats.kaldi.tables import (
    Segments,
    order_of_speech,
    read_channels,
    read_mapping,
    read_segment_times,
    read_speakers,
    recording_of,
)
from asr_punct.formats.origins import LineOrigin, attach_lines, line_origin, lines_around
from asr_punct.formats.values import format_seconds, one_token
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.partial import copy_file, write_directory
from asr_punct.words import Utterance, Word, bounds, split_words

_LOG = logging.getLogger(__name__)
_TEXT_LINE = re.compile(r"(\s*\S+\s*)(.*)", re.DOTALL)
"""A line of `text`: the utterance with the white space around it, and its words."""
_NUMBERED = re.compile(r"(?:(.*)-)?([0-9]+)")
"""A name that ends with a number: `7`, `talk-7`."""
_TEXT_FORMAT = "kaldi-text"
_ID = re.compile(
    r"(?=.{4})[A-Za-z][\w.@:+-]*[0-9][\w.@:+-]*(?<![.:])|[0-9]+(?:(?:[_-][0-9A-Za-z]+){2,}|_[0-9A-Za-z]+)", re.ASCII
)
"""A token that is an id rather than a word: `utt1`, `sw02001-A_000098-001156`, `103_1240`, `4507-16021-0012`;
not `A1` or `9-1`."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}")
_TABLES = ("wav.scp", "utt2spk", "segments", "utt2doc", "ctm")
_EXPECTED = "a data directory with text, or with a ctm"


@dataclass(frozen=True, slots=True)
class DataDirOrigin(RowsById):
    """Data directory of an utterance; `Utterance.origin`."""

    root: Path


def is_data_dir(path: Pathlike) -> bool:
    """Whether a directory has utterances: a `text` or a `ctm`."""
    return any(os.path.isfile(os.path.join(path, name)) for name in ("text", "ctm"))


def is_text_of_data_dir(path: Pathlike) -> bool:
    """Whether a file is the `text` of a data directory, which has other tables."""
    return uncompressed_name(path) == "text" and any(os.path.exists(Path(path).parent / name) for name in _TABLES)


def read_kaldi(path: Pathlike) -> Iterator[Utterance]:
    """Yield the utterances of a data directory in the order of speech; `wav.scp` is not needed."""
    root, directory = Path(path), InputFile.of(path, TOLERANT)
    if not os.path.isdir(root):
        raise InputError(root, "no such directory", _EXPECTED)
    texts, segments = read_mapping(directory.inside("text")), read_segment_times(root / "segments")
    ctm_words = place_words(root, directory.inside("ctm"), texts, segments) if (root / "ctm").exists() else {}
    if not (root / "text").exists():
        texts = {name: " ".join(word.text for word in words) for name, words in ctm_words.items()}
    if not texts:
        raise InputError(root, "no utterances", _EXPECTED)
    differing = [name for name, words in ctm_words.items() if not _same_words(words, texts.get(name, ""))]
    if differing:
        count = plural(len(differing), "utterance")
        message = "%s: other words than in text for %s, %r the first: their times are not used, their rows get no marks"
        _LOG.warning(message, root / "ctm", count, differing[0])
    documents, languages = read_mapping(root / "utt2doc"), read_mapping(root / "utt2lang")
    channels, speakers = read_channels(root), read_speakers(root, segments)
    recordings_of_file = Counter(file for file, _ in channels.values())
    names = order_of_speech(root, texts, segments, documents)
    if segments and not documents:
        names = _merge_channels(names, segments, channels)
    for name in names:
        recording = recording_of(name, segments)
        file, channel = channels.get(recording, ("", "1"))
        words, timed = split_words(texts[name]), ctm_words.get(name, ())
        has_times = bool(words) and _same_words(timed, texts[name])
        if has_times:
            words = tuple(replace(row, text=word.text) for row, word in zip(timed, words, strict=True))
        yield Utterance(
            words,
            name,
            document=documents.get(name, file if recordings_of_file[file] > 1 else ""),
            recording=recording,
            channel=channel,
            speaker=speakers.get(name, ""),
            time_source="asr" if has_times else "none",
            language=parse_language(languages.get(name)),
            origin=DataDirOrigin(root),
        )


def _merge_channels(names: Sequence[str], segments: Segments, channels: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return the utterances of each file in the order of time; those of its channels are together."""
    files = {name: channels.get(segments[name][0], (segments[name][0], ""))[0] for name in names}
    numbers = {file: number for number, file in enumerate(dict.fromkeys(files.values()))}
    return sorted(names, key=lambda name: (numbers[files[name]], segments[name][1]))


def _same_words(words: Sequence[Word], text: str) -> bool:
    """Whether the text has these words, in any case."""
    return [word.text.lower() for word in words] == text.lower().split()


def write_kaldi(utterances: Iterable[Utterance], path: Pathlike, glyphs: Glyphs) -> None:
    """Write a data directory, which appears only when it is complete.

    Utterances that were read from a data directory get a copy of its files (not of directories in it), with the marks
    in `text` and `ctm`, where bytes that are not UTF-8 stay. Other utterances get `text`, `utt2spk` (each is its own
    speaker), `segments` and `ctm` if times are known, `wav.scp` if the audio is known, and `utt2doc` with their order.
    Marks are attached to the words.
    """
    with write_directory(path) as out:
        spoken = [utterance for utterance in utterances if utterance.words]
        root = spoken[0].origin.root if spoken and isinstance(spoken[0].origin, DataDirOrigin) else None
        if root is None:
            _write_new(spoken, out, glyphs)
        else:
            _write_copy(spoken, root, out, glyphs)


def _write_copy(utterances: Sequence[Utterance], root: Path, out: Path, glyphs: Glyphs) -> None:
    for other in sorted(root.iterdir()):
        if other.is_file() and other.name not in ("text", "ctm"):
            copy_file(other, out / other.name)
    lines = {utterance.id: " ".join(written_words(utterance, glyphs)) for utterance in utterances}
    directory = InputFile(root, TOLERANT)
    with write_file(out / "text", "keep") as file:
        if not (root / "text").exists():
            file.writelines(f"{name} {lines[name]}\n" for name in sorted(lines))
        else:
            for _, line in read_lines(directory.inside("text")):
                match = _TEXT_LINE.fullmatch(line)
                file.write(f"{match[1]}{lines.get(match[1].strip(), match[2])}\n" if match else f"{line}\n")
    if (root / "ctm").exists():
        with write_file(out / "ctm", "keep") as file:
            write_labelled(directory.inside("ctm"), utterances, file, glyphs)


def _write_new(utterances: Sequence[Utterance], out: Path, glyphs: Glyphs) -> None:
    named = list(_named_utterances(utterances))
    times = {each.id: bounds(each.words) for each in named}
    tables = {
        "text": sorted(f"{each.id} {' '.join(written_words(each, glyphs))}" for each in named),
        "utt2spk": sorted(f"{each.id} {each.id}" for each in named),
    }
    if any(each.id != each.recording for each in named):
        if all(times.values()):
            rows = (
                f"{each.id} {each.recording} {' '.join(map(format_seconds, times[each.id] or ()))}" for each in named
            )
            tables["segments"] = sorted(rows)
        if all(each.audio for each in named):
            tables["wav.scp"] = sorted({f"{each.recording} {each.audio}" for each in named})
        tables["utt2doc"] = [f"{each.id} {one_token(each.context)}" for each in named]
    for name, lines in tables.items():
        with write_file(out / name, "replace") as file:
            file.writelines(f"{line}\n" for line in lines)
    if all(any(None not in (word.start, word.end) for word in each.words) for each in named):
        with write_file(out / "ctm", "replace") as file:
            write_ctm(sorted(named, key=attrgetter("id")), file, glyphs)


def _named_utterances(utterances: Sequence[Utterance]) -> Iterator[Utterance]:
    """Yield the utterances with unique names, and with the channel in a recording's name if it has several.

    A name that is a number, or the recording's name and a number, becomes the recording's name and the number padded
    with zeros (`talk-007`): sorted names are then in the order of speech, and names of different recordings differ.
    """
    numbers = [_number(utterance) for utterance in utterances]
    width = max(map(len, numbers), default=0)
    channels = defaultdict[str, set[str]](set)
    for utterance in utterances:
        channels[utterance.recording_name].add(utterance.channel)
    used: set[str] = set()
    for position, (number, utterance) in enumerate(zip(numbers, utterances, strict=True), start=1):
        recording = utterance.recording_name
        if len(channels[recording]) > 1:
            recording = f"{recording}-{utterance.channel}"
        name = one_token(utterance.id or recording or f"utterance{position}")
        if number:
            name = one_token(f"{Path(recording).stem or 'utterance'}-{number:0>{width}}")
        if name in used:
            name = f"{name}-{position}"
        used.add(name)
        words = tuple(replace(word, origin=None) for word in utterance.words)
        recording = one_token(recording or name)
        yield replace(utterance, id=name, recording=recording, channel="1", words=words, origin=RowsById())


def _number(utterance: Utterance) -> str:
    """Return the number at the end of a name that is otherwise empty or the recording's name, or ""."""
    match, recording = _NUMBERED.fullmatch(utterance.id), utterance.recording_name
    return match[2] if match and match[1] in (None, recording, Path(recording).stem) else ""


def has_ids(lines: Iterable[str]) -> bool:
    """Whether all lines that are not empty, at least two, begin with an id, and these differ."""
    names = [line.split(maxsplit=1)[0] for line in lines if line.strip()]
    is_id = all(_ID.fullmatch(name) and not _DATE.fullmatch(name) for name in names)
    return is_id and len(names) == len(set(names)) >= 2


def read_kaldi_text(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line; one with an id alone has no words."""
    name = display_name(path)
    return attach_lines((f"{name}:{number}", _utterance(line) or line) for number, line in read_lines(path))


def _utterance(line: str) -> Utterance | None:
    match = _TEXT_LINE.fullmatch(line)
    if not match:
        return None
    name, words = match[1].strip(), split_words(match[2])
    return Utterance(words, name, document=name, origin=LineOrigin(_TEXT_FORMAT, head=match[1]))


def write_kaldi_text(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each utterance, with the marks attached to the words.

    Utterances that were read from such a file keep their id, the white space after it, and their order. Others are
    named as in a data directory and sorted by name; those without words are left out.
    """
    others: list[Utterance] = []
    for utterance in utterances:
        if origin := line_origin(utterance.origin, _TEXT_FORMAT):
            out.write(lines_around(origin, " ".join(written_words(utterance, glyphs))))
        elif utterance.words:
            others.append(utterance)
    out.writelines(sorted(f"{each.id} {' '.join(written_words(each, glyphs))}\n" for each in _named_utterances(others)))
