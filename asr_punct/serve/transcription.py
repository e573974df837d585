"""Transcription of uploads by a recogniser of this machine (`serve --asr`)."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from asr_punct.errors import AsrPunctError
from asr_punct.files import MemoryFile
from asr_punct.serve.service_errors import ServiceError
from asr_punct.words import Utterance

if TYPE_CHECKING:
    from asr_punct.asr.transcribe import Recogniser

_SUFFIXES = "wav|mp3|m4a|aac|flac|ogg|oga|opus|webm|mp4|mkv|mov"
_NAME = re.compile(rf"\.({_SUFFIXES})$", re.IGNORECASE)
_FORM_NAME = re.compile(rf'filename="[^"\r\n]*\.({_SUFFIXES})"'.encode(), re.IGNORECASE)
_MAGIC = re.compile(rb"RIFF....WAVE|ID3|fLaC|OggS|\x1aE\xdf\xa3|....ftyp", re.DOTALL)
Transcribe = Callable[[MemoryFile], list[Utterance]]
"""Returns the words of a file of audio."""


def is_audio(file: MemoryFile) -> bool:
    """Whether a file is audio or video, by its name or content."""
    return bool(_NAME.search(file.name) or _MAGIC.match(file.content))


def may_be_audio(content_type: str, query: Mapping[str, str], body: bytes) -> bool:
    """Whether a request has audio, without parsing it."""
    if content_type.startswith("multipart/"):
        return bool(_FORM_NAME.search(body))
    return content_type.startswith(("audio/", "video/")) or is_audio(MemoryFile(query.get("name", ""), body[:100]))


class Transcriber:
    """Transcribes files; the recogniser gets one segment at a time, of one file at a time."""

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser
        self._lock = threading.Lock()

    def transcribe(self, file: MemoryFile, is_ended: threading.Event) -> list[Utterance]:
        """Return the words of a file.

        Raises ServiceError if `is_ended` is set meanwhile, or the audio cannot be read.
        """
        from asr_punct.asr.transcribe import recognise

        with TemporaryDirectory() as folder, self._lock:
            path = Path(folder) / (file.name if _NAME.search(file.name) else f"{file.name}.audio")
            path.write_bytes(file.content)
            recogniser: Any = _Endable(self._recogniser, is_ended)
            language = self._recogniser.language or ""
            try:
                return [replace(each, language=language, audio="") for each in recognise(path, recogniser)]
            except AsrPunctError as error:
                found = error.found.replace(str(path), file.name)
                raise ServiceError(422, file.name, found, error.expected) from None


class _Endable:
    """A recogniser that stops between two segments."""

    def __init__(self, recogniser: Recogniser, is_ended: threading.Event) -> None:
        self._recogniser, self._is_ended = recogniser, is_ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._recogniser, name)

    def words(self, samples: Any) -> Any:
        if self._is_ended.is_set():
            raise ServiceError(499, "request", "an end of the request", "a client that waits")
        return self._recogniser.words(samples)
