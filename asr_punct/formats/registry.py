"""The registry of formats. To add a format, write its reader and writer and add an entry to `FORMATS`."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from asr_punct.encoding import Lacking
from asr_punct.files import STANDARD_STREAM, Pathlike
from asr_punct.formats.cues.ass_reader import is_ass, read_ass
from asr_punct.formats.cues.cue_reader import is_srt, is_vtt, read_srt, read_vtt
from asr_punct.formats.cues.stl import stl_content
from asr_punct.formats.cues.writers import SUBTITLE_FORMATS, write_ass, write_srt, write_ttml, write_vtt
from asr_punct.formats.documents.audacity import write_audacity
from asr_punct.formats.documents.docx import docx_content
from asr_punct.formats.documents.markdown import write_markdown
from asr_punct.formats.documents.sentences import write_sentences
from asr_punct.formats.json import (
    alignments,
    cloud,
    cloud_speakers,
    mfa,
    monologues,
    speech_services,
    timestamps,
    whisper,
)
from asr_punct.formats.json.lhotse import is_supervisions, read_lhotse, write_lhotse
from asr_punct.formats.json.lhotse_cuts import is_cuts, read_cuts, write_cuts
from asr_punct.formats.json.nemo import is_manifest, read_nemo, write_nemo
from asr_punct.formats.json.own import is_json, read_json, write_json
from asr_punct.formats.json.vosk import is_vosk, read_vosk, write_vosk
from asr_punct.formats.kaldi.ctm import is_ctm, read_ctm, write_ctm
from asr_punct.formats.kaldi.directory import has_ids, read_kaldi, read_kaldi_text, write_kaldi, write_kaldi_text
from asr_punct.formats.kaldi.stm import is_stm, read_stm, write_stm
from asr_punct.formats.lines.text import read_text, write_text_lines
from asr_punct.formats.lines.tsv import is_tsv, read_tsv, write_tsv
from asr_punct.formats.lines.whisper_csv import is_whisper_csv, read_whisper_csv, write_whisper_csv
from asr_punct.formats.lines.whisper_lines import (
    is_whisper_log,
    is_whisper_tsv,
    read_whisper_log,
    read_whisper_tsv,
    write_whisper_log,
    write_whisper_tsv,
)
from asr_punct.formats.tiers import eaf, textgrid
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance

Reader = Callable[[Pathlike], Iterator[Utterance]]
_UTF8 = "; charset=utf-8"
Writer = Callable[[Iterable[Utterance], TextIO, Glyphs], None]


@dataclass(frozen=True, slots=True)
class _Format:
    """What all formats have.

    Attributes:
        name: its name for users.
        suffixes: suffixes of its files, as programs write them; `""`: files without one, `-`: standard streams. The
            first format with a suffix is its default. An output keeps another format of the input with its suffix.
        one_recording: whether a file holds one recording.
        may_be_silent: whether a file without words is of silence; of other formats it is an error.
        has_times: whether it has times.
        media_type: media type of its files.
        lacking: how its files write characters that their encoding lacks.
        write_back: writes the utterances of a file into its document; None if it is not written, or also from others.
    """

    name: str
    suffixes: tuple[str, ...]
    _: KW_ONLY
    one_recording: bool = False
    may_be_silent: bool = False
    has_times: bool = True
    media_type: str = f"text/plain{_UTF8}"
    lacking: Lacking = "marks"
    write_back: Writer | None = None


@dataclass(frozen=True, slots=True)
class TextFormat(_Format):
    """A format of text files.

    Attributes:
        read: yields the utterances of a file; None if the format is only written.
        write: writes utterances to a stream; None if the format is only written back.
        recognises: whether first lines are in this format and not in the default one of their suffix.
        resembles: whether first lines, split at white space, are in this format and not text. A file with an unknown
            suffix is then not read as text, because names, times and keys would become words.
        read_tiers: reads the tiers of these names; None if the format has no tiers. It may be `read`, which
            gets no names and reads those of speech.
    """

    read: Reader | None
    write: Writer | None
    _: KW_ONLY
    recognises: Callable[[Iterable[str]], bool] | None = None
    resembles: Callable[[Sequence[Sequence[str]]], bool] | None = None
    read_tiers: Callable[[Pathlike, Sequence[str]], Iterator[Utterance]] | None = None


@dataclass(frozen=True, slots=True)
class JsonFormat(_Format):
    """A format of files of one JSON document.

    Attributes:
        recognises: whether the value of a file, or its `Values`, is in this format.
        read: yields the utterances of a value; the path names the recording and is for errors.
        write: writes utterances to a stream; None if the format is only read, or written back.
    """

    recognises: Callable[[Any], bool]
    read: Callable[[Any, Pathlike], Iterator[Utterance]]
    write: Writer | None = None
    suffixes: tuple[str, ...] = field(default=(".json",), kw_only=True)
    one_recording: bool = field(default=True, kw_only=True)
    may_be_silent: bool = field(default=True, kw_only=True)
    media_type: str = field(default="application/json", kw_only=True)
    lacking: Lacking = field(default="json", kw_only=True)


@dataclass(frozen=True, slots=True)
class DirectoryFormat(_Format):
    """A format of directories.

    Attributes:
        read: yields the utterances of a directory.
        write: writes utterances to a new directory.
    """

    read: Reader
    write: Callable[[Iterable[Utterance], Pathlike, Glyphs], None]


@dataclass(frozen=True, slots=True)
class BinaryFormat(_Format):
    """A format of files that are not text; they are only written.

    Attributes:
        content: returns the content of a file with these utterances; of subtitles also with limits and a function
            that gets each cue.
    """

    content: Callable[..., bytes]
    read: None = field(default=None, kw_only=True)
    write: None = field(default=None, kw_only=True)


Format = TextFormat | JsonFormat | DirectoryFormat | BinaryFormat
_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_PLAIN = (".txt", "", STANDARD_STREAM)
_one_recording = partial(TextFormat, one_recording=True, may_be_silent=True)
_FORMATS: Sequence[Format] = (
    TextFormat("text", _PLAIN, read_text, write_text_lines, has_times=False),
    TextFormat("tsv", (".tsv",), read_tsv, write_tsv, resembles=is_tsv, has_times=False),
    JsonFormat("json", is_json, read_json, write_json, one_recording=False),
    TextFormat("ctm", (".ctm",), read_ctm, write_ctm, resembles=is_ctm),
    TextFormat("stm", (".stm",), read_stm, write_stm, resembles=is_stm),
    _one_recording(
        "textgrid",
        (".TextGrid",),
        textgrid.read_textgrid,
        textgrid.write_textgrid,
        resembles=textgrid.is_textgrid,
        read_tiers=textgrid.read_textgrid,
        lacking="quoted",
    ),
    _one_recording(
        "eaf",
        (".eaf",),
        eaf.read_eaf,
        eaf.write_eaf,
        resembles=eaf.is_eaf,
        read_tiers=eaf.read_eaf,
        media_type=f"text/xml{_UTF8}",
        lacking="xml",
    ),
    TextFormat("nemo", (".jsonl", ".json"), read_nemo, write_nemo, recognises=is_manifest, lacking="json"),
    JsonFormat("whisper", whisper.is_whisper, whisper.read_whisper, whisper.write_whisper),
    _one_recording(
        "whisper-jsonl",
        (".jsonl", ".json"),
        whisper.read_segment_lines,
        whisper.write_segment_lines,
        recognises=whisper.are_segment_lines,
        lacking="json",
    ),
    _one_recording("whisper-tsv", (".tsv",), read_whisper_tsv, write_whisper_tsv, recognises=is_whisper_tsv),
    _one_recording(
        "whisper-csv",
        (".csv",),
        read_whisper_csv,
        write_whisper_csv,
        resembles=is_whisper_csv,
        media_type=f"text/csv{_UTF8}",
        lacking="quoted",
    ),
    _one_recording("whisper-log", _PLAIN, read_whisper_log, write_whisper_log, recognises=is_whisper_log),
    JsonFormat("vosk", is_vosk, read_vosk, write_vosk),
    TextFormat("lhotse", (".jsonl",), read_lhotse, write_lhotse, recognises=is_supervisions, lacking="json"),
    TextFormat("lhotse-cuts", (".jsonl",), read_cuts, None, recognises=is_cuts, write_back=write_cuts, lacking="json"),
    DirectoryFormat("kaldi", ("",), read_kaldi, write_kaldi),
    TextFormat("kaldi-text", _PLAIN, read_kaldi_text, write_kaldi_text, recognises=has_ids, has_times=False),
    JsonFormat(
        "vosk-transcriber",
        monologues.is_vosk_transcriber,
        monologues.read_vosk_transcriber,
        write_back=monologues.write_vosk_transcriber,
    ),
    JsonFormat("rev", monologues.is_rev, monologues.read_rev, write_back=monologues.write_rev),
    JsonFormat(
        "elevenlabs",
        speech_services.is_elevenlabs,
        speech_services.read_elevenlabs,
        write_back=speech_services.write_elevenlabs,
    ),
    JsonFormat(
        "aws-calls",
        speech_services.is_aws_calls,
        speech_services.read_aws_calls,
        write_back=speech_services.write_aws_calls,
    ),
    JsonFormat("aeneas", alignments.is_aeneas, alignments.read_aeneas, write_back=alignments.write_aeneas),
    JsonFormat("gentle", alignments.is_gentle, alignments.read_gentle, write_back=alignments.write_gentle),
    JsonFormat("mfa", mfa.is_mfa, mfa.read_mfa, write_back=mfa.write_mfa),
    JsonFormat("funasr", timestamps.is_funasr, timestamps.read_funasr, write_back=timestamps.write_funasr),
    JsonFormat("sherpa-onnx", timestamps.is_sherpa, timestamps.read_sherpa, write_back=timestamps.write_sherpa),
    JsonFormat("aws", cloud.is_aws, cloud.read_aws),
    JsonFormat("google", cloud.is_google, cloud.read_google),
    JsonFormat("ibm", cloud.is_ibm, cloud.read_ibm),
    JsonFormat("speechmatics", cloud.is_speechmatics, cloud.read_speechmatics),
    JsonFormat("deepgram", cloud_speakers.is_deepgram, cloud_speakers.read_deepgram),
    JsonFormat("assemblyai", cloud_speakers.is_assemblyai, cloud_speakers.read_assemblyai),
    JsonFormat("azure", cloud_speakers.is_azure, cloud_speakers.read_azure),
    _one_recording("srt", (".srt",), read_srt, write_srt, resembles=is_srt, media_type=f"application/x-subrip{_UTF8}"),
    _one_recording("vtt", (".vtt",), read_vtt, write_vtt, resembles=is_vtt, media_type=f"text/vtt{_UTF8}"),
    _one_recording("ass", (".ass", ".ssa"), read_ass, write_ass, resembles=is_ass),
    BinaryFormat("stl", (".stl",), stl_content, one_recording=True, media_type="application/octet-stream"),
    TextFormat("markdown", (".md",), None, write_markdown, media_type=f"text/markdown{_UTF8}"),
    BinaryFormat("docx", (".docx",), docx_content, media_type=_DOCX),
    TextFormat("sentences", (".jsonl",), None, write_sentences, lacking="json"),
    _one_recording("audacity", _PLAIN, None, write_audacity),
    _one_recording("ttml", (".ttml",), None, write_ttml, media_type=f"application/ttml+xml{_UTF8}", lacking="xml"),
)
FORMATS: dict[str, Format] = {each.name: each for each in _FORMATS}
"""The formats by name, in the order of help and error messages."""
READABLE = tuple(each.name for each in _FORMATS if each.read)
READABLE_FILES = tuple(name for name in READABLE if not isinstance(FORMATS[name], DirectoryFormat))
"""Formats that are read from one file."""
WRITABLE = tuple(each.name for each in _FORMATS if each.write or isinstance(each, BinaryFormat))
WRITABLE_FILES = tuple(name for name in WRITABLE if not isinstance(FORMATS[name], DirectoryFormat | BinaryFormat))
"""Formats that are written to one file of text."""
BINARY_FILES = tuple(each.name for each in _FORMATS if isinstance(each, BinaryFormat))
"""Formats that are written to one file that is not text."""
PARAGRAPH_FORMATS = ("text", "markdown", "docx")
"""Formats whose utterances are paragraphs for people who read them."""
READING_FORMATS = (*PARAGRAPH_FORMATS, "sentences", "audacity", *SUBTITLE_FORMATS)
"""Formats for people who read or translate, who do not need every word."""
WRITTEN_BACK = tuple(each.name for each in _FORMATS if each.write_back)
"""Formats that are written only with the words of a file of the same format."""
BY_SUFFIX = {
    suffix.lower(): next(default.name for default in _FORMATS if suffix in default.suffixes)
    for each in _FORMATS
    for suffix in each.suffixes
    if suffix.startswith(".")
}
"""The default format of each suffix, in lower case."""
UNREADABLE_SUFFIXES = {
    *(suffix for suffix, name in BY_SUFFIX.items() if name not in READABLE),
    *(".mlf", ".trs", ".rttm", ".xml", ".html", ".pdf", ".odt", ".doc", ".rtf", ".yaml", ".yml", ".cha"),
    *(".sbv", ".lrc", ".sub", ".smi", ".sami", ".scc", ".dfxp", ".itt"),
}
"""Suffixes of files that have no reader. If they were read as text, their times and tags would become words."""
UNREADABLE_LINES = {
    "Audacity's labels": re.compile(r"-?\d+\.\d+\t-?\d+\.\d+(\t|$)"),
    "SubViewer's captions": re.compile(r"\d+:\d\d:\d\d\.\d+,\d+:\d\d:\d\d\.\d+$"),
    "lyrics with times": re.compile(r"\[\d+:\d\d[.:]\d\d+\]|\[(?:ti|ar|al|by|re|ve|offset|length):"),
    "MicroDVD's captions": re.compile(r"\{\d+\}\{\d+\}"),
}
"""First lines of files that have no reader, by what they are; as with their suffixes, these are not read as text."""


def format_by_name(path: Pathlike) -> str | None:
    """Return the format of a file name; None for standard streams and unknown names.

    A name that is only a suffix counts (Kaldi's `ctm`).
    """
    name = Path(path).name.lower()
    return BY_SUFFIX.get(Path(name).suffix) or BY_SUFFIX.get("." + name)
