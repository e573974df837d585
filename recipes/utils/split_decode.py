#!/usr/bin/env python3
"""Split the output of a recogniser into parts of about the same number of words, for parallel jobs.

Writes TARGET/1 … TARGET/N, fewer if there are fewer recordings. A part has complete recordings and complete documents
of utt2doc, so results do not depend on N: words.json with the words of the utterances of DATA, utt2doc, and with
--audio wav.scp. An existing TARGET is replaced; it appears when it is complete.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from asr_punct import formats
from asr_punct.errors import InputError, plural, run_script
from asr_punct.formats.kaldi.decode_ctm import place_words
from asr_punct.formats.kaldi.tables import (
    order_of_speech,
    read_channels,
    read_mapping,
    read_segment_times,
    read_speakers,
    recording_of,
)
from asr_punct.formats.time_sources import named_time_source
from asr_punct.glyphs import glyphs
from asr_punct.partial import write_directory
from asr_punct.words import Utterance


def utterance_names(root: Path) -> list[str]:
    """Return the utterances of a data directory: those of `segments`, else of `wav.scp`, `text` or `utt2spk`."""
    if not root.is_dir():
        raise InputError(root, "no such directory", "a data directory")
    for name in ("segments", "wav.scp", "text", "utt2spk"):
        if names := list(read_mapping(root / name)):
            return names
    raise InputError(root, "none of segments, wav.scp, text and utt2spk", "a data directory")


def read_decode(root: Path, ctm: Path) -> list[Utterance]:
    """Return the recognised words of each utterance of a data directory, in the order of speech; some have no words.

    A word outside all segments belongs to the nearest segment of its recording.
    """
    names, segments = utterance_names(root), read_segment_times(root / "segments")
    words, channels = place_words(root, ctm, names, segments, nearest=True), read_channels(root)
    in_order = order_of_speech(root, names, segments, read_mapping(root / "utt2doc"))
    utterances = [
        Utterance(tuple(words.get(name, ())), name, recording=recording_of(name, segments), time_source="asr")
        for name in in_order
    ]
    speakers = read_speakers(root, segments)
    return [
        replace(each, channel=channels.get(each.recording, ("", "1"))[1], speaker=speakers.get(each.id, ""))
        for each in utterances
    ]


def units_of(recordings: Mapping[str, str], documents: Mapping[str, str]) -> dict[str, str]:
    """Return the unit of each utterance: recordings that share documents, directly or by way of other recordings.

    The algorithm is union-find over recordings and documents.
    """
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(node: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for name, document in documents.items():
        parent[root(("recording", recordings[name]))] = root(("document", document))
    return {name: "/".join(root(("recording", recording))) for name, recording in recordings.items()}


def assign(word_counts: Mapping[str, int], parts: int) -> dict[str, int]:
    """Return the part (from 1) of each unit: consecutive units together, no empty part, about equal numbers of words.

    `word_counts` has the words of each unit, in order; there are at least as many units as parts.
    """
    total, before = sum(word_counts.values()), 0
    part, assigned = 1, dict[str, int]()
    for index, (unit, count) in enumerate(word_counts.items()):
        middle = before + count / 2
        wanted = min(parts, 1 + int(middle * parts / total)) if total else 1
        highest = part + 1 if assigned else 1  # skip no part
        lowest = parts - (len(word_counts) - index) + 1  # leave a unit for each later part
        part = max(part, min(wanted, highest), lowest)
        assigned[unit] = part
        before += count
    return assigned


def divide(utterances: Sequence[Utterance], documents: dict[str, str], parts: int) -> list[list[Utterance]]:
    """Return the utterances of each part, in order; no part is empty."""
    recordings = {utterance.id: utterance.recording for utterance in utterances}
    units = units_of(recordings, {name: documents[name] for name in recordings} if documents else {})
    word_counts: Counter[str] = Counter()
    for utterance in utterances:
        word_counts[units[utterance.id]] += len(utterance.words)
    assigned = assign(word_counts, min(parts, len(word_counts)))
    divided: list[list[Utterance]] = [[] for _ in range(max(assigned.values()))]
    for utterance in utterances:
        divided[assigned[units[utterance.id]] - 1].append(utterance)
    return divided


def _write_table(path: Path, table: dict[str, str]) -> None:
    path.write_text("".join(f"{name} {value}\n" for name, value in table.items()), encoding="utf-8")


def main(data: Path, ctm: Path, target: Path, parts: int, audio: bool = False, times: str = "asr") -> None:
    source = named_time_source(times)
    utterances = [replace(utterance, time_source=source) for utterance in read_decode(data, ctm) if utterance.words]
    if not utterances:
        raise InputError(ctm, "no words", "those of a recogniser")
    documents, audio_files = read_mapping(data / "utt2doc"), read_mapping(data / "wav.scp")
    recordings = dict.fromkeys(utterance.recording for utterance in utterances)
    missing = [name for name in recordings if name not in audio_files]
    if audio and missing:
        raise InputError(data / "wav.scp", f"no line for {missing[0]!r}", "the audio of each recording of the CTM")
    divided = divide(utterances, documents, parts)
    shutil.rmtree(target, ignore_errors=True)
    with write_directory(target) as out:
        for number, part in enumerate(divided, start=1):
            folder = out / str(number)
            folder.mkdir()
            formats.write(part, folder / "words.json", glyphs(""), "json")
            _write_table(folder / "utt2doc", {u.id: documents.get(u.id, u.recording) for u in part})
            if audio:
                _write_table(folder / "wav.scp", {u.recording: audio_files[u.recording] for u in part})
    words = plural(sum(len(utterance.words) for utterance in utterances), "word")
    size = f"{plural(len(utterances), 'utterance')}, {plural(len(recordings), 'recording')}, {words}"
    print(f"{size} in {plural(len(divided), 'part')}")


if __name__ == "__main__":
    run_script(main)
