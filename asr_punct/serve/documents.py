"""Documents: requests wait in a bounded queue, and those of several clients are restored in one run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from asr_punct.serve.answers import Answer, write_answer
from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.models import Models
from asr_punct.serve.prometheus import Metrics
from asr_punct.serve.requests import ParsedRequest, ParseRequest, Restoring
from asr_punct.serve.service_errors import ServiceError, stopping
from asr_punct.serve.turns import Work, Worker
from asr_punct.text import with_given_labels
from asr_punct.words import Utterance

Result = TypeVar("Result")
_SHORT_BYTES = 2**10
"""Maximum size of a short request, about 150 words. A separate thread computes short requests."""
_HUGE_BYTES = 256 * 2**10
"""Size from which a request is huge. Other threads compute these: to parse one takes seconds, without interruption."""
_TOGETHER_BYTES = 8 * 2**10
"""Maximum total size of requests that are computed together; a larger request is computed alone."""
_BEGUN_BODIES = 4
"""Maximum size of all requests that are begun, in bodies of the maximum size: a parsed body is much larger."""


@dataclass(eq=False)
class _Document(Work[Answer]):
    """A request; a worker sets the `request` that `parse` returns. `kind` is `http`, `audio`, `vosk` or `openai`."""

    parse: ParseRequest
    kind: str
    request: ParsedRequest = field(init=False)


class Documents:
    """Answers requests; a thread has the short ones, another one audio, `threads` the long, as many the huge ones."""

    def __init__(self, models: Models, limits: ServiceLimits, metrics: Metrics, threads: int) -> None:
        self.limits, self._models, self._metrics = limits, models, metrics
        self._short = Worker(self._parsed_restoring, self._restore, together=_TOGETHER_BYTES)
        room = _BEGUN_BODIES * limits.body_bytes
        self._long = Worker(self._parsed_restoring, self._restore, together=_TOGETHER_BYTES, threads=threads)
        self._huge = Worker(self._parsed_restoring, self._restore, together=0, room=room, threads=threads)
        self._audio = Worker(self._parsed_restoring, self._restore, together=_TOGETHER_BYTES)
        self._count = self._others = 0
        self._refused = asyncio.Event()

    @property
    def is_empty(self) -> bool:
        """Whether no request waits or is computed."""
        return not (self._count or self._others)

    def refuse(self) -> None:
        """Answer requests that wait or are computed, and all further ones, with status 503: the service stops."""
        self._refused.set()

    async def unless_refused(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of other work for a request. Raises ServiceError if the service stops before."""
        found, refused = asyncio.ensure_future(work), asyncio.ensure_future(self._refused.wait())
        self._others += 1
        try:
            await asyncio.wait({found, refused}, return_when=asyncio.FIRST_COMPLETED)
            if found.done():
                return found.result()
            raise stopping()
        finally:
            self._others -= 1
            found.cancel()
            refused.cancel()

    def close(self) -> None:
        """Compute what is left in the queues, and end the threads."""
        self._short.close()
        self._long.close()
        self._huge.close()
        self._audio.close()

    async def answer(self, parse: ParseRequest, size: int, kind: str = "http") -> Answer:
        """Return the answer to a request of `size` bytes. If the caller is cancelled, the computation is stopped.

        Raises ServiceError for a bad request or a full queue, or if the request takes too long or the service stops.
        """
        if self._count >= self.limits.requests:
            self._metrics.refused.labels("queue").inc()
            raise ServiceError(503, "queue", "a full queue", "fewer requests at the same time", retry_after_s=1)
        self._count += 1
        self._metrics.queue.inc()
        document = _Document(size, parse, kind)
        self._worker(size, kind).put(document)
        try:
            return await self._wait(document)
        finally:
            self._count -= 1
            self._metrics.queue.dec()

    def _worker(self, size: int, kind: str) -> Worker[_Document]:
        if kind == "audio":
            return self._audio
        if size <= _SHORT_BYTES:
            return self._short
        return self._long if size < _HUGE_BYTES else self._huge

    async def _wait(self, document: _Document) -> Answer:
        answer, refused = asyncio.ensure_future(document.wait()), asyncio.ensure_future(self._refused.wait())
        try:
            seconds = self.limits.audio_s if document.kind == "audio" else self.limits.request_s
            done, _ = await asyncio.wait({answer, refused}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if answer in done:
                return answer.result()
            raise stopping() if done else ServiceError(504, "request", "one that takes too long", "a shorter document")
        finally:
            answer.cancel()
            refused.cancel()

    def _parsed_restoring(self, document: _Document) -> Restoring:
        """Parse a request; return how it is restored, with the name of a model that is open or can be opened."""
        request = document.parse()
        restoring = replace(request.restoring, model=self._models.check(request.restoring.model))
        document.request = replace(request, restoring=restoring)
        return restoring

    def _restore(self, group: Sequence[_Document]) -> Iterator[None]:
        """Restore requests with an equal `restoring` together; if that fails, each one without an answer alone."""
        try:
            yield from self._restore_together(group)
        except Exception as error:
            if len(group) == 1:
                group[0].fail(error)
                return
            for document in group:
                if not document.result.done():
                    yield from self._restore([document])

    def _restore_together(self, group: Sequence[_Document]) -> Iterator[None]:
        requests = [document.request for document in group]
        restoring = requests[0].restoring
        punctuator = self._models.get(restoring.model or "", restoring.output)
        self._metrics.batch.observe(len(group))
        joined = _joined(requests)
        if restoring.ignore_labels:
            joined = punctuator.without_marks(joined)
        if restoring.as_is:
            prepared, glyphs = punctuator.prepare(joined), punctuator.glyphs
            steps: Iterator[Utterance | None] = (with_given_labels(each, glyphs.of(each.language)) for each in prepared)
        elif restoring.is_labelled:
            steps = punctuator.prepare(joined)
        else:
            steps = punctuator.steps(joined, probabilities=restoring.probabilities, fill=restoring.fill)
        for document, request in zip(group, requests, strict=True):
            found = list[Utterance]()
            for original in request.utterances:
                while (utterance := next(steps)) is None:
                    yield
                found.append(replace(utterance, document=original.document, recording=original.recording))
                yield
            self._metrics.words.labels(document.kind).inc(sum(len(utterance.words) for utterance in found))
            document.finish(write_answer, request, found, punctuator)


def _joined(requests: Iterable[ParsedRequest]) -> Iterator[Utterance]:
    """Yield the utterances of all requests; those of two requests never have the same document or recording."""
    for number, request in enumerate(requests):
        for utterance in request.utterances:
            names = {"document": f"{number}/{utterance.context}", "recording": f"{number}/{utterance.recording}"}
            yield replace(utterance, **names)  # type: ignore[arg-type]
