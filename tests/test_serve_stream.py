"""Live streams over WebSocket: messages, limits, slow readers, the stop of the service, clients that reconnect."""

import asyncio
import json
import re
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from services import bare, client_with, running, service_maker
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_here

from asr_punct.errors import AsrPunctError
from asr_punct.hub import shipped_models
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import Case, Labels, Mark
from asr_punct.serve.audience import Audience
from asr_punct.serve.client import StreamClient
from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.models import Models
from asr_punct.serve.stream_messages import ServerMessage
from asr_punct.words import Word

TEXT = ["ana", "mira", "la", "casa", "dónde", "está", "la", "ley", "luis", "mira", "la", "mesa"]
SLOW = {"flush_after": 1000}  # a busy machine makes no pauses


def streamed(punctuator, *messages, right=3):
    """Return the words that a stream of the package commits."""
    stream = punctuator.stream(right=right, flush_after=1000)
    committed = [each for words in messages for each in stream.push(*words)] + stream.flush()
    return [each.written for each in committed]


def receive(socket):
    return ServerMessage.model_validate_json(socket.receive_text())


def ask(socket, **message):
    """Send a message and return the answer."""
    socket.send_text(json.dumps(message))
    return receive(socket)


def talk(client, *messages):
    """Send messages of one stream and return the answers."""
    with client.websocket_connect("/v1/stream") as socket:
        return [ask(socket, **message) for message in messages]


def written(*answers):
    return [word.written for answer in answers for word in answer.final]


def words_of(answer):
    return [word.word for word in answer.final]


# Messages


def test_words_are_committed_as_in_python(client, punctuator):
    words = [{"words": [word]} for word in TEXT]
    *answers, last, again = talk(client, {"config": SLOW}, *words, {"end": True}, {"words": TEXT, "end": True})
    for count, answer in enumerate(answers):
        shown = written(*answers[: count + 1])
        assert bare(" ".join(shown + answer.partial.split())) == TEXT[:count]
        assert min(count, 3) <= count - len(shown) <= 6  # of the look-ahead, and of unsure words
    assert (last.partial, last.end, again.end) == ("", len(TEXT), 2 * len(TEXT))
    assert written(*answers, last) == streamed(punctuator, *([word] for word in TEXT))
    assert written(again) == streamed(punctuator, TEXT)


@pytest.mark.parametrize("speaker", ["B", 2])
def test_a_message_or_its_words_name_the_speaker(client, punctuator, speaker):
    halves = TEXT[:5], TEXT[5:]
    first = {"words": halves[0], "speaker": "A"}
    by_message = talk(client, first, {"words": halves[1], "speaker": speaker}, {"end": True})
    named = [{"word": word, "speaker": speaker} for word in halves[1]]
    by_word = talk(client, first, {"words": named, "speaker": "A"}, {"end": True})
    words = [[Word(word, speaker=name) for word in half] for half, name in zip(halves, "AB", strict=True)]
    assert written(*by_message) == written(*by_word) == streamed(punctuator, *words)
    assert [word.speaker for answer in by_word for word in answer.final] == ["A"] * 5 + [str(speaker)] * 7
    unnamed = talk(client, {"words": [{"word": word, "speaker": {"id": 3}} for word in TEXT]}, {"end": True})
    assert {word.speaker for answer in unnamed for word in answer.final} == {None}


def test_times_stay_and_give_pauses(client, punctuator):
    words = [{"word": word, "start": i, "end": i + 0.25 * (1 + i % 3)} for i, word in enumerate(TEXT)]
    (answer,) = talk(client, {"config": {"right": 2, **SLOW}, "words": words, "end": True})
    timed = [Word(each["word"], each["start"], each["end"]) for each in words]
    assert written(answer) == streamed(punctuator, timed, right=2)
    assert [(word.word, word.start, word.end) for word in answer.final] == [tuple(each.values()) for each in words]


