"""The parts of a running service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from asr_punct.serve.batching import Batcher
from asr_punct.serve.connections import Connections
from asr_punct.serve.limits import Limits
from asr_punct.serve.metrics import Metrics
from asr_punct.serve.models import Models
from asr_punct.serve.streams import Streams


@dataclass
class Service:
    """The parts of a service.

    Attributes:
        token: clients must send it; "": none.
        origins: sites whose pages may use the service.
        host: address on which the service listens.
        threads: number of threads for long requests, and of as many for streams.
        vosk: address of the Vosk server (`ws://host:2700`) to which audio is forwarded; "": none.
    """

    models: Models
    limits: Limits = field(default_factory=Limits)
    token: str = ""
    origins: Sequence[str] = ()
    host: str = "127.0.0.1"
    threads: int = 1
    vosk: str = ""
    metrics: Metrics = field(default_factory=Metrics)
    batcher: Batcher = field(init=False)
    streams: Streams = field(init=False)
    connections: Connections = field(init=False)

    def __post_init__(self) -> None:
        self.batcher = Batcher(self.models, self.limits, self.metrics, self.threads)
        self.streams = Streams(self.models, self.threads)
        self.connections = Connections(self.limits, self.metrics)

    async def stop(self) -> None:
        """End all streams, and wait until their clients have the last words."""
        self.connections.stop.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.stop_s):
                await self.connections.is_empty.wait()

    def close(self) -> None:
        """Stop the threads."""
        self.batcher.close()
        self.streams.close()
