"""A client of `/v1/stream` that reconnects: no word is lost, and none is returned twice."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from pydantic import TypeAdapter, ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from asr_punct.errors import ArgumentError, AsrPunctError, first_line
from asr_punct.serve.schema import ErrorAnswer, GivenWord, TimedWord
from asr_punct.serve.service_errors import validation_error
from asr_punct.serve.stream_messages import ServerMessage
from asr_punct.words import Seconds, Word

_LOG = logging.getLogger(__name__)
_MESSAGE_WORDS = 100
"""Maximum number of words in a message."""
_CONTEXT_WORDS = 100
"""Number of committed words that are sent again as context of a new connection."""
_PONG_S = 60.0
"""Seconds to wait for the answer to a ping."""
_REFUSED = frozenset({401, 403, 404})
"""HTTP statuses after which the client does not try again."""
_WORD: TypeAdapter[TimedWord] = TypeAdapter(GivenWord)
CommittedWord = dict[str, Any]
"""A committed word: `word`, `start`, `end`, `marks`, `case`, `written`."""


class StreamClient:
    """Sends the words of one document and receives them with marks and capitals.

        async with StreamClient("ws://127.0.0.1:8080/v1/stream") as client:
            await client.send("hola", "qué", "tal")
            await client.end()
            async for word in client:
                print(word["written"])

    If the connection breaks, it opens another one with the last committed words as context, and sends all words again
    that are not committed. Warnings of the service, such as one about the language, are logged once.

    Args:
        url: address of the service: `ws://…` or `wss://…`.
        token: token that the service requires, or "".
        config: settings of the stream, as in the protocol (see `stream_messages.StreamConfig`), without `committed`.
        retry_s: seconds between attempts to connect.
        max_waiting: maximum number of words that are not committed; `send` waits while there are so many.
        connect_s: seconds after which the client fails if it has never been connected.

    Raises AsrPunctError if the address is malformed.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        config: Mapping[str, Any] | None = None,
        retry_s: Seconds = 0.5,
        max_waiting: int = 10_000,
        connect_s: Seconds = 10.0,
    ) -> None:
        _check_url(url)
        self._url, self._token, self._config, self._retry_s = url, token, dict(config or {}), retry_s
        self._max_waiting, self._connect_s = max_waiting, connect_s
        self._place = url.partition("?")[0]  # without a token
        self._waiting: deque[dict[str, Any]] = deque()  # not committed
        self._sent = 0  # how many of them were sent on this connection
        self._context: deque[CommittedWord] = deque(maxlen=_CONTEXT_WORDS)
        self._changed = asyncio.Condition()
        self._ends = False
        self._was_connected = False
        self._failure: AsrPunctError | None = None
        self._logged: set[str] = set()  # warnings of the service, which repeats them on each connection
        self._committed: asyncio.Queue[CommittedWord | BaseException | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.partial = ""
        """The words that are not committed yet, with provisional marks and capitals."""

    async def __aenter__(self) -> StreamClient:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def send(self, *words: str | Word | Mapping[str, Any]) -> None:
        """Send the next words, each as text, as a Word, or as an object of the protocol: `{"word": …, "start": …}`.

        Raises AsrPunctError for anything else, and if the service refuses the client.
        """
        found = [_as_json(word) for word in words]
        async with self._changed:
            await self._changed.wait_for(
                lambda: len(self._waiting) < self._max_waiting or not self._task or self._task.done() or self._failure
            )
            if self._failure:
                raise self._failure
            self._waiting.extend(found)
            self._changed.notify_all()

    async def end(self) -> None:
        """End the document. The remaining words are committed; then the iteration ends."""
        async with self._changed:
            self._ends = True
            self._changed.notify_all()

    async def __aiter__(self) -> AsyncIterator[CommittedWord]:
        """Yield each committed word, in order. Raises AsrPunctError if the service refuses the client or its words."""
        while (item := await self._committed.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    async def _run(self) -> None:
        """Connect until the document has ended, or the first connection could not be opened for `connect_s`."""
        deadline = time.monotonic() + self._connect_s
        try:
            while (problem := await self._connect()) is not None:
                if not self._was_connected and time.monotonic() + self._retry_s > deadline:
                    raise problem
                await asyncio.sleep(self._retry_s)
            self._committed.put_nowait(None)
        except AsrPunctError as error:
            self._committed.put_nowait(error)
            async with self._changed:
                self._failure = error
                self._changed.notify_all()

    async def _connect(self) -> AsrPunctError | None:
        """Open a connection and use it until it breaks; return the problem, or None if the document has ended."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        options: dict[str, Any] = {"additional_headers": headers, "compression": None, "ping_timeout": _PONG_S}
        is_open = False
        try:
            async with connect(self._url, open_timeout=self._connect_s, **options) as connection:
                is_open = self._was_connected = True
                self._sent = 0
                config = {**self._config, "committed": list(self._context)}
                await connection.send(json.dumps({"config": config}))
                sending = asyncio.create_task(self._send_words(connection))
                try:
                    if await self._receive(connection):
                        return None
                finally:
                    sending.cancel()
                found = f"the end of the connection ({connection.close_code})"
                problem = AsrPunctError(self._place, found, "a stream")
        except InvalidStatus as error:
            problem = self._refusal(error)
            if error.response.status_code in _REFUSED:
                raise problem from None
        except (OSError, TimeoutError, WebSocketException) as error:
            problem = AsrPunctError(self._place, first_line(error), "a service that answers")
        if is_open:  # one line for a break, none for the attempts after it
            _LOG.warning("%s; the client connects again", problem)
        return problem

    def _refusal(self, error: InvalidStatus) -> AsrPunctError:
        """Return the error of the service's answer, or its status if the answer is of another server."""
        try:
            parts = ErrorAnswer.model_validate_json(error.response.body or b"").error
        except ValidationError:
            return AsrPunctError(self._place, f"status {error.response.status_code}", "a stream")
        return AsrPunctError(f"{self._place}: {parts.place}", parts.found, parts.expected)

    async def _send_words(self, connection: ClientConnection) -> None:
        """Send words as they are added, then the end of the document."""
        with suppress(WebSocketException, OSError):
            while True:
                async with self._changed:
                    await self._changed.wait_for(lambda: self._sent < len(self._waiting) or self._ends)
                    words = list(islice(self._waiting, self._sent, self._sent + _MESSAGE_WORDS))
                    self._sent += len(words)
                    ends = self._ends and self._sent == len(self._waiting)
                await connection.send(json.dumps({"words": words, **({"end": True} if ends else {})}))
                if ends:
                    return

    async def _receive(self, connection: ClientConnection) -> bool:
        """Receive answers. Return True at the end of the document, False if the service closes the connection.

        Raises AsrPunctError for an error of the service, or if it is another service.
        """
        async for raw in connection:
            try:
                message = ServerMessage.model_validate_json(raw)
            except ValidationError:
                message = None
            if message is None or len(message.final) > self._sent:
                raise AsrPunctError(self._place, repr(raw[:80]), "an answer of asr-punct")
            if message.error:
                raise AsrPunctError(**message.error.model_dump())
            for warning in message.warnings:
                if warning not in self._logged:
                    self._logged.add(warning)
                    _LOG.warning("%s: %s", self._place, warning)
            async with self._changed:
                for word in message.final:
                    self._waiting.popleft()
                    self._sent -= 1
                    self._context.append(word.model_dump(include={"word", "start", "end"}, exclude_none=True))
                    self._committed.put_nowait(word.model_dump(mode="json", exclude_none=True))
                self._changed.notify_all()
            self.partial = message.partial
            if self._ends and not self._waiting and message.end is not None:
                return True
        return False


def _check_url(url: str) -> None:
    try:
        parse_uri(url)
    except (InvalidURI, ValueError):
        expected = "an address with ws:// or wss://, such as ws://127.0.0.1:8080/v1/stream"
        raise ArgumentError("url", repr(url.partition("?")[0]), expected) from None


def _as_json(word: str | Word | Mapping[str, Any]) -> dict[str, Any]:
    """Return a word as an object of the protocol. Raises AsrPunctError if it is none."""
    if isinstance(word, Word):
        known: dict[str, Any] = {name: getattr(word, name) for name in ("start", "end", "confidence", "pause")}
        known["speaker"] = word.speaker or None
        if word.labels:
            known |= {"marks": sorted(map(str, word.labels.marks)), "case": str(word.labels.case)}
        return {"word": word.text, **{name: value for name, value in known.items() if value is not None}}
    if not isinstance(word, str | Mapping):
        raise ArgumentError("words", repr(word), "a text, a Word, or an object with the key 'word'")
    try:
        return _WORD.validate_python(word).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        bad = validation_error(error, "words")
        raise ArgumentError(bad.place, bad.found, bad.expected) from None
