"""Kaldi data directories as a format: their `text` and `ctm` in, and a directory with both punctuated out.

The utterances come in the order of speech, as context for each other: that of `utt2doc`, else by the start of their
`segments` in each recording. A `ctm` gives the times of those utterances that have the same words in it. Its rows name
utterances, or recordings by `reco2file_and_channel`; times count from the beginning of the audio file.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from asr_punct.errors import InputError
from asr_punct.io.ctm import PART, read_ctm, write_ctm
from asr_punct.io.entries import written_words
from asr_punct.io.files import Pathlike, format_seconds, one_token, read_lines, write_directory, write_file
from asr_punct.io.kaldi import read_segments, unique_names
from asr_punct.marks import Glyphs, Labels
from asr_punct.words import Seconds, Utterance, Word, bounds

Segments = Mapping[str, tuple[str, Seconds, Seconds]]
"""Recording, start and end by utterance."""
_SLACK: Seconds = 1.0
"""So far a recogniser may place a word outside its segment."""
_LINE = re.compile(r"(\s*\S+\s*)(.*)", re.DOTALL)
_EXPECTED = "a data directory with text, or with a ctm"


@dataclass(frozen=True, slots=True)
class DataDir:
    """The directory that an utterance is of; `Utterance.rest`."""

    root: Path


@dataclass(frozen=True, slots=True)
class CtmPlace:
    """Which of all words of the `ctm` a word is, from 0; `Word.rest`."""

    number: int


def read_kaldi(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a data directory in the order of speech; `wav.scp` is not needed.

    Raises:
        InputError: it has neither `text` nor `ctm`, a line names what another file lacks, or a file is malformed.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError(root, "no such directory", _EXPECTED)
    texts, segments = unique_names(root / "text"), read_segments(root / "segments")
    timed = _timed(root, texts, segments) if (root / "ctm").exists() else {}
    if not (root / "text").exists():
        texts = {name: " ".join(word.text for word in words) for name, words in timed.items()}
    if not texts:
        raise InputError(root, "no utterances", _EXPECTED)
    documents = unique_names(root / "utt2doc")
    found = (_utterance(root, name, texts[name], segments, timed) for name in _order(root, texts, segments, documents))
    if all(documents.get(name) == segments.get(name, (name,))[0] for name in texts) or not documents:
        yield from found
        return
    from asr_punct.pauses import with_pauses  # brings numpy

    for utterance in with_pauses(found):  # recordings have clocks of their own; a document may have several
        yield replace(utterance, recording=documents[utterance.id])


def _order(root: Path, texts: Mapping[str, str], segments: Segments, docs: Mapping[str, str]) -> list[str]:
    for name, table in (("segments", segments), ("utt2doc", docs)):
        missing = [utterance for utterance in texts if utterance not in table]
        if table and missing:
            raise InputError(root / name, f"no utterance {missing[0]!r}", "the utterances of text")
    if docs:
        return [name for name in docs if name in texts]
    if not segments:
        return list(texts)
    recordings = {recording: number for number, (recording, _, _) in enumerate(segments.values())}
    names = [name for name in segments if name in texts]
    return sorted(names, key=lambda name: (recordings[segments[name][0]], segments[name][1]))


def _utterance(
    root: Path,
    name: str,
    text: str,
    segments: Segments,
    timed: Mapping[str, Sequence[Word]],
) -> Utterance:
    words: Sequence[Word] = tuple(map(Word, text.split()))
    heard = timed.get(name, ())
    same = [word.text.lower() for word in heard] == [word.text.lower() for word in words]
    if same:
        words = [replace(word, text=own.text) for word, own in zip(heard, words, strict=True)]
    recording = segments[name][0] if segments else name
    return Utterance(tuple(words), name, recording, times="asr" if same and words else "none", rest=DataDir(root))


def _timed(root: Path, texts: Mapping[str, str], segments: Segments) -> dict[str, list[Word]]:
    """Words of the `ctm` by utterance."""
    channels = {tuple(value.split()[:2]): name for name, value in unique_names(root / "reco2file_and_channel").items()}
    by_recording: dict[str, list[str]] = {}
    for name, (recording, _, _) in segments.items():
        by_recording.setdefault(recording, []).append(name)
    timed: dict[str, list[Word]] = {}
    number = 0
    for utterance in read_ctm(root / "ctm"):
        words = [replace(word, rest=CtmPlace(number + i)) for i, word in enumerate(utterance.words)]
        number += len(words)
        recording = channels.get((utterance.id, utterance.channel), utterance.id)
        if utterance.id in texts or (utterance.id in segments) or not (segments or texts):
            _check_segment(root, utterance, segments)
            timed.setdefault(utterance.id, []).extend(words)
        elif recording in by_recording:
            for word in words:
                _place(word, by_recording[recording], segments, timed)
        elif recording in texts and recording not in timed:
            timed[recording] = words
        else:
            raise InputError(root / "ctm", f"{utterance.id!r}", "names of the directory's utterances or recordings")
    return timed


def _check_segment(root: Path, utterance: Utterance, segments: Segments) -> None:
    start = utterance.words[0].start
    if utterance.id not in segments or start is None:
        return
    _, first, last = segments[utterance.id]
    if not first - _SLACK <= start <= last + _SLACK:
        found = f"{utterance.id!r} at {start} s"
        expected = f"words in its segment from {first} to {last} s (Kaldi's convert_ctm.pl counts from there)"
        raise InputError(root / "ctm", found, expected)


def _place(
    word: Word,
    names: Sequence[str],
    segments: Segments,
    timed: dict[str, list[Word]],
) -> None:
    """Give a word to the segment that its middle is in; a word in none stays as it is."""
    times = [time for time in (word.start, word.end) if time is not None]
    middle = sum(times) / len(times) if times else -1.0
    for name in names:
        _, start, end = segments[name]
        if start <= middle < end:
            timed.setdefault(name, []).append(word)
            return


def write_kaldi(utterances: Iterable[Utterance], path: Pathlike, glyphs: Glyphs) -> None:
    """Write a data directory, which appears only when it is complete.

    Utterances of a data directory get all its files, those of directories in it left out, with the marks in `text` and
    `ctm`. Others get `text`, `utt2spk` (each its own speaker), `segments` and `ctm` where times are known, and
    `utt2doc`, which tells their order. Marks are attached to the words.

    Raises:
        InputError: something stands there already, or it cannot be written.
    """
    with write_directory(path) as out:
        held = [utterance for utterance in utterances if utterance.words]
        root = held[0].rest.root if held and isinstance(held[0].rest, DataDir) else None
        if root is None:
            _write_new(held, out, glyphs)
        else:
            _write_again(held, root, out, glyphs)


def _write_again(utterances: Sequence[Utterance], root: Path, out: Path, glyphs: Glyphs) -> None:
    for other in sorted(root.iterdir()):
        if other.is_file() and other.name not in ("text", "ctm"):
            shutil.copy(other, out / other.name)
    lines = {utterance.id: " ".join(written_words(utterance, glyphs)) for utterance in utterances}
    with write_file(out / "text") as file:
        if not (root / "text").exists():
            file.writelines(f"{name} {lines[name]}\n" for name in sorted(lines))
        else:
            for _, line in read_lines(root / "text"):
                match = _LINE.fullmatch(line)
                file.write(f"{match[1]}{lines.get(match[1].strip(), match[2])}\n" if match else f"{line}\n")
    if (root / "ctm").exists():
        labels = {
            word.rest.number: label
            for utterance in utterances
            for word, label in zip(utterance.words, utterance.labels or (), strict=False)
            if isinstance(word.rest, CtmPlace)
        }
        with write_file(out / "ctm") as file:
            write_ctm(_labelled(root / "ctm", labels), file, glyphs)


def _labelled(ctm: Path, labels: Mapping[int, Labels]) -> Iterator[Utterance]:
    number = 0
    for utterance in read_ctm(ctm, PART):
        own = tuple(labels.get(number + i, Labels()) for i in range(len(utterance.words)))
        yield replace(utterance, labels=own)
        number += len(own)


def _write_new(utterances: Sequence[Utterance], out: Path, glyphs: Glyphs) -> None:
    named = list(_named(utterances))
    times = {utterance.id: bounds(utterance.words) for utterance in named}
    recordings = [utterance for utterance in named if utterance.id != utterance.recording]
    tables = {
        "text": sorted(f"{utterance.id} {' '.join(written_words(utterance, glyphs))}" for utterance in named),
        "utt2spk": sorted(f"{utterance.id} {utterance.id}" for utterance in named),
    }
    if recordings and all(times.values()):
        tables["segments"] = sorted(
            f"{u.id} {u.recording} {' '.join(map(format_seconds, times[u.id] or ()))}" for u in named
        )
    if recordings:
        tables["utt2doc"] = [f"{utterance.id} {utterance.recording}" for utterance in named]
    for name, lines in tables.items():
        with write_file(out / name) as file:
            file.writelines(f"{line}\n" for line in lines)
    if all(word.start is not None and word.end is not None for utterance in named for word in utterance.words):
        with write_file(out / "ctm") as file:
            write_ctm(named, file, glyphs)


def _named(utterances: Sequence[Utterance]) -> Iterator[Utterance]:
    """The utterances with names of their own, and the channel in a recording's name where there are several."""
    channels: dict[str, set[str]] = {}
    for utterance in utterances:
        channels.setdefault(utterance.recording, set()).add(utterance.channel)
    taken: set[str] = set()
    for number, utterance in enumerate(utterances, start=1):
        several = len(channels[utterance.recording]) > 1
        recording = f"{utterance.recording}-{utterance.channel}" if several else utterance.recording
        name = one_token(utterance.id or recording or f"utterance{number}")
        if name in taken:
            name = f"{name}-{number}"
        taken.add(name)
        words = tuple(replace(word, rest=None) for word in utterance.words)
        yield replace(utterance, id=name, recording=one_token(recording or name), channel="1", words=words)
