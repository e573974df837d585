"""Metrics for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Collection

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30, 60)


class Metrics:
    """Metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self.requests = Counter("asr_punct_requests", "Requests.", ["path", "status"], registry=registry)
        self.seconds = Histogram(
            "asr_punct_request_seconds", "Time of requests.", ["path"], buckets=_SECONDS, registry=registry
        )
        self.words = Counter("asr_punct_words", "Words.", ["kind"], registry=registry)
        self.queue = Gauge("asr_punct_queue", "Requests that wait or are computed.", registry=registry)
        self.refused = Counter("asr_punct_refused", "Refused by a limit.", ["limit"], registry=registry)
        self.batch = Histogram(
            "asr_punct_batch", "Requests computed together.", buckets=(1, 2, 4, 8, 16, 32), registry=registry
        )
        self.streams = Gauge("asr_punct_streams", "Open streams.", ["kind"], registry=registry)
        self.commit_seconds = Histogram(
            "asr_punct_commit_seconds", "Time from words to their answer.", buckets=_SECONDS, registry=registry
        )

    def text(self) -> bytes:
        """Return the metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


class Measured:
    """ASGI middleware that counts requests and their time, by path; paths that are not `known` are `other`."""

    def __init__(self, app: ASGIApp, metrics: Metrics, known: Collection[str]) -> None:
        self._app, self._metrics, self._known = app, metrics, frozenset(known)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in self._known else "other"
        begin, status = time.perf_counter(), 500

        async def send_measured(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_measured)
        finally:
            self._metrics.requests.labels(path, str(status)).inc()
            self._metrics.seconds.labels(path).observe(time.perf_counter() - begin)
