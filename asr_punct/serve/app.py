"""The parts of the service, and its HTTP and WebSocket routes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from asr_punct.serve.audience import Audience
from asr_punct.serve.bodies import Bodies, while_connected
from asr_punct.serve.connections import Connection, Connections
from asr_punct.serve.documents import Documents
from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.models import Models
from asr_punct.serve.openai_proxy import PATHS, OpenAiProxy
from asr_punct.serve.pages import add_pages
from asr_punct.serve.prometheus import Measured, Metrics
from asr_punct.serve.requests import parse_request
from asr_punct.serve.schema import ErrorAnswer, ModelDescription, PunctuateAnswer, PunctuateRequest, UploadOptions
from asr_punct.serve.security import Guard
from asr_punct.serve.service_errors import ERRORS, ServiceError, internal_error
from asr_punct.serve.streams import Streams
from asr_punct.serve.transcription import Transcriber, may_be_audio
from asr_punct.serve.vosk_proxy import serve_vosk

Serve = Callable[[Connection], Awaitable[None]]
"""Serves an accepted connection."""
_DESCRIPTION = "Adds punctuation and capitals to the words of speech recognisers, from the words and their pauses."
_POLL_S = 0.05


@dataclass
class Service:
    """The parts of a service.

    Attributes:
        token: clients must send it; "": none.
        origins: sites whose pages may use the service.
        host: address on which the service listens.
        threads: number of threads for long requests, and of as many for streams.
        openai: address of a recogniser with OpenAI's API, to which audio is forwarded (`http://host:8000`); "": none.
        transcriber: transcribes audio; None: audio is refused.
        vosk: address of the Vosk server (`ws://host:2700`) to which audio is forwarded; "": none.
    """

    models: Models
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    token: str = ""
    origins: Sequence[str] = ()
    host: str = "127.0.0.1"
    threads: int = 1
    vosk: str = ""
    openai: str = ""
    transcriber: Transcriber | None = None
    metrics: Metrics = field(default_factory=Metrics)
    audience: Audience = field(default_factory=Audience)
    bodies: Bodies = field(init=False)
    documents: Documents = field(init=False)
    streams: Streams = field(init=False)
    connections: Connections = field(init=False)

    def __post_init__(self) -> None:
        self.bodies = Bodies(self.limits)
        self.documents = Documents(self.models, self.limits, self.metrics, self.threads)
        self.streams = Streams(self.models, self.limits, self.metrics, self.threads)
        self.connections = Connections(self.limits, self.metrics)

    async def stop(self, is_forced: Callable[[], bool] = bool) -> None:
        """Take no more work; finish requests and streams within `limits.stop_s`, and refuse those that are left.

        With `is_forced` nothing is waited for. What is left is told so: requests by status 503, streams by their code.
        """
        self.connections.begin_stop()
        self.bodies.stop()
        end = time.monotonic() + self.limits.stop_s
        while not (self.connections.is_empty and self.documents.is_empty):
            if is_forced() or time.monotonic() >= end:
                break
            await asyncio.sleep(_POLL_S)
        self.documents.refuse()
        self.connections.end()

    def close(self) -> None:
        """End the threads."""
        self.documents.close()
        self.streams.close()


def build_app(service: Service) -> FastAPI:
    """Return the application of a service."""
    app = FastAPI(
        title="asr-punct",
        version=metadata.version("asr-punct"),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        exception_handlers=_ERROR_HANDLERS,
        responses={status: {**answer, "model": ErrorAnswer} for status, answer in ERRORS.items()},
    )
    request_schema, schemas = _request_schema()
    _add_documents(app, service, request_schema)
    _add_streams(app, service)
    _add_operation(app, service)
    add_pages(app, service.token)
    app.add_middleware(Measured, metrics=service.metrics, known=[getattr(route, "path", "") for route in app.routes])
    app.openapi()["components"]["schemas"] |= schemas
    _answer_head(app)
    if service.origins:
        app.add_middleware(CORSMiddleware, allow_origins=service.origins, allow_methods=["*"], allow_headers=["*"])
    app.add_middleware(Guard, token=service.token, origins=service.origins, host=service.host)
    return app


def _answer_head(app: FastAPI) -> None:
    """Answer HEAD as GET; the server leaves the body out. FastAPI's routes, unlike Starlette's, do not."""
    for route in app.routes:
        if isinstance(route, APIRoute) and route.methods and "GET" in route.methods:
            route.methods.add("HEAD")


def _add_documents(app: FastAPI, service: Service, request_schema: dict[str, Any]) -> None:
    @app.post("/v1/punctuate", tags=["punctuate"], openapi_extra=request_schema, response_model=PunctuateAnswer)
    async def punctuate(request: Request) -> Response:
        """Add marks and capitals to a text, to words with times, or to a file.

        The body is JSON, a form with a field `file`, or a file; the format of a file is `from`, else it is detected by
        its name or content. The answer to JSON is JSON, the answer to a file is a file in the same format, if it can
        be written, else JSON; `to` names another format. With `--asr`, a file of audio is transcribed first.
        """
        kind, query = request.headers.get("content-type", ""), dict(request.query_params)
        async with service.bodies.read(request) as body:
            is_ended = threading.Event()
            transcriber = service.transcriber
            transcribe = partial(transcriber.transcribe, is_ended=is_ended) if transcriber else None
            is_audio = transcribe is not None and may_be_audio(kind, query, body)
            work = service.documents.answer(
                lambda: parse_request(kind, query, body, transcribe), len(body), "audio" if is_audio else "http"
            )
            try:
                answer = await while_connected(request, work)
            finally:
                is_ended.set()
        return Response(answer.body, media_type=answer.media_type, headers=answer.headers)

    if service.openai:
        proxy = OpenAiProxy(service.openai, service.documents, bool(service.token))

        async def transcribe(request: Request) -> Response:
            """Forward audio to the recogniser; its answer, as OpenAI describes it, has marks and capitals."""
            return await proxy.forward(request)

        for path in PATHS:
            app.post(path, tags=["transcribe"])(transcribe)


def _request_schema() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the OpenAPI description of the request, which a worker thread parses, and the schemas it refers to."""
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        (m, "validation") for m in (PunctuateRequest, UploadOptions)
    ]
    _, found = models_json_schema(models, ref_template="#/components/schemas/{model}")
    schemas = found["$defs"]
    parameters = [
        {"name": name, "in": "query", "description": schema.pop("description"), "schema": schema}
        for name, schema in schemas.pop(UploadOptions.__name__)["properties"].items()
    ]
    file = {"type": "string", "format": "binary"}
    form = {"type": "object", "properties": {"file": file}, "required": ["file"]}
    content = {
        "application/json": {"schema": schemas.pop(PunctuateRequest.__name__)},
        "multipart/form-data": {"schema": form},
        "application/octet-stream": {"schema": file},
    }
    return {"parameters": parameters, "requestBody": {"required": True, "content": content}}, schemas


