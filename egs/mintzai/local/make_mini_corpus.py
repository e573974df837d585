#!/usr/bin/env python3
"""Make a small synthetic corpus in the layout of mintzai-ST.

OUTPUT gets es-eu and eu-es with train, dev and test, the true word times in truth, and a README.md.
"""

import random
import shutil
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated

from mini_corpus.speech import RATE, draw_speaker, speak_segment
from mini_corpus.transcripts import Recording, read_recordings
from typer import Option

from asr_punct import audio
from asr_punct.corpora import PARTS
from asr_punct.corpora.mintzai import FOLDERS
from asr_punct.errors import AsrPunctError, InputError, run_script
from asr_punct.files import read_text_file, write_file
from asr_punct.formats.kaldi.ctm import write_ctm
from asr_punct.glyphs import glyphs
from asr_punct.partial import write_directory
from asr_punct.words import Seconds, Utterance

_TITLE = "# A synthetic corpus"
_DESCRIPTION = f"""\
{_TITLE}

Text written for it, spoken by espeak-ng, in the layout of mintzai-ST. The people and events in it are invented. A score
measured here shows that the tools work together; it predicts nothing about real speech.

`es-eu` is Spanish speech, `eu-es` Basque speech. The segments of a recording follow each other, and a segment's end is
not always a sentence's. The voices of train, dev and test differ. `truth` has the true times of the words.

| language | part | recordings | segments | words | minutes |
| --- | --- | ---: | ---: | ---: | ---: |
"""


def make_corpus(output: Path, share: float = 1.0, jobs: int = 1) -> str:
    """Make the corpus from the first `share` (0 to 1) of the text, replace an earlier one, and return its description.

    Raises InputError if `output` is something else than an earlier corpus or an empty folder.
    """
    readme = output / "README.md"
    earlier = readme.is_file() and read_text_file(readme).startswith(_TITLE)
    if output.is_file() or (output.is_dir() and any(output.iterdir()) and not earlier):
        raise InputError(output, "other files", "a new or empty folder, or an earlier corpus")
    shutil.rmtree(output, ignore_errors=True)
    with write_directory(output) as folder, ProcessPoolExecutor(jobs) as pool:
        parts = [_make_part(folder, language, part, share, pool) for language in FOLDERS for part in PARTS]
        description = "".join([_DESCRIPTION, *parts])
        with write_file(folder / readme.name) as out:
            out.write(description)
    return description


def _make_part(output: Path, language: str, part: str, share: float, pool: Executor) -> str:
    """Write one part of one language, and return its row of the table."""
    folder, truth = output / FOLDERS[language] / part, output / "truth" / language
    for path in (folder / "audio", folder / "transcriptions", truth):
        path.mkdir(parents=True, exist_ok=True)
    recordings = list(read_recordings(language, part, share))
    spoken = list(pool.map(partial(_speak, folder), recordings))
    utterances = [utterance for utterances, _ in spoken for utterance in utterances]
    with write_file(truth / f"{part}.ctm") as out:
        write_ctm(utterances, out, glyphs(language))
    words = sum(len(utterance.words) for utterance in utterances)
    minutes = sum(seconds for _, seconds in spoken) / 60
    return f"| {language} | {part} | {len(recordings)} | {len(utterances)} | {words} | {minutes:.1f} |\n"


def _speak(folder: Path, recording: Recording) -> tuple[list[Utterance], Seconds]:
    """Write audio and transcription of every segment; return the words with their times, and the duration."""
    rng = random.Random(recording.name)
    speakers = [draw_speaker(recording.part, rng) for _ in range(2)]
    utterances, seconds = list[Utterance](), 0.0
    for segment in recording.segments:
        samples, utterance = speak_segment(segment, recording.language, speakers[segment.speaker], rng)
        audio.write_samples(folder / "audio" / f"{segment.name}.m4a", samples, RATE)
        with write_file(folder / "transcriptions" / f"{segment.name}.{recording.language}") as out:
            out.write(segment.text + "\n")
        utterances.append(utterance)
        seconds += len(samples) / RATE
    return utterances, seconds


def main(
    output: Path,
    nj: Annotated[int, Option(min=1, help="Processes.")] = 2,
    scale: Annotated[float, Option(help="Share of the text to use, 0 to 1.")] = 1.0,
) -> None:
    if not 0 < scale <= 1:
        raise AsrPunctError("--scale", str(scale), "more than 0 and at most 1")
    print(make_corpus(output, scale, nj))


if __name__ == "__main__":
    run_script(main)
