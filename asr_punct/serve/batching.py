"""Requests wait in a bounded queue and are computed in worker threads: short ones together, long ones alone."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, islice
from typing import TypeVar

from asr_punct.serve.documents import Answer, Document, Reader, write_answer
from asr_punct.serve.errors import ServiceError
from asr_punct.serve.limits import Limits
from asr_punct.serve.metrics import Metrics
from asr_punct.serve.models import Models
from asr_punct.words import Utterance

_Result = TypeVar("_Result")
_LOG = logging.getLogger(__name__)
_SHORT_BYTES = 8 * 2**10
"""Requests of at most this size have a thread of their own, so that they do not wait for long documents."""
_BATCH = 32
"""Maximum number of short requests that are computed together."""
_FULL = "a full queue", "fewer requests at the same time"


@dataclass(eq=False)
class _Job:
    """A request.

    Attributes:
        read: parses it.
        deadline: time of `time.monotonic` at which the client gets an error.
        kind: kind of its words for the metrics: `http` or `vosk`.
        answer: the result.
    """

    read: Reader
    deadline: float
    kind: str
    answer: Future[Answer] = field(default_factory=Future)

    def check(self) -> None:
        """Raise ServiceError if nobody waits for the answer."""
        if time.monotonic() > self.deadline:
            raise ServiceError(503, "request", "a request that takes too long", "a shorter document", 1)


_Queue = queue.SimpleQueue[_Job | None]


class Batcher:
    """Computes the answers to requests.

    Args:
        models: the models.
        limits: `requests` and `request_s` are used.
        metrics: gets the length of the queue and the number of words.
        threads: number of threads for long requests.
    """

    def __init__(self, models: Models, limits: Limits, metrics: Metrics, threads: int) -> None:
        self._models, self._limits, self._metrics = models, limits, metrics
        self._short, self._long = _Queue(), _Queue()
        self._count = 0
        self._threads = [threading.Thread(target=self._run, args=(self._short, _BATCH), name="short", daemon=True)]
        for number in range(threads):
            name = f"long-{number}"
            self._threads.append(threading.Thread(target=self._run, args=(self._long, 1), name=name, daemon=True))
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop the threads when the queues are empty."""
        self._short.put(None)
        for _ in self._threads[1:]:
            self._long.put(None)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a request. Raises ServiceError if there are too many."""
        if self._count >= self._limits.requests:
            self._metrics.refused.labels("queue").inc()
            raise ServiceError(503, "queue", *_FULL, retry_after_s=1)
        self._count += 1
        self._metrics.queue.set(self._count)
        try:
            yield
        finally:
            self._count -= 1
            self._metrics.queue.set(self._count)

    async def submit(self, read: Reader, size: int, kind: str = "http") -> Answer:
        """Return the answer to a request of `size` bytes.

        Raises:
            ServiceError: a bad request, a full queue, or the request takes too long.
        """
        with self._counted():
            job = _Job(read, time.monotonic() + self._limits.request_s, kind)
            (self._short if size <= _SHORT_BYTES else self._long).put(job)
            try:
                return await asyncio.wait_for(asyncio.wrap_future(job.answer), self._limits.request_s)
            except TimeoutError:
                raise ServiceError(503, "request", "a request that takes too long", "a shorter document", 1) from None
            finally:
                job.deadline = 0.0

    def _run(self, jobs: _Queue, batch: int) -> None:
        """Compute the jobs of a queue until None arrives."""
        ends = False
        while not ends:
            group: list[_Job] = []
            for job in _available(jobs, batch):
                if job is None:
                    ends = True
                elif job.answer.set_running_or_notify_cancel():
                    group.append(job)
            self._compute(group)

    def _compute(self, jobs: Sequence[_Job]) -> None:
        """Parse, restore and write the jobs; documents with the same options are restored together."""
        parsed = [(job, document) for job in jobs if (document := _try(job, partial(self._read, job)))]
        parsed.sort(key=lambda pair: _options(pair[1]))
        for (name, probabilities), group in groupby(parsed, key=lambda pair: _options(pair[1])):
            together = list(group)
            try:
                self._restore(together, name, probabilities)
            except Exception as error:
                for job, _ in together:
                    _fail(job, error)

    def _read(self, job: _Job) -> Document:
        job.check()
        document = job.read()
        return replace(document, model=self._models.check(document.model))

    def _restore(self, group: Sequence[tuple[_Job, Document]], name: str, probabilities: bool) -> None:
        punctuator = self._models.get(name)
        self._metrics.batch.observe(len(group))
        documents = [document for _, document in group]
        restored = punctuator.restore(_joined(documents), probabilities=probabilities)
        for job, document in group:
            own = map(_with_names, document.utterances, islice(restored, len(document.utterances)))
            found = list(_checked(own, job) if len(group) == 1 else own)
            self._metrics.words.labels(job.kind).inc(sum(len(utterance.words) for utterance in found))
            answer = _try(job, partial(write_answer, document, found, punctuator))
            if answer is not None and not job.answer.done():
                job.answer.set_result(answer)


def _available(jobs: _Queue, most: int) -> Iterator[_Job | None]:
    """Wait for a job; yield it and the others that wait."""
    yield jobs.get()
    for _ in range(most - 1):
        try:
            yield jobs.get_nowait()
        except queue.Empty:
            return


def _options(document: Document) -> tuple[str, bool]:
    return document.model or "", document.probabilities


def _joined(documents: Iterable[Document]) -> Iterator[Utterance]:
    """Yield the utterances of all documents, with names that differ between documents."""
    for number, document in enumerate(documents):
        for utterance in document.utterances:
            names = {"document": f"{number}/{utterance.context}", "recording": f"{number}/{utterance.recording}"}
            yield replace(utterance, **names)  # type: ignore[arg-type]


def _with_names(original: Utterance, restored: Utterance) -> Utterance:
    return replace(restored, document=original.document, recording=original.recording)


def _checked(utterances: Iterable[Utterance], job: _Job) -> Iterator[Utterance]:
    """Yield the utterances. Raises ServiceError when nobody waits for them any more."""
    for utterance in utterances:
        job.check()
        yield utterance


def _try(job: _Job, function: Callable[[], _Result]) -> _Result | None:
    """Return the result of a function, or None if it fails; the job gets the error."""
    try:
        return function()
    except Exception as error:
        _fail(job, error)
        return None


def _fail(job: _Job, error: Exception) -> None:
    if job.answer.done():
        return
    if not isinstance(error, ServiceError):
        _LOG.error("internal error", exc_info=error)
    job.answer.set_exception(error)