def _add_streams(app: FastAPI, service: Service) -> None:
    def published(websocket: WebSocket, serve: Serve) -> Serve:
        """Return `serve`; what it sends also goes to the viewers of the query's `captions`."""
        name = websocket.query_params.get("captions", "")

        async def serve_published(connection: Connection) -> None:
            if name:
                connection.on_text = partial(service.audience.publish, name)
            await serve(connection)

        return serve_published

    @app.websocket("/v1/stream")
    async def stream(websocket: WebSocket) -> None:
        await service.connections.serve(websocket, "stream", published(websocket, service.streams.serve))

    @app.websocket("/v1/captions")
    async def captions(websocket: WebSocket) -> None:
        watch = partial(service.audience.serve, websocket.query_params.get("stream", ""))
        await service.connections.serve(websocket, "captions", watch)

    if service.vosk:

        @app.websocket("/")
        async def vosk(websocket: WebSocket) -> None:
            forward = partial(serve_vosk, address=service.vosk, documents=service.documents)
            await service.connections.serve(websocket, "vosk", published(websocket, forward))


def _add_operation(app: FastAPI, service: Service) -> None:
    @app.get("/v1/models", tags=["models"])
    def models() -> list[ModelDescription]:
        """Return the models that a request can name."""
        return [ModelDescription(**each) for each in service.models.describe()]

    @app.get("/v1/features", tags=["models"])
    def features() -> dict[str, bool]:
        """Return what the page can offer: `microphone` needs a Vosk server."""
        return {"microphone": bool(service.vosk)}

    @app.get("/healthz", tags=["operation"])
    async def health() -> Response:
        """Return 200 while the service accepts requests, 503 while it stops. Needs no token."""
        stops = service.connections.stop.is_set()
        return JSONResponse({"status": "stopping" if stops else "ok"}, 503 if stops else 200)

    @app.get("/metrics", tags=["operation"])
    async def metrics() -> Response:
        """Return metrics in the text format of Prometheus."""
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


async def _service_error(_: Request, error: ServiceError) -> Response:
    return error.response()


async def _http_error(request: Request, error: HTTPException) -> Response:
    """Answer a request for an unknown path or method."""
    found, expected = f"{request.method} {request.url.path[:80]}", "a path and method of /openapi.json"
    answer = ServiceError(error.status_code, "request", found, expected).response()
    answer.headers.update(error.headers or {})
    return answer


async def _internal_error(_: Request, __: Exception) -> Response:
    """Answer an error of the service itself, without a stack trace."""
    return internal_error().response()


_ERROR_HANDLERS: dict[int | type[Exception], Any] = {
    ServiceError: _service_error,
    HTTPException: _http_error,
    Exception: _internal_error,
}
