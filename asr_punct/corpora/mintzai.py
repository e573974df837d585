"""`prepare mintzai`: mintzai-ST (Etchegoyhen et al. 2021) to Kaldi data directories.

The corpus has `{es-eu,eu-es}/{train,dev,test}/{audio/*.m4a, transcriptions/*.es|*.eu}`: one segment a file, the
transcription under the same stem in the language that is spoken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from asr_punct import progress
from asr_punct.corpora.summary import Summary
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.files import AUDIO_SUFFIXES, read_text_file, write_file
from asr_punct.text import parse

PAIRS = {"es": "es-eu", "eu": "eu-es"}
"""The folder of each language spoken, which the corpus names with that of the translation."""
PARTS = ("train", "dev", "test")
RECORDING = r"(.+)[_-]\d+"


@dataclass(frozen=True)
class _Segment:
    name: str
    recording: str
    audio: Path
    text: str
    words: int


def prepare_mintzai(source: Path, output: Path, *, recording: str = RECORDING) -> Summary:
    """Write `output/{es,eu}/{train,dev,test}` with `wav.scp text utt2spk spk2utt utt2doc reco2file_and_channel`.

    Args:
        source: the corpus.
        output: parent of the data directories.
        recording: regular expression whose first group, in a stem, names what consecutive segments belong to;
            segments of one recording are context for each other.

    Raises:
        InputError: nothing of the corpus is there.
    """
    try:
        pattern = re.compile(recording)
    except re.error as error:
        raise AsrPunctError(f"--recording: {recording!r} is no regular expression: {error}") from None
    if not pattern.groups:
        raise AsrPunctError(
            f"--recording: found {recording!r} without a group, expected (…) around the recording's name"
        )
    if not source.is_dir():
        raise InputError(source, "no such directory", "the corpus mintzai-ST, with es-eu and eu-es in it")
    summary = Summary()
    sets: dict[str, dict[str, _Segment]] = {}
    for pair_language, pair in PAIRS.items():
        for part in PARTS:
            language, segments = _segments(source / pair / part, pair_language, pattern, summary)
            known = sets.setdefault(f"{language}/{part}", {})
            for segment in segments:
                if known.setdefault(segment.name, segment) is not segment:
                    summary.problems.append(f"{segment.audio}: same name as {known[segment.name].audio}, left out")
    for name, by_name in sets.items():
        if by_name:
            _write_data_dir(output / name, list(by_name.values()))
            summary.words[name] = sum(segment.words for segment in by_name.values())
    if not summary.words:
        raise InputError(source, "no segment with audio and transcription", "es-eu and eu-es with train, dev, test")
    return summary


def _segments(root: Path, language: str, recording: re.Pattern[str], summary: Summary) -> tuple[str, list[_Segment]]:
    """Language, and segments with sound and text, recording by recording; the summary tells what is missing."""
    for name in ("audio", "transcriptions"):
        if not (root / name).is_dir():
            summary.problems.append(f"{root / name}: no such directory")
            return language, []
    language, texts = _transcriptions(root / "transcriptions", language, summary)
    audio = _by_stem((path for path in (root / "audio").iterdir() if path.suffix.lower() in AUDIO_SUFFIXES), summary)
    summary.problems += [f"{audio[name]}: no transcription" for name in sorted(audio.keys() - texts.keys())]
    summary.problems += [f"{texts[name]}: no audio" for name in sorted(texts.keys() - audio.keys())]
    segments = []
    names = sorted(audio.keys() & texts.keys(), key=_natural)
    for name in progress.counted(names, "segments", total=len(names)):
        if len(name.split()) != 1:
            summary.problems.append(f"{audio[name]}: white space in the name")
            continue
        text = " ".join(read_text_file(texts[name]).split())
        parsed = parse(text, language)
        summary.dropped.update(parsed.dropped)
        if not parsed.words:
            summary.problems.append(f"{texts[name]}: no words")
            continue
        match = recording.fullmatch(name)
        group = match.group(1) if match else None
        segments.append(_Segment(name, group or name, audio[name], text, len(parsed.words)))
    return language, segments


def _transcriptions(directory: Path, language: str, summary: Summary) -> tuple[str, dict[str, Path]]:
    """Transcriptions by stem, and their language: the pair's first one, else the one whose files are there instead.

    Files of any other suffix are taken as the pair's language. Either is told.
    """
    by_suffix = Counter(path.suffix for path in directory.iterdir() if path.is_file())
    suffix = f".{language}"
    if suffix not in by_suffix and by_suffix:
        expected, others = suffix, [f".{other}" for other in PAIRS if f".{other}" in by_suffix]
        suffix = others[0] if others else by_suffix.most_common(1)[0][0]
        language = suffix[1:] if others else language
        summary.problems.append(f"{directory}: no *{expected}, *{suffix} taken instead, as {language}")
    return language, _by_stem((path for path in directory.iterdir() if path.suffix == suffix), summary)


def _by_stem(paths: Iterable[Path], summary: Summary) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(paths):
        if path.stem in found:
            summary.problems.append(f"{path}: same name as {found[path.stem].name}, left out")
        else:
            found[path.stem] = path
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort key under which `a_10` follows `a_9`."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", name)]


def _write_data_dir(directory: Path, segments: list[_Segment]) -> None:
    """Kaldi's tables in the order of names that its tools demand; `utt2doc` keeps the order of speech."""
    directory.mkdir(parents=True, exist_ok=True)
    ordered = sorted(segments, key=lambda segment: segment.name.encode())
    speakers: dict[str, list[str]] = {}
    for segment in ordered:
        speakers.setdefault(segment.recording, []).append(segment.name)
    tables = {
        "wav.scp": [f"{segment.name} {segment.audio.resolve()}" for segment in ordered],
        "text": [f"{segment.name} {segment.text}" for segment in ordered],
        "utt2spk": [f"{segment.name} {segment.recording}" for segment in ordered],
        "spk2utt": [f"{name} {' '.join(speakers[name])}" for name in sorted(speakers, key=str.encode)],
        "utt2doc": [f"{segment.name} {segment.recording}" for segment in segments],
        "reco2file_and_channel": [f"{segment.name} {segment.audio.stem} 1" for segment in ordered],
    }
    for name, lines in tables.items():
        with write_file(directory / name) as out:
            out.writelines(f"{line}\n" for line in lines)
