#!/usr/bin/env python3
"""Split a Kaldi data directory into parts of about the same number of words, for parallel jobs.

Writes DIRECTORY/splitN/1 … DIRECTORY/splitN/N. Never splits a recording. Recordings go to the parts in the order of
utt2doc, else of segments or text; each file keeps its order. An existing splitN is replaced; it appears when it is
complete.
"""

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from typer import Argument

from asr_punct.errors import InputError, plural, run_script
from asr_punct.formats.files import write_directory
from asr_punct.formats.kaldi_tables import read_table

_BY_UTTERANCE = ("text", "segments", "utt2spk", "utt2doc")
"""Files whose lines begin with the name of an utterance."""
_BY_RECORDING = ("wav.scp", "reco2file_and_channel")
"""Files whose lines begin with the name of a recording."""


def recordings_of(root: Path) -> dict[str, str]:
    """Return the recording of each utterance, in the order of `utt2doc`, else of `segments` or `text`.

    Without `segments` each utterance is a recording. Raises InputError if neither `segments` nor `text` exists, or
    `utt2doc` lacks one of their utterances, or has an unknown one.
    """
    if (root / "segments").exists():
        recordings = {name: next(iter(rest.split()), name) for _, name, rest in read_table(root / "segments")}
    elif (root / "text").exists():
        recordings = {name: name for _, name, _ in read_table(root / "text")}
    else:
        raise InputError(root / "text", "no such file", "a data directory with segments or text")
    ordered = [name for _, name, _ in read_table(root / "utt2doc")] or list(recordings)
    if differing := sorted(set(ordered) ^ recordings.keys()):
        found = f"{'no' if differing[0] in recordings else 'unknown'} utterance {differing[0]!r}"
        raise InputError(root / "utt2doc", found, "the utterances of segments, else of text")
    return {name: recordings[name] for name in ordered}


def assign(words: Mapping[str, int], parts: int) -> dict[str, int]:
    """Return the part (from 1) of each unit: consecutive units together, no empty part, about equal numbers of words.

    `words` has the number of words of each unit, in order; there are at least as many units as parts.
    """
    total, before = sum(words.values()), 0
    part, assigned = 1, dict[str, int]()
    for index, (unit, count) in enumerate(words.items()):
        left = len(words) - index
        middle = before + count / 2
        wanted = min(parts, 1 + int(middle * parts / total)) if total else 1
        lowest = parts - left + 1
        part = max(part, min(wanted, part + 1 if assigned else 1), lowest)
        assigned[unit] = part
        before += count
    return assigned


def _split_file(path: Path, target: Path, parts: int, assigned: Mapping[str, int]) -> None:
    lines: dict[int, list[str]] = {part: [] for part in range(1, parts + 1)}
    for _, name, rest in read_table(path):
        part = assigned.get(name)
        if part:
            lines[part].append(f"{name} {rest}\n")
    for part, content in lines.items():
        (target / str(part)).mkdir(parents=True, exist_ok=True)
        (target / str(part) / path.name).write_text("".join(content), encoding="utf-8")


def main(directory: Path, parts: Annotated[int, Argument(metavar="N", min=1)]) -> None:
    recordings = recordings_of(directory)
    words: Counter[str] = Counter(dict.fromkeys(recordings.values(), 0))
    for _, utterance, text in read_table(directory / "text"):
        if utterance in recordings:
            words[recordings[utterance]] += len(text.split())
    if len(words) < parts:
        raise InputError(directory, plural(len(words), "recording"), f"at least {parts}, one for each part")
    by_recording = assign(words, parts)
    by_utterance = {name: by_recording[recording] for name, recording in recordings.items()}
    target = directory / f"split{parts}"
    shutil.rmtree(target, ignore_errors=True)
    with write_directory(target) as out:
        for names, assigned in ((_BY_UTTERANCE, by_utterance), (_BY_RECORDING, by_recording)):
            for name in names:
                if (directory / name).exists():
                    _split_file(directory / name, out, parts, assigned)


if __name__ == "__main__":
    run_script(main)
