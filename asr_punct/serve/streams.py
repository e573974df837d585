"""Live streams: one worker thread computes those of all connections."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from asr_punct.errors import AsrPunctError
from asr_punct.formats.json import word_object
from asr_punct.inference.stream import Committed, Stream
from asr_punct.serve.errors import ServiceError, bad_request
from asr_punct.serve.messages import StreamConfig
from asr_punct.serve.models import Models
from asr_punct.words import Word

_LOG = logging.getLogger(__name__)
CommittedWord = dict[str, Any]
"""A committed word as JSON: `schema.PunctuatedWord`."""


@dataclass(eq=False)
class LiveStream:
    """A stream of one connection. Only one call may be in progress.

    Attributes:
        streams: the streams of the service.
        stream: the stream of the punctuator; only the worker thread uses it.
        pending: words that are not committed.
        skipped: number of pending words that are not returned, because the client already has them.
        returned: number of words that were returned.
    """

    streams: Streams
    stream: Stream
    pending: deque[str] = field(default_factory=deque)
    skipped: int = 0
    returned: int = 0

    async def push(self, words: Sequence[Word]) -> list[CommittedWord]:
        """Add words and return those that are decided now."""
        return await self.streams.submit(self, words, ends=False)

    async def flush(self) -> list[CommittedWord]:
        """End the document and return its remaining words."""
        return await self.streams.submit(self, (), ends=True)

    def preview(self, partial: str) -> str:
        """Return the words that are not committed, followed by those of `partial`."""
        return " ".join([*islice(self.pending, self.skipped, None), *partial.split()])


@dataclass(eq=False)
class _Work:
    """Words of one stream, or its end, and the future of the committed words."""

    stream: LiveStream
    words: Sequence[Word]
    ends: bool
    result: asyncio.Future[list[CommittedWord]]


class Streams:
    """Runs the streams of all connections in a worker thread.

    Args:
        models: the models.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread after the work that waits."""
        self._work.put(None)

    async def open(self, config: StreamConfig) -> LiveStream:
        """Open a stream, with the committed words of the configuration as its context.

        Raises:
            ServiceError: unknown model.
        """
        name = self._models.check_language(config.model, config.language)
        punctuator = await asyncio.to_thread(self._models.get, name)
        live = LiveStream(self, punctuator.stream(config.left, config.right), skipped=len(config.committed))
        if config.committed:
            await live.push([replace(word.to_word(), labels=None) for word in config.committed])  # decided again
        return live

    async def submit(self, stream: LiveStream, words: Sequence[Word], *, ends: bool) -> list[CommittedWord]:
        """Push words into a stream, or end its document, and return the committed words."""
        work = _Work(stream, words, ends, asyncio.get_running_loop().create_future())
        self._work.put(work)
        return await work.result

    def _run(self) -> None:
        while (first := self._work.get()) is not None:
            group = [first, *self._waiting()]
            results = [(work.result, _compute(work)) for work in group]
            loop = first.result.get_loop()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_deliver, results)

    def _waiting(self) -> Iterator[_Work]:
        """Yield the work that waits. The None that ends the queue stays in it."""
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            if work is None:
                self._work.put(None)
                return
            yield work


def _compute(work: _Work) -> list[CommittedWord] | Exception:
    """Return the words that a stream commits now, or the error."""
    live = work.stream
    try:
        live.pending.extend(word.text for word in work.words)
        committed = [each for word in work.words for each in live.stream.push(word)]
        if work.ends:
            committed += live.stream.flush()
        return list(_new_words(live, committed))
    except AsrPunctError as error:
        return bad_request(error)
    except Exception as error:
        _LOG.error("internal error", exc_info=error)
        return ServiceError(500, "service", "an internal error", "an answer; the log has the error")


def _new_words(live: LiveStream, committed: Iterable[Committed]) -> Iterator[CommittedWord]:
    """Yield committed words as JSON, without those that the client already has."""
    for each in committed:
        live.pending.popleft()
        if live.skipped:
            live.skipped -= 1
        else:
            live.returned += 1
            yield dict(word_object(replace(each.word, labels=each.labels), live.stream.glyphs))


def _deliver(results: Sequence[tuple[asyncio.Future[list[CommittedWord]], list[CommittedWord] | Exception]]) -> None:
    """Set the results in the event loop; the connection of a future may be gone."""
    for future, result in results:
        if future.done():
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
