"""Viewers of streams: what the service answers to a stream with a name goes to all who watch this name."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress

from asr_punct.serve.connections import Connection

_WAITING = 100
"""Maximum number of messages that wait for a viewer; a slower one misses the oldest."""


class Audience:
    """The viewers of each name."""

    def __init__(self) -> None:
        self._viewers: defaultdict[str, set[asyncio.Queue[str]]] = defaultdict(set)

    def publish(self, name: str, message: str) -> None:
        """Give a message to the viewers of a name."""
        for waiting in self._viewers.get(name, ()):
            if waiting.full():
                waiting.get_nowait()
            waiting.put_nowait(message)

    async def serve(self, name: str, connection: Connection) -> None:
        """Send the messages of a name to a viewer until it leaves, the service stops, or the time of idle clients."""
        waiting = asyncio.Queue[str](_WAITING)
        self._viewers[name].add(waiting)
        sending = asyncio.create_task(_send(waiting, connection))
        try:
            while await connection.receive() is not None:
                pass
            await connection.finish()
        finally:
            sending.cancel()
            self._viewers[name].discard(waiting)
            if not self._viewers[name]:
                del self._viewers[name]
            with suppress(asyncio.CancelledError):
                await sending


async def _send(waiting: asyncio.Queue[str], connection: Connection) -> None:
    while True:
        await connection.send(await waiting.get())
