"""Helpers of commands for their files: check outputs, and print hints about inputs."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

from asr_punct.cli.base import NAME
from asr_punct.cli.errors import hint_text
from asr_punct.errors import AsrPunctError
from asr_punct.files import STANDARD_STREAM, Pathlike, display_name
from asr_punct.formats.kaldi.tables import read_wav_scp
from asr_punct.restoring import CAPITALS_STAY, Hint, OnHint

TABLES = ("text", "wav.scp", "segments", "utt2spk", "utt2lang", "utt2doc", "reco2file_and_channel")
"""Tables of a data directory: Kaldi's, and `utt2doc`, which is ours."""


def check_outputs(outputs: Mapping[str, Pathlike | None], inputs: Iterable[Pathlike | None]) -> None:
    """Raise AsrPunctError if an output is the same file as an input or another output, also through a link.

    `outputs` has the path by option; `inputs` are files and data directories.
    """
    paths = [Path(source) for source in inputs if source is not None]
    files = [
        file
        for path in paths
        for file in ([path / name for name in (*TABLES, "ctm")] if os.path.isdir(path) else [path])
    ]
    for option, output in outputs.items():
        same = next((file for file in files if output is not None and is_same_file(file, output)), None)
        if same is not None:
            raise AsrPunctError(option, f"{output}, the same file as the input {same}", "another file")
    options: dict[str, str] = {}
    for option, output in outputs.items():
        if output is None or not _is_regular(output):
            continue
        first = options.setdefault(os.path.realpath(output), option)
        if first != option:
            raise AsrPunctError(option, f"{output}, the same file as {first}", "another file")


def is_same_file(first: Pathlike, second: Pathlike) -> bool:
    """Whether both paths are the same existing file. Standard streams and devices are not files."""
    has_stream = STANDARD_STREAM in (str(first), str(second))
    return not has_stream and os.path.isfile(first) and os.path.isfile(second) and os.path.samefile(first, second)


def _is_regular(output: Pathlike) -> bool:
    """Whether an output is a file, or will be one; not a standard stream, device or folder."""
    return str(output) != STANDARD_STREAM and (os.path.isfile(output) or not os.path.exists(output))


def audio_files(wav_scp: Path | None) -> list[Path]:
    """Return the audio files that a `wav.scp` lists; none if it does not exist."""
    return list(read_wav_scp(wav_scp).values()) if wav_scp is not None and os.path.isfile(wav_scp) else []


def print_about(file: Pathlike, text: str) -> None:
    """Print a line about a file on standard error."""
    typer.echo(f"{NAME}: {display_name(file)}: {text}", err=True)


def hint_printer(file: Pathlike, quiet: bool = False, no_case: bool = False) -> OnHint:
    """Return a function that prints hints about a file, those that are wanted."""

    def show(hint: Hint) -> None:
        if is_wanted(hint, quiet, no_case):
            print_about(file, hint_text(hint))

    return show


def is_wanted(hint: Hint, quiet: bool, no_case: bool) -> bool:
    """Whether a hint is printed: not that capitals stay if none are added."""
    return not (quiet or (no_case and hint == CAPITALS_STAY))
