"""WebSocket connections: what clients send, within limits, and their end, also when the service stops."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from fastapi import WebSocket, WebSocketDisconnect

from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.prometheus import Metrics
from asr_punct.serve.service_errors import ServiceError, stopping
from asr_punct.words import Seconds

BAD_MESSAGE, INTERNAL = 1008, 1011
"""Codes with which the service closes a connection after an error."""


class Close(NamedTuple):
    """Why the service ends a connection without an error: code, reason, and whether the client may continue."""

    code: int
    reason: str
    may_continue: bool


_STOPPED = Close(1001, "the service stops", may_continue=True)
_IDLE = Close(1001, "no message for too long", may_continue=False)
BEHIND = 4503
"""Code with which the service closes a connection that cannot keep up."""
_TOO_SLOW = Close(BEHIND, "the service is too slow for all these words: try again later", may_continue=True)
_MESSAGE_BYTES = 500
"""Memory of a message beside its content."""


@dataclass(frozen=True, slots=True)
class _Event:
    """A message of a client as ASGI gives it, and when it arrived."""

    message: dict[str, Any]
    arrived: Seconds

    @property
    def content(self) -> str | bytes:
        """The text or bytes; empty at the end of the connection."""
        text: str | bytes | None = self.message.get("text")
        return text if text is not None else self.message.get("bytes") or b""

    @property
    def size(self) -> int:
        """Memory in bytes, about."""
        return len(self.content) + _MESSAGE_BYTES


class DisconnectedError(Exception):
    """The client has disconnected. With `has_left` it closed the connection; otherwise it broke, and may come back."""

    def __init__(self, code: int = 1006) -> None:
        super().__init__(code)
        self.has_left = code in (1000, 1001, 1005)


class Connections:
    """The open WebSocket connections.

    Attributes:
        stop: is set when the service stops.
    """

    def __init__(self, limits: ServiceLimits, metrics: Metrics) -> None:
        self._limits, self._metrics = limits, metrics
        self._open = dict[asyncio.Task[Any] | None, str]()  # their kinds
        self.stop = asyncio.Event()
        self._stop_of_viewers = asyncio.Event()

    @property
    def is_empty(self) -> bool:
        """Whether there is no connection."""
        return not self._open

    def begin_stop(self) -> None:
        """Let the connections end; those of viewers once no stream is left, whose last words they get."""
        self.stop.set()
        self._let_viewers_go()

    def _let_viewers_go(self) -> None:
        if self.stop.is_set() and all(kind == "captions" for kind in self._open.values()):
            self._stop_of_viewers.set()

    def end(self) -> None:
        """Close the connections that are left after a stop, without the words that wait."""
        for task in filter(None, self._open):
            task.cancel()

    async def serve(self, websocket: WebSocket, kind: str, serve: Callable[[Connection], Awaitable[None]]) -> None:
        """Accept a connection of a kind (`stream`, `captions` or `vosk`) and serve it, or refuse it with status 503.

        Viewers (`captions`) have a limit of their own, and none on their silence.
        """
        is_viewer = kind == "captions"
        count = sum((other == "captions") == is_viewer for other in self._open.values())
        if count >= (self._limits.viewers if is_viewer else self._limits.streams) or self.stop.is_set():
            name = "viewers" if is_viewer else "streams"
            self._metrics.refused.labels(name).inc()
            error = ServiceError(503, "stream", f"{count} open {name}", f"fewer {name}", retry_after_s=5)
            await websocket.send_denial_response((stopping() if self.stop.is_set() else error).response())
            return
        task = asyncio.current_task()
        self._open[task] = kind
        try:
            with self._metrics.streams.labels(kind).track_inprogress(), suppress(DisconnectedError):
                await websocket.accept()
                limits = replace(self._limits, idle_s=None) if is_viewer else self._limits
                stop = self._stop_of_viewers if is_viewer else self.stop
                await self._serve(Connection(websocket, limits, stop), serve)
        finally:
            del self._open[task]
            self._let_viewers_go()

    async def _serve(self, connection: Connection, serve: Callable[[Connection], Awaitable[None]]) -> None:
        try:
            await serve(connection)
        except asyncio.CancelledError:
            if not self.stop.is_set():
                raise
            await connection.finish()
        finally:
            connection.stop_waiting()


class Connection:
    """One accepted WebSocket connection with time limits; `stop` is set when the service stops.

    Messages are read while others are answered, up to `limits.waiting_bytes`: pings between them are answered at once.
    """

    def __init__(self, websocket: WebSocket, limits: ServiceLimits, stop: asyncio.Event) -> None:
        self._websocket, self._limits, self._stop = websocket, limits, stop
        self._waiting, self._waiting_bytes = asyncio.Queue[_Event](), 0
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._receiving: asyncio.Task[_Event] | None = None
        self._stopping = asyncio.ensure_future(stop.wait())
        self._reading = asyncio.ensure_future(self._read())
        self.is_behind = False
        """Whether the client sends more than is read, and its last message had to wait for `limits.behind_s`."""
        self.on_text: Callable[[str], object] | None = None
        """Gets each text that is sent, also those after the client has gone: its messages are answered to the end."""

    def stop_waiting(self) -> None:
        """Stop waiting for messages."""
        for task in (self._receiving, self._stopping, self._reading):
            if task:
                task.cancel()

    async def _read(self) -> None:
        message: dict[str, Any] = {}
        while message.get("type") != "websocket.disconnect":
            message = dict(await self._websocket.receive())
            event = _Event(message, time.monotonic())
            self._waiting_bytes += event.size
            if self._waiting_bytes > self._limits.waiting_bytes:
                self._has_room.clear()
            self._waiting.put_nowait(event)
            await self._has_room.wait()

    async def _wait(self, seconds: Seconds | None) -> bool:
        """Wait for the next message or the stop of the service; return whether one of them came within `seconds`."""
        self._receiving = self._receiving or asyncio.ensure_future(self._waiting.get())
        tasks = {self._receiving, self._stopping}
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)

    async def is_quiet(self, seconds: Seconds) -> bool:
        """Wait for the next message; return whether none has arrived within `seconds`.

        Returns False at once if the service stops, or if `seconds` is not below `limits.idle_s`.
        """
        is_soon = self._limits.idle_s is None or seconds < self._limits.idle_s
        return not self._stop.is_set() and is_soon and not await self._wait(seconds)

    async def receive(self) -> str | bytes | None:
        """Return the next message; None if the service stops or the client is idle.

        Raises DisconnectedError if the client has gone.
        """
        if self._stop.is_set():
            return None
        await self._wait(self._limits.idle_s)
        if not self._receiving or not self._receiving.done():
            return None
        event, self._receiving = self._receiving.result(), None
        self._take(event)
        if event.message["type"] == "websocket.disconnect":
            raise DisconnectedError(event.message.get("code", 1006))
        return event.content

    def _take(self, event: _Event) -> None:
        is_full = not self._has_room.is_set()
        self.is_behind = is_full and time.monotonic() - event.arrived >= self._limits.behind_s
        self._waiting_bytes -= event.size
        if self._waiting_bytes <= self._limits.waiting_bytes:
            self._has_room.set()

    async def send(self, message: str | bytes) -> None:
        """Send a message. Raises DisconnectedError if the client has gone, or does not read (see `server.Server`)."""
        if self.on_text and isinstance(message, str):
            self.on_text(message)
        part = {"text": message} if isinstance(message, str) else {"bytes": message}
        try:
            await self._send_event({"type": "websocket.send", **part})
        except DisconnectedError:
            if not self.on_text:
                raise

    async def close(self, code: int, reason: str = "") -> None:
        """Close the WebSocket."""
        await self._send_event({"type": "websocket.close", "code": code, "reason": reason[:100]})

    async def finish(self) -> None:
        """Close the WebSocket as `closing` says."""
        await self.close(*self.closing[:2])

    async def _send_event(self, event: dict[str, Any]) -> None:
        try:
            await self._websocket.send(event)
        except (OSError, RuntimeError, WebSocketDisconnect):
            raise DisconnectedError from None

    @property
    def closing(self) -> Close:
        """How to close a connection after `receive` returned None, or if it is behind."""
        if self._stop.is_set():
            return _STOPPED
        return _TOO_SLOW if self.is_behind else _IDLE
