"""Checks of the outputs of commands: no input and no other output is overwritten."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from asr_punct.errors import AsrPunctError
from asr_punct.files import STANDARD_STREAM, Pathlike
from asr_punct.formats.kaldi.tables import read_wav_scp

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
    from asr_punct.recordings import is_command

    values = read_wav_scp(wav_scp).values() if wav_scp is not None and os.path.isfile(wav_scp) else ()
    return [Path(value) for value in values if not is_command(value)]
