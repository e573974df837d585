"""The files of the corpus: mintzai-ST's layout, the true times beside it, and what lets a killed run go on."""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from asr_punct import audio
from asr_punct.corpora.mintzai import PAIRS
from asr_punct.errors import InputError
from asr_punct.formats.ctm import write_ctm
from asr_punct.formats.files import read_text_file, write_file
from asr_punct.marks import glyphs
from asr_punct.progress import counted, on_terminal
from asr_punct.words import Seconds, Utterance
from mini_corpus.delivery import draw_speaker
from mini_corpus.description import describe
from mini_corpus.speech import RATE, speak_segment
from mini_corpus.speeches import SIZES, Recording, Segment, write_recordings

VERSION = 1
"""Of the generator: changes with everything that changes what a seed gives."""
_PARAMETERS, _README, _TRUTH, _PARTS = "parameters.json", "README.md", "truth", ".parts"
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Parameters:
    """What decides the corpus."""

    seed: int = 1
    scale: float = 1.0
    version: int = VERSION


def make_corpus(output: Path, parameters: Parameters, jobs: int) -> None:
    """Make the corpus, or what a killed run left to do of it; a folder with another corpus of ours is made anew.

    Raises:
        InputError: the folder holds something else.
    """
    _prepare(output, parameters)
    if (output / _README).exists():
        shutil.rmtree(output / _PARTS, ignore_errors=True)
        return
    recordings = write_all(parameters)
    todo = [recording for recording in recordings if not _part(output, recording.name).exists()]
    speak = partial(_speak_recording, output, parameters.seed)
    with on_terminal(), ProcessPoolExecutor(jobs, initializer=_end_with_parent) as pool:
        for _ in counted(pool.map(speak, todo), "recordings", total=len(todo)):
            pass
    _finish(output, parameters, recordings)


def write_all(parameters: Parameters) -> list[Recording]:
    """The text of the whole corpus."""
    return [
        recording
        for (language, split), words in SIZES.items()
        for recording in write_recordings(language, split, round(words * parameters.scale), parameters.seed)
    ]


def _prepare(output: Path, parameters: Parameters) -> None:
    """Make the folder ready: parameters in it, and nothing that other parameters made."""
    wanted = json.dumps(asdict(parameters))
    marker = output / _PARAMETERS
    if marker.exists() and read_text_file(marker).strip() == wanted:
        return
    if output.exists() and not output.is_dir():
        raise InputError(output, "a file", "a folder for the corpus")
    if output.exists() and any(output.iterdir()):
        if not marker.exists():
            raise InputError(output, "a folder with other files", "a new or empty one, or an earlier corpus")
        for name in (*PAIRS.values(), _TRUTH, _PARTS):
            shutil.rmtree(output / name, ignore_errors=True)
        (output / _README).unlink(missing_ok=True)
    (output / _PARTS).mkdir(parents=True, exist_ok=True)
    with write_file(marker) as out:
        out.write(wanted + "\n")


def _part(output: Path, name: str) -> Path:
    """True times of a recording; its file appears when all others of the recording are there."""
    return output / _PARTS / f"{name}.ctm"


def _end_with_parent() -> None:
    """Ask the kernel to end this process when the one that started it is killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _speak_recording(output: Path, seed: int, recording: Recording) -> None:
    rng = random.Random(f"{seed} {recording.name}")
    speaker = draw_speaker(recording.split, rng)
    folder = output / PAIRS[recording.language] / recording.split
    for name in ("audio", "transcriptions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    spoken, seconds = list[Utterance](), 0.0
    for segment in recording.segments:
        samples, utterance = speak_segment(segment, recording.language, speaker, rng)
        _write_segment(folder, segment, recording.language, samples)
        spoken.append(utterance)
        seconds += len(samples) / RATE
    with write_file(_part(output, recording.name)) as out:
        out.write(f";; {seconds:.2f} s\n")
        write_ctm(spoken, out, glyphs(recording.language))


def _write_segment(folder: Path, segment: Segment, language: str, samples: audio.Samples) -> None:
    partial_sound = folder / "audio" / f".{segment.name}.m4a"
    audio.write(partial_sound, samples, RATE)
    os.replace(partial_sound, folder / "audio" / f"{segment.name}.m4a")
    with write_file(folder / "transcriptions" / f"{segment.name}.{language}") as out:
        out.write(segment.text + "\n")


def _finish(output: Path, parameters: Parameters, recordings: Sequence[Recording]) -> None:
    """Join the true times, and say what the corpus is."""
    seconds: dict[tuple[str, str], Seconds] = dict.fromkeys(SIZES, 0.0)
    for language, split in SIZES:
        truth = output / _TRUTH / language / f"{split}.ctm"
        truth.parent.mkdir(parents=True, exist_ok=True)
        with write_file(truth) as out:
            for name in (r.name for r in recordings if (r.language, r.split) == (language, split)):
                length, _, rows = read_text_file(_part(output, name)).partition("\n")
                seconds[language, split] += float(length.split()[1])
                out.write(rows + "\n")
    with write_file(output / _README) as out:
        out.writelines(f"{line}\n" for line in describe(asdict(parameters), recordings, seconds))
    shutil.rmtree(output / _PARTS)


def read_description(output: Path) -> Iterator[str]:
    """The table of the description: sizes of every part."""
    yield from (line for line in read_text_file(output / _README).splitlines() if line.startswith("|"))
