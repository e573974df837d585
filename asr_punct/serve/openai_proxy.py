"""A proxy for a recogniser with OpenAI's `POST /v1/audio/transcriptions`: its answers get marks and capitals.

Requests are forwarded as they are, so that all fields reach the recogniser. The kind of answer is found by its content:
JSON (`json`, `verbose_json`), SRT, WebVTT or text. Errors, streams of events and anything else pass unchanged.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import httpx
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from asr_punct.errors import InputError, first_line
from asr_punct.files import MemoryFile
from asr_punct.formats import read
from asr_punct.formats.json.nodes import parse_json
from asr_punct.formats.source import Source
from asr_punct.serve.answers import Answer
from asr_punct.serve.bodies import while_connected
from asr_punct.serve.documents import Documents
from asr_punct.serve.requests import ParsedRequest
from asr_punct.serve.service_errors import ServiceError
from asr_punct.words import utterances_of_text

_LOG = logging.getLogger(__name__)
_CONNECT_S, _ANSWER_S = 10.0, 3600.0
"""Time to connect to the recogniser, and between two parts of its answer."""
_REQUEST_HEADERS = ("content-type", "content-length", "accept", "user-agent")
_OWN_HEADERS = frozenset(
    ("connection", "content-encoding", "content-length", "date", "keep-alive", "server", "transfer-encoding", "upgrade")
)
"""Headers of an answer that hold for one connection, or for its body before it changes."""
PATHS = "/v1/audio/transcriptions", "/v1/audio/translations"


class OpenAiProxy:
    """Forwards requests to the recogniser at `address`, such as `http://host:8000`, with or without `/v1`.

    `has_token`: whether the service has a token, which is not passed on; else `Authorization` is the recogniser's.
    """

    def __init__(self, address: str, documents: Documents, has_token: bool) -> None:
        self._address = address.rstrip("/").removesuffix("/v1")
        self._documents = documents
        self._headers = _REQUEST_HEADERS if has_token else (*_REQUEST_HEADERS, "authorization")

    async def forward(self, request: Request) -> Response:
        """Return the recogniser's answer with marks and capitals.

        Raises ServiceError if the recogniser cannot be reached, the client leaves, or the service stops.
        """
        return await self._documents.unless_refused(self._forward(request))

    async def _forward(self, request: Request) -> Response:
        client = httpx.AsyncClient(timeout=httpx.Timeout(_ANSWER_S, connect=_CONNECT_S), trust_env=False)
        try:
            answer = await self._ask(client, request)
            if answer.status_code == 200 and "event-stream" not in answer.headers.get("content-type", ""):
                body = await while_connected(request, answer.aread())
                await client.aclose()
                changed = await while_connected(request, self._punctuated(body))
                return Response(changed.body, 200, {**_passed(answer), **changed.headers})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            await client.aclose()
            expected = "a recogniser with OpenAI's POST /v1/audio/transcriptions"
            raise ServiceError(502, self._address, first_line(error), expected) from None
        except BaseException:
            await client.aclose()
            raise
        return StreamingResponse(_stream(client, answer), answer.status_code, _passed(answer))

    async def _ask(self, client: httpx.AsyncClient, request: Request) -> httpx.Response:
        """Send the request, and return the answer when its headers are there."""
        is_sent = asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            async for part in request.stream():
                yield part
            is_sent.set()

        headers = {name: value for name in self._headers if (value := request.headers.get(name))}
        query = httpx.QueryParams([each for each in request.query_params.multi_items() if each[0] != "token"])
        address = f"{self._address}{request.url.path}"
        asked = client.build_request("POST", address, params=query, headers=headers, content=body())
        try:
            return await while_connected(request, client.send(asked, stream=True), is_sent)
        except ClientDisconnect:
            raise ServiceError(408, "body", "a body that does not end", "a whole request") from None

    async def _punctuated(self, body: bytes) -> Answer:
        """Return an answer of the recogniser with marks and capitals; unchanged if it cannot be read."""
        try:
            return await self._restored(body)
        except (InputError, ServiceError, UnicodeDecodeError) as error:
            _LOG.warning("an answer of %s was not punctuated: %s", self._address, error)
            return Answer(body, "")

    async def _restored(self, body: bytes) -> Answer:
        text = body.decode()
        if text.lstrip().startswith("{"):
            value = parse_json(text, "answer")
            if not isinstance(value, dict) or not isinstance(value.get("text", ""), str):
                return Answer(body, "")
            if not value.keys() & {"segments", "words"}:
                restored = await self._restored_text(value.get("text", ""))
                content = {**value, "text": restored.body.decode()} if "text" in value else value
                return Answer(json.dumps(content, ensure_ascii=False).encode(), "", restored.warnings)
            return await self._restored_file(body, "whisper")
        if text.startswith("WEBVTT"):
            return await self._restored_file(body, "vtt")
        if "-->" in text.partition("\n\n")[0].replace("\r", ""):
            return await self._restored_file(body, "srt")
        return await self._restored_text(text)

    async def _restored_file(self, body: bytes, name: str) -> Answer:
        def parse() -> ParsedRequest:
            try:
                utterances = tuple(read(Source(MemoryFile("answer", body), name), may_be_empty=True))
            except InputError as error:
                raise ServiceError(422, error.place, error.found, error.expected) from None
            return ParsedRequest(utterances, to=name)

        return await self._documents.answer(parse, len(body), "openai")

    async def _restored_text(self, text: str) -> Answer:
        """Return a text with marks and capitals, and white space at its ends as it was."""
        words = text.strip()
        if not words:
            return Answer(text.encode(), "")
        answer = await self._documents.answer(
            lambda: ParsedRequest(tuple(utterances_of_text(words))), len(words.encode()), "openai"
        )
        begin = text.index(words)
        restored = json.loads(answer.body)["text"]
        return Answer(f"{text[:begin]}{restored}{text[begin + len(words) :]}".encode(), "", answer.warnings)


def _passed(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.lower() not in _OWN_HEADERS}


async def _stream(client: httpx.AsyncClient, answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_bytes():
            yield part
    finally:
        await answer.aclose()
        await client.aclose()
