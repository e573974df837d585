#!/usr/bin/env python3
"""Make a NeMo manifest of data directories, with wave files and lower-case text without marks.

Writes the audio into the folder MANIFEST.audio. With --train writes each utterance three times: unchanged, and slower
and faster with a random filter, because the corpus has few voices and the test sets have others. --train leaves out
utterances with figures, because the text lacks their spoken words.
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from typer import Option

from asr_punct import audio
from asr_punct.errors import InputError, run_script
from asr_punct.files import write_file
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.partial import make_directory
from asr_punct.recordings import AudioFiles
from asr_punct.text import parse

RATE = 16000
SPEEDS = (0.9, 1.0, 1.1)
"""Speeds of the copies for training, as in Kaldi's recipes."""
_SLOPE, _BUMP = (-7.0, 1.0), 5.0
"""Bounds of a filter: its slope in dB an octave, and a random gain in dB at each octave over 125 Hz."""
_NOISE = (-60.0, -38.0)
"""Level of white noise in dB relative to the peak."""


def lines(data: Path, folder: Path, language: str, train: bool) -> Iterator[dict[str, Any]]:
    """Yield the lines of the manifest, and write the audio. Raises InputError if an utterance lacks audio or text."""
    files = AudioFiles()
    for item in read_data_dir(data):
        if item.audio is None or item.text is None:
            raise InputError(data, f"no {'audio' if item.text else 'text'} for {item.id!r}", "wav.scp and text")
        words = parse(item.text, language).words
        if train and any(character.isdigit() for word in words for character in word):
            continue
        path = files.find(item.audio, f"{data}: utterance {item.id!r}")
        samples = audio.read_samples(path, RATE, item.start, item.end)
        for speed in SPEEDS if train else (1.0,):
            name = item.id if speed == 1 else f"sp{speed}-{item.id}"
            copy = samples if speed == 1 else augmented(samples, speed, name)
            path = folder / f"{name}.wav"
            audio.write_samples(path, copy, RATE)
            seconds = round(len(copy) / RATE, 3)
            yield {"audio_filepath": str(path.resolve()), "duration": seconds, "text": " ".join(words), "id": name}


def augmented(samples: audio.Samples, speed: float, name: str) -> audio.Samples:
    """Change the speed, and apply a filter and noise that are drawn with the name as seed; the level stays."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    faster = audio.require("soxr", "changing the speed").resample(samples, RATE * speed, RATE)
    size = 1 << len(faster).bit_length()  # the FFT is fast for powers of two
    spectrum = np.fft.rfft(faster, size)
    octave = np.log2(np.maximum(np.linspace(0, RATE / 2, len(spectrum)), 125) / 125)
    bumps = rng.uniform(-_BUMP, _BUMP, 7)
    gain = rng.uniform(*_SLOPE) * octave + np.interp(octave, range(7), bumps)
    sound = np.fft.irfft(spectrum * 10 ** (gain / 20), size)[: len(faster)]
    sound = sound / max(np.abs(sound).max(), 1e-9) + rng.normal(0, 10 ** (rng.uniform(*_NOISE) / 20), len(sound))
    return np.asarray(sound * np.abs(samples).max() / max(1.0, np.abs(sound).max()), np.float32)


def main(manifest: Path, data: list[Path], lang: Annotated[str, Option()], train: bool = False) -> None:
    folder = manifest.with_suffix(".audio")
    make_directory(folder)
    with write_file(manifest) as out:
        for directory in data:
            for line in lines(directory, folder, lang, train):
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    run_script(main)
