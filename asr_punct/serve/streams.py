"""Live streams: worker threads share them, and decide the words that arrive together in one run of the model.

A stream stays in one thread. Messages of many words, which no live recogniser sends, wait for those of few words: each
run takes only some of them, so that a client that sends much delays itself. While the model runs, Python's lock is free
for the other threads.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from asr_punct.errors import AsrPunctError
from asr_punct.formats.json.own import word_object
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.stream import Committed
from asr_punct.inference.stream_pool import StreamPool
from asr_punct.marks import Glyphs
from asr_punct.serve.errors import ServiceError, bad_request
from asr_punct.serve.models import Models
from asr_punct.serve.schema import StreamConfig
from asr_punct.words import Seconds, Word

_LOG = logging.getLogger(__name__)
_LIVE_WORDS = 8
"""Maximum number of words of a message that does not wait for others: a recogniser sends a few words at a time."""
_BULK_WORDS = 32
"""A run takes messages of more than `_LIVE_WORDS` words only until it has this many words of them."""


class Answer(NamedTuple):
    """Words that are committed now, as JSON (`schema.PunctuatedWord`), text of the pending words, and new warnings."""

    final: list[dict[str, Any]]
    partial: str
    warnings: Sequence[str] = ()


@dataclass(eq=False)
class LiveStream:
    """A stream of one connection. Only one call may be in progress.

    Attributes:
        worker: the thread that computes the stream.
        pool: the worker's streams with the same model and settings; only the worker's thread uses it.
        glyphs: how words are written.
        preview: whether the partial words of answers have provisional marks and capitals.
        pending: text of the words that are not committed.
        skipped: number of pending words that are not returned, because the client already has them.
        returned: number of words that were returned.
        warnings: warnings about the language that the client has or gets with the next answer.
    """

    worker: _Worker
    pool: StreamPool[LiveStream]
    glyphs: Glyphs
    preview: bool = True
    pending: deque[str] = field(default_factory=deque)
    skipped: int = 0
    returned: int = 0
    warnings: list[str] = field(default_factory=list)

    def new_warnings(self) -> list[str]:
        """Return the warnings that were not returned before. Only the thread of the stream calls this."""
        new = [warning for warning in self.pool.warnings(self) if warning not in self.warnings]
        self.warnings += new
        return new

    async def push(self, words: Sequence[Word] = (), *, ends: bool = False, idle_s: Seconds | None = None) -> Answer:
        """Add words, end the document if `ends`, or report that no word has begun for `idle_s`."""
        answer: Future[Answer] = Future()
        self.worker.work.put(_Work(self, words, ends, idle_s, answer))
        return await asyncio.wrap_future(answer)

    def close(self) -> None:
        """Close the stream."""
        self.worker.streams -= 1
        self.worker.work.put(_Work(self))


@dataclass(eq=False)
class _Work:
    """New words or another event of a stream, and the future of the answer; without a future, the stream is closed."""

    stream: LiveStream
    words: Sequence[Word] = ()
    ends: bool = False
    idle_s: Seconds | None = None
    answer: Future[Answer] | None = None


class Streams:
    """Runs the streams of all connections in worker threads."""

    def __init__(self, models: Models, threads: int) -> None:
        self._models = models
        self.workers = [_Worker() for _ in range(threads)]

    def close(self) -> None:
        """Stop the threads after the work that waits."""
        for worker in self.workers:
            worker.work.put(None)

    async def open(self, config: StreamConfig) -> LiveStream:
        """Open a stream, with the committed words of the configuration as its context.

        Raises ServiceError for an unknown model.
        """
        name = self._models.check(config.model)
        punctuator = await asyncio.to_thread(self._models.get, name)
        worker = min(self.workers, key=lambda worker: worker.streams)
        pool = worker.pool(name, punctuator, config)
        live = LiveStream(worker, pool, punctuator.glyphs, config.preview, skipped=len(config.committed))
        worker.streams += 1
        try:
            if config.committed:
                await live.push([replace(word.to_word(), labels=None) for word in config.committed])  # decided again
        except BaseException:
            live.close()
            raise
        return live


class _Worker:
    """A thread, and the streams that it computes.

    Attributes:
        streams: number of its streams.
        work: queue of the work that waits; None stops the thread after the work before it.
    """

    def __init__(self) -> None:
        self.streams = 0
        self._pools: WeakValueDictionary[tuple[object, ...], StreamPool[LiveStream]] = WeakValueDictionary()
        self.work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._bulk: deque[_Work] = deque()
        threading.Thread(target=self._run, name="streams", daemon=True).start()

    def pool(self, name: str, punctuator: Punctuator, config: StreamConfig) -> StreamPool[LiveStream]:
        """Return the pool of the streams of a model with these settings, which exists as long as such streams."""
        settings = StreamSettings(config.left, config.right, config.hop, config.flush_after, config.patience)
        key = name, config.language or "", settings
        if (pool := self._pools.get(key)) is None:
            pool = self._pools[key] = punctuator.stream_pool(config.language or "", settings)
        return pool

    def _run(self) -> None:
        while works := self._take():
            by_pool = defaultdict[StreamPool[LiveStream], list[_Work]](list)
            for work in works:
                by_pool[work.stream.pool].append(work)
            for pool, group in by_pool.items():
                _compute(pool, group)

    def _take(self) -> list[_Work]:
        """Wait for work, and return the part of it for the next run; [] at the end of the queue."""
        found = list[_Work]()
        for work in self._waiting():
            (self._bulk if len(work.words) > _LIVE_WORDS else found).append(work)
        closed = {work.stream for work in found if not work.answer}
        self._bulk = deque(work for work in self._bulk if work.stream not in closed)
        words = 0
        while self._bulk and words < _BULK_WORDS:
            words += len(self._bulk[0].words)
            found.append(self._bulk.popleft())
        return found

    def _waiting(self) -> Iterator[_Work]:
        """Yield the work in the queue; wait for some if there is none. The None that ends the queue stays in it."""
        must_wait = not self._bulk
        while True:
            try:
                work = self.work.get(block=must_wait)
            except queue.Empty:
                return
            if work is None:
                self.work.put(None)
                return
            must_wait = False
            yield work


def _compute(pool: StreamPool[LiveStream], group: Sequence[_Work]) -> None:
    """Set the answer or the error of each stream; all words are decided in one run."""
    found: dict[LiveStream, Answer] = {}
    failure: Exception | None = None
    try:
        found = _answers(pool, [work for work in group if work.answer])
    except AsrPunctError as error:
        failure = bad_request(error)
    except Exception as error:
        _LOG.error("internal error", exc_info=error)
        failure = ServiceError(500, "service", "an internal error", "an answer; the log has the error")
    pool.close(work.stream for work in group if not work.answer)
    for work in group:
        if work.answer and work.answer.set_running_or_notify_cancel():  # else the connection is gone
            if failure:
                work.answer.set_exception(failure)
            else:
                work.answer.set_result(found[work.stream])


def _answers(pool: StreamPool[LiveStream], group: Sequence[_Work]) -> dict[LiveStream, Answer]:
    """Give the words, ends and pauses of the group to the pool, and return the answer for each stream."""
    for work in group:
        work.stream.pending.extend(word.text for word in work.words)
    committed = defaultdict[LiveStream, list[Committed]](list)
    for part in (
        pool.push({work.stream: work.words for work in group if work.words}),
        pool.flush([work.stream for work in group if work.ends]),
        pool.idle({work.stream: work.idle_s for work in group if work.idle_s is not None}),
    ):
        for stream, words in part.items():
            committed[stream] += words
    final = {work.stream: list(_new_words(work.stream, committed[work.stream])) for work in group}
    previews = pool.preview(stream for stream in final if stream.preview and stream.pending)
    return {
        stream: Answer(words, _partial(stream, previews.get(stream)), stream.new_warnings())
        for stream, words in final.items()
    }


def _new_words(live: LiveStream, committed: Iterable[Committed]) -> Iterator[dict[str, Any]]:
    """Yield committed words as JSON, without those that the client already has."""
    for each in committed:
        live.pending.popleft()
        if live.skipped:
            live.skipped -= 1
        else:
            live.returned += 1
            item = dict(word_object(replace(each.word, labels=each.labels), live.glyphs))
            yield item | {"written": each.written}


def _partial(live: LiveStream, preview: Iterable[Committed] | None) -> str:
    """Return the words that are not committed, with provisional marks and capitals if there is a preview."""
    words = live.pending if preview is None else (each.written for each in preview)
    return " ".join(islice(words, live.skipped, None))
