#!/usr/bin/env python3
"""Restore marks and case of a part of split_decode.py; writes PART/restored.tsv.

Refines pauses on the recordings of PART/wav.scp, if any; runs a command there (`… |`) as Kaldi does. Restores each
document separately, so that the result does not depend on the other documents of the part.
"""

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from asr_punct import formats
from asr_punct.errors import InputError, run_script
from asr_punct.formats.kaldi.tables import read_mapping
from asr_punct.inference.punctuator import Punctuator
from asr_punct.pauses import with_pauses, with_pauses_from_audio
from asr_punct.words import Utterance


class AudioFiles:
    """Audio files of the recordings of a wav.scp. The output of its last command is kept in `folder`."""

    def __init__(self, table: Path, folder: Path) -> None:
        self._path, self._table = table, read_mapping(table)
        self._output, self._output_recording = folder / "recording.wav", ""

    def __call__(self, utterance: Utterance) -> Path:
        """Return the audio file of an utterance. Raises InputError if a command fails."""
        value = self._table[utterance.recording]
        if not value.endswith("|"):
            return Path(value)
        if self._output_recording != utterance.recording:
            command = ["bash", "-o", "pipefail", "-c", value[:-1]]
            with self._output.open("wb") as out:
                status = subprocess.run(command, stdout=out, check=False).returncode
            if status:
                raise InputError(self._path, f"status {status} of {value!r}", f"the audio of {utterance.recording!r}")
            self._output_recording = utterance.recording
        return self._output


def read_part(part: Path, folder: Path) -> Iterator[Utterance]:
    """Read utterances with pauses and documents."""
    utterances: Iterable[Utterance] = formats.read(part / "words.json")
    if (part / "wav.scp").exists():
        utterances = _refined(utterances, AudioFiles(part / "wav.scp", folder))
    documents = read_mapping(part / "utt2doc")
    for utterance in with_pauses(utterances):
        yield replace(utterance, document=documents[utterance.id])


def _refined(utterances: Iterable[Utterance], files: AudioFiles) -> Iterator[Utterance]:
    for _, group in groupby(utterances, key=attrgetter("recording")):
        yield from with_pauses_from_audio(group, files)


def main(part: Path, model: str = "", lang: str = "es") -> None:
    punctuator = Punctuator.from_pretrained(model or None, language=lang, threads=1)
    with TemporaryDirectory() as folder:
        documents = groupby(read_part(part, Path(folder)), key=attrgetter("context"))
        restored = (utterance for _, document in documents for utterance in punctuator.restore(document))
        formats.write(restored, part / "restored.tsv", punctuator.glyphs, "tsv")


if __name__ == "__main__":
    run_script(main)
