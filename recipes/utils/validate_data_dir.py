#!/usr/bin/env python3
"""Check a Kaldi data directory and report by name what is wrong with it.

    validate_data_dir.py DIR

Prints what DIR holds. Each kind of fault is one line on standard error with the first names, after all else, and
status 2. With a `ctm` in DIR, whose rows name utterances, those that have no word in it are named too, without being
a fault: nobody may speak there.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from data_dir import BY_RECORDING, BY_UTTERANCE, recordings_of

from asr_punct.errors import AsrPunctError, counted_as, run_script
from asr_punct.formats.ctm import read_ctm
from asr_punct.formats.kaldi import read_table

_NAMES_SHOWN = 5


def faults(root: Path) -> Iterator[str]:
    """One line for each kind of fault in the directory `root`."""
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
    yield from _fault(path, [name for name, count in seen.items() if count > 1], "names that stand there twice")
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
    """Faults and remarks about the words of `ctm`; its rows name utterances."""
    recordings = recordings_of(root)
    path, segmented = root / "ctm", set(recordings.values()) - recordings.keys()
    spoken = {utterance.id for utterance in read_ctm(path)}
    missing = [name for name in recordings if name not in spoken]
    found = list(_fault(path, sorted(spoken & segmented), "recordings where the utterances of segments are expected"))
    found += _fault(path, sorted(spoken - segmented - recordings.keys()), "unknown utterances")
    if len(missing) == len(recordings):
        return [*found, f"{path}: no word of any utterance"], []
    return found, list(_fault(path, missing, "no words for utterances"))


def main() -> None:
    """Entry point."""
    if len(sys.argv) != 2:
        raise AsrPunctError("expected one data directory: validate_data_dir.py DIR")
    root = Path(sys.argv[1])
    recordings = recordings_of(root)
    found, remarks = list(faults(root)), list[str]()
    if (root / "ctm").exists():
        more, remarks = ctm_report(root)
        found += more
    words = counted_as(sum(len(text.split()) for _, _, text in read_table(root / "text")), "word")
    spoken = f"{counted_as(len(recordings), 'utterance')}, {counted_as(len(set(recordings.values())), 'recording')}"
    print(f"{root}: {spoken}, {words}")
    for remark in remarks:
        print(remark)
    sys.stdout.flush()  # in a log of both streams the faults stand last
    for fault in found:
        print(f"validate_data_dir.py: {fault}", file=sys.stderr)
    sys.exit(2 if found else 0)


if __name__ == "__main__":
    run_script(main)
