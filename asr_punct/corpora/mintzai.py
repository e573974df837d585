"""`prepare mintzai`: convert mintzai-ST (Etchegoyhen et al. 2021) into Kaldi data directories.

The corpus has `{es-eu,eu-es}/{train,dev,test}/{audio/*.m4a, transcriptions/*.es|*.eu}`. Each segment is an audio file;
its transcription is the file with the same stem and the suffix of the spoken language.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from asr_punct import progress
from asr_punct.corpora import PARTS, Summary
from asr_punct.errors import InputError
from asr_punct.files import AUDIO_SUFFIXES, read_text_file, write_file
from asr_punct.text import parse

FOLDERS = {"es": "es-eu", "eu": "eu-es"}
"""Folder of each spoken language, named after it and the language of the translation."""
_NUMBERED = re.compile(r"(.+)[_-]\d+")
"""Stem of a segment, `s_001`; the group is the recording `s`, whose segments are context for each other."""
_SPAN = re.compile(r"(?:(.+)[_-])?(\d+(?:\.\d+)?)[_-](\d+(?:\.\d+)?)")
"""Stem of a segment with its start and end, `s_0.00_4.21` or, without the recording, `0_421`."""


class _Segment(NamedTuple):
    name: str
    audio: Path
    text: str
    word_count: int
    recording: str


def prepare_mintzai(source: Path, output: Path) -> Summary:
    """Write `output/{es,eu}/{train,dev,test}` with `wav.scp text utt2spk spk2utt utt2doc reco2file_and_channel`.

    Raises InputError if the corpus has no segments.
    """
    if not source.is_dir():
        raise InputError(source, "no such directory", "the corpus mintzai-ST, with es-eu and eu-es in it")
    summary = Summary()
    sets: dict[str, dict[str, _Segment]] = {}
    for spoken_language, folder in FOLDERS.items():
        for part in PARTS:
            language, texts = _find_texts(source / folder / part, spoken_language, summary)
            by_name = sets.setdefault(f"{language}/{part}", {})
            for segment in _segments(source / folder / part, texts, language, summary):
                if by_name.setdefault(segment.name, segment) is not segment:
                    summary.problems.append(f"{segment.audio}: same name as {by_name[segment.name].audio}, left out")
    for name, by_name in sets.items():
        if by_name:
            _write_data_dir(output / name, list(by_name.values()))
            summary.words[name] = sum(segment.word_count for segment in by_name.values())
            summary.documents[name] = len({segment.recording for segment in by_name.values()})
    if not summary.words:
        raise InputError(source, "no segment with audio and transcription", "es-eu and eu-es with train, dev, test")
    return summary


def _find_texts(root: Path, language: str, summary: Summary) -> tuple[str, dict[str, Path]]:
    """Return the language of the transcriptions, and their files by stem.

    Without files of the expected language, those of the other one are used, else files of any suffix.
    """
    for name in ("audio", "transcriptions"):
        if not (root / name).is_dir():
            summary.problems.append(f"{root / name}: no such directory")
            return language, {}
    directory = root / "transcriptions"
    by_suffix = Counter(path.suffix for path in directory.iterdir() if path.is_file())
    suffix = expected = f".{language}"
    if suffix not in by_suffix and by_suffix:
        others = [f".{other}" for other in FOLDERS if f".{other}" in by_suffix]
        suffix = others[0] if others else by_suffix.most_common(1)[0][0]
        language = suffix[1:] if others else language
        summary.problems.append(f"{directory}: no *{expected}, used *{suffix} instead, as {language}")
    return language, _by_stem((path for path in directory.iterdir() if path.suffix == suffix), summary)


def _segments(root: Path, texts: dict[str, Path], language: str, summary: Summary) -> Iterator[_Segment]:
    """Yield segments in the order of speech; add those without audio or words to the summary's problems."""
    if not (root / "audio").is_dir():
        return
    audio = _by_stem((path for path in (root / "audio").iterdir() if path.suffix.lower() in AUDIO_SUFFIXES), summary)
    summary.problems += [f"{audio[name]}: no transcription" for name in sorted(audio.keys() - texts.keys())]
    summary.problems += [f"{texts[name]}: no audio" for name in sorted(texts.keys() - audio.keys())]
    recordings = _recordings(audio.keys() & texts.keys(), f"{root.parent.name}-{root.name}")
    names = list(recordings)
    for name in progress.track(names, "segments", total=len(names)):
        text = " ".join(read_text_file(texts[name]).split())
        parsed = parse(text, language)
        summary.dropped.update(parsed.dropped)
        if len(name.split()) != 1:
            summary.problems.append(f"{audio[name]}: white space in the name")
        elif not parsed.words:
            summary.problems.append(f"{texts[name]}: no words")
        else:
            yield _Segment(name, audio[name], text, len(parsed.words), recordings[name])


def _by_stem(paths: Iterable[Path], summary: Summary) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(paths):
        if found.setdefault(path.stem, path) is not path:
            summary.problems.append(f"{path}: same name as {found[path.stem].name}, left out")
    return found


def _recordings(names: Iterable[str], unnamed: str) -> dict[str, str]:
    """Return the recording of each segment, in the order of speech.

    Names are those of `_SPAN` if segments of a recording overlap by a tenth of their length at most; then segments
    without the name of a recording are all of the recording `unnamed`. Else they are those of `_NUMBERED`. Any other
    segment is a recording.
    """
    spans: dict[str, list[tuple[float, float, str]]] = {}
    for name in names:
        if match := _SPAN.fullmatch(name):
            spans.setdefault(match[1] or unnamed, []).append((float(match[2]), float(match[3]), name))
    found: dict[str, str] = {}
    for recording, segments in spans.items():
        segments.sort()
        ends = [0.0, *(end for _, end, _ in segments)]
        if all(start < end and start + (end - start) / 10 >= ends[i] for i, (start, end, _) in enumerate(segments)):
            found.update((name, recording) for _, _, name in segments)
    others = sorted(set(names) - found.keys(), key=_natural_order)
    numbered = ((name, _NUMBERED.fullmatch(name)) for name in others)
    return found | {name: match[1] if match else name for name, match in numbered}


def _natural_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key with `a_10` after `a_9`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _write_data_dir(directory: Path, segments: list[_Segment]) -> None:
    """Write Kaldi's tables, sorted as its tools require; `utt2doc` keeps the order of speech."""
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
