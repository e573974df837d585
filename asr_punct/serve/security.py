"""ASGI middleware: checks the token and the headers Host and Origin, and adds headers to all answers."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from asr_punct.serve.service_errors import ServiceError

OPEN_PATHS = frozenset({"/healthz"})
"""Paths that need no token, and where the header Host is not checked."""
COOKIE = "asr_punct_token"
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_ALL_ADDRESSES = frozenset({"0.0.0.0", "::"})
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; media-src blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""Pages may load only scripts, styles, pictures and data of this service, and play files of the user. No site may show
them in a frame."""
_TOKEN_PAGE = Path(__file__).parent / "page" / "token.html"


class Guard:
    """Refuses requests without the token, requests of web pages of other sites, and those for other hosts.

    Without a token the header Host must name this machine, or `host`, on which the service listens: a page of another
    site can let its own name point to 127.0.0.1 (DNS rebinding), and would then be a page of the same site.

    The token is in the header `Authorization: Bearer …`. Browsers and WebSocket clients that cannot set headers send it
    in the query: `?token=…`. `/?token=…` sets a cookie, which browsers send only with requests of the page itself. A
    browser that opens a page without the token gets a page that says so; other clients get JSON. Pages of `origins`
    (`https://example.org`) may use the service too.

    Browsers keep the files of the page and ask each time whether they have changed (`no-cache`); they keep no other
    answer (`no-store`).
    """

    def __init__(self, app: ASGIApp, token: str = "", origins: Collection[str] = (), host: str = "127.0.0.1") -> None:
        self._app, self._token, self._origins = app, token, frozenset(origins)
        self._any_address = host in _ALL_ADDRESSES
        self._hosts = _LOCAL | {host.lower(), *(name for origin in origins if (name := urlsplit(origin).hostname))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        is_page = path in ("/", "/captions") or path.startswith("/page/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**_HEADERS, "Cache-Control": "no-cache" if is_page else "no-store"})
            await send(message)

        request = HTTPConnection(scope)
        error = self._error(request, is_open=path in OPEN_PATHS)
        await (_answer(error, request) if error else self._app)(scope, receive, send_with_headers)

    def _error(self, request: HTTPConnection, is_open: bool) -> ServiceError | None:
        """Return why a request is refused, or None."""
        headers = request.headers
        if not (self._token or is_open or self._has_allowed_host(headers)):
            expected = "localhost, the address of the service, or a site that it allows; another one needs a token"
            return ServiceError(403, "Host", repr(headers.get("host", ""))[:80], expected)
        if not self._has_allowed_origin(headers):
            return ServiceError(403, "Origin", "another site", "this site, or one that the service allows")
        # Browsers send CORS preflight requests without the token.
        is_preflight = request.scope.get("method") == "OPTIONS" and headers.get("origin") in self._origins
        if is_preflight or is_open or self._has_token(request):
            return None
        expected = "Authorization: Bearer TOKEN, or ?token=TOKEN in the address"
        return ServiceError(401, "token", "none or a wrong one", expected)

    def _has_allowed_host(self, headers: Headers) -> bool:
        """Whether Host is a known name, or an IP address if the service listens on all: DNS cannot redirect those."""
        try:
            host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
            return host in self._hosts or (self._any_address and bool(ipaddress.ip_address(host)))
        except ValueError:  # malformed, or an unknown name
            return False

    def _has_allowed_origin(self, headers: Headers) -> bool:
        origin, host = headers.get("origin"), headers.get("host")
        return origin is None or origin in self._origins or (bool(host) and origin.partition("://")[2] == host)

    def _has_token(self, request: HTTPConnection) -> bool:
        if not self._token:
            return True
        kind, _, bearer = request.headers.get("authorization", "").partition(" ")
        candidates = [bearer.strip() if kind.lower() == "bearer" else "", request.cookies.get(COOKIE, "")]
        candidates += request.query_params.getlist("token")
        # A list: all candidates are compared, so that the time does not depend on which one is right.
        return any([is_equal(each, self._token) for each in candidates])  # noqa: C419


def is_equal(given: str, token: str) -> bool:
    """Whether a client gave the token, in a time that does not depend on where they differ."""
    return hmac.compare_digest(given.encode(), token.encode())


def _answer(error: ServiceError, request: HTTPConnection) -> Response:
    """Return the answer to a refused request: JSON, or for a browser without the token a page."""
    answer = error.response()
    if error.status == 401 and "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(_TOKEN_PAGE.read_bytes(), 401, {"WWW-Authenticate": answer.headers["WWW-Authenticate"]})
    return answer
