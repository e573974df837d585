"""The formats: how files of each are read, written and known. A new one is an entry of `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from asr_punct.errors import InputError
from asr_punct.formats import cloud, json, vosk, whisper
from asr_punct.formats.ctm import read_ctm, write_ctm
from asr_punct.formats.data_dir import read_kaldi, write_kaldi
from asr_punct.formats.files import Pathlike, display_name, read_text_file, uncompressed_name
from asr_punct.formats.json_values import Values, parse_json_values
from asr_punct.formats.lhotse import is_supervisions, read_lhotse, write_lhotse
from asr_punct.formats.nemo import is_manifest, read_nemo, write_nemo
from asr_punct.formats.stm import read_stm, write_stm
from asr_punct.formats.subtitle_output import write_srt, write_vtt
from asr_punct.formats.subtitles import read_srt, read_vtt
from asr_punct.formats.text import read_text, write_text_lines
from asr_punct.formats.textgrid import read_textgrid, write_textgrid
from asr_punct.formats.tokens import in_time
from asr_punct.formats.tsv import read_tsv, write_tsv
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance

Reader = Callable[[Pathlike], Iterator[Utterance]]
Writer = Callable[[Iterable[Utterance], TextIO, Glyphs], None]
PathWriter = Callable[[Iterable[Utterance], Pathlike, Glyphs], None]
Recogniser = Callable[[Any], bool]
ContentReader = Callable[[Any, Pathlike], Iterator[Utterance]]


@dataclass(frozen=True, slots=True)
class Format:
    """One format of files.

    Attributes:
        read: utterances of a file, lazily; None where the format is only written.
        write: writes utterances to a stream; None where the format is only read, or is a directory.
        suffixes: of the names of its files, in lower case.
        recognises: whether the value, or `json_text.Values`, of a JSON file is of this format; None where a file is not
            JSON as a whole.
        utterances: utterances of such a value, and of the path that errors name; None with `recognises`.
        write_to: writes utterances to a directory that it makes; None where `write` is there, or the format only read.
        kept_as: ends of the names of outputs, not compressed, that are of this format where the input is.
    """

    read: Reader | None = None
    write: Writer | None = None
    suffixes: tuple[str, ...] = ()
    recognises: Recogniser | None = None
    utterances: ContentReader | None = None
    write_to: PathWriter | None = None
    kept_as: tuple[str, ...] = ()


def _json_format(
    recognises: Recogniser, utterances: ContentReader, write: Writer | None = None, suffixes: tuple[str, ...] = ()
) -> Format:
    kept_as = (".json",) if write else ()
    return Format(
        partial(_read_content, recognises, utterances), write, suffixes, recognises, utterances, kept_as=kept_as
    )


def _read_content(recognises: Recogniser, utterances: ContentReader, path: Pathlike) -> Iterator[Utterance]:
    content = _content(path)
    if isinstance(content, Values) and not recognises(content):
        raise InputError(display_name(path), _shape(content), "one")
    yield from utterances(content, path)


def _content(path: Pathlike) -> Any:
    """The value of a JSON file; `Values` where it holds several."""
    values = parse_json_values(read_text_file(path), display_name(path))
    return values if len(values.items) > 1 else values.items[0]


def _one_recording(utterances: ContentReader) -> ContentReader:
    """The reader of a format whose utterances are the segments of one recording."""
    return lambda content, path: in_time(utterances(content, path), path)


FORMATS: dict[str, Format] = {
    "text": Format(read_text, write_text_lines, (".txt",)),
    "tsv": Format(read_tsv, write_tsv, (".tsv",)),
    "json": _json_format(json.recognises, json.utterances, json.write_json, (".json",)),
    "ctm": Format(read_ctm, write_ctm, (".ctm",)),
    "stm": Format(read_stm, write_stm, (".stm",)),
    "textgrid": Format(read_textgrid, write_textgrid, (".textgrid",)),
    "nemo": Format(read_nemo, write_nemo, (".jsonl",), kept_as=(".json", ".jsonl")),
    "whisper": _json_format(whisper.recognises, _one_recording(whisper.utterances), whisper.write_whisper),
    "vosk": _json_format(vosk.recognises, _one_recording(vosk.utterances), vosk.write_vosk),
    "lhotse": Format(read_lhotse, write_lhotse, kept_as=(".jsonl",)),
    "kaldi": Format(read_kaldi, write_to=write_kaldi),
    "aws": _json_format(cloud.is_aws, cloud.read_aws),
    "google": _json_format(cloud.is_google, _one_recording(cloud.read_google)),
    "ibm": _json_format(cloud.is_ibm, _one_recording(cloud.read_ibm)),
    "speechmatics": _json_format(cloud.is_speechmatics, cloud.read_speechmatics),
    "srt": Format(read_srt, write_srt, (".srt",)),
    "vtt": Format(read_vtt, write_vtt, (".vtt",)),
}
"""The formats by the names that `--from` and `--to` take."""

READABLE = tuple(name for name, format_ in FORMATS.items() if format_.read)
WRITABLE = tuple(name for name, format_ in FORMATS.items() if format_.write or format_.write_to)
_BY_SUFFIX = {suffix: name for name, format_ in FORMATS.items() for suffix in format_.suffixes}
_OTHERS = {".ass", ".mlf", ".trs", ".eaf", ".rttm", ".xml", ".html", ".pdf", ".docx", ".odt"}
"""Files that hold words in a way of their own: as plain text, their times and tags would come out as words."""


def format_by_name(path: Pathlike) -> str | None:
    """Format by a file's name; standard streams and unknown names are None.

    A name that is a suffix alone counts (Kaldi's `ctm`).
    """
    name = Path(path).name.lower()
    return _BY_SUFFIX.get(Path(name).suffix) or _BY_SUFFIX.get("." + name)


def is_other_format(path: Pathlike) -> bool:
    """Whether a file's name says that it is of a known format which is not read."""
    suffix = Path(path).suffix.lower()
    return suffix in _OTHERS.union(_BY_SUFFIX) and _BY_SUFFIX.get(suffix) not in READABLE


def read_json_file(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a `.json` file, whose content tells its format; the file is parsed once.

    Raises:
        InputError: no JSON, or JSON of none of the formats.
    """
    name, content = _json_file(path)
    if utterances := FORMATS[name].utterances:
        yield from utterances(content, path)
    else:
        yield from read_nemo(path)


def _json_file(path: Pathlike) -> tuple[str, Any]:
    """Format of a `.json` file, and its value where it is JSON as a whole."""
    if is_manifest(path):
        return "nemo", None
    content = _content(path)
    return _recognised(content, path), content


def _recognised(content: Any, path: Pathlike) -> str:
    """Format of a JSON file's value."""
    for name, format_ in FORMATS.items():
        if format_.recognises and format_.recognises(content):
            return name
    names = " ".join(name for name, format_ in FORMATS.items() if format_.recognises)
    lists = " (a list: Whisper's segments with start, end, text, or Vosk's results)" * isinstance(content, list)
    raise InputError(display_name(path), _shape(content), f"JSON of one of {names}, or a NeMo manifest{lists}")


def read_jsonl_file(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a `.jsonl` file, whose first line tells whether it is of Lhotse or a NeMo manifest."""
    return read_lhotse(path) if _jsonl_file(path) == "lhotse" else read_nemo(path)


def _jsonl_file(path: Pathlike) -> str:
    """Format of a `.jsonl` file."""
    return "lhotse" if is_supervisions(path) else "nemo"


def format_of_file(path: Pathlike) -> str | None:
    """Format of a file by its name, of a `.json` or `.jsonl` by its content; None where the name says nothing.

    Raises:
        InputError: it cannot be read, or is JSON of none of the formats.
    """
    name = format_by_name(uncompressed_name(path))
    if name == "json":
        return _json_file(path)[0]
    if name == "nemo":
        return _jsonl_file(path)
    return name


def _shape(content: Any) -> str:
    """What a JSON value looks like, for an error."""
    if isinstance(content, Values):
        return f"{len(content.items)} JSON values one after the other"
    if isinstance(content, list) and content and isinstance(content[0], dict) and content[0]:
        return f"a list of {_shape(content[0]).replace('an object', 'objects', 1)}"
    if isinstance(content, dict) and content:
        return f"an object with {', '.join(map(repr, list(content)[:5]))}"
    kinds = {dict: "an empty object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(content), "a number")
