"""Parse requests. All functions run in worker threads and touch no files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath, PureWindowsPath

from pydantic import ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, create_form_parser

from asr_punct.encoding import Encoding, Undecoded
from asr_punct.errors import AsrPunctError, plural
from asr_punct.files import InputFile, MemoryFile
from asr_punct.formats import read
from asr_punct.formats.cues.writers import parse_limits_option
from asr_punct.formats.registry import WRITABLE_FILES, WRITTEN_BACK
from asr_punct.formats.source import Source
from asr_punct.inference.options import ALL_OUTPUT, OutputOptions
from asr_punct.marks import Labels
from asr_punct.serve.schema import PunctuateRequest, UploadOptions, WordLabels
from asr_punct.serve.service_errors import ServiceError, bad_request, validation_error
from asr_punct.serve.transcription import Transcribe, is_audio
from asr_punct.subtitles import Limits
from asr_punct.words import Utterance, utterances_of_text, with_time_source, word_count

_JSON, _FORM, _URLENCODED = "application/json", "multipart/form-data", "application/x-www-form-urlencoded"
_FIELDS = re.compile(rb"(file|text|words|" + "|".join(UploadOptions.names()).encode() + rb")=")
"""Start of a URL-encoded form. Curl sends files with the content type of such forms if none is given."""
_EXPECTED_FORM = "a form with a field 'file'"
_MAX_FIELDS = 20
_SMALL = 2**16
"""Maximum size of a body that is looked at twice."""
_COMPRESSED = b"\x1f\x8b", b"\xfd7zXZ\0", b"PK\x03\x04", b"BZh", b"\x28\xb5\x2f\xfd"
"""Magic numbers of gzip, xz, zip, bzip2 and zstd."""


@dataclass(frozen=True, slots=True)
class Restoring:
    """How the words of a request are restored. Requests with the same values are restored together.

    Attributes:
        model: name of the model; None: by language.
        output: what may be added.
        probabilities: whether the answer has those of marks and capitals.
        ignore_labels: whether the marks and capitals of the words are removed first.
        as_is: whether the marks and capitals of the words become labels, and the model adds none.
        fill: whether only stretches without marks are restored.
        is_labelled: whether the request gives the labels, so that the model decides nothing.
    """

    model: str | None = None
    output: OutputOptions = ALL_OUTPUT
    probabilities: bool = False
    ignore_labels: bool = False
    as_is: bool = False
    fill: bool = False
    is_labelled: bool = False


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request: its words, how they are restored, and the format of the answer.

    `to` is None for the JSON of `PunctuateAnswer`, which has words if `has_words`. The first `context_utterances`
    utterances are only context and left out of the answer. `labels` are those of all words, in order; None: the model
    decides them. `warnings` are about the file's times. `undecoded` says what the answer has for bytes of a file that
    were not UTF-8. `source_format` is the format of a file, else "". With `limits` subtitles have new cues under these.
    """

    utterances: tuple[Utterance, ...]
    restoring: Restoring = Restoring()
    to: str | None = None
    has_words: bool = False
    context_utterances: int = 0
    labels: tuple[Labels, ...] | None = None
    warnings: tuple[str, ...] = ()
    undecoded: Undecoded = "refuse"
    source_format: str = ""
    limits: Limits | None = None


ParseRequest = Callable[[], ParsedRequest]
"""Parses a request; called in a worker thread."""


def parse_request(
    content_type: str, query: Mapping[str, str], body: bytes, transcribe: Transcribe | None = None
) -> ParsedRequest:
    """Parse a request: JSON, a form with a file, or a file as the body; `transcribe` reads audio.

    Raises ServiceError for a malformed request.
    """
    kind = content_type.partition(";")[0].strip().lower()
    try:
        if kind == _FORM:
            options, file = _parse_form(content_type, body)
            return _upload({**options, **query}, file, transcribe)
        if kind == _URLENCODED and _FIELDS.match(body):
            expected = f"{_JSON}, or {_FORM} with a field 'file' (curl -F file=@…)"
            raise ServiceError(422, "body", f"a form of type {_URLENCODED}", expected)
        if kind == _JSON and not query.keys() & {"from", "name"}:
            return _json_request(body, query)
        if _is_json_request(body) and not query.keys() & {"from", "name"}:
            expected = f"the header content-type: {_JSON}, or for a file ?from=FORMAT"
            raise ServiceError(422, "upload", "JSON of a request as a file", expected)
        name = query.get("name") or ("upload.json" if kind == _JSON else "upload")
        return _upload(query, MemoryFile(name, body), transcribe)
    except AsrPunctError as error:
        raise bad_request(error) from None
    except UnicodeEncodeError as error:
        raise ServiceError(422, "body", repr(error.object[error.start : error.end])[:80], "whole characters") from None


def _is_json_request(body: bytes) -> bool:
    """Whether the body is a JSON request, and no result of Vosk, which has `text` too."""
    if not body.startswith(b'{"') or len(body) > _SMALL:
        return False
    try:
        return bool(json.loads(body).keys() <= {*PunctuateRequest.names()})
    except ValueError:
        return False