def test_partial_words_follow_those_that_wait(client):
    messages = {"config": SLOW, "partial": "ana mi"}, {"words": ["ana"], "partial": "mira la"}
    first, second, third = talk(client, *messages, {"words": ["mira"], "partial": "la"})
    assert (first.partial, bare(second.partial), third.partial) == ("ana mi", ["ana", "mira", "la"], "Ana, mira la")
    (plain,) = talk(client, {"config": {"preview": False, **SLOW}, "words": ["ana", "mira"]})
    assert plain.partial == "ana mira"


def test_a_pause_of_the_clock_commits_words(client):
    with client.websocket_connect("/v1/stream") as socket:
        asked = ask(socket, config={"flush_after": 0.2}, words=["ana", "mira"])
        later = receive(socket)
        assert (asked.final, words_of(later), later.partial, later.end) == ([], ["ana", "mira"], "", None)
        assert bare(ask(socket, words=["la"], partial="casa").partial) == ["la", "casa"]
        later = receive(socket)
        assert (words_of(later), later.partial) == (["la"], "casa")
        assert words_of(ask(socket, words=["la"], end=True)) == ["la"]


@pytest.mark.skipif("es-eu" not in shipped_models(), reason="no model es-eu in the package")
def test_a_pause_that_commits_no_word_has_no_answer():
    """Words wait until their language is clear, also at a pause."""
    with client_with(Punctuator.from_pretrained, None) as client, client.websocket_connect("/v1/stream") as socket:
        first = ask(socket, config={"flush_after": 0.05}, words=["la"])
        time.sleep(0.5)
        last = ask(socket, end=True)
    assert (first.final, words_of(last), last.end) == ([], ["la"], 1)


def test_without_a_wait_all_words_are_committed(client):
    with client.websocket_connect("/v1/stream") as socket:
        asked, later = ask(socket, config={"flush_after": 0}, words=["ana", "mira"]), receive(socket)
    assert (words_of(asked) + words_of(later), later.partial) == (["ana", "mira"], "")


