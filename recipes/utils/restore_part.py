#!/usr/bin/env python3
"""Restore marks and case of a part that split_decode.py has cut; writes PART/restored.tsv.

    restore_part.py [--model NAME] PART

Pauses are refined on the recordings of PART/wav.scp where there is one; a command there (`… |`) is run, as Kaldi does.
Each document is restored by itself, so that what is in other documents changes nothing.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from asr_punct.errors import InputError, run_script
from asr_punct.formats import read_utterances, write_utterances
from asr_punct.formats.kaldi import unique_names
from asr_punct.inference.punctuator import Punctuator
from asr_punct.pauses import refined, with_pauses
from asr_punct.words import Utterance


class Sounds:
    """Audio files of the recordings of a wav.scp, made by its commands where it has some.

    Args:
        table: the wav.scp.
        folder: where files are made; the last one alone is kept.
    """

    def __init__(self, table: Path, folder: Path) -> None:
        self._path, self._table = table, unique_names(table)
        self._made, self._recording = folder / "recording.wav", ""

    def __call__(self, utterance: Utterance) -> Path:
        """The audio file of an utterance. Raises InputError where a command fails."""
        value = self._table[utterance.recording]
        if not value.endswith("|"):
            return Path(value)
        if self._recording != utterance.recording:
            command = ["bash", "-o", "pipefail", "-c", value[:-1]]
            with self._made.open("wb") as out:
                status = subprocess.run(command, stdout=out, check=False).returncode
            if status:
                raise InputError(self._path, f"status {status} of {value!r}", f"the audio of {utterance.recording!r}")
            self._recording = utterance.recording
        return self._made


def read_part(part: Path, folder: Path) -> Iterator[Utterance]:
    """Utterances with pauses and documents."""
    utterances: Iterable[Utterance] = read_utterances(part / "words.json")
    if (part / "wav.scp").exists():
        utterances = heard(utterances, Sounds(part / "wav.scp", folder))
    documents = unique_names(part / "utt2doc")
    for utterance in with_pauses(utterances):
        yield replace(utterance, document=documents[utterance.id])


def heard(utterances: Iterable[Utterance], sounds: Sounds) -> Iterator[Utterance]:
    """The utterances with pauses that are refined on their recordings, one recording after the other."""
    for _, group in groupby(utterances, key=attrgetter("recording")):
        yield from refined(group, sounds)


def restore(part: Path, model: str | None) -> None:
    """Write the part's labels and pauses.

    Raises:
        AsrPunctError: no such model, audio that cannot be read, words far after its end.
    """
    punctuator = Punctuator.from_pretrained(model, threads=1)
    with TemporaryDirectory() as folder:
        documents = groupby(read_part(part, Path(folder)), key=attrgetter("context"))
        restored = (utterance for _, document in documents for utterance in punctuator.restore(document))
        write_utterances(restored, part / "restored.tsv", punctuator.glyphs, "tsv")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("part", type=Path)
    options = parser.parse_args()
    restore(options.part, options.model or None)


if __name__ == "__main__":
    run_script(main)
