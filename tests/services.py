"""A service for tests: without a port, or on a loopback port in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

from asr_punct.serve.app import build_app
from asr_punct.serve.models import Models
from asr_punct.serve.server import Server, bind
from asr_punct.serve.service import Service

TEST_HOST = "testserver"
"""Host of the requests of `TestClient`; without a token a service accepts it only as its own."""


@contextmanager
def client_maker(models: Models) -> Iterator[Callable[..., TestClient]]:
    """Yield a function that opens a service without a port; its arguments are those of `Service`."""
    services: list[Service] = []

    def make(**options: Any) -> TestClient:
        services.append(Service(models, **{"host": TEST_HOST, **options}))
        return TestClient(build_app(services[-1]), raise_server_exceptions=False)

    yield make
    for service in services:
        service.close()


@contextmanager
def running(service: Service, port: int = 0) -> Iterator[tuple[Server, str]]:
    """Run a service; yields the server, and `host:port`. At the end it stops as at SIGTERM."""
    listener = bind("127.0.0.1", port)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    server = Server(service, log_level="error")
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield server, address
    finally:
        server.should_exit = True
        thread.join(60)


def bare(text):
    """Return the words of a text without marks and capitals."""
    return "".join(character for character in text.lower() if character.isalpha() or character == " ").split()
