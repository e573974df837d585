"""The pages of the service for browsers: the editor, the captions for viewers, and the reference of the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader

from asr_punct.serve.page_tables import page_tables
from asr_punct.serve.security import COOKIE, is_equal
from asr_punct.serve.stream_messages import ClientMessage, ServerMessage

PAGE = Path(__file__).parent / "page"
"""Folder of the files of the pages."""


def add_pages(app: FastAPI, token: str) -> None:
    """Add the routes of the pages; `token` is that of the service, "" if it has none."""

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _page(request, "index.html", token)

    @app.get("/captions", include_in_schema=False)
    async def captions(request: Request) -> Response:
        return _page(request, "captions.html", token)

    @app.get("/docs", include_in_schema=False)
    def reference() -> Response:
        return HTMLResponse(_reference_page(app.openapi()))

    @app.get("/page/tables.js", include_in_schema=False)
    def tables() -> Response:
        return Response(page_tables(), media_type="text/javascript")

    app.mount("/page", StaticFiles(directory=PAGE), name="page")


def _page(request: Request, name: str, service_token: str) -> Response:
    """Return a page; a token in the query becomes a cookie, so that it is not in the address."""
    token = request.query_params.get("token")
    if not (token and service_token):
        return FileResponse(PAGE / name)
    answer = RedirectResponse(request.url.remove_query_params("token").replace(scheme="", netloc=""), 303)
    if is_equal(token, service_token):  # a wrong one gets here beside a good cookie
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=secure)
    return answer


def _reference_page(api: dict[str, Any]) -> str:
    """Return an HTML page that shows an OpenAPI description and the messages of streams."""
    environment = Environment(loader=PackageLoader("asr_punct", "serve"), autoescape=True)
    environment.filters["text"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    messages = {"Message of a client": ClientMessage.model_json_schema(), "Answer": ServerMessage.model_json_schema()}
    return environment.get_template("reference.html.j2").render(api=api, messages=messages)
