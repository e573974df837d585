"""The WebSocket `/v1/stream`: words in, committed words out."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from fastapi import WebSocket
from pydantic import ValidationError

from asr_punct.errors import plural
from asr_punct.serve.connections import BAD_MESSAGE, INTERNAL, Connection
from asr_punct.serve.errors import ServiceError, invalid
from asr_punct.serve.messages import ClientMessage, StreamConfig
from asr_punct.serve.service import Service
from asr_punct.serve.streams import CommittedWord, LiveStream


async def serve_stream(websocket: WebSocket, service: Service) -> None:
    """Answer the messages of one client until it goes, is idle or sends a bad message, or the service stops."""
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
    """The messages of one connection."""

    connection: Connection
    service: Service
    stream: LiveStream | None = None
    last_start: float = 0.0

    async def run(self) -> None:
        """Answer each message. At the end commit the remaining words and close the connection."""
        while (raw := await self.connection.receive()) is not None:
            begin = time.perf_counter()
            await self._answer(self._parse(raw))
            self.service.metrics.commit_seconds.observe(time.perf_counter() - begin)
        if self.stream:
            await self._send(self.stream, await self.stream.flush(), "", ends=True)
        await self.connection.close(*self.connection.close_code)

    def _parse(self, raw: str | bytes) -> ClientMessage:
        if isinstance(raw, bytes):
            raise ServiceError(422, "message", "bytes", "JSON as text")
        try:
            message = ClientMessage.model_validate_json(raw)
        except ValidationError as error:
            raise invalid(error, "message") from None
        most = self.service.limits.message_words
        if len(message.words) > most:
            raise ServiceError(422, "message", plural(len(message.words), "word"), f"at most {most}")
        return message

    async def _answer(self, message: ClientMessage) -> None:
        if message.config and self.stream:
            raise ServiceError(422, "message", "a config", "it only in the first message")
        if self.stream is None:
            self.stream = await self.service.streams.open(message.config or StreamConfig())
            if message.config:
                self._check_order([word.start for word in message.config.committed])
        self._check_order([word.start for word in message.words])
        final = await self.stream.push([word.to_word() for word in message.words]) if message.words else []
        if message.end:
            final += await self.stream.flush()
            self.last_start = 0.0
        self.service.metrics.words.labels("stream").inc(len(final))
        await self._send(self.stream, final, message.partial or "", ends=message.end)

    def _check_order(self, starts: list[float | None]) -> None:
        known = [start for start in starts if start is not None]
        if known:
            if known[0] < self.last_start:
                found = f"a word that starts at {known[0]:g} after {self.last_start:g}"
                raise ServiceError(422, "message: words", found, "words in the order of time")
            self.last_start = known[-1]

    async def _send(self, stream: LiveStream, final: list[CommittedWord], partial: str, *, ends: bool) -> None:
        answer: dict[str, Any] = {"final": final, "partial": stream.preview(partial)}
        if ends:
            answer["end"] = stream.returned
        await self.connection.send(json.dumps(answer, ensure_ascii=False))
