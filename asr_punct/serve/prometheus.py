"""Metrics for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

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
