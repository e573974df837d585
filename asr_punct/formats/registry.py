"""The registry of formats. To add a format, write its reader and writer and add an entry to `FORMATS`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from asr_punct.files import STANDARD_STREAM, Pathlike
from asr_punct.formats.cues.reader import read_subtitles
from asr_punct.formats.cues.writers import subtitle_writer
from asr_punct.formats.json import cloud, cloud_azure, cloud_turns, vosk, whisper
from asr_punct.formats.json import own as json
from asr_punct.formats.json.lhotse import read_lhotse, write_lhotse
from asr_punct.formats.json.nemo import read_nemo, write_nemo
from asr_punct.formats.json.tokens import segments_in_order
from asr_punct.formats.kaldi.ctm import read_ctm, write_ctm
from asr_punct.formats.kaldi.directory import has_ids, read_kaldi, read_kaldi_text, write_kaldi, write_kaldi_text
from asr_punct.formats.kaldi.stm import read_stm, write_stm
from asr_punct.formats.lines import whisper_lines
from asr_punct.formats.lines.text import read_text, write_text_lines
from asr_punct.formats.lines.tsv import read_tsv, write_tsv
from asr_punct.formats.tiers.eaf import read_eaf, write_eaf
from asr_punct.formats.tiers.textgrid import read_textgrid, write_textgrid
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance

Reader = Callable[[Pathlike], Iterator[Utterance]]
Writer = Callable[[Iterable[Utterance], TextIO, Glyphs], None]
JsonTest = Callable[[Any], bool]
JsonReader = Callable[[Any, Pathlike], Iterator[Utterance]]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format. It has one reader: `read`, or `utterances` if a file is one JSON document.

    Attributes:
        read: yields the utterances of a file.
        write: writes utterances to a stream; None if the format is only read, or is a directory.
        suffixes: suffixes of its files, in lower case.
        recognises: whether the value of a JSON file, or `json_values.Values`, is in this format.
        utterances: yields the utterances of the value of a JSON file; the path names the recording and is for errors.
        write_to: writes utterances to a new directory.
        kept_as: suffixes of outputs that keep this format of the input (`-`: standard output; `""`: none or directory).
        recognises_lines: whether the first lines of a text file, or of standard input, are in this format.
    """

    read: Reader | None = None
    write: Writer | None = None
    suffixes: tuple[str, ...] = ()
    recognises: JsonTest | None = None
    utterances: JsonReader | None = None
    write_to: Callable[[Iterable[Utterance], Pathlike, Glyphs], None] | None = None
    kept_as: tuple[str, ...] = ()
    recognises_lines: Callable[[Sequence[str]], bool] | None = None


def _json_format(
    recognises: JsonTest, utterances: JsonReader, write: Writer | None = None, suffixes: tuple[str, ...] = ()
) -> Format:
    kept_as = (".json",) if write else ()
    return Format(write=write, suffixes=suffixes, recognises=recognises, utterances=utterances, kept_as=kept_as)


def _one_recording(utterances: JsonReader) -> JsonReader:
    """Return the reader with a check that its utterances, segments of one recording, are in the order of time."""
    return lambda content, path: segments_in_order(utterances(content, path), path)


_LIKE_TEXT = (STANDARD_STREAM, "", ".txt")
FORMATS: dict[str, Format] = {
    "text": Format(read_text, write_text_lines, (".txt",)),
    "tsv": Format(read_tsv, write_tsv, (".tsv",)),
    "json": _json_format(json.recognises, json.utterances, json.write_json, (".json",)),
    "ctm": Format(read_ctm, write_ctm, (".ctm",)),
    "stm": Format(read_stm, write_stm, (".stm",)),
    "textgrid": Format(read_textgrid, write_textgrid, (".textgrid",)),
    "eaf": Format(read_eaf, write_eaf, (".eaf",)),
    "nemo": Format(read_nemo, write_nemo, (".jsonl",), kept_as=(".json", ".jsonl")),
    "whisper": _json_format(whisper.recognises, _one_recording(whisper.utterances), whisper.write_whisper),
    "whisper-tsv": Format(
        whisper_lines.read_tsv, whisper_lines.write_tsv, kept_as=(".tsv",), recognises_lines=whisper_lines.is_tsv
    ),
    "whisper-log": Format(
        whisper_lines.read_log, whisper_lines.write_log, kept_as=_LIKE_TEXT, recognises_lines=whisper_lines.is_log
    ),
    "vosk": _json_format(vosk.recognises, _one_recording(vosk.utterances), vosk.write_vosk),
    "lhotse": Format(read_lhotse, write_lhotse, kept_as=(".jsonl",)),
    "kaldi": Format(read_kaldi, write_to=write_kaldi, kept_as=("",)),
    "kaldi-text": Format(read_kaldi_text, write_kaldi_text, kept_as=_LIKE_TEXT, recognises_lines=has_ids),
    "aws": _json_format(cloud.is_aws, cloud.read_aws),
    "google": _json_format(cloud.is_google, _one_recording(cloud.read_google)),
    "ibm": _json_format(cloud.is_ibm, _one_recording(cloud.read_ibm)),
    "speechmatics": _json_format(cloud.is_speechmatics, cloud.read_speechmatics),
    "deepgram": _json_format(cloud_turns.is_deepgram, _one_recording(cloud_turns.read_deepgram)),
    "assemblyai": _json_format(cloud_turns.is_assemblyai, _one_recording(cloud_turns.read_assemblyai)),
    "azure": _json_format(cloud_azure.is_azure, _one_recording(cloud_azure.read_azure)),
    "srt": Format(partial(read_subtitles, kind="srt"), subtitle_writer("srt"), (".srt",)),
    "vtt": Format(partial(read_subtitles, kind="vtt"), subtitle_writer("vtt"), (".vtt",)),
    "ass": Format(None, subtitle_writer("ass"), (".ass",)),
    "ttml": Format(None, subtitle_writer("ttml"), (".ttml",)),
}
"""The formats by name, the values of `--from` and `--to`."""

READABLE = tuple(name for name, format_ in FORMATS.items() if format_.read or format_.utterances)
READABLE_FILES = tuple(name for name in READABLE if not FORMATS[name].write_to)
"""Formats that are read from one file."""
WRITABLE = tuple(name for name, format_ in FORMATS.items() if format_.write or format_.write_to)
WRITABLE_FILES = tuple(name for name in WRITABLE if FORMATS[name].write)
"""Formats that are written to one file."""
BY_SUFFIX = {suffix: name for name, format_ in FORMATS.items() for suffix in format_.suffixes}


def format_by_name(path: Pathlike) -> str | None:
    """Return the format of a file name; None for standard streams and unknown names.

    A name that is only a suffix counts (Kaldi's `ctm`).
    """
    name = Path(path).name.lower()
    return BY_SUFFIX.get(Path(name).suffix) or BY_SUFFIX.get("." + name)