def test_streams_together_are_those_alone(client, punctuator):
    """Streams with several settings send words at the same time."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(client.websocket_connect("/v1/stream")) for _ in range(6)]
        for i, socket in enumerate(sockets):
            socket.send_text(json.dumps({"config": {"right": 1 + i % 2, **SLOW}, "words": TEXT[i:]}))
            socket.send_text('{"end": true}')
        for i, socket in enumerate(sockets):
            assert written(receive(socket), receive(socket)) == streamed(punctuator, TEXT[i:], right=1 + i % 2)


def test_a_stream_is_continued(client, punctuator):
    (first,) = talk(client, {"config": SLOW, "words": TEXT[:9]})
    context = [word.model_dump(exclude_none=True, mode="json") for word in first.final]
    opened, second = talk(client, {"config": {"committed": context, **SLOW}}, {"words": TEXT[6:], "end": True})
    assert (opened.final, second.end) == ([], len(TEXT) - 6)
    assert written(first, second) == streamed(punctuator, *([word] for word in TEXT))


@pytest.mark.parametrize(
    "message",
    [
        "", "[]", "{", '{"word": "a"}', '{"words": "a"}', '{"words": ["a b"]}', '{"words": [""]}', '{"words": [1]}',
        '{"words": [{"word": "a", "start": 2}, {"word": "b", "start": 1}]}', '{"end": "never"}',
        '{"words": [{"word": "a", "start": 1e400}]}', '{"config": {"model": "/etc"}}', '{"config": {"right": 0}}',
        '{"words": ["\\ud800"]}', b"\x00", '{"words": ["a"' + ', "a"' * 500 + "]}",
    ],
)  # fmt: skip
def test_bad_messages(client, message):
    with client.websocket_connect("/v1/stream") as socket:
        (socket.send_bytes if isinstance(message, bytes) else socket.send_text)(message)
        error = receive(socket).error
        assert error.place.partition(":")[0] in ("message", "model")
        assert error.found
        assert error.expected
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == 1008


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ([{"words": [{"word": "a", "start": 2}]}, {"words": ["b"]}, {"words": [{"word": "c", "start": 1}]}], "words"),
        ([{"config": SLOW}, {"config": SLOW}], "message"),
    ],
)
def test_bad_messages_after_good_ones(client, messages, place):
    assert talk(client, *messages)[-1].error.place.endswith(place)


@given(st.lists(st.lists(st.sampled_from(TEXT), min_size=1), min_size=1))
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_messages_of_any_size_are_decided_as_by_a_stream(client, punctuator, messages):
    answers = talk(client, {"config": SLOW}, *({"words": words} for words in messages), {"end": True})
    assert written(*answers) == streamed(punctuator, *messages)


# Limits


def test_too_many_streams(make_client):
    client = make_client(limits=ServiceLimits(streams=1))
    with client.websocket_connect("/v1/stream"):
        with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect("/v1/stream"):
            pass
        assert (refused.value.status_code, refused.value.headers["retry-after"]) == (503, "5")
    assert 'asr_punct_refused_total{limit="streams"} 1.0' in client.get("/metrics").text
    assert bare(talk(client, {"words": ["ana"]})[0].partial) == ["ana"]


def test_an_idle_stream_gets_its_words(make_client):
    with make_client(limits=ServiceLimits(idle_s=0.3)).websocket_connect("/v1/stream") as socket:
        ask(socket, config=SLOW, words=["ana", "mira"])
        last = receive(socket)
        assert (words_of(last), last.end) == (["ana", "mira"], 2)
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == 1001


def send_for_ever(socket, message):
    while True:
        socket.send(message)


def test_a_text_that_is_not_utf8_closes_the_stream(make_service, capsys):
    with running(make_service()) as (_, address):
        for parts in ([b"\xff"], [b"{\xc3", b"\xa1\xff}"], [b"\xc3"]):
            with connect_here(f"ws://{address}/v1/stream") as socket:
                with suppress(ConnectionClosed):  # it may be closed after the first part
                    socket.send(parts, text=True)
                assert list(socket_messages(socket)) == []
                assert socket.close_code == 1007
        with connect_here(f"ws://{address}/v1/stream") as socket:
            socket.send([b'{"partial": "\xc3', b'\xa1"}'], text=True)  # a character in two frames
            assert receive_here(socket).partial == "á"
    assert capsys.readouterr().err == ""


def test_large_messages_and_slow_readers(make_service):
    service = make_service(limits=ServiceLimits(send_s=0.5, message_bytes=4096))
    options = {"compression": None, "ping_interval": None, "max_queue": 1}
    with running(service) as (_, address):
        with connect_here(f"ws://{address}/v1/stream", **options) as large:
            with suppress(ConnectionClosed):
                large.send("x" * 8_000_000)  # more than the buffers of two sockets
            with pytest.raises(ConnectionClosed) as closed:
                large.recv()
            assert closed.value.rcvd.code == 1009
        with connect_here(f"ws://{address}/v1/stream", **options) as slow, pytest.raises(ConnectionClosed):
            send_for_ever(slow, json.dumps({"partial": "a" * 3900}))
        assert 'limit="slow reader"} 1.0' in service.metrics.text().decode()


# The stop of the service, and clients that reconnect


def test_the_stop_commits_the_words_and_tells_the_client(make_service, punctuator):
    with running(make_service()) as (server, address), connect_here(f"ws://{address}/v1/stream") as socket:
        socket.send(json.dumps({"config": SLOW, "words": TEXT}))
        answers = [ServerMessage.model_validate_json(socket.recv())]
        server.should_exit = True
        answers += [ServerMessage.model_validate_json(socket.recv()) for _ in range(2)]
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv()
    stream = punctuator.stream(right=3, flush_after=1000)
    paused = [each.written for each in stream.push(*TEXT) + stream.idle(1000)]  # as at a pause: the client may continue
    assert (written(*answers), answers[-1].end, closed.value.rcvd.code) == (paused, len(TEXT), 1001)


@given(breaks=st.sets(st.integers(0, 40), max_size=4))
@settings(max_examples=8)
def test_the_client_reconnects(breaking_server, punctuator, breaks):
    """Connections break without warning while words are sent; each word comes back once and in order."""
    server, address = breaking_server
    words = (TEXT * 4)[:41]

    async def talk():
        async with StreamClient(f"ws://{address}/v1/stream", retry_s=0.01, config=SLOW) as client:
            for number, word in enumerate(words):
                await client.send(word)
                if number in breaks:
                    await asyncio.sleep(0.02)
                    break_connections(server)
            await client.end()
            return [each async for each in client]

    found = asyncio.run(asyncio.wait_for(talk(), 60))
    assert [each["word"] for each in found] == words
    if not breaks:
        assert [each["written"] for each in found] == streamed(punctuator, *([word] for word in words))


def break_connections(server):
    for connection in list(server.server_state.connections):
        connection.loop.call_soon_threadsafe(connection.transport.abort)


@pytest.fixture(scope="module")
def breaking_server(make_service):
    with running(make_service()) as running_server:
        yield running_server


def stream_words(address, *words, **options):
    """Send the words by a client, one call each, and return the committed words."""

    async def talk():
        async with StreamClient(f"ws://{address}/v1/stream", **options) as client:
            for word in words:
                await client.send(word)
            await client.end()
            return [each async for each in client]

    return asyncio.run(asyncio.wait_for(talk(), 60))


def failure(run, *arguments, **options):
    """Return the parts of the error that a call raises."""
    with pytest.raises(AsrPunctError) as raised:
        run(*arguments, **options)
    return raised.value.place, raised.value.found, raised.value.expected


def test_the_client_reports_refusals(make_service, capsys):
    with running(make_service(token="abc")) as (_, address):
        place, found, _ = failure(stream_words, address, "ana")
        assert (place, found) == (f"ws://{address}/v1/stream: token", "none or a wrong one")
        assert failure(stream_words, address, "ana", token="abc", config={"model": "x"})[0] == "model"
        assert [each["word"] for each in stream_words(address, "ana", token="abc")] == ["ana"]
    assert capsys.readouterr().err == ""  # a refusal is no error of the service


def test_the_client_logs_warnings_of_the_service_once(breaking_server, caplog):
    server, address = breaking_server

    async def talk():
        async with StreamClient(
            f"ws://{address}/v1/stream", retry_s=0.01, config={"language": "fr", "right": 1}
        ) as client:
            await client.send("ana", "mira", "la", "mesa", "la", "ley", "luis")
            await anext(aiter(client))
            break_connections(server)
            await client.send("mira")
            await client.end()
            return [each async for each in client]

    asyncio.run(asyncio.wait_for(talk(), 60))
    lines = [record.getMessage() for record in caplog.records if record.name == "asr_punct.serve.client"]
    broken, warned = [[line for line in lines if part in line] for part in ("connects again", "language is French")]
    assert (len(broken), len(warned)) == (1, 1)
    assert warned[0].startswith(f"ws://{address}/v1/stream: the language is French")


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/v1/stream", "127.0.0.1:8080", "localhost", "ws://", ""])
def test_the_client_refuses_another_address(url):
    assert failure(StreamClient, url)[:2] == ("url", repr(url))


@pytest.mark.parametrize("words", [["ana"], ["ana", "mira"]])  # the second word waits to be sent
def test_the_client_fails_if_there_is_no_service(words):
    place, _, expected = failure(stream_words, "127.0.0.1:1", *words, retry_s=0.05, connect_s=0.2, max_waiting=1)
    assert (place, expected) == ("ws://127.0.0.1:1/v1/stream", "a service that answers")


@pytest.mark.parametrize("answer", ["hello", "[]", '{"final": [{"word": 1}]}', '{"final": 1}'])
def test_the_client_reports_another_service(answer):
    async def reply(socket):
        async for _ in socket:
            await socket.send(answer)

    async def talk():
        async with serve(reply, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with StreamClient(f"ws://127.0.0.1:{port}/") as client:
                return [each async for each in client]

    assert failure(asyncio.run, asyncio.wait_for(talk(), 60))[1] == repr(answer)


def test_the_client_sends_words_in_several_forms(breaking_server):
    _, address = breaking_server
    words = "ana", Word("mira", 1, 1.5), {"word": "la", "start": 2, "end": 2.5, "speaker": "A"}
    found = stream_words(address, *words, config=SLOW)
    assert [(each["word"], each.get("start")) for each in found] == [("ana", None), ("mira", 1), ("la", 2)]
    labelled = Word("ana", labels=Labels(frozenset({Mark.COLON}), Case.ALL_CAPS))
    assert [each["written"] for each in stream_words(address, labelled, config=SLOW)] == ["ANA:"]
    for bad in (5, None, {"text": "ana"}, {"word": 5}, {"word": "ana", "start": -1}, "ana mira"):
        place, found, expected = failure(stream_words, address, bad)
        assert place.partition(":")[0] == "words"
        assert found
        assert expected


@pytest.mark.skipif("es-eu" not in shipped_models(), reason="no model es-eu in the package")
def test_the_example_of_the_documentation():
    page = (Path(__file__).parent.parent / "docs" / "live.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r'^```json\n(\{"config".*?)^```', page, re.MULTILINE | re.DOTALL)
    messages = [json.loads(line) for line in lines.splitlines()]
    messages[0]["config"] |= SLOW
    with client_with(Punctuator.from_pretrained, "es-eu") as client, client.websocket_connect("/v1/stream") as socket:
        for sent, received in zip(messages[::2], messages[1::2], strict=True):
            socket.send_text(json.dumps(sent))
            assert json.loads(socket.receive_text()) == received


# Words that wait


class Blocked:
    """A punctuator whose streams wait in each push until they are released."""

    def __init__(self, punctuator):
        self.glyphs, self._punctuator, self.released = punctuator.glyphs, punctuator, threading.Event()

    def stream_pool(self, *arguments):
        pool = self._punctuator.stream_pool(*arguments)
        push = pool.push
        pool.push = lambda words: (self.released.wait(60), push(words))[1]
        return pool


@contextmanager
def blocked_stream(model, punctuator, **limits):
    """Yield the event that releases the streams of a service, and a connection to it."""
    blocked = Blocked(punctuator)
    with service_maker(Models(lambda _: blocked, str(model))) as make, ExitStack() as stack:
        _, address = stack.enter_context(running(make(host="127.0.0.1", limits=ServiceLimits(**limits))))
        yield blocked.released, stack.enter_context(connect_here(f"ws://{address}/v1/stream", ping_interval=None))
        blocked.released.set()


def test_pings_are_answered_while_words_wait(model, punctuator):
    with blocked_stream(model, punctuator) as (released, socket):
        for word in TEXT:
            socket.send(json.dumps({"config": SLOW, "words": [word]} if word == "ana" else {"words": [word]}))
        assert socket.ping().wait(60)
        released.set()
        answers = [ServerMessage.model_validate_json(socket.recv()) for _ in TEXT]
    assert written(*answers) == streamed(punctuator, *([word] for word in TEXT))[: len(written(*answers))]


def test_a_client_whose_pong_is_not_read_stays(model, punctuator):
    with blocked_stream(model, punctuator, pong_s=0.2, waiting_bytes=0, behind_s=60) as (released, socket):
        for _ in range(4):
            socket.send(json.dumps({"words": ["ana"]}))
        time.sleep(1)
        released.set()
        assert all(receive_here(socket).error is None for _ in range(4))


def test_a_client_that_sends_too_much_is_told(model, punctuator):
    with blocked_stream(model, punctuator, waiting_bytes=2000, behind_s=0.1) as (released, socket):
        for number in range(20):
            socket.send(json.dumps({"config": SLOW, "words": TEXT} if not number else {"words": TEXT}))
        time.sleep(0.3)
        released.set()
        answers = list(map(ServerMessage.model_validate_json, socket_messages(socket)))
    assert socket.close_code == 4503
    words = [word for answer in answers for word in words_of(answer)]
    assert words == TEXT * (len(words) // len(TEXT))
    assert 0 < answers[-1].end == len(words) < 20 * len(TEXT)


def socket_messages(socket):
    """Yield messages until the connection is closed with any code."""
    with suppress(ConnectionClosed):
        while True:
            yield socket.recv(60)


def receive_here(socket):
    return ServerMessage.model_validate_json(socket.recv(60))


def test_viewers_see_the_answers_of_a_named_stream(client):
    with (
        client.websocket_connect("/v1/captions?stream=hall") as viewer,
        client.websocket_connect("/v1/captions?stream=other"),
        client.websocket_connect("/v1/stream?captions=hall") as speaker,
    ):
        for text in ("ana", "mira"):
            speaker.send_json({"words": [text]})
            answer = speaker.receive_json()
            assert viewer.receive_json() == answer
    with client.websocket_connect("/v1/stream?captions=hall") as speaker:  # nobody watches
        speaker.send_json({"words": ["ana"], "end": True})
        assert speaker.receive_json()["final"]


def test_silent_viewers_stay_and_have_a_limit_of_their_own(make_client):
    client = make_client(limits=ServiceLimits(idle_s=0.1, streams=1, viewers=1))
    with client.websocket_connect("/v1/captions?stream=hall") as viewer:
        with client.websocket_connect("/v1/stream") as silent:
            assert silent.receive()["type"] == "websocket.close"
        with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect("/v1/captions?stream=hall"):
            pass
        assert refused.value.json()["error"]["found"] == "1 open viewers"
        with client.websocket_connect("/v1/stream?captions=hall") as speaker:
            answer = ask(speaker, words=["ana"])
        assert ServerMessage.model_validate(viewer.receive_json()) == answer


def test_the_last_words_of_a_client_that_leaves_reach_viewers(make_service):
    with ExitStack() as stack:
        _, address = stack.enter_context(running(make_service(host="127.0.0.1")))
        viewer = stack.enter_context(connect_here(f"ws://{address}/v1/captions?stream=hall"))
        with connect_here(f"ws://{address}/v1/stream?captions=hall") as speaker:
            for word in ("ana", "mira", "la"):
                speaker.send(json.dumps({"config": SLOW, "words": [word]} if word == "ana" else {"words": [word]}))
        answers = [receive_here(viewer)]
        while answers[-1].end is None:
            answers.append(receive_here(viewer))
    assert bare(" ".join(written(*answers))) == ["ana", "mira", "la"]


def test_the_last_words_of_streams_reach_viewers_when_the_service_stops(make_service):
    with running(make_service(host="127.0.0.1")) as (server, address), ExitStack() as stack:
        viewer = stack.enter_context(connect_here(f"ws://{address}/v1/captions?stream=hall"))
        speaker = stack.enter_context(connect_here(f"ws://{address}/v1/stream?captions=hall"))
        speaker.send(json.dumps({"config": SLOW, "words": ["ana", "mira"]}))
        assert receive_here(speaker).final == []
        server.should_exit = True
        answers = list(map(ServerMessage.model_validate_json, socket_messages(viewer)))
    assert bare(" ".join(written(*answers))) == ["ana", "mira"]
    assert (answers[-1].end, viewer.close_code) == (2, 1001)


class Watcher:
    """A viewer's connection that notes what is sent to it."""

    def __init__(self):
        self.sent, self.code, self.is_served = [], None, asyncio.Event()

    async def receive(self):
        self.is_served.set()
        await asyncio.Event().wait()

    async def send(self, message):
        self.sent.append(message)

    async def close(self, code, reason):
        self.code = code


def test_a_viewer_that_is_behind_is_told():
    async def watch():
        audience, watcher = Audience(), Watcher()
        serving = asyncio.create_task(audience.serve("hall", watcher))
        await watcher.is_served.wait()
        for number in range(1000):  # nothing is sent before the loop runs again
            audience.publish("hall", str(number))
        await serving
        return watcher

    watcher = asyncio.run(watch())
    assert watcher.sent == [str(number) for number in range(len(watcher.sent))]
    assert (watcher.code, 0 < len(watcher.sent) < 1000) == (4503, True)
