"""JSON messages of streams, as pydantic models."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pydantic import BaseModel, Field

from asr_punct.formats.values import MAX_TIME
from asr_punct.inference.options import StreamSettings
from asr_punct.serve.keys import keys_of
from asr_punct.serve.schema import (
    ErrorParts,
    GivenWord,
    OutputKeys,
    PunctuatedWord,
    Speaker,
    StrictModel,
)

MAX_CONTEXT = 200
"""Maximum number of committed words that a client sends when it continues a stream."""
_SERVICE_MAXIMA = {"left": 1000, "right": 100, "hop": 100, "flush_after": MAX_TIME, "patience": 100}
"""Maxima of the service only: a client's windows must not cost the others much, and JSON has no infinite pause."""
_StreamKeys: Any = keys_of(StreamSettings, OutputKeys, most=_SERVICE_MAXIMA)


class StreamConfig(_StreamKeys, OutputKeys):  # type: ignore[misc]
    """Settings of a stream, among them the fields of `StreamSettings`; only in its first message."""

    preview: bool = Field(default=True, description="Whether partial words have marks and capitals.")
    committed: list[GivenWord] = Field(
        default=[],
        max_length=MAX_CONTEXT,
        description="Last committed words of an earlier stream that this one continues, for context.",
    )

    def settings(self) -> StreamSettings:
        """Return when words are decided, and with how much context."""
        return StreamSettings(**{each.name: getattr(self, each.name) for each in fields(StreamSettings)})


class ClientMessage(StrictModel):
    """A message of a client; its parts take effect in this order."""

    config: StreamConfig | None = None
    words: list[GivenWord] = Field(
        default=[], description="Next words of the recogniser, which do not change any more."
    )
    speaker: Speaker = Field(default="", description="Who says the words that do not name a speaker.")
    partial: str | None = Field(default=None, max_length=20_000, description="Further words, which may change.")
    end: bool = Field(default=False, description="The document ends; the next word begins another one.")


class ServerMessage(BaseModel):
    """The answer to a message. `partial` replaces that of the previous answer."""

    final: list[PunctuatedWord] = Field(default=[], description="Committed words, in order; they never change.")
    partial: str = Field(default="", description="The words that are not committed yet, provisional.")
    end: int | None = Field(default=None, description="After an end: number of words of the stream so far.")
    warnings: list[str] = Field(
        default=[], description="Why the language has no model, or seems to be another one; each only once."
    )
    error: ErrorParts | None = Field(default=None, description="Why the service closes the connection.")
