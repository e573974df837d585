"""A service on a loopback port, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from asr_punct.serve.server import Server, bind
from asr_punct.serve.service import Service

TEST_HOST = "testserver"
"""Host of the requests of `TestClient`; without a token a service accepts it only as its own."""


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
