"""A client of `/v1/stream` that reconnects: no word is lost, and none is returned twice."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from asr_punct.errors import AsrPunctError
from asr_punct.words import Seconds, Word

_BATCH = 100
"""Maximum number of words in a message."""
_CONTEXT = 100
"""Committed words that are sent again as context of a new connection."""
_PONG_S = 60.0
"""Seconds to wait for the answer to a ping."""
_CONTEXT_KEYS = ("word", "start", "end")
"""Keys of a committed word that are sent again."""
_REFUSED = frozenset({401, 403, 404})
"""HTTP statuses after which the client does not try again."""
Committed = dict[str, Any]
"""A committed word: `word`, `start`, `end`, `marks`, `case`, `written`."""


class StreamClient:
    """Sends the words of one document and receives them with marks and capitals.

        async with StreamClient("ws://127.0.0.1:8080/v1/stream") as client:
            await client.send("hola", "qué", "tal")
            await client.end()
            async for word in client:
                print(word["written"])

    If the connection breaks, it opens another one with the last committed words as context, and sends all words again
    that are not committed.

    Args:
        url: address of the service.
        token: token that the service requires, or "".
        config: settings of the stream: `language`, `model`, `left`, `right`.
        retry_s: seconds between attempts to connect.
        max_waiting: maximum number of words that are not committed; `send` waits while there are so many.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        config: Mapping[str, Any] | None = None,
        retry_s: Seconds = 0.5,
        max_waiting: int = 10_000,
    ) -> None:
        self._url, self._token, self._config, self._retry_s = url, token, dict(config or {}), retry_s
        self._max_waiting = max_waiting
        self._waiting: deque[dict[str, Any]] = deque()  # not committed
        self._sent = 0  # of these, words sent on this connection
        self._context: deque[Committed] = deque(maxlen=_CONTEXT)
        self._changed = asyncio.Condition()
        self._ends = False
        self._committed: asyncio.Queue[Committed | BaseException | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.partial = ""
        """The words that are not committed yet, with provisional marks and capitals."""

    async def __aenter__(self) -> StreamClient:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def send(self, *words: str | Word) -> None:
        """Send the next words."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self._waiting) < self._max_waiting or self._is_done)
            self._waiting.extend(map(_as_json, words))
            self._changed.notify_all()

    async def end(self) -> None:
        """End the document. The remaining words are committed; then the iteration ends."""
        async with self._changed:
            self._ends = True
            self._changed.notify_all()

    async def __aiter__(self) -> AsyncIterator[Committed]:
        """Yield each committed word, in order. Raises AsrPunctError if the service refuses the client or its words."""
        while (item := await self._committed.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    @property
    def _is_done(self) -> bool:
        return self._task is None or self._task.done()

    async def _run(self) -> None:
        """Connect until the document has ended."""
        try:
            while not await self._connect():
                await asyncio.sleep(self._retry_s)
            self._committed.put_nowait(None)
        except AsrPunctError as error:
            self._committed.put_nowait(error)

    async def _connect(self) -> bool:
        """Open a connection and use it until it breaks; return whether the document has ended."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            options: dict[str, Any] = {"additional_headers": headers, "compression": None, "ping_timeout": _PONG_S}
            async with connect(self._url, **options) as connection:
                self._sent = 0
                config = {**self._config, "committed": list(self._context)}
                await connection.send(json.dumps({"config": config}))
                sending = asyncio.create_task(self._send_words(connection))
                try:
                    return await self._receive(connection)
                finally:
                    sending.cancel()
        except InvalidHandshake as error:
            status = getattr(getattr(error, "response", None), "status_code", 0)
            if status in _REFUSED:
                raise AsrPunctError(f"{self._url}: found status {status}, expected a stream") from None
            return False
        except (OSError, TimeoutError, WebSocketException):
            return False

    async def _send_words(self, connection: ClientConnection) -> None:
        """Send words as they are added, then the end of the document."""
        with suppress(WebSocketException, OSError):
            while True:
                async with self._changed:
                    await self._changed.wait_for(lambda: self._sent < len(self._waiting) or self._ends)
                    words = [self._waiting[i] for i in range(self._sent, min(len(self._waiting), self._sent + _BATCH))]
                    self._sent += len(words)
                    ends = self._ends and self._sent == len(self._waiting)
                await connection.send(json.dumps({"words": words, **({"end": True} if ends else {})}))
                if ends:
                    return

    async def _receive(self, connection: ClientConnection) -> bool:
        """Receive answers until the document has ended or the connection breaks."""
        async for raw in connection:
            message = json.loads(raw)
            if error := message.get("error"):
                found = f"{error['place']}: found {error['found']}, expected {error['expected']}"
                raise AsrPunctError(found)
            async with self._changed:
                for word in message.get("final", ()):
                    self._waiting.popleft()
                    self._sent -= 1
                    self._context.append({name: word[name] for name in _CONTEXT_KEYS if name in word})
                    self._committed.put_nowait(word)
                self._changed.notify_all()
            self.partial = message.get("partial", "")
            if self._ends and not self._waiting and "end" in message:
                return True
        return False


def _as_json(word: str | Word) -> dict[str, Any]:
    if isinstance(word, str):
        return {"word": word}
    known = {"start": word.start, "end": word.end, "confidence": word.confidence, "pause": word.pause}
    return {"word": word.text, **{name: value for name, value in known.items() if value is not None}}
