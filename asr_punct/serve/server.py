"""Run the service with uvicorn."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import Scope

from asr_punct.errors import AsrPunctError, first_line
from asr_punct.serve.app import build_app
from asr_punct.serve.service import Service

_PONG_S = 60.0
"""Seconds to wait for the answer to a ping. Long, because it is read only after the messages before it are answered."""
_OTHER_CONNECTIONS = 200
"""Number of connections besides streams that are accepted; uvicorn answers 503 to further ones."""


def _keep_record(record: logging.LogRecord) -> bool:
    """Drop uvicorn's error about a WebSocket that the service refused on purpose, with a status."""
    return record.getMessage() != "ASGI callable returned without completing handshake."


class Server(uvicorn.Server):
    """A server that stops gracefully: it accepts no more requests, finishes its work, and closes its connections."""

    def __init__(self, service: Service, log_level: str = "warning") -> None:
        self._service = service
        limits = service.limits
        config = uvicorn.Config(
            build_app(service),
            log_level=log_level,
            access_log=False,  # tokens may be in the query
            ws="websockets-sansio",
            ws_max_size=limits.message_bytes,
            ws_ping_timeout=_PONG_S,
            server_header=False,
            timeout_graceful_shutdown=int(limits.stop_s),
            limit_concurrency=limits.streams + _OTHER_CONNECTIONS,
            lifespan="off",
        )
        super().__init__(config)
        logging.getLogger("uvicorn.error").addFilter(_keep_record)
        service.connections.abort = self._abort

    def _abort(self, scope: Scope) -> None:
        """Close the socket of an ASGI scope at once."""
        for connection in self.server_state.connections:
            if getattr(connection, "scope", None) is scope:
                connection.transport.abort()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the work and stop."""
        for server in self.servers:
            server.close()
        await self._service.stop()
        await super().shutdown(sockets)
        self._service.close()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at SIGTERM and SIGINT. Unlike uvicorn's own method, do not raise the signal again after the stop."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises AsrPunctError if the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        found = error.strerror or first_line(error)
        raise AsrPunctError(f"--host {host} --port {port}: found {found!r}, expected a free address") from None
    listener.setblocking(False)
    return listener
