#!/usr/bin/env python3
"""Split a Kaldi data directory into parts of about the same number of words, for parallel jobs.

Writes DIRECTORY/splitN/1 … DIRECTORY/splitN/N. Never splits a recording, nor a document of utt2doc unless there are
fewer documents than parts. The parts have the order of the directory (of utt2doc, if any), so results do not depend on
N. Writes a temporary folder first, so an existing splitN is complete.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from data_dir import BY_RECORDING, BY_UTTERANCE, recordings_of, units_of
from typer import Argument

from asr_punct.errors import InputError, plural, run_script
from asr_punct.formats.kaldi_tables import read_table


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
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name in (*BY_UTTERANCE, *BY_RECORDING):
        if (directory / name).exists():
            _split_file(directory / name, partial, parts, by_utterance if name in BY_UTTERANCE else by_recording)
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)


if __name__ == "__main__":
    run_script(main)
