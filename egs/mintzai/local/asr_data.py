#!/usr/bin/env python3
"""Make a NeMo manifest of data directories: wave files, and what is said in them as a recogniser writes it.

local/asr_data.py [--train] --lang LANG OUT.json DATA_DIR…

The audio goes to OUT.audio beside it. With --train each utterance comes three times: as it is, and slower and faster
through a random filter, for there are few voices and those of the tests are others. Utterances with figures are left
out then, which are said as words that the text does not tell.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from asr_punct import audio
from asr_punct.errors import InputError, run_script
from asr_punct.formats.files import make_directory, write_file
from asr_punct.formats.kaldi import read_data_dir
from asr_punct.text import parse

RATE = 16000
SPEEDS = (0.9, 1.0, 1.1)
"""Of the training's copies, as in Kaldi's recipes."""
_SLOPE, _BUMP = (-7.0, 1.0), 5.0
"""Bounds of a filter: its slope in dB an octave, and what is added to it in dB at the octaves over 125 Hz."""
_NOISE = (-60.0, -38.0)
"""Level of white noise in dB relative to the peak."""


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
            copy = samples if speed == 1 else changed(samples, speed, name)
            path = folder / f"{name}.wav"
            audio.write(path, copy, RATE)
            seconds = round(len(copy) / RATE, 3)
            yield {"audio_filepath": str(path.resolve()), "duration": seconds, "text": " ".join(words), "id": name}


def changed(samples: audio.Samples, speed: float, name: str) -> audio.Samples:
    """The samples at another speed, through a filter and with noise that the name decides.

    Returns:
        float32 (samples / speed,), at the level of the input.
    """
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    faster = audio.require("soxr", "changing the speed").resample(samples, RATE * speed, RATE)
    size = 1 << len(faster).bit_length()  # a length that is fast
    spectrum = np.fft.rfft(faster, size)
    octave = np.log2(np.maximum(np.linspace(0, RATE / 2, len(spectrum)), 125) / 125)
    bumps = rng.uniform(-_BUMP, _BUMP, 7)
    gain = rng.uniform(*_SLOPE) * octave + np.interp(octave, range(7), bumps)
    sound = np.fft.irfft(spectrum * 10 ** (gain / 20), size)[: len(faster)]
    sound = sound / max(np.abs(sound).max(), 1e-9) + rng.normal(0, 10 ** (rng.uniform(*_NOISE) / 20), len(sound))
    return np.asarray(sound * np.abs(samples).max() / max(1.0, np.abs(sound).max()), np.float32)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--lang", required=True)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    options = parser.parse_args()
    folder = options.manifest.with_suffix(".audio")
    make_directory(folder)
    with write_file(options.manifest) as out:
        for data in options.data:
            for line in lines(data, folder, options.lang, options.train):
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    run_script(main)
