"""The WebSocket `/v1/stream`: words in, committed words out.

A stream stays in one worker, which decides the words that arrive together in one run of the model. Messages of many
words, which no live recogniser sends, wait for those of few words. While the model runs, Python's lock is free for the
other threads.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any
from weakref import WeakValueDictionary

from pydantic import ValidationError

from asr_punct.errors import AsrPunctError, plural
from asr_punct.formats.json.own import word_object
from asr_punct.glyphs import Glyphs
from asr_punct.inference.options import OutputOptions, StreamSettings
from asr_punct.inference.stream_pool import StreamPool
from asr_punct.inference.stream_words import Committed
from asr_punct.serve.connections import BAD_MESSAGE, INTERNAL, Connection, DisconnectedError
from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.models import Models
from asr_punct.serve.prometheus import Metrics
from asr_punct.serve.schema import latest_start
from asr_punct.serve.service_errors import ServiceError, validation_error
from asr_punct.serve.stream_messages import ClientMessage, StreamConfig
from asr_punct.serve.turns import Work, Worker
from asr_punct.words import Seconds, Word

_LIVE_WORDS = 8
"""Maximum number of words of a message that does not wait for others: a recogniser sends a few words at a time."""
_BULK_WORDS = 40
"""Maximum number of words of larger messages in one run; a message with more of them has a run of its own."""


class Streams:
    """The open streams, in one worker for each of the `threads`."""

    def __init__(self, models: Models, limits: ServiceLimits, metrics: Metrics, threads: int) -> None:
        self._models, self._limits, self._metrics = models, limits, metrics
        workers = [Worker(_pool_of, _decide, small=_LIVE_WORDS, together=_BULK_WORDS) for _ in range(threads)]
        self._open = dict.fromkeys(workers, 0)  # number of streams
        self._pools = WeakValueDictionary[tuple[object, ...], StreamPool[LiveStream]]()

    def close(self) -> None:
        """Stop the threads after the work that waits."""
        for worker in self._open:
            worker.close()

    async def serve(self, connection: Connection) -> None:
        """Answer the messages of one client until it disconnects, is idle or sends a bad one, or the service stops."""
        try:
            message = await _receive(connection, self._limits)
            if message is None:
                await connection.finish()
                return
            async with self._stream(connection, message.config or StreamConfig()) as stream:
                await stream.run(message)
        except ServiceError as error:
            await connection.send(json.dumps(error.content))
            await connection.close(BAD_MESSAGE if error.status < 500 else INTERNAL, str(error))

    @asynccontextmanager
    async def _stream(self, connection: Connection, config: StreamConfig) -> AsyncIterator[LiveStream]:
        """Open a stream in the worker with the fewest ones. Raises ServiceError for an unknown model."""
        name, language, settings = self._models.check(config.model), config.language or "", config.settings()
        output = _output(config)
        punctuator = await asyncio.to_thread(self._models.get, name, output)
        worker = min(self._open, key=self._open.__getitem__)
        # streams of one worker with equal settings share a pool, which exists as long as they
        pool = self._pools.setdefault(
            (worker, name, language, settings, output), punctuator.stream_pool(language, settings)
        )
        self._open[worker] += 1
        stream = LiveStream(connection, self._limits, self._metrics, config, settings, worker, pool, punctuator.glyphs)
        try:
            yield stream
        finally:
            self._open[worker] -= 1
            worker.put(_Event(0, stream, closes=True))


@dataclass(eq=False)
class _Event(Work[dict[str, Any]]):
    """What happens in a stream: new words, the end of the document, a pause, or the end of the stream.

    The result is the answer to the client, without the client's own `partial`.
    """

    stream: LiveStream
    words: Sequence[Word] = ()
    ends: bool = False
    idle_s: Seconds | None = None
    closes: bool = False


@dataclass(eq=False)
class LiveStream:
    """The stream of one client: its messages, and its words, which only the worker's thread changes.

    Attributes:
        settings: those of `config`.
        pool: the worker's streams with the same model and settings.
        glyphs: how words are written.
        last_start: start of the document's last word with a time, in seconds; no later word may start before it.
        partial: further words of the last message, which may change.
        pending: text of the words that are not committed.
        skipped: number of pending words that are not returned, because the client already has them.
        returned: number of words that were returned.
        warnings: warnings about the language that the client has or gets with the next answer.
    """

    connection: Connection
    limits: ServiceLimits
    metrics: Metrics
    config: StreamConfig
    settings: StreamSettings
    worker: Worker[_Event]
    pool: StreamPool[LiveStream]
    glyphs: Glyphs
    last_start: Seconds = 0.0
    partial: str = ""
    pending: deque[str] = field(default_factory=deque)
    skipped: int = 0
    returned: int = 0
    warnings: list[str] = field(default_factory=list)

    async def run(self, message: ClientMessage | None) -> None:
        """Answer this message and those after it. Then commit the remaining words and close the connection."""
        await self._read_context()
        try:
            while message:
                with self.metrics.commit_seconds.time():
                    await self._answer(message)
                message = await self._next_message()
        except DisconnectedError as error:
            if self.connection.on_text and error.has_left:
                await self._send(ends=True)  # viewers get its last words
            raise
        code, reason, may_continue = self.connection.closing
        if self.pending and may_continue:  # in mid-sentence
            await self._send(idle_s=max(self.settings.flush_after, StreamSettings.flush_after))
        await self._send(ends=True)
        await self.connection.close(code, reason)

    async def _read_context(self) -> None:
        """Read the committed words of an earlier stream; their labels are decided again."""
        if committed := self.config.committed:
            self.skipped = len(committed)
            self.last_start = next((word.start for word in reversed(committed) if word.start is not None), 0.0)
            await self._decided([replace(word.to_word(), labels=None) for word in committed])

    async def _next_message(self) -> ClientMessage | None:
        """Return the next message, None at the end; a pause before it commits the words that wait."""
        if self.connection.is_behind:
            return None
        if self.pending and await self.connection.is_quiet(self.settings.flush_after):
            await self._send(idle_s=self.settings.flush_after, is_asked=False)
        message = await _receive(self.connection, self.limits)
        if message and message.config:
            raise ServiceError(422, "message", "a config", "it only in the first message")
        return message

    async def _answer(self, message: ClientMessage) -> None:
        try:
            start = latest_start(message.words, self.last_start)
        except ValueError as error:
            found = f"a word that starts at {error}"
            raise ServiceError(422, "message: words", found, "words in the order of time") from None
        self.last_start, self.partial = 0.0 if message.end else start, message.partial or ""
        words = [word.to_word() for word in message.words]
        if message.speaker:
            words = [replace(word, speaker=word.speaker or message.speaker) for word in words]
        await self._send(words, ends=message.end)

    async def _send(
        self, words: Sequence[Word] = (), *, ends: bool = False, idle_s: Seconds | None = None, is_asked: bool = True
    ) -> None:
        """Send committed words, and as partial text the other words followed by the client's `partial`.

        An answer for which no message asks is sent only if it has committed words or warnings.
        """
        answer = await self._decided(words, ends=ends, idle_s=idle_s)
        if not (is_asked or answer["final"] or "warnings" in answer):
            return
        self.metrics.words.labels("stream").inc(len(answer["final"]))
        answer["partial"] = " ".join(f"{answer['partial']} {self.partial}".split())
        await self.connection.send(json.dumps(answer, ensure_ascii=False))

    async def _decided(
        self, words: Sequence[Word], *, ends: bool = False, idle_s: Seconds | None = None
    ) -> dict[str, Any]:
        """Let the worker add words, end the document, or report a pause; return the answer."""
        event = _Event(len(words), self, words, ends, idle_s)
        self.worker.put(event)
        return await event.wait()

    def commit(self, committed: Iterable[Committed]) -> list[dict[str, Any]]:
        """Return committed words as JSON (`schema.PunctuatedWord`), without those that the client already has."""
        found = []
        for each in committed:
            self.pending.popleft()
            if self.skipped:
                self.skipped -= 1
            else:
                self.returned += 1
                item = word_object(replace(each.word, labels=each.labels), self.glyphs)
                found.append({**item, "written": each.written})
        return found

    def answer(
        self, final: Sequence[Mapping[str, Any]], preview: Iterable[Committed] | None, *, ends: bool
    ) -> dict[str, Any]:
        """Return the answer with these committed words; without a preview, the other words have no marks."""
        words = self.pending if preview is None else (each.written for each in preview)
        answer: dict[str, Any] = {"final": final, "partial": " ".join(islice(words, self.skipped, None))}
        if ends:
            answer["end"] = self.returned
        if new := [warning for warning in self.pool.warnings(self) if warning not in self.warnings]:
            self.warnings += new
            answer["warnings"] = new
        return answer


async def _receive(connection: Connection, limits: ServiceLimits) -> ClientMessage | None:
    """Return the next message, None at the end. Raises ServiceError for a bad one."""
    raw = await connection.receive()
    if raw is None:
        return None
    if isinstance(raw, bytes):
        raise ServiceError(422, "message", "bytes", "JSON as text")
    try:
        message = ClientMessage.model_validate_json(raw)
    except ValidationError as error:
        raise validation_error(error, "message") from None
    if len(message.words) > limits.message_words:
        raise ServiceError(422, "message", plural(len(message.words), "word"), f"at most {limits.message_words}")
    return message


def _output(config: StreamConfig) -> OutputOptions:
    try:
        return config.output()
    except AsrPunctError as error:
        raise ServiceError(422, f"message: config: {error.place}", error.found, error.expected) from None


def _pool_of(event: _Event) -> StreamPool[LiveStream]:
    return event.stream.pool


def _decide(group: Sequence[_Event]) -> Iterable[None]:
    """Give the events of streams of one pool to it, and set their answers; all words are decided in one run."""
    pool = _pool_of(group[0])
    pool.close(event.stream for event in group if event.closes)
    events = [event for event in group if not event.closes]
    for event in events:
        event.stream.pending.extend(word.text for word in event.words)
    committed = defaultdict[LiveStream, list[Committed]](list)
    for part in (
        pool.push({event.stream: event.words for event in events if event.words}),
        pool.flush([event.stream for event in events if event.ends]),
        pool.idle({event.stream: event.idle_s for event in events if event.idle_s is not None}),
    ):
        for stream, words in part.items():
            committed[stream] += words
    final = {event.stream: event.stream.commit(committed[event.stream]) for event in events}
    previews = pool.preview(stream for stream in final if stream.config.preview and stream.pending)
    for event in events:
        stream = event.stream
        event.finish(stream.answer, final[stream], previews.get(stream), ends=event.ends)
    return ()
