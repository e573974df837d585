"""Tables of a Kaldi data directory as they stand, for the scripts that check and cut them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from asr_punct.errors import InputError
from asr_punct.formats.kaldi import read_table

BY_UTTERANCE = ("text", "segments", "utt2spk", "utt2doc")
"""Files whose lines begin with an utterance."""
BY_RECORDING = ("wav.scp", "reco2file_and_channel")
"""Files whose lines begin with a recording."""


def recordings_of(root: Path) -> dict[str, str]:
    """Recording of each utterance, in the order of `segments`, else of `text`, where each is its own recording.

    Raises:
        InputError: there is neither.
    """
    if (root / "segments").exists():
        return {name: next(iter(rest.split()), name) for _, name, rest in read_table(root / "segments")}
    if not (root / "text").exists():
        raise InputError(root / "text", "no such file", "a data directory with wav.scp and text")
    return {name: name for _, name, _ in read_table(root / "text")}


def units_of(root: Path) -> dict[str, str]:
    """What each utterance cannot be cut from, in the order of `utt2doc` where there is one: a name for each unit.

    A unit is a recording; the recordings of a document are one unit, and so are documents that share a recording.

    Raises:
        InputError: `utt2doc` has not the utterances of `segments` or `text`.
    """
    recordings = recordings_of(root)
    documents = {name: rest for _, name, rest in read_table(root / "utt2doc")}
    if documents and documents.keys() != recordings.keys():
        names = sorted(documents.keys() ^ recordings.keys())
        raise InputError(root / "utt2doc", f"other utterances ({names[0]})", "the utterances of the directory")
    return join_units(recordings, documents)


def join_units(recordings: Mapping[str, str], documents: Mapping[str, str]) -> dict[str, str]:
    """What each utterance cannot be cut from, by its recording and, where there are some, its document.

    The units are in the order of the documents' utterances, else of the recordings'.
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
