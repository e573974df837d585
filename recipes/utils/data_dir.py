"""Tables of a Kaldi data directory, for the scripts that check and split them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from asr_punct.errors import InputError
from asr_punct.formats.kaldi_tables import read_table

BY_UTTERANCE = ("text", "segments", "utt2spk", "utt2doc")
"""Files whose lines begin with the name of an utterance."""
BY_RECORDING = ("wav.scp", "reco2file_and_channel")
"""Files whose lines begin with the name of a recording."""


def recordings_of(root: Path) -> dict[str, str]:
    """Return the recording of each utterance, in the order of `segments`, else of `text` (one recording each).

    Raises:
        InputError: neither file exists.
    """
    if (root / "segments").exists():
        return {name: next(iter(rest.split()), name) for _, name, rest in read_table(root / "segments")}
    if not (root / "text").exists():
        raise InputError(root / "text", "no such file", "a data directory with wav.scp and text")
    return {name: name for _, name, _ in read_table(root / "text")}


def units_of(root: Path) -> dict[str, str]:
    """Return the unit of each utterance, in the order of `utt2doc` if it exists.

    A unit is never split. It is a recording, or all recordings of a document; documents that share a recording are one
    unit.

    Raises:
        InputError: `utt2doc` has other utterances than `segments` or `text`.
    """
    recordings = recordings_of(root)
    documents = {name: rest for _, name, rest in read_table(root / "utt2doc")}
    if documents and documents.keys() != recordings.keys():
        names = sorted(documents.keys() ^ recordings.keys())
        raise InputError(root / "utt2doc", f"other utterances ({names[0]})", "the utterances of the directory")
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
