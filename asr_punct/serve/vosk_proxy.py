"""A proxy for a Vosk server: it forwards the audio of clients, and adds marks and capitals to the results.

Protocol of vosk-server (https://alphacephei.com/vosk/server): the client sends an optional `{"config": …}`, audio as
binary messages, and `{"eof": 1}`. The server answers each binary message with `{"partial": …}` or a result
(`{"result": [{"word", "start", "end", "conf"}], "text"}`), and the end with the last result.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from asr_punct.errors import InputError, first_line
from asr_punct.formats.json import vosk
from asr_punct.formats.json.nodes import parse_json
from asr_punct.serve.connections import Connection, DisconnectedError
from asr_punct.serve.documents import Documents
from asr_punct.serve.requests import ParsedRequest
from asr_punct.serve.service_errors import ServiceError
from asr_punct.text import split_token
from asr_punct.words import Word

_LOG = logging.getLogger(__name__)
_EOF = '{"eof" : 1}'
"""The end of the audio; vosk-server compares it character by character, also the spaces."""
_MAX_RESULT = 4 * 2**20
"""Maximum size of a message of the Vosk server."""
_CONTEXT_WORDS = 60
"""Number of words before a result that the model reads as context."""
_RESULT_BYTES = 512
"""Assumed size of a result as a request in the queue: a short one."""
_UNREACHABLE = 1014
"""Code with which a client's connection is closed if the Vosk server cannot be reached."""


async def serve_vosk(client: Connection, address: str, documents: Documents) -> None:
    """Pass messages between a client and the Vosk server until one of them closes the connection."""
    code, reason = 1000, ""
    try:
        async with connect(address, max_size=_MAX_RESULT, max_queue=4, compression=None) as upstream:
            if await _Session(client, upstream, documents).run():
                code, reason, _ = client.closing
    except (OSError, TimeoutError, WebSocketException) as error:
        _LOG.warning("%s: found %s, expected a Vosk server", address, first_line(error))
        code, reason = _UNREACHABLE, "the Vosk server cannot be reached"
    await client.close(code, reason)


@dataclass
class _Session:
    """The connections to one client and to the Vosk server.

    `context` has the last words of earlier results, with their marks and capitals; `partial` the last partial result
    and its answer, because Vosk repeats partial results.
    """

    client: Connection
    upstream: ClientConnection
    documents: Documents
    context: list[Word] = field(default_factory=list)
    partial: tuple[str, str] = "", ""

    async def run(self) -> bool:
        """Pass messages in both directions. If the client is idle or the service stops, end the audio; return True."""
        sending = asyncio.create_task(self._send_audio())
        receiving = asyncio.create_task(self._send_results())
        try:
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not sending.exception():
                with suppress(TimeoutError):
                    await asyncio.wait_for(receiving, self.documents.limits.stop_s)
        finally:
            for task in (sending, receiving):
                task.cancel()
            errors = await asyncio.gather(sending, receiving, return_exceptions=True)
        for error in errors:
            if isinstance(error, Exception):
                raise error
        return not sending.cancelled()

    async def _send_audio(self) -> None:
        """Pass the messages of the client on; those after its end of the audio would meet a closed connection."""
        is_ended = False
        try:
            while (message := await self.client.receive()) is not None:
                if not is_ended:
                    await self.upstream.send(message)
                is_ended = is_ended or message == _EOF
        except DisconnectedError:
            if not self.client.on_text:
                raise  # else viewers get its last words
        if not is_ended:
            await self.upstream.send(_EOF)

    async def _send_results(self) -> None:
        async for message in self.upstream:
            await self.client.send(await self._punctuated(message) if isinstance(message, str) else message)

    async def _punctuated(self, message: str) -> str:
        """Return a message with marks and capitals; unchanged if that fails, so that the client gets its words."""
        try:
            value = parse_json(message, "message")
            if not isinstance(value, dict):
                return message
            if "partial" in value:
                return await self._punctuated_partial(message, value)
            result = await self._restored(value)
            self._remember(result)
            return json.dumps(result, ensure_ascii=False, indent=2)
        except (InputError, ServiceError) as error:
            _LOG.warning("a result was not punctuated: %s", error)
            return message

    async def _punctuated_partial(self, message: str, value: Mapping[str, Any]) -> str:
        """Return a partial result; it has no marks after its last word, because more words follow."""
        if message == self.partial[0]:
            return self.partial[1]
        found = await self._restored({"text": value["partial"], "result": value.get("partial_result")})
        entries = [dict(entry) for entry in found["result"] or ()]
        if entries:
            entries[-1]["word"] = _unended(entries[-1]["word"])
        changed = {**value, "partial": _unended(found["text"])}
        if "partial_result" in value:
            changed["partial_result"] = entries
        self.partial = message, json.dumps(changed, ensure_ascii=False, indent=2)
        return self.partial[1]

    async def _restored(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Return a result with marks and capitals."""
        utterances = list(vosk.read_vosk(result, "message"))
        if not any(utterance.words for utterance in utterances):
            return dict(result)
        # The model reads the earlier results as an utterance of the same recording.
        before = replace(utterances[0], words=tuple(self.context))
        request = ParsedRequest((before, *utterances), to="vosk", context_utterances=1)
        answer = await self.documents.answer(lambda: request, _RESULT_BYTES, kind="vosk")
        found: dict[str, Any] = json.loads(answer.body)
        return found

    def _remember(self, result: Mapping[str, Any]) -> None:
        """Keep the last words as context."""
        best = (result.get("alternatives") or [result])[0]
        entries = best.get("result") or [{"word": word} for word in best.get("text", "").split()]
        words = [Word(entry["word"], entry.get("start"), entry.get("end")) for entry in entries]
        self.context = [*self.context, *words][-_CONTEXT_WORDS:]


def _unended(text: str) -> str:
    """Return the text without the marks after its last word: a document ends with one, but this one goes on."""
    before, space, last = text.rpartition(" ")
    left, word, _ = split_token(last)
    return before + space + left + word
