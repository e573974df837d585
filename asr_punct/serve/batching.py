"""Requests wait in a bounded queue and are computed in worker threads, those of several clients in one run."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from asr_punct.serve.errors import ServiceError
from asr_punct.serve.limits import Limits
from asr_punct.serve.metrics import Metrics
from asr_punct.serve.models import Models
from asr_punct.serve.requests import Answer, ParsedRequest, ParseRequest, write_answer
from asr_punct.words import Utterance

_LOG = logging.getLogger(__name__)
_SHORT_BYTES = 2**10
"""Maximum size of a short request, about 150 words. A separate thread computes short requests."""
_TOGETHER_BYTES = 8 * 2**10
"""Maximum total size of requests that are computed together; a larger request is computed alone."""


@dataclass(eq=False)
class _Job:
    """A request: the function that parses it, its size in bytes, and its answer.

    At `deadline`, a time of `time.monotonic`, the client gets an error. `kind` is `http` or `vosk`, for the metrics.
    """

    parse: ParseRequest
    deadline: float
    size: int
    kind: str
    answer: Future[Answer] = field(default_factory=Future)

    def check(self) -> None:
        """Raise ServiceError if the client no longer waits for the answer."""
        if time.monotonic() > self.deadline:
            raise _too_long()


def _too_long() -> ServiceError:
    return ServiceError(503, "request", "a request that takes too long", "a shorter document", 1)


class _Queue:
    """A queue of jobs, for any number of threads."""

    def __init__(self) -> None:
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, job: _Job) -> None:
        with self._changed:
            self._jobs.append(job)
            self._changed.notify()

    def close(self) -> None:
        """Make `take` return an empty list once no job is left."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def take(self) -> list[_Job]:
        """Wait for a job; return it and those after it that are computed together with it."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._is_closed)
            taken, size = list[_Job](), 0
            while self._jobs and (not taken or size + self._jobs[0].size <= _TOGETHER_BYTES):
                size += self._jobs[0].size
                taken.append(self._jobs.popleft())
            return taken


class Batcher:
    """Computes the answers to requests, long ones in several threads."""

    def __init__(self, models: Models, limits: Limits, metrics: Metrics, threads: int) -> None:
        self._models, self._limits, self._metrics = models, limits, metrics
        self._short, self._long = _Queue(), _Queue()
        self._count = 0
        for jobs in (self._short, *[self._long] * threads):
            threading.Thread(target=self._run, args=(jobs,), name="requests", daemon=True).start()

    def close(self) -> None:
        """Stop the threads when the queues are empty."""
        self._short.close()
        self._long.close()

    async def submit(self, parse: ParseRequest, size: int, kind: str = "http") -> Answer:
        """Return the answer to a request of `size` bytes.

        Raises ServiceError for a bad request or a full queue, or if the request takes too long.
        """
        if self._count >= self._limits.requests:
            self._metrics.refused.labels("queue").inc()
            raise ServiceError(503, "queue", "a full queue", "fewer requests at the same time", retry_after_s=1)
        self._count += 1
        self._metrics.queue.inc()
        job = _Job(parse, time.monotonic() + self._limits.request_s, size, kind)
        (self._short if size <= _SHORT_BYTES else self._long).put(job)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job.answer), self._limits.request_s)
        except TimeoutError:
            raise _too_long() from None
        finally:
            job.deadline = 0.0  # nobody waits for the answer any more
            self._count -= 1
            self._metrics.queue.dec()

    def _run(self, jobs: _Queue) -> None:
        while group := jobs.take():
            self._compute([job for job in group if job.answer.set_running_or_notify_cancel()])

    def _compute(self, jobs: Sequence[_Job]) -> None:
        """Parse, restore and write the jobs; requests with the same options are restored together."""
        groups = defaultdict[tuple[object, ...], list[tuple[_Job, ParsedRequest]]](list)
        for job in jobs:
            with _errors_of(job):
                job.check()
                request = job.parse()
                request = replace(request, model=self._models.check(request.model))
                groups[_settings(request)].append((job, request))
        for group in groups.values():
            self._try_restore(group)

    def _try_restore(self, group: Sequence[tuple[_Job, ParsedRequest]]) -> None:
        """Restore requests with the same options together; if that fails, each one without an answer separately."""
        if len(group) == 1:
            with _errors_of(group[0][0]):
                self._restore(group)
            return
        try:
            self._restore(group)
        except Exception:
            for job, request in group:
                if not job.answer.done():
                    self._try_restore([(job, request)])

    def _restore(self, group: Sequence[tuple[_Job, ParsedRequest]]) -> None:
        requests = [request for _, request in group]
        name, probabilities, ignore_labels, has_labels = _settings(requests[0])
        punctuator = self._models.get(name)
        self._metrics.batch.observe(len(group))
        joined = _joined(requests)
        if ignore_labels:
            joined = punctuator.without_marks(joined)
        restored = punctuator.prepare(joined) if has_labels else punctuator.restore(joined, probabilities=probabilities)
        for job, request in group:
            found = []
            for original, utterance in zip(request.utterances, restored, strict=False):
                if len(group) == 1:
                    job.check()
                found.append(replace(utterance, document=original.document, recording=original.recording))
            self._metrics.words.labels(job.kind).inc(sum(len(utterance.words) for utterance in found))
            with _errors_of(job):
                job.answer.set_result(write_answer(request, found, punctuator))


def _settings(request: ParsedRequest) -> tuple[str, bool, bool, bool]:
    """Return the model's name, and whether to add probabilities, to ignore labels, and whether labels are given."""
    return request.model or "", request.probabilities, request.ignore_labels, request.labels is not None


def _joined(requests: Iterable[ParsedRequest]) -> Iterator[Utterance]:
    """Yield the utterances of all requests; those of two requests never have the same document or recording."""
    for number, request in enumerate(requests):
        for utterance in request.utterances:
            names = {"document": f"{number}/{utterance.context}", "recording": f"{number}/{utterance.recording}"}
            yield replace(utterance, **names)  # type: ignore[arg-type]


@contextmanager
def _errors_of(job: _Job) -> Iterator[None]:
    """If an error is raised in the context, answer the job with it."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, ServiceError):
            _LOG.error("internal error", exc_info=error)
        job.answer.set_exception(error)
