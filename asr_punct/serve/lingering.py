"""The polite end of a connection whose client still sends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from asr_punct.words import Seconds


class Lingering:
    """A transport whose `close` lets a client that still sends read its last answer first.

    The system of a socket that is closed before all data are read resets the connection, and an answer that its client
    has not read is lost. So only the service's side is closed; what the client sends is read and dropped until it
    leaves, for `seconds` at most and `most_bytes` at most. All else is done by the transport.

    Args:
        has_more: whether the client may still send something that nobody reads.
    """

    def __init__(
        self, transport: asyncio.Transport, has_more: Callable[[], bool], seconds: Seconds, most_bytes: int
    ) -> None:
        self.transport = transport
        self._has_more, self._seconds, self._left = has_more, seconds, most_bytes
        self.is_lingering = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self.is_lingering or self.transport.is_closing()

    def close(self) -> None:
        """Close the connection once its client has read what was written."""
        if self.is_closing():
            return
        if not self._has_more():
            self.transport.close()
            return
        self.is_lingering = True
        self.transport.write_eof()
        self.transport.resume_reading()
        asyncio.get_running_loop().call_later(self._seconds, self.transport.abort)

    def drop(self, data: bytes) -> None:
        """Drop what the client sends; disconnect it if that is too much."""
        self._left -= len(data)
        if self._left < 0:
            self.transport.abort()
