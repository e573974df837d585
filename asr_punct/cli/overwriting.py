"""Refuse an output path that is also an input."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from asr_punct.errors import AsrPunctError
from asr_punct.formats.files import STANDARD_STREAM, Pathlike
from asr_punct.formats.kaldi_tables import read_wav_scp

_TABLES = ("text", "ctm", "wav.scp", "segments", "utt2spk", "utt2lang", "utt2doc", "reco2file_and_channel")
"""Files that are read from a data directory: Kaldi's tables, `ctm`, and `utt2doc`, which is ours."""


def check_outputs(outputs: Mapping[str, Pathlike | None], inputs: Iterable[Pathlike | None]) -> None:
    """Check that no output is an input.

    `outputs` has the path by option; `inputs` are files and data directories. Raises AsrPunctError if an
    output is the same file as an input, also through a link.
    """
    read = [file for source in inputs if source is not None for file in _files(source)]
    for option, output in outputs.items():
        for file in read:
            if output is not None and is_same_file(file, output):
                raise AsrPunctError(
                    f"{option}: found {output}, the same file as the input {file}, expected another file"
                )


def is_same_file(first: Pathlike, second: Pathlike) -> bool:
    """Whether both paths are the same existing file. Standard streams and devices are not files."""
    has_stream = STANDARD_STREAM in (str(first), str(second))
    return not has_stream and os.path.isfile(first) and os.path.isfile(second) and os.path.samefile(first, second)


def audio_files(wav_scp: Path | None) -> list[Path]:
    """Return the audio files that a `wav.scp` lists; none if it does not exist."""
    return list(read_wav_scp(wav_scp).values()) if wav_scp is not None and wav_scp.is_file() else []


def _files(source: Pathlike) -> Iterator[Path]:
    path = Path(source)
    if path.is_dir():
        yield from (path / name for name in _TABLES)
    else:
        yield path