def _parse_form(content_type: str, body: bytes) -> tuple[dict[str, str], MemoryFile]:
    """Return the text fields of a form, and its file.

    Raises ServiceError if the body is not a form, or has no file or several.
    """
    fields: dict[str, str] = {}
    files: list[File] = []

    def on_field(field: Field) -> None:
        fields[_text(field.field_name)] = _text(field.value)

    config = {"MAX_MEMORY_FILE_SIZE": len(body) + 1, "MAX_FIELDS": _MAX_FIELDS}
    try:
        parser = create_form_parser({"Content-Type": content_type.encode()}, on_field, files.append, config)
        parser.write(body)
        parser.finalize()
    except (FormParserError, ValueError) as error:
        raise ServiceError(400, "body", f"no form ({error})", _EXPECTED_FORM) from None
    if len(files) != 1:
        raise ServiceError(400, "body", f"{len(files)} files", _EXPECTED_FORM)
    (file,) = files
    if file.field_name != b"file":
        raise ServiceError(422, "body", f"a file in the field {_text(file.field_name)[:80]!r}", _EXPECTED_FORM)
    file.file_object.seek(0)
    return fields, MemoryFile(_text(file.file_name) or "upload", file.file_object.read())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", errors="replace")


def _json_request(body: bytes, query: Mapping[str, str]) -> ParsedRequest:
    unknown = sorted(query.keys() - {"to", "token"})
    if unknown:
        raise ServiceError(422, "query", f"the option {unknown[0][:80]!r}", "to; other options are keys of the JSON")
    try:
        request = PunctuateRequest.model_validate_json(body)
    except ValidationError as error:
        raise validation_error(error, "body") from None
    to = request.to or _options({"to": query.get("to", "")}).to
    language = request.language or ""
    if request.words is not None:
        words = tuple(word.to_word() for word in request.words)
        utterances = [with_time_source(Utterance(words, id="1", recording="1", language=language), "asr")]
    else:
        utterances = list(utterances_of_text(request.text or "", language))
    labels = _labels(request.labels, utterances)
    return ParsedRequest(tuple(utterances), _restoring(request), to, has_words=request.words is not None, labels=labels)


def _restoring(given: PunctuateRequest | UploadOptions) -> Restoring:
    """Return how words are restored; only files have marks that are removed or become labels."""
    restoring = Restoring(given.model, given.output(), given.probabilities, fill=given.fill)
    if isinstance(given, UploadOptions):
        restoring = replace(restoring, ignore_labels=given.ignore_labels, as_is=given.as_is)
    return replace(restoring, is_labelled=given.labels is not None)


def _options(texts: Mapping[str, str]) -> UploadOptions:
    try:
        return UploadOptions.model_validate({name: text for name, text in texts.items() if text and name != "token"})
    except ValidationError as error:
        raise validation_error(error) from None


def _upload(options: Mapping[str, str], file: MemoryFile, transcribe: Transcribe | None) -> ParsedRequest:
    given = _options(options)
    file = replace(file, name=_safe_name(given.name or file.name))
    if transcribe and is_audio(file):
        to = given.to or "json"
        limits = parse_limits_option(given.subtitles, to)  # before the work
        utterances = [replace(each, language=given.language or each.language) for each in transcribe(file)]
        labels = _labels(given.labels, utterances)
        return ParsedRequest(tuple(utterances), _restoring(given), to, labels=labels, limits=limits)
    if file.content.startswith(_COMPRESSED):
        raise ServiceError(422, file.name, "compressed data", "a file that is not compressed")
    source = Source(InputFile(file, Encoding(given.encoding, keeps_bytes=not given.strict)), given.from_, given.tiers)
    warnings = list[str]()
    read_file = partial(read, source, may_be_empty=True, strict=given.strict)
    utterances = list(read_file(on_bad_times=lambda bad: warnings.append(str(bad))))
    if source.file.form.is_guessed:
        warnings.append(source.file.form.guess)
    if given.language:
        utterances = [replace(utterance, language=given.language) for utterance in utterances]
    to = given.to or (source.format if source.format in (*WRITABLE_FILES, *WRITTEN_BACK) else "json")
    labels = _labels(given.labels, utterances)
    return ParsedRequest(
        tuple(utterances),
        _restoring(given),
        to,
        labels=labels,
        warnings=tuple(warnings),
        undecoded="keep" if to == source.format else "replace",
        source_format=source.format,
        limits=parse_limits_option(given.subtitles, to),
    )


def _labels(given: Sequence[WordLabels] | None, utterances: Iterable[Utterance]) -> tuple[Labels, ...] | None:
    """Return the labels of all words. Raises ServiceError if there are more or fewer labels than words."""
    if given is None:
        return None
    words = sum(map(word_count, utterances))
    if len(given) != words:
        raise ServiceError(422, "labels", plural(len(given), "label"), f"{words}, one for each word")
    return tuple(each.to_labels() for each in given)


def _safe_name(name: str) -> str:
    """Return the last part of a file name, with at most 100 characters, all printable."""
    last = PurePosixPath(PureWindowsPath(name.replace("\0", "")).name).name
    shown = "".join(character if character.isprintable() else "_" for character in last)[-100:]
    return "upload" if shown in ("", "-", ".", "..") else shown
