"""Run the service with uvicorn."""

from __future__ import annotations

import asyncio
import codecs
import logging
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from asr_punct.errors import AsrPunctError, first_line
from asr_punct.serve.app import Service, build_app
from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.lingering import Lingering

_BAD_TEXT = 1007
"""Code with which a connection is closed after a text that is not UTF-8."""
_PING_S = 20.0
"""Seconds between two pings."""
_FLUSH_S = 5.0
"""Seconds in which clients must read their last answers when the service stops."""
_OTHER_CONNECTIONS = 200
"""Number of connections besides streams; for a further one, the longest without a whole request is closed."""


class _Http(H11Protocol):
    """uvicorn's side of an HTTP connection, which is closed if its client does not send a request.

    `connections` are all HTTP connections, in the order in which they were opened.
    """

    def __init__(self, service: Service, connections: dict[_Http, None], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._limits, self._open = service.limits, connections
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether no whole request is here that is not answered."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the connection. If there are too many, close the oldest one that waits for its client."""
        self._end = _lingering(transport, self._has_more, self._limits)
        super().connection_made(cast(asyncio.Transport, self._end))
        if len(self._open) >= self._limits.streams + self._limits.viewers + _OTHER_CONNECTIONS:
            oldest = next((each for each in self._open if each.is_waiting), self)
            oldest.transport.abort()
        self._open[self] = None
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read from the client."""
        if self._end.is_lingering:
            self._end.drop(data)
            return
        super().data_received(data)
        self._watch()

    def _has_more(self) -> bool:
        """Whether an answer was given before the end of the request."""
        return self.conn.their_state is h11.ERROR or bool(self.cycle and self.cycle.more_body)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection."""
        self._forget()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Leave the connection to the protocol of WebSockets."""
        self._forget()
        self.transport = self._end.transport
        super().handle_websocket_upgrade(event)

    def _watch(self) -> None:
        """Begin to wait for the headers of a request, or end the wait."""
        has_request = self.cycle is not None and not self.cycle.response_complete
        if self._timer and (has_request or self not in self._open):
            self._timer.cancel()
            self._timer = None
        elif not has_request and not self._timer and self in self._open:
            self._timer = self.loop.call_later(self._limits.headers_s, self.transport.abort)

    def _forget(self) -> None:
        self._open.pop(self, None)
        self._watch()


class _WebSocket(WebSocketsSansIOProtocol):
    """uvicorn's side of a WebSocket. It disconnects a client that does not read, or does not answer pings."""

    def __init__(self, service: Service, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._service = service
        self._slow: asyncio.TimerHandle | None = None
        self._heard = 0.0  # time of the event loop
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the connection."""
        self._end = _lingering(transport, lambda: self.conn.parser_exc is not None, self._service.limits)
        super().connection_made(cast(asyncio.Transport, self._end))

    def data_received(self, data: bytes) -> None:
        """Read from the client."""
        if self._end.is_lingering:
            self._end.drop(data)
            return
        self._heard = self.loop.time()
        super().data_received(data)

    def handle_text(self, event: Any) -> None:
        """Accept the begin of a text, or close the connection if it is not UTF-8."""
        self._decoder.reset()
        if self._is_text(event):
            super().handle_text(event)

    def handle_cont(self, event: Any) -> None:
        """Accept more of a message."""
        if self.curr_msg_data_type == "bytes" or self._is_text(event):
            super().handle_cont(event)

    def _is_text(self, event: Any) -> bool:
        with suppress(UnicodeDecodeError):
            self._decoder.decode(event.data, event.fin)
            return True
        self.conn.fail(_BAD_TEXT, "invalid UTF-8")
        self.handle_parser_exception()
        return False

    def shutdown(self) -> None:
        """Wait for the client's answer to the end that the service has sent; uvicorn would reset the connection."""
        if self.handshake_complete:
            self.stop_keepalive()
        else:
            super().shutdown()

    def keepalive_timeout(self) -> None:
        """Close the connection, for a ping was not answered, unless the answer may wait unread or other data came."""
        if self.read_paused or self._heard > self.ping_sent_at:
            self.pong_timer = None
            self.schedule_ping()
        else:
            super().keepalive_timeout()

    def pause_writing(self) -> None:
        """Note that the client is slow: asyncio calls this while much waits to be sent."""
        super().pause_writing()
        self._slow = self.loop.call_later(self._service.limits.send_s, self._disconnect)

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        super().resume_writing()
        self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _stop_timer(self) -> None:
        if self._slow:
            self._slow.cancel()

    def _disconnect(self) -> None:
        self._service.metrics.refused.labels("slow reader").inc()
        self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send an ASGI message. After a refusal with a status, uvicorn would log that the handshake is incomplete."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True


def _lingering(transport: asyncio.BaseTransport, has_more: Callable[[], bool], limits: ServiceLimits) -> Lingering:
    return Lingering(cast(asyncio.Transport, transport), has_more, limits.headers_s, limits.buffered_bytes)


class Server(uvicorn.Server):
    """A server that stops gracefully: it accepts no more requests, finishes its work, and closes its connections."""

    def __init__(self, service: Service, log_level: str = "warning") -> None:
        self._service = service
        limits = service.limits
        config = uvicorn.Config(
            build_app(service),
            log_level=log_level,
            access_log=False,  # tokens may be in the query
            http=partial(_Http, service, {}),  # type: ignore[arg-type]
            ws=partial(_WebSocket, service),  # type: ignore[arg-type]
            ws_max_size=limits.message_bytes,
            ws_ping_interval=min(_PING_S, limits.pong_s),
            ws_ping_timeout=limits.pong_s,
            server_header=False,
            timeout_graceful_shutdown=2 * int(_FLUSH_S),  # nothing is left by then
            lifespan="off",
        )
        super().__init__(config)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal or `should_exit`."""
        forms = logging.getLogger("python_multipart")
        level = forms.level
        forms.setLevel(logging.ERROR)  # it logs a warning for each malformed form
        try:
            await super().serve(sockets)
        finally:
            forms.setLevel(level)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the work and stop."""
        for server in self.servers:
            server.close()
        await self._service.stop(lambda: self.force_exit)
        flush = asyncio.get_running_loop().call_later(_FLUSH_S, self._disconnect_all)
        await super().shutdown(sockets)
        flush.cancel()
        self._service.close()

    def _disconnect_all(self) -> None:
        """Disconnect the clients that have not read their answers."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at SIGTERM and SIGINT, at a second SIGINT without waiting; uvicorn would raise the signal again."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises AsrPunctError if the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=2048)
        # accepted sockets inherit it: without it, the second packet of an answer waits 40 ms for an acknowledgement
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise AsrPunctError(f"{host}:{port}", repr(error.strerror or first_line(error)), "a free address") from None
    listener.setblocking(False)
    return listener
