#!/usr/bin/env python3
"""Make a NeMo manifest of data directories: wave files, and what is said in them as a recogniser writes it.

local/asr_data.py [--train] --lang LANG OUT.json DATA_DIR…

The audio goes to OUT.audio beside it. With --train each utterance comes at three speeds, which also moves the voice,
and those with figures are left out, which are said as words that the text does not tell.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from asr_punct import audio
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.io.files import make_directory, write_file
from asr_punct.io.kaldi import read_data_dir
from asr_punct.text import parse
from asr_punct.words import Seconds

RATE = 16000
SPEEDS = (0.9, 1.0, 1.1)
"""Of the training's copies, as in Kaldi's recipes: there are few voices, and those of the tests are others."""


def lines(data: Path, folder: Path, language: str, train: bool) -> Iterator[dict[str, Any]]:
    """Lines of the manifest; the audio is written to the folder.

    Raises:
        InputError: an utterance without audio or text.
    """
    for item in read_data_dir(data):
        if item.audio is None or item.text is None:
            raise InputError(data, f"no {'audio' if item.text else 'text'} for {item.id!r}", "wav.scp and text")
        words = parse(item.text, language).words
        if train and any(character.isdigit() for word in words for character in word):
            continue
        samples = audio.read(item.audio, RATE, item.start, item.end)
        for speed in SPEEDS if train else (1.0,):
            name = item.id if speed == 1 else f"sp{speed}-{item.id}"
            path = folder / f"{name}.wav"
            seconds = _write(path, samples, speed)
            yield {"audio_filepath": str(path.resolve()), "duration": seconds, "text": " ".join(words), "id": name}


def _write(path: Path, samples: audio.Samples, speed: float) -> Seconds:
    """Write the samples so much faster; how long they take then."""
    if speed != 1:
        soxr = audio.require("soxr", "changing the speed")
        samples = np.asarray(soxr.resample(samples, RATE * speed, RATE), np.float32)
    audio.write(path, samples, RATE)
    return round(len(samples) / RATE, 3)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--lang", required=True)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        folder = options.manifest.with_suffix(".audio")
        make_directory(folder)
        with write_file(options.manifest) as out:
            for data in options.data:
                for line in lines(data, folder, options.lang, options.train):
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
    except AsrPunctError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
