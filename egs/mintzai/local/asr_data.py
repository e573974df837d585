#!/usr/bin/env python3
"""Make a NeMo manifest of data directories: wave files, and what is said in them as a recogniser writes it.

local/asr_data.py [--skip-figures] --lang LANG OUT.json DATA_DIR…

The audio goes to OUT.audio beside it. With --skip-figures utterances with figures are left out, which are said as words
that the text does not tell.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from asr_punct import audio
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.io.files import make_directory, write_file
from asr_punct.io.kaldi import DataUtterance, read_data_dir
from asr_punct.text import parse

RATE = 16000


def lines(data: Path, folder: Path, language: str, skip_figures: bool) -> Iterator[dict[str, Any]]:
    """A line of the manifest for each utterance; its audio is written to the folder.

    Raises:
        InputError: an utterance without audio or text.
    """
    for item in read_data_dir(data):
        if item.audio is None or item.text is None:
            raise InputError(data, f"no {'audio' if item.text else 'text'} for {item.id!r}", "wav.scp and text")
        words = parse(item.text, language).words
        if skip_figures and any(character.isdigit() for word in words for character in word):
            continue
        yield _line(item, words, folder)


def _line(item: DataUtterance, words: Sequence[str], folder: Path) -> dict[str, Any]:
    samples = audio.read(item.audio or "", RATE, item.start, item.end)
    path = folder / f"{item.id}.wav"
    audio.write(path, samples, RATE)
    seconds = round(len(samples) / RATE, 3)
    return {"audio_filepath": str(path.resolve()), "duration": seconds, "text": " ".join(words), "id": item.id}


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skip-figures", action="store_true")
    parser.add_argument("--lang", required=True)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        folder = options.manifest.with_suffix(".audio")
        make_directory(folder)
        with write_file(options.manifest) as out:
            for data in options.data:
                for line in lines(data, folder, options.lang, options.skip_figures):
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
    except AsrPunctError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
