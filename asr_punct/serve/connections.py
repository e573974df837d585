"""WebSocket connections: a limit on their number, time limits, and their end when the service stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from starlette.types import Scope

from asr_punct.serve.errors import ServiceError
from asr_punct.serve.limits import Limits
from asr_punct.serve.metrics import Metrics
from asr_punct.words import Seconds

STOPPED, IDLE, BAD_MESSAGE, INTERNAL = 1012, 1001, 1008, 1011
"""Codes with which the service closes a connection."""


class DisconnectedError(Exception):
    """The client has disconnected."""


class SlowReaderError(DisconnectedError):
    """The client does not read its answers."""


class Connections:
    """The open connections.

    Attributes:
        stop: is set when the service stops.
        is_empty: is set while there is no connection.
        abort: closes the socket of an ASGI scope at once; data that waits to be sent is lost.
    """

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._limits, self._metrics, self._count = limits, metrics, 0
        self.abort: Callable[[Scope], None] = lambda _: None
        self.stop, self.is_empty = asyncio.Event(), asyncio.Event()
        self.is_empty.set()

    @asynccontextmanager
    async def accept(self, websocket: WebSocket, kind: str) -> AsyncIterator[Connection | None]:
        """Accept a connection of a kind (`stream` or `vosk`); yield None if it is refused with status 503."""
        if self._count >= self._limits.streams or self.stop.is_set():
            self._metrics.refused.labels("streams").inc()
            error = ServiceError(503, "stream", f"{self._count} open streams", "fewer streams", retry_after_s=5)
            await websocket.send_denial_response(error.response())
            yield None
            return
        self._count += 1
        self.is_empty.clear()
        self._metrics.streams.labels(kind).inc()
        try:
            await websocket.accept()
            connection = Connection(websocket, self._limits, self.stop)
            try:
                yield connection
            finally:
                connection.stop_waiting()
        except SlowReaderError:
            self._metrics.refused.labels("slow reader").inc()
            self.abort(websocket.scope)
        except DisconnectedError:
            pass
        finally:
            self._metrics.streams.labels(kind).dec()
            self._count -= 1
            if not self._count:
                self.is_empty.set()


class Connection:
    """One accepted WebSocket connection with time limits; `stop` is set when the service stops."""

    def __init__(self, websocket: WebSocket, limits: Limits, stop: asyncio.Event) -> None:
        self._websocket, self._limits, self._stop = websocket, limits, stop
        self._receiving: asyncio.Task[Any] | None = None
        self._stopping = asyncio.ensure_future(stop.wait())

    def stop_waiting(self) -> None:
        """Stop waiting for messages."""
        for task in (self._receiving, self._stopping):
            if task:
                task.cancel()

    async def _wait(self, seconds: Seconds) -> bool:
        """Wait for the next message or the stop of the service; return whether one of them came within `seconds`."""
        self._receiving = self._receiving or asyncio.ensure_future(self._websocket.receive())
        tasks = {self._receiving, self._stopping}
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)

    async def is_quiet(self, seconds: Seconds) -> bool:
        """Wait for the next message; return whether none has arrived within `seconds`.

        Returns False at once if the service stops, or if `seconds` is not below `limits.idle_s`.
        """
        return not self._stop.is_set() and seconds < self._limits.idle_s and not await self._wait(seconds)

    async def receive(self) -> str | bytes | None:
        """Return the next message; None if the service stops or the client is idle.

        Raises DisconnectedError if the client has gone.
        """
        if self._stop.is_set():
            return None
        await self._wait(self._limits.idle_s)
        if not self._receiving or not self._receiving.done():
            return None
        message, self._receiving = self._receiving.result(), None
        if message["type"] == "websocket.disconnect":
            raise DisconnectedError
        text: str | bytes | None = message.get("text")
        return text if text is not None else message["bytes"]

    async def send(self, message: str | bytes) -> None:
        """Send a message. Raises SlowReaderError if the client does not read, DisconnectedError if it has gone."""
        part = {"text": message} if isinstance(message, str) else {"bytes": message}
        await self._send_event({"type": "websocket.send", **part})

    async def close(self, code: int, reason: str = "") -> None:
        """Close the WebSocket; a client that does not read in time is disconnected."""
        await self._send_event({"type": "websocket.close", "code": code, "reason": reason[:100]})

    async def _send_event(self, event: dict[str, Any]) -> None:
        try:
            async with asyncio.timeout(self._limits.send_s):
                await self._websocket.send(event)
        except TimeoutError:
            raise SlowReaderError from None
        except (OSError, RuntimeError, WebSocketDisconnect):
            raise DisconnectedError from None

    @property
    def close_code(self) -> tuple[int, str]:
        """Code and reason to close a connection after `receive` returned None."""
        return (STOPPED, "the service stops") if self._stop.is_set() else (IDLE, "no message for too long")
