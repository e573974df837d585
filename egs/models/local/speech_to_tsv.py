#!/usr/bin/env python3
"""Convert transcribed speech (`training_text/speech.py`) to TSV with labels and pauses.

A recording is a document, and each turn of a speaker an utterance, or more than one where sentences are left out;
`# id` ends with the speaker's name.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from training_text.speech import read_recordings

from asr_punct.errors import run_script
from asr_punct.files import write_file
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.words import Utterance


def utterances(speech: Path) -> Iterator[Utterance]:
    """Yield all turns of a file of recordings."""
    for name, turns in read_recordings(speech):
        parts = (part for turn in turns for part in turn)
        for number, part in enumerate(parts, start=1):
            yield replace(part, id=f"{name}-{number}-{part.speaker}", document=name, recording="")


def main(speech: Path, output: Path) -> None:
    with write_file(output) as file:
        write_tsv(utterances(speech), file)


if __name__ == "__main__":
    run_script(main)
