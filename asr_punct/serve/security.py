"""ASGI middleware that checks the token and the headers Host and Origin of all requests."""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from asr_punct.serve.errors import error_content

OPEN_PATHS = frozenset({"/healthz"})
"""Paths that need no token, and where the header Host is not checked."""
COOKIE = "asr_punct_token"
_WANTED = "Authorization: Bearer TOKEN, or ?token=TOKEN in the address"
_MAX_QUERY = 4096
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_ALL_ADDRESSES = frozenset({"0.0.0.0", "::"})


class Guard:
    """Refuses requests without the token, requests of web pages of other sites, and those for other hosts.

    Without a token the header Host must name this machine, or `host`, on which the service listens: a page of another
    site can let its own name point to 127.0.0.1 (DNS rebinding), and would then be a page of the same site.

    The token is in the header `Authorization: Bearer …`. Browsers and WebSocket clients that cannot set headers send it
    in the query: `?token=…`. `/?token=…` sets a cookie, which browsers send only with requests of the page itself.
    Pages of `origins` (`https://example.org`) may use the service too.
    """

    def __init__(self, app: ASGIApp, token: str = "", origins: Collection[str] = (), host: str = "127.0.0.1") -> None:
        self._app, self._token, self._origins = app, token, frozenset(origins)
        self._any_address = host in _ALL_ADDRESSES
        self._hosts = _LOCAL | {host.lower(), *(name for origin in origins if (name := urlsplit(origin).hostname))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not (self._token or scope["path"] in OPEN_PATHS or self._has_allowed_host(headers)):
            expected = "localhost, the address of --host, or a name of --allow-origin; any other one needs --token"
            await _refuse(scope, receive, send, 403, "Host", repr(headers.get("host", ""))[:80], expected)
        elif not self._has_allowed_origin(headers):
            await _refuse(scope, receive, send, 403, "Origin", "another site", "this site, or --allow-origin")
        elif self._is_preflight(scope, headers) or scope["path"] in OPEN_PATHS or self._has_token(scope, headers):
            await self._app(scope, receive, send)
        else:
            await _refuse(scope, receive, send, 401, "token", "none or a wrong one", _WANTED)

    def _has_allowed_host(self, headers: Headers) -> bool:
        """Whether the host is a known name, or any address if the service listens on all: DNS cannot redirect one."""
        host = _host_name(headers.get("host", ""))
        return host in self._hosts or (self._any_address and _is_address(host))

    def _has_allowed_origin(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is None or origin in self._origins:
            return True
        return bool(headers.get("host")) and urlsplit(origin).netloc == headers["host"]

    def _is_preflight(self, scope: Scope, headers: Headers) -> bool:
        """Whether this is a CORS preflight request of an allowed site, which browsers send without the token."""
        return scope["type"] == "http" and scope["method"] == "OPTIONS" and headers.get("origin") in self._origins

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        if not self._token:
            return True
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        candidates = [bearer.strip()] if kind.lower() == "bearer" else []
        candidates += query_token(scope) + _cookies(headers)
        return any([hmac.compare_digest(each.encode(), self._token.encode()) for each in candidates])  # noqa: C419


def query_token(scope: Scope) -> list[str]:
    """Return the values of `token` in a query string; none if the query has 50 parameters or more."""
    query = scope["query_string"][:_MAX_QUERY].decode("latin-1")
    return parse_qs(query, max_num_fields=50).get("token", []) if query.count("&") < 50 else []


def _host_name(host: str) -> str:
    """Return the name of a Host header in lower case, without its port; "" for a malformed one."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _cookies(headers: Headers) -> list[str]:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return []
    return [cookies[COOKIE].value] if COOKIE in cookies else []


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, place: str, found: str, wanted: str) -> None:
    """Answer with an error, also to the request that opens a WebSocket."""
    body = json.dumps(error_content(place, found, wanted)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    prefix = "http"
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": f"{place}: {found}"})
            return
        prefix = "websocket.http"
    await send({"type": f"{prefix}.response.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": body})
