"""Write the answers to requests: JSON, or a file in a format. All functions run in worker threads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from typing import Any

from asr_punct.encoding import encoded
from asr_punct.errors import AsrPunctError
from asr_punct.formats import binary_content, with_glyphs, write_stream
from asr_punct.formats.json.own import word_object
from asr_punct.formats.registry import FORMATS, PARAGRAPH_FORMATS, BinaryFormat
from asr_punct.glyphs import Glyphs, write_word
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import Labels
from asr_punct.paragraphs import ParagraphSettings, timed_paragraphs
from asr_punct.serve.requests import ParsedRequest
from asr_punct.serve.service_errors import ServiceError, bad_request
from asr_punct.words import Utterance, annotate, word_count


@dataclass(frozen=True, slots=True)
class Answer:
    """Body and media type of an answer, warnings about the language and the times, and the format of the file."""

    body: bytes
    media_type: str
    warnings: tuple[str, ...] = ()
    source_format: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers with the warnings and the format of the file, if there are any."""
        source = {"X-Asr-Punct-Format": self.source_format} if self.source_format else {}
        text = " ".join("; ".join(self.warnings).split()).encode("ascii", "replace").decode()
        return source | ({"X-Asr-Punct-Warning": text[:1000]} if text else {})


def write_answer(request: ParsedRequest, restored: Iterable[Utterance], punctuator: Punctuator) -> Answer:
    """Return the answer to a request. Raises ServiceError if the format cannot represent these words."""
    warnings = list(request.warnings)
    if request.labels is not None:
        restored = _labelled(restored, request.labels)
    else:
        warnings += punctuator.language_warnings(request.utterances)
    if request.restoring.as_is and request.to == request.source_format != "json":  # it has labels itself
        restored = _as_in_file(restored, request.utterances, punctuator.glyphs)
    restored = islice(restored, request.context_utterances, None)
    if request.to is None:
        return _json_answer(request, list(restored), punctuator, warnings)
    out, chosen = StringIO(), FORMATS[request.to]
    try:
        utterances, glyphs = with_glyphs(restored, punctuator.glyphs)
        if request.to in PARAGRAPH_FORMATS:
            utterances = timed_paragraphs(utterances, glyphs, ParagraphSettings())
        if isinstance(chosen, BinaryFormat):
            content = binary_content(utterances, glyphs, chosen, request.limits)
        else:
            write_stream(utterances, out, glyphs, request.to, request.limits)
            content = encoded(out.getvalue(), request.undecoded)
    except UnicodeEncodeError as error:
        raise ServiceError(422, "body", repr(error.object[error.start : error.end]), "whole characters") from None
    except AsrPunctError as error:
        raise bad_request(error) from None
    return Answer(content, chosen.media_type, tuple(warnings), request.source_format)


def _labelled(utterances: Iterable[Utterance], labels: Sequence[Labels]) -> Iterator[Utterance]:
    remaining = iter(labels)
    for utterance in utterances:
        yield annotate(utterance, labels=list(islice(remaining, word_count(utterance))))


def _as_in_file(restored: Iterable[Utterance], original: Iterable[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the utterances with the original word for each that is written so: its file may have tags inside it."""
    for utterance, before in zip(restored, original, strict=True):
        its = glyphs.of(utterance.language)
        words = zip(utterance.words, before.words, strict=True)
        yield replace(
            utterance,
            words=tuple(
                old if old.labels is None and write_word(new.text, new.labels or Labels(), its) == old.text else new
                for new, old in words
            ),
        )


def _json_answer(
    request: ParsedRequest, restored: list[Utterance], punctuator: Punctuator, warnings: Sequence[str]
) -> Answer:
    language = next((utterance.language for utterance in restored if utterance.language), "")
    content: dict[str, Any] = {"language": language, "text": "\n".join(map(punctuator.write, restored))}
    if request.has_words or request.restoring.probabilities:
        content["words"] = [
            word_object(word, punctuator.glyphs.of(utterance.language))
            for utterance in restored
            for word in utterance.words
        ]
    if warnings:
        content["warnings"] = warnings
    return Answer(json.dumps(content, ensure_ascii=False).encode(), "application/json", tuple(warnings))
