#!/usr/bin/env python3
"""Split a Kaldi data directory into parts of about the same number of words, for parallel jobs.

Writes DIRECTORY/splitN/1 … DIRECTORY/splitN/N. Never splits a recording; splits documents of utt2doc only if there are
too few for N parts, else results do not depend on N. Recordings or documents go to the parts in the order of utt2doc,
else of segments or text; each file keeps its order. An existing splitN is replaced; it appears when it is complete.
"""

from __future__ import annotations

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
    """Return the recording of each utterance, in the order of `segments`, else of `text` (each is a recording).

    Raises:
        InputError: neither file exists.
    """
    if (root / "segments").exists():
        return {name: next(iter(rest.split()), name) for _, name, rest in read_table(root / "segments")}
    if not (root / "text").exists():
        raise InputError(root / "text", "no such file", "a data directory with segments or text")
    return {name: name for _, name, _ in read_table(root / "text")}


def units_of(root: Path) -> dict[str, str]:
    """Return the unit of each utterance, in the order of `utt2doc` if it exists.

    A unit is a recording, or all recordings of a document; documents that share a recording are one unit. `main` splits
    no unit, but takes single recordings if there are fewer units than parts.

    Raises:
        InputError: `utt2doc` lacks an utterance of `segments` or `text`, or has an unknown one.
    """
    recordings = recordings_of(root)
    documents = {name: rest for _, name, rest in read_table(root / "utt2doc")}
    if documents and (differing := sorted(documents.keys() ^ recordings.keys())):
        found = f"{'unknown' if differing[0] in documents else 'no'} utterance {differing[0]!r}"
        raise InputError(root / "utt2doc", found, "the utterances of segments, else of text")
    return join_units(recordings, documents)


def join_units(recordings: Mapping[str, str], documents: Mapping[str, str]) -> dict[str, str]:
    """Return the unit of each utterance from its recording and, if known, its document; the order is that of documents.

    The algorithm is union-find over recordings and documents.
    """
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def top(node: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for name in documents or recordings:
        if name in documents:
            parent[top(("recording", recordings[name]))] = top(("document", documents[name]))
    return {name: "/".join(top(("recording", recordings[name]))) for name in documents or recordings}


def assign(words: Mapping[str, int], parts: int) -> dict[str, int]:
    """Return the part (from 1) of each unit: consecutive units together, no empty part, about equal numbers of words.

    Args:
        words: number of words of each unit, in order; at least as many units as parts.
        parts: number of parts.
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
    recordings, units = recordings_of(directory), units_of(directory)
    if len(set(units.values())) < parts:
        units = {name: recordings[name] for name in units}
    words: Counter[str] = Counter(dict.fromkeys(units.values(), 0))
    for _, utterance, text in read_table(directory / "text"):
        if utterance in units:
            words[units[utterance]] += len(text.split())
    if len(words) < parts:
        raise InputError(directory, plural(len(words), "recording"), f"at least {parts}, one for each part")
    assigned = assign(words, parts)
    by_utterance = {name: assigned[unit] for name, unit in units.items()}
    by_recording = {recordings[name]: part for name, part in by_utterance.items()}
    target = directory / f"split{parts}"
    shutil.rmtree(target, ignore_errors=True)
    with write_directory(target) as out:
        for name in (*_BY_UTTERANCE, *_BY_RECORDING):
            if (directory / name).exists():
                _split_file(directory / name, out, parts, by_utterance if name in _BY_UTTERANCE else by_recording)


if __name__ == "__main__":
    run_script(main)
