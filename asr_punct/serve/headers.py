"""ASGI middleware that adds headers to all answers: what pages may load, and how long answers may be kept."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; media-src blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Pages may load only scripts, styles, pictures and data of this service, and play files of the user. No site may show
them in a frame."""
_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Headers:
    """Adds headers to all answers of an application over HTTP.

    Browsers keep the files of the page and ask each time whether they have changed (`no-cache`); they keep no other
    answer (`no-store`).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_page = scope["path"] == "/" or scope["path"].startswith("/page/")

        async def send_with_headers(message: Message) -> None:
            """Send a message of the answer; the first one gets the headers."""
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**_HEADERS, "Cache-Control": "no-cache" if is_page else "no-store"})
            await send(message)

        await self._app(scope, receive, send_with_headers)
