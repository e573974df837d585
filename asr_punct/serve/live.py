"""The WebSocket `/v1/stream`: words in, committed words out."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from fastapi import WebSocket
from pydantic import ValidationError

from asr_punct.errors import plural
from asr_punct.inference.options import StreamSettings
from asr_punct.serve.connections import BAD_MESSAGE, INTERNAL, STOPPED, Connection
from asr_punct.serve.errors import ServiceError, validation_error
from asr_punct.serve.schema import ClientMessage, StreamConfig, last_start
from asr_punct.serve.service import Service
from asr_punct.serve.streams import Answer, LiveStream
from asr_punct.words import Seconds


async def serve_stream(websocket: WebSocket, service: Service) -> None:
    """Answer the messages of one client until it disconnects, is idle or sends a bad message, or the service stops."""
    async with service.connections.accept(websocket, "stream") as connection:
        if connection is None:
            return
        try:
            await _Session(connection, service).run()
        except ServiceError as error:
            await connection.send(json.dumps(error.content))
            await connection.close(BAD_MESSAGE if error.status < 500 else INTERNAL, str(error))


@dataclass
class _Session:
    """The messages of one connection.

    Attributes:
        stream: None before the first message.
        last_start: start of the document's last word with a time, in seconds; no later word may start before it.
        flush_after: pause in seconds that commits all words.
        partial: further words of the last message, which may change.
    """

    connection: Connection
    service: Service
    stream: LiveStream | None = None
    last_start: Seconds = 0.0
    flush_after: Seconds = StreamSettings.flush_after
    partial: str = ""

    async def run(self) -> None:
        """Answer each message. At the end commit the remaining words and close the connection."""
        try:
            await self._answer_messages()
            code, reason = self.connection.close_code
            if self.stream and self.stream.pending and code == STOPPED:  # the client may continue in mid-sentence
                await self._send(await self.stream.push(idle_s=max(self.flush_after, StreamSettings.flush_after)))
            if self.stream:
                await self._send(await self.stream.push(ends=True), ends=True)
            await self.connection.close(code, reason)
        finally:
            if self.stream:
                self.stream.close()

    async def _answer_messages(self) -> None:
        while True:
            if self.stream and self.stream.pending and await self.connection.is_quiet(self.flush_after):
                await self._send(await self.stream.push(idle_s=self.flush_after))
            raw = await self.connection.receive()
            if raw is None:
                return
            begin = time.perf_counter()
            await self._answer(self._parse(raw))
            self.service.metrics.commit_seconds.observe(time.perf_counter() - begin)

    def _parse(self, raw: str | bytes) -> ClientMessage:
        if isinstance(raw, bytes):
            raise ServiceError(422, "message", "bytes", "JSON as text")
        try:
            message = ClientMessage.model_validate_json(raw)
        except ValidationError as error:
            raise validation_error(error, "message") from None
        most = self.service.limits.message_words
        if len(message.words) > most:
            raise ServiceError(422, "message", plural(len(message.words), "word"), f"at most {most}")
        return message

    async def _answer(self, message: ClientMessage) -> None:
        if message.config and self.stream:
            raise ServiceError(422, "message", "a config", "it only in the first message")
        if self.stream is None:
            config = message.config or StreamConfig()
            self.stream, self.flush_after = await self.service.streams.open(config), config.flush_after
            starts = [word.start for word in config.committed if word.start is not None]
            self.last_start = starts[-1] if starts else 0.0
        try:
            self.last_start = last_start(message.words, self.last_start)
        except ValueError as error:
            found = f"a word that starts at {error}"
            raise ServiceError(422, "message: words", found, "words in the order of time") from None
        answer = await self.stream.push([word.to_word() for word in message.words], ends=message.end)
        if message.end:
            self.last_start = 0.0
        self.partial = message.partial or ""
        await self._send(answer, ends=message.end)

    async def _send(self, answer: Answer, *, ends: bool = False) -> None:
        """Send committed words, and as partial text the other words followed by the client's `partial`."""
        self.service.metrics.words.labels("stream").inc(len(answer.final))
        words = " ".join([*answer.partial.split(), *self.partial.split()])
        message: dict[str, Any] = {"final": answer.final, "partial": words}
        if ends and self.stream:
            message["end"] = self.stream.returned
        if answer.warnings:
            message["warnings"] = answer.warnings
        await self.connection.send(json.dumps(message, ensure_ascii=False))
