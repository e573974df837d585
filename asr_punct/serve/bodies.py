"""Bodies of requests, within limits, and clients that leave before their answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect

from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.service_errors import ServiceError, stopping

Result = TypeVar("Result")


class Bodies:
    """Reads bodies; all bodies that are in use together have at most `limits.buffered_bytes`."""

    def __init__(self, limits: ServiceLimits) -> None:
        self._limits, self._buffered = limits, 0
        self._timeouts = set[asyncio.Timeout]()
        self._is_stopped = False

    def stop(self) -> None:
        """Refuse the bodies that are being received, and all further ones: the service stops."""
        self._is_stopped = True
        for timeout in self._timeouts:
            timeout.reschedule(0)

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """Read the body of a request; it counts as in use inside the context.

        Raises ServiceError if the body is too large or takes too long, too many are in use, or the service stops.
        """
        if self._is_stopped:
            raise stopping()
        most = self._limits.body_bytes
        declared = request.headers.get("content-length", "0")
        if not declared.isdecimal() or int(declared) > most:
            raise ServiceError(413, "body", f"{declared[:20]} bytes", f"at most {most} bytes")
        parts, size = list[bytes](), 0
        try:
            async with self._time_limit():
                async for part in request.stream():
                    parts.append(part)
                    size += len(part)
                    self._buffered += len(part)
                    if size > most:
                        raise ServiceError(413, "body", f"{size} bytes or more", f"at most {most} bytes")
                    if self._buffered > self._limits.buffered_bytes:
                        raise ServiceError(503, "queue", "too many large requests", "fewer at the same time", 1)
            yield b"".join(parts)
        finally:
            self._buffered -= size

    @asynccontextmanager
    async def _time_limit(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._limits.request_s) as timeout:
                self._timeouts.add(timeout)
                try:
                    yield
                finally:
                    self._timeouts.discard(timeout)
        except (TimeoutError, ClientDisconnect):
            if self._is_stopped:
                raise stopping() from None
            raise ServiceError(408, "body", "a body that does not end", "a whole request") from None


async def while_connected(
    request: Request, work: Coroutine[Any, Any, Result], is_read: asyncio.Event | None = None
) -> Result:
    """Return the result of `work`, which is cancelled if the client of the request leaves.

    The body of the request must have been read, or `is_read` be set when it is. Raises ServiceError if the
    client leaves.
    """
    task, leaves = asyncio.ensure_future(work), asyncio.ensure_future(_wait_for_end(request, is_read))
    try:
        await asyncio.wait({task, leaves}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ServiceError(499, "request", "a client that left", "one that waits for its answer")
    finally:
        task.cancel()
        leaves.cancel()


async def _wait_for_end(request: Request, is_read: asyncio.Event | None) -> None:
    if is_read:
        await is_read.wait()
    while (await request.receive())["type"] != "http.disconnect":
        pass
