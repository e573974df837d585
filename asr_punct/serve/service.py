"""The parts of a running service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from asr_punct.serve.batching import Batcher
from asr_punct.serve.limits import Limits
from asr_punct.serve.metrics import Metrics
from asr_punct.serve.models import Models


@dataclass
class Service:
    """The parts of a service.

    Attributes:
        models: the models.
        limits: its limits.
        token: token that clients need; "": none.
        origins: origins of other sites whose pages may use it.
        threads: number of threads that compute long requests.
        metrics: its metrics.
        batcher: computes requests.
        is_stopping: whether it finishes its work and accepts nothing new.
    """

    models: Models
    limits: Limits = field(default_factory=Limits)
    token: str = ""
    origins: Sequence[str] = ()
    threads: int = 1
    metrics: Metrics = field(default_factory=Metrics)
    batcher: Batcher = field(init=False)
    is_stopping: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.batcher = Batcher(self.models, self.limits, self.metrics, self.threads)

    def close(self) -> None:
        """Stop the threads."""
        self.batcher.close()
