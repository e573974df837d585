"""Read the bodies of requests, with limits of size and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request
from starlette.requests import ClientDisconnect

from asr_punct.serve.errors import ServiceError
from asr_punct.serve.limits import Limits


class Bodies:
    """Reads bodies; all bodies that are in use together have at most `limits.buffered_bytes`."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._buffered = limits, 0

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """Read the body of a request; it counts as in use inside the context.

        Raises ServiceError if the body is too large or takes too long, or too many bodies are in use.
        """
        most = self._limits.body_bytes
        declared = request.headers.get("content-length", "0")
        if not declared.isdecimal() or int(declared) > most:
            raise ServiceError(413, "body", f"{declared[:20]} bytes", f"at most {most} bytes")
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.request_s):
                async for part in request.stream():
                    size += len(part)
                    self._buffered += len(part)
                    if size > most:
                        raise ServiceError(413, "body", f"{size} bytes or more", f"at most {most} bytes")
                    if self._buffered > self._limits.buffered_bytes:
                        raise ServiceError(503, "queue", "too many large requests", "fewer at the same time", 1)
                    parts.append(part)
            yield b"".join(parts)
        except (TimeoutError, ClientDisconnect):
            raise ServiceError(408, "body", "a body that does not end", "a whole request") from None
        finally:
            self._buffered -= size
