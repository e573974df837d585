"""Tables of a Kaldi data directory as they stand, for the scripts that check and cut them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from asr_punct.errors import InputError
from asr_punct.io.files import read_lines

BY_UTTERANCE = ("text", "segments", "utt2spk", "utt2doc")
"""Files whose lines begin with an utterance."""
BY_RECORDING = ("wav.scp", "reco2file_and_channel")
"""Files whose lines begin with a recording."""


def read_table(path: Path) -> Iterator[tuple[int, str, str]]:
    """Number, first column and rest of each line; nothing for a file that is not there."""
    if not path.exists():
        return
    for number, line in read_lines(path):
        name, _, rest = line.strip().partition(" ")
        yield number, name, rest.strip()


def recordings_of(root: Path) -> dict[str, str]:
    """Recording of each utterance, in the order of `segments`, else of `text`, where each is its own recording.

    Raises:
        InputError: there is neither.
    """
    if (root / "segments").exists():
        return {name: rest.split(" ")[0] for _, name, rest in read_table(root / "segments")}
    if not (root / "text").exists():
        raise InputError(root / "text", "no such file", "a data directory with wav.scp and text")
    return {name: name for _, name, _ in read_table(root / "text")}


def fail(message: object) -> NoReturn:
    """End the script with one line on standard error and status 2."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)
