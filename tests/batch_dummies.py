"""A model for tests of batches that other processes can open, and folders of inputs."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from dummies import file

from asr_punct.errors import AsrPunctError
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, annotate

CTM = "".join(f"r 1 {0.4 * i:.2f} 0.30 {word}\n" for i, word in enumerate(["ana", "mira", "la", "casa"]))
FILES = {
    "a.txt": "ana mira la casa\n",
    "deep/er/b.ctm": CTM,
    "deep/b.vtt": "WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ana>ana mira la casa\n",
    "deep/c.json": json.dumps({"text": "hola", "result": [{"word": "hola", "start": 0.1, "end": 0.4, "conf": 1}]}),
    "deep/d.txt": "dónde está la mesa\n",
}
LOG = "ASR_PUNCT_TEST_LOG"
"""Variable with the file that `SlowPeriods` appends to."""
_PERIOD = Labels(frozenset({Mark.PERIOD}), Case.O)


class Periods:
    """Ends each utterance with a period. Raises an error at the word `raise`, and dies at `die`."""

    glyphs = glyphs("es")

    def restore(
        self, utterances: Iterable[Utterance], *, probabilities: bool = False, fill: bool = False
    ) -> Iterator[Utterance]:
        """Yield the utterances with a period."""
        for utterance in utterances:
            words = [word.text for word in utterance.words]
            if "raise" in words:
                raise KeyError("raise")
            if "die" in words:
                os.kill(os.getpid(), signal.SIGKILL)
            yield annotate(utterance, labels=[*[Labels()] * (len(words) - 1), _PERIOD])


class SlowPeriods(Periods):
    """As `Periods`, in 0.1 s. Appends its process and the first word of each file to a log when it has restored it."""

    def restore(
        self, utterances: Iterable[Utterance], *, probabilities: bool = False, fill: bool = False
    ) -> Iterator[Utterance]:
        """Yield the utterances with a period."""
        first = ""
        for utterance in super().restore(utterances):
            first = first or utterance.words[0].text
            yield utterance
        time.sleep(0.1)
        with open(os.environ[LOG], "a", encoding="utf-8") as log:
            log.write(f"{os.getpid()} {first}\n")


def refuse() -> Periods:
    """Open no model."""
    raise AsrPunctError("model", "none", "one")


def die() -> Periods:
    """End the process."""
    os.kill(os.getpid(), signal.SIGKILL)


def write_files(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files into a folder and its folders."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        file(folder, name, content)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder and its folders, by their path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
