"""A service for tests: without a port, or on a loopback port in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from starlette.testclient import TestClient

from asr_punct.serve.app import Service, build_app
from asr_punct.serve.models import Models
from asr_punct.serve.server import Server, bind

TEST_HOST = "testserver"
"""Host of the requests of `TestClient`; without a token a service accepts it only as its own."""


@contextmanager
def service_maker(models: Models) -> Iterator[Callable[..., Service]]:
    """Yield a function that makes a service; its other arguments are those of `Service`."""
    with ExitStack() as stack:

        def make(**options: Any) -> Service:
            service = Service(models, **{"host": TEST_HOST, **options})
            stack.callback(service.close)
            return service

        yield make


@contextmanager
def client_maker(make_service: Callable[..., Service]) -> Iterator[Callable[..., TestClient]]:
    """Yield a function that opens a service without a port, whose connections share one event loop."""
    with ExitStack() as stack:

        def make(**options: Any) -> TestClient:
            client = TestClient(build_app(make_service(**options)), raise_server_exceptions=False)
            return stack.enter_context(client)

        yield make


@contextmanager
def client_with(model: Callable[[str | None], Any], name: str, **options: Any) -> Iterator[TestClient]:
    """Open a service without a port with another model; the other arguments are those of `Service`."""
    with service_maker(Models(model, name)) as make_service, client_maker(make_service) as make:
        yield make(**options)


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
