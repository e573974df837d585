#!/usr/bin/env python3
"""Check a Kaldi data directory.

Prints the number of utterances, recordings and words. Reports each kind of fault with its first names on one line of
standard error, and ends with status 2. If the directory has a `ctm` whose rows name utterances, also lists utterances
without words, which is no fault.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from data_dir import BY_RECORDING, BY_UTTERANCE, recordings_of

from asr_punct.errors import plural, run_script
from asr_punct.formats.ctm import read_ctm
from asr_punct.formats.kaldi_tables import read_table

_NAMES_SHOWN = 5


def faults(root: Path) -> Iterator[str]:
    """Yield one line for each kind of fault in the directory `root`."""
    for name in (*BY_UTTERANCE, *BY_RECORDING):
        yield from _line_faults(root / name)
    recordings = recordings_of(root)
    audio = {name: value for _, name, value in read_table(root / "wav.scp")}
    utterances = _names(root / "text")
    commands = [name for name, value in audio.items() if value.endswith("|")]
    gone = [f"{name} ({value})" for name, value in audio.items() if not value.endswith("|") and not _is_audio(value)]
    silent = [name for name, recording in recordings.items() if recording not in audio]
    yield from _fault(root / "wav.scp", commands, "a command where a path is expected")
    yield from _fault(root / "wav.scp", gone, "audio that is missing or empty")
    yield from _fault(root / "wav.scp", silent, "no audio for utterances")
    for name in BY_UTTERANCE:
        if (root / name).exists():
            yield from _difference(root / name, _names(root / name), recordings.keys() | set(utterances), "utterances")
    if (root / "reco2file_and_channel").exists():
        path = root / "reco2file_and_channel"
        yield from _difference(path, _names(path), audio.keys(), "recordings")


def _line_faults(path: Path) -> Iterator[str]:
    rows = list(read_table(path))
    seen = Counter(name for _, name, _ in rows)
    if path.exists() and not rows:
        yield f"{path}: no lines"
    yield from _fault(path, [name for name, count in seen.items() if count > 1], "duplicate names")
    yield from _fault(path, [f"{name} (line {number})" for number, name, rest in rows if not rest], "no second column")
    if path.name == "segments":
        wrong = [f"{name} (line {number})" for number, name, rest in rows if not _is_segment(rest)]
        yield from _fault(path, wrong, "not 'recording start end' with the end after the start")


def _is_segment(rest: str) -> bool:
    columns = rest.split()
    try:
        start, end = (float(column) for column in columns[1:])
    except ValueError:
        return False
    return 0 <= start < end


def _is_audio(path: str) -> bool:
    return Path(path).is_file() and Path(path).stat().st_size > 0


def _names(path: Path) -> list[str]:
    return [name for _, name, _ in read_table(path)]


def _difference(path: Path, found: Iterable[str], expected: Iterable[str], what: str) -> Iterator[str]:
    found, expected = dict.fromkeys(found), dict.fromkeys(expected)
    yield from _fault(path, [name for name in expected if name not in found], f"no line for {what}")
    yield from _fault(path, [name for name in found if name not in expected], f"unknown {what}")


def _fault(path: Path, names: list[str], what: str) -> Iterator[str]:
    if names:
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        yield f"{path}: {what}: {' '.join(names[:_NAMES_SHOWN])}{more}"


def ctm_report(root: Path) -> tuple[list[str], list[str]]:
    """Return faults and remarks about the words of `ctm`, whose rows name utterances."""
    recordings = recordings_of(root)
    path, segmented = root / "ctm", set(recordings.values()) - recordings.keys()
    spoken = {utterance.id for utterance in read_ctm(path)}
    missing = [name for name in recordings if name not in spoken]
    found = list(_fault(path, sorted(spoken & segmented), "recordings where the utterances of segments are expected"))
    found += _fault(path, sorted(spoken - segmented - recordings.keys()), "unknown utterances")
    if len(missing) == len(recordings):
        return [*found, f"{path}: no word of any utterance"], []
    return found, list(_fault(path, missing, "no words for utterances"))


def main(directory: Path) -> None:
    recordings = recordings_of(directory)
    found, remarks = list(faults(directory)), list[str]()
    if (directory / "ctm").exists():
        more, remarks = ctm_report(directory)
        found += more
    words = plural(sum(len(text.split()) for _, _, text in read_table(directory / "text")), "word")
    size = f"{plural(len(recordings), 'utterance')}, {plural(len(set(recordings.values())), 'recording')}"
    print(f"{directory}: {size}, {words}")
    for remark in remarks:
        print(remark)
    sys.stdout.flush()  # so that a log of both streams ends with the faults
    for fault in found:
        print(f"validate_data_dir.py: {fault}", file=sys.stderr)
    sys.exit(2 if found else 0)


if __name__ == "__main__":
    run_script(main)
