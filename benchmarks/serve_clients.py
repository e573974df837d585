"""Clients of `benchmarks/serve.py`: good ones that measure, and hostile ones."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

_BURST = 4
"""Maximum number of words that a recogniser sends together."""


@dataclass
class Results:
    """What the good clients measure.

    Attributes:
        commit_s: seconds from the arrival of a word to the commit that it enables.
        request_s: seconds of requests of few words.
        stream_words: number of committed words.
        document_words: number of words of documents.
        wrong: streams whose words did not come back once and in order, and requests that failed.
    """

    commit_s: list[float] = field(default_factory=list)
    request_s: list[float] = field(default_factory=list)
    stream_words: int = 0
    document_words: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Load:
    """A service and how clients use it.

    Attributes:
        address: `host:port`.
        words: words that clients send, taken from random places.
        language: language of the words, so that no word waits for its identification.
        rate: words a second of a stream.
        settings: settings of a stream, as in its first message.
        end: time of `time.monotonic` at which clients stop.
    """

    address: str
    words: Sequence[str]
    language: str
    rate: float
    settings: dict[str, int | bool]
    end: float

    @property
    def stream_url(self) -> str:
        """Address of the streams."""
        return f"ws://{self.address}/v1/stream"

    def some_words(self, rng: random.Random, count: int) -> list[str]:
        """Return consecutive words."""
        begin = rng.randrange(len(self.words) - count)
        return list(self.words[begin : begin + count])


async def stream(load: Load, results: Results, seed: int) -> None:
    """Send words in bursts, with jitter, and check that each comes back once and in order."""
    rng = random.Random(seed)
    sent: list[str] = []
    times: list[float] = []
    returned: list[str] = []

    async def receive(socket: ClientConnection) -> None:
        async for raw in socket:
            now, message = time.perf_counter(), json.loads(raw)
            returned.extend(word["word"] for word in message["final"])
            enabling = len(returned) - 1 + load.settings["right"]
            if message["final"] and enabling < len(times) and "end" not in message:
                results.commit_s.append(now - times[enabling])
            if "end" in message:
                return

    await asyncio.sleep(rng.random() * 5)
    async with connect(load.stream_url, compression=None, open_timeout=60, ping_timeout=None) as socket:
        await socket.send(json.dumps({"config": {"language": load.language, **load.settings}}))
        receiving = asyncio.create_task(receive(socket))
        while time.monotonic() < load.end:
            burst = load.some_words(rng, rng.randint(1, _BURST))
            await asyncio.sleep(len(burst) / load.rate * rng.uniform(0.5, 1.5))
            sent += burst
            times += [time.perf_counter()] * len(burst)
            await socket.send(json.dumps({"words": burst}))
        await socket.send('{"end": true}')
        await asyncio.wait_for(receiving, 60)
    results.stream_words += len(returned)
    if returned != sent:
        results.wrong.append(f"stream {seed}: {len(sent)} words sent, {len(returned)} returned")


async def documents(load: Load, results: Results, seed: int, count: int) -> None:
    """Send one document after the other."""
    rng = random.Random(seed)
    async with httpx.AsyncClient(base_url=f"http://{load.address}", timeout=120) as client:
        while time.monotonic() < load.end:
            await request(client, load, rng, results, count)
            results.document_words += count


async def short_requests(load: Load, results: Results, seed: int, count: int = 20) -> None:
    """Send a short request five times a second and measure it."""
    rng = random.Random(seed)
    async with httpx.AsyncClient(base_url=f"http://{load.address}", timeout=60) as client:
        while time.monotonic() < load.end:
            begin = time.perf_counter()
            await request(client, load, rng, results, count)
            results.request_s.append(time.perf_counter() - begin)
            await asyncio.sleep(0.2)


async def request(client: httpx.AsyncClient, load: Load, rng: random.Random, results: Results, count: int) -> None:
    """Send words as a text and check that they come back; wait and repeat while the queue is full."""
    text = " ".join(load.some_words(rng, count))
    while True:
        answer = await client.post("/v1/punctuate", json={"text": text, "language": load.language})
        if answer.status_code != 503 or time.monotonic() > load.end:
            break
        await asyncio.sleep(float(answer.headers["retry-after"]))
    if answer.status_code not in (200, 503) or (answer.is_success and len(answer.json()["text"].split()) < count):
        results.wrong.append(f"request of {count} words: status {answer.status_code}")


async def slow_reader(load: Load, rng: random.Random) -> None:
    """Send words and never read the answers."""
    async with connect(load.stream_url, compression=None) as socket:
        socket.transport.pause_reading()
        while time.monotonic() < load.end:
            await socket.send(json.dumps({"partial": "a" * 15_000}))
            await asyncio.sleep(0.02)


async def vanishing(load: Load, rng: random.Random) -> None:
    """Connect, send some words and break the connection."""
    async with connect(load.stream_url, compression=None) as socket:
        await socket.send(json.dumps({"words": load.some_words(rng, 20)}))
        await asyncio.sleep(rng.random())
        socket.transport.abort()


async def malformed(load: Load, rng: random.Random) -> None:
    """Send malformed and oversized messages and bodies."""
    await asyncio.sleep(rng.random())
    async with httpx.AsyncClient(base_url=f"http://{load.address}", timeout=60) as client:
        content = rng.randbytes(rng.choice([10, 1000, 20_000_000]))
        await client.post("/v1/punctuate", content=content, params={"from": "ctm"})
    async with connect(load.stream_url, compression=None) as socket:
        await socket.send(rng.choice(["{", "[]", '{"words": 1}', "a" * 1_000_000]))
        await socket.recv()


def run_hostile(load: Load, count: int) -> None:
    """Run hostile clients, `count` of each kind, with low priority: they stand for other machines."""
    os.nice(10)

    async def repeat(client: Callable[[Load, random.Random], Awaitable[None]], seed: int) -> None:
        rng = random.Random(seed)
        while time.monotonic() < load.end:
            with suppress(WebSocketException, OSError, TimeoutError, httpx.HTTPError):
                await client(load, rng)

    async def run() -> None:
        clients = [repeat(client, seed) for client in (slow_reader, vanishing, malformed) for seed in range(count)]
        await asyncio.gather(*clients, return_exceptions=True)

    asyncio.run(run())
