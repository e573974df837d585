"""Viewers of streams: what the service answers to a stream with a name goes to all who watch this name."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field

from asr_punct.serve.connections import BEHIND, Connection, DisconnectedError

_WAITING = 100
"""Maximum number of messages that wait for a viewer; a slower one gets these, and is told that it misses others."""


@dataclass(eq=False)
class _Viewer:
    """A connection, and the messages that wait for it; one that is behind gets no more."""

    connection: Connection
    waiting: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    is_behind: bool = False

    async def watch(self) -> None:
        """Wait until the viewer leaves or the service stops; what it says is not read."""
        while await self.connection.receive() is not None:
            pass
        await self.waiting.join()
        await self.connection.finish()

    async def send(self) -> None:
        """Send the messages; end once the viewer is behind, after those that wait."""
        while not (self.is_behind and self.waiting.empty()):
            await self.connection.send(await self.waiting.get())
            self.waiting.task_done()
        await self.connection.close(BEHIND, "captions are missing: connect again")


class Audience:
    """The viewers of each name."""

    def __init__(self) -> None:
        self._viewers: defaultdict[str, set[_Viewer]] = defaultdict(set)

    def publish(self, name: str, message: str) -> None:
        """Give a message to the viewers of a name."""
        for viewer in list(self._viewers.get(name, ())):
            if viewer.waiting.qsize() < _WAITING:
                viewer.waiting.put_nowait(message)
            else:
                viewer.is_behind = True
                self._forget(name, viewer)

    async def serve(self, name: str, connection: Connection) -> None:
        """Send the messages of a name to a viewer until it leaves or is behind, or the service stops."""
        viewer = _Viewer(connection)
        self._viewers[name].add(viewer)
        tasks = asyncio.create_task(viewer.send()), asyncio.create_task(viewer.watch())
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._forget(name, viewer)
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError, DisconnectedError):
                    await task

    def _forget(self, name: str, viewer: _Viewer) -> None:
        self._viewers[name].discard(viewer)
        if not self._viewers[name]:
            del self._viewers[name]
