"""The service over HTTP: answers, formats, limits, token and Origin."""

import gzip
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import cache
from importlib.util import find_spec

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
import httpx
from dummies import grid_of
from hypothesis import given
from hypothesis import strategies as st
from services import client_with, running, service_maker
from starlette.testclient import WebSocketDenialResponse

from asr_punct import formats
from asr_punct.formats.registry import WRITABLE_FILES
from asr_punct.inference.options import OutputOptions
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import Mark
from asr_punct.serve import app
from asr_punct.serve.limits import ServiceLimits
from asr_punct.serve.models import Models
from asr_punct.serve.requests import parse_request
from asr_punct.serve.schema import ErrorAnswer, PunctuateAnswer
from asr_punct.serve.server import bind
from asr_punct.words import Utterance, Word

CTM = "talk 1 0.00 0.20 ana\ntalk 1 0.25 0.30 mira\ntalk 1 0.55 0.10 la\ntalk 1 0.70 0.30 casa\n"
WORDS = [{"word": "dónde", "start": 0, "end": 0.2}, {"word": "está", "start": 0.3, "end": 0.5}]


def post(client, **arguments):
    return client.post("/v1/punctuate", **arguments)


def error(answer, status):
    assert answer.status_code == status, answer.text
    return ErrorAnswer.model_validate_json(answer.content).error


# Answers


@given(st.lists(st.lists(st.sampled_from(["ana", "mira", "la", "casa", "dónde", "-"]), max_size=8), max_size=5))
def test_a_text_is_restored_as_in_python(client, punctuator, lines):
    text = "\n".join(map(" ".join, lines))
    answer = PunctuateAnswer.model_validate(post(client, json={"text": text}).json())
    assert (answer.text, answer.words) == (punctuator(text), None)


def test_words_keep_their_times(client, punctuator):
    answer = PunctuateAnswer.model_validate(post(client, json={"words": WORDS, "probabilities": True}).json())
    assert [(word.word, word.start, word.end) for word in answer.words] == [("dónde", 0, 0.2), ("está", 0.3, 0.5)]
    assert " ".join(word.written for word in answer.words) == answer.text
    spoken = Utterance(tuple(Word(word["word"], word["start"], word["end"]) for word in WORDS), time_source="asr")
    (expected,) = punctuator.restore([spoken], probabilities=True)
    assert [word.probabilities for word in answer.words] == [word.probabilities for word in expected.words]


def test_words_may_be_strings(client):
    texts = [word["word"] for word in WORDS]
    answer = post(client, json={"words": texts}).json()
    assert [word["word"] for word in answer["words"]] == texts
    assert answer == post(client, json={"words": [{"word": text} for text in texts]}).json()
    refused = error(post(client, json={"words": ["a b"]}), 422)
    assert (refused.place, refused.found) == ("body: words.0.word", "'a b'")


def test_given_marks_stay(client):
    words = [{**WORDS[0], "marks": ["OPEN_EXCL"], "case": "FIRST_CAP"}, {**WORDS[1], "marks": ["EXCLAMATION"]}]
    assert post(client, json={"words": words}).json()["text"] == "¡Dónde está!"


def test_fill(client, punctuator):
    text = "eitb. Hola.\n\n" + "ana mira la casa " * 10
    expected = punctuator(text, fill=True)
    assert post(client, json={"text": text, "fill": True}).json()["text"] == expected
    assert (
        post(client, files={"file": text.encode()}, data={"fill": "1", "to": "text"}).text.split() == expected.split()
    )
    assert punctuator(text).split() != expected.split()


def test_a_file_comes_back_in_its_format_or_another(client, punctuator, tmp_path, run, model):
    (tmp_path / "talk.ctm").write_text(CTM)
    for name in WRITABLE_FILES:
        _, expected, _ = run("punctuate", tmp_path / "talk.ctm", "--to", name, "--model", model, "--quiet")
        answer = post(client, files={"file": ("talk.ctm", CTM)}, data={"to": name})
        assert (answer.status_code, answer.text) == (200, expected)
    ctm = post(client, files={"file": ("talk.ctm", CTM)}).text
    assert post(client, content=CTM, params={"from": "ctm"}).text == ctm
    assert post(client, content=CTM, params={"name": "../../etc/talk.ctm"}).text == ctm


def test_a_file_comes_back_in_a_format_that_is_not_text(client, punctuator, tmp_path):
    (tmp_path / "talk.ctm").write_text(CTM)
    formats.write(punctuator.restore(formats.read(tmp_path / "talk.ctm")), tmp_path / "talk.stl", punctuator.glyphs)
    answer = post(client, files={"file": ("talk.ctm", CTM)}, data={"to": "stl"})
    assert answer.content[1024:] == (tmp_path / "talk.stl").read_bytes()[1024:] != b""  # the head has the date
    answer = post(client, files={"file": ("talk.ctm", CTM)}, data={"to": "docx"})
    if find_spec("docx"):
        assert answer.content.startswith(b"PK")
        assert answer.headers["content-type"].endswith("wordprocessingml.document")
    else:
        assert "asr-punct[docx]" in error(answer, 422).expected


def test_tiers_can_be_named(client):
    grid = "".join(grid_of(a=["hola ana"], b=["dónde está"]).lines())
    for data, expected in (({}, {"hola", "ana", "dónde", "está"}), ({"tiers": '["b"]'}, {"dónde", "está"})):
        answer = post(client, files={"file": ("r.TextGrid", grid)}, data={"to": "text", **data})
        assert set(re.findall(r"\w+", answer.text.lower())) == expected
    answer = post(client, files={"file": ("r.TextGrid", grid)}, data={"tiers": '["c"]'})
    assert (answer.status_code, answer.json()["error"]["found"]) == (422, "no interval tier 'c'")


def test_json_of_a_recogniser(client):
    vosk = {"result": [{"word": "ana", "start": 0.0, "end": 0.3, "conf": 1.0}], "text": "ana"}
    answer = post(client, json=vosk, params={"from": "vosk"})
    assert [entry["start"] for entry in answer.json()["result"]] == [0.0]
    assert post(client, files={"file": ("talk.json", json.dumps(vosk))}).json() == answer.json()


def test_an_upload_is_never_a_path(client, tmp_path, monkeypatch):
    secret = tmp_path / "secret.ctm"
    secret.write_text(CTM)
    monkeypatch.chdir(tmp_path)
    for name in ("secret.ctm", str(secret), "-", "", "."):
        answer = post(client, files={"file": (name or "x", b"hola")}, data={"from": "text", "to": "text"})
        assert answer.status_code == 200
        assert "ana" not in answer.text.lower()


OUTPUT = [
    ({"marks": ["COMMA"]}, {"marks": {Mark.COMMA}}),
    ({"marks": []}, {"marks": ()}),
    ({"case": False, "sensitivity": -2}, {"case": False, "sensitivity": -2.0}),
    ({"casing": ["caSa"], "sensitivity": 3.5}, {"casing": ("caSa",), "sensitivity": 3.5}),
]


@pytest.mark.parametrize(("keys", "options"), OUTPUT)
def test_a_request_says_what_may_be_added(client, punctuator, keys, options):
    marks = options.get("marks")
    output = OutputOptions(**{**options, "marks": None if marks is None else frozenset(marks)})
    text = "ana mira la casa dónde está la ley"
    expected = punctuator.with_output(output)(text)
    assert post(client, json={"text": text, **keys}).json()["text"] == expected
    fields = {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in keys.items()}
    if keys != {"marks": []}:  # a form has no empty list
        assert (
            post(client, content=text.encode(), params={**fields, "from": "text", "to": "text"}).text == f"{expected}\n"
        )
    with client.websocket_connect("/v1/stream") as stream:
        stream.send_json({"config": {**keys, "flush_after": 1000}, "words": text.split(), "end": True})
        found = [each["written"] for each in stream.receive_json()["final"]]
    assert found == [each.written for each in streamed_words(punctuator.with_output(output), text)]


def streamed_words(punctuator, text):
    stream = punctuator.stream(flush_after=1000)
    return [*stream.push(*text.split()), *stream.flush()]


@pytest.mark.parametrize("language", ["es", "es_ES", "spa", "Spanish", "auto"])
def test_every_code_of_a_language(client, language):
    assert post(client, json={"text": "ana", "language": language}).status_code == 200
    assert post(client, content=b"ana", params={"from": "text", "language": language}).status_code == 200


def test_models_health_metrics_and_reference(client):
    assert {"name", "languages", "default"} <= client.get("/v1/models").json()[0].keys()
    assert client.get("/healthz").json() == {"status": "ok"}
    assert post(client, json={"text": "ana"}).status_code == 200
    assert 'asr_punct_requests_total{path="/v1/punctuate",status="200"}' in client.get("/metrics").text
    api = client.get("/openapi.json")
    assert "/v1/punctuate" in api.json()["paths"]
    assert set(re.findall(r"#/components/schemas/(\w+)", api.text)) <= api.json()["components"]["schemas"].keys()
    page = client.get("/docs")
    assert "text/html" in page.headers["content-type"]
    assert "/v1/punctuate" in page.text
    assert "https://" not in page.text  # it works without a network


# Errors and limits

UNKNOWN_KEY = {"words": [], "labels": [{"mark": []}]}
BACKWARDS = [{"word": "a", "start": 2}, {"word": "b", "start": 1}]
IS_JSON, IS_FORM = {"content-type": "application/json"}, {"content-type": "multipart/form-data"}
GZIP, NAN = gzip.compress(b"ana"), b'{"words": [{"word": "a", "start": NaN}]}'


@pytest.mark.parametrize(
    ("arguments", "status", "place", "found"),
    [
        ({"content": b"{", "headers": IS_JSON}, 400, "body", "not JSON"),
        ({"json": {}}, 422, "body", "{}"),
        ({"json": [{"start": 1}]}, 422, "body", "[{'start': 1}]"),
        ({"json": {"text": 1}}, 422, "body: text", "1"),
        ({"json": {"text": "a", "lang": "es"}}, 422, "body", "the key 'lang'"),
        ({"json": {"text": "a", "language": "Klingon"}}, 422, "body: language", "'Klingon'"),
        ({"json": {"text": "a", "language": 1}}, 422, "body: language", "1"),
        ({"json": {"text": "a", "model": "/etc"}}, 422, "model", "'/etc'"),
        ({"json": {"text": "a", "to": "srt"}}, 422, "utterance '1'", "words without times"),
        ({"json": {"words": [{"word": "a b"}]}}, 422, "body: words.0.word", "'a b'"),
        ({"json": {"words": [{"word": "a", "start": -1}]}}, 422, "body: words.0.start", "-1"),
        ({"json": {"words": BACKWARDS}}, 422, "body: words", "start"),
        ({"json": UNKNOWN_KEY}, 422, "body: labels.0", "the key 'mark'"),
        ({"json": {"text": "a"}, "params": {"language": "es"}}, 422, "query", "'language'"),
        ({"json": {"text": "a", "marks": ["DOT"]}}, 422, "body: marks.0", "'DOT'"),
        ({"json": {"text": "a", "sensitivity": 11}}, 422, "body: sensitivity", "11"),
        ({"json": {"text": "a", "casing": ["a b"]}}, 422, "casing:1", "a b"),
        ({"content": b"a", "params": {"from": "text", "case": "5"}}, 422, "case", "5"),
        ({"content": NAN, "headers": IS_JSON}, 422, "body: words.0.start", "nan"),
        ({"content": b"a 1 x", "params": {"from": "ctm"}}, 422, "upload:1", "columns"),
        ({"content": b"ma\xf1ana \x9f", "params": {"from": "text"}}, 422, "upload:1", "0xf1"),
        ({"content": b"a", "params": {"from": "xyz"}}, 422, "from", "xyz"),
        ({"content": b"a", "params": {"from": "kaldi"}}, 422, "from", "kaldi"),
        ({"content": b"a", "params": {"form": "ctm"}}, 422, "request", "the key 'form'"),
        ({"content": b'{"text": "ana"}'}, 422, "upload", "JSON"),
        ({"content": b"1\n00:00:01,000 --> 00:00:02,000\nana\n"}, 422, "upload", "srt"),
        ({"content": GZIP}, 422, "upload", "compressed data"),
        ({"content": b"x", "headers": IS_FORM}, 400, "body", "no form"),
        ({"data": {"text": "ana"}}, 422, "body", "x-www-form-urlencoded"),
        ({"files": {"file": ("a.txt.gz", GZIP)}}, 422, "a.txt.gz", "compressed data"),
        ({"files": {"other": b"x", "file": b"x"}}, 400, "body", "2 files"),
        ({"files": {"other": b"x"}}, 422, "body", "'other'"),
        ({"files": {"file": b"ana"}, "data": {"lang": "es"}}, 422, "request", "the key 'lang'"),
        ({"files": {"file": b"ana"}, "data": {"language": "99!"}}, 422, "language", "99!"),
        ({"files": {"file": b"ana"}, "data": {"probabilities": "maybe"}}, 422, "probabilities", "maybe"),
        ({"files": {"file": b"ana"}, "data": {"ignore_labels": "2"}}, 422, "ignore_labels", "2"),
        ({"files": {"file": b"ana"}, "data": {"fill": "1", "ignore_labels": "1"}}, 422, "request", "fill"),
        ({"json": {"text": "ana", "fill": True, "labels": []}}, 422, "body", "fill"),
    ],
)  # fmt: skip
def test_bad_requests(client, arguments, status, place, found):
    parts = error(post(client, **arguments), status)
    assert parts.place == place
    assert found in parts.found
    assert parts.expected
    assert "--" not in parts.expected  # options of the command line


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"json": {"text": "ana", "segments": []}}, ["?from=FORMAT", "text words to labels"]),
        ({"content": b'{"text": "ana"}'}, ["?from=FORMAT", "content-type: application/json"]),
        ({"content": CTM.encode()}, ["?from=ctm"]),
        ({"data": {"text": "ana"}}, ["application/json", "multipart/form-data"]),
    ],
)
def test_errors_name_parameters_of_requests(client, arguments, expected):
    parts = error(post(client, **arguments), 422)
    assert [each for each in expected if each not in parts.expected] == []


def test_bytes_that_are_not_utf8_in_xml_are_no_internal_error(client):
    words = [{"word": "ana", "start": 0, "end": 1}, {"word": "mira", "start": 1, "end": 2}]
    eaf = post(client, json={"words": words, "to": "eaf"}).content
    answer = post(
        client, content=eaf.replace(b"mira", b"mi\xffra").replace(b"Mira", b"mi\xffra"), params={"from": "eaf"}
    )
    assert answer.status_code in (200, 422)


def test_curl_sends_any_file_as_a_form(client):
    """Curl names that content type for all data if no other is given."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = post(client, content=b"ana mira", headers=headers)
    assert (answer.status_code, answer.text) == (200, post(client, content=b"ana mira").text)


def test_large_bodies(make_client):
    client = make_client(limits=ServiceLimits(body_bytes=100))
    refused = post(client, content=b"x" * 101, params={"from": "text"})
    assert error(refused, 413).place == "body"
    assert refused.headers["connection"] == "close"

    def parts():
        yield from [b"x"] * 200

    assert error(post(client, content=parts(), params={"from": "text"}), 413).place == "body"
    assert post(client, content=b"x" * 100, params={"from": "text"}).status_code == 200


BODY = b"x" * 8_000_000  # more than the buffers of two sockets


def all_of(half):
    """Return what the service still sends, up to its end of the connection."""
    return b"".join(iter(lambda: half.recv(10_000), b""))


@pytest.mark.parametrize("header", [f"content-length: {len(BODY)}", f"transfer-encoding: chunked\r\n\r\n{len(BODY):x}"])
def test_a_client_that_reads_after_its_large_body_gets_the_answer(make_service, header):
    service = make_service(host="127.0.0.1", limits=ServiceLimits(body_bytes=1000, headers_s=60))
    with running(service) as (_, address), socket.create_connection(address.split(":"), timeout=60) as half:
        blank = "\r\n" if "chunked" in header else "\r\n\r\n"
        half.sendall(f"POST /v1/punctuate HTTP/1.1\r\nhost: localhost\r\n{header}{blank}".encode())
        half.sendall(BODY)
        assert b" 413 " in all_of(half)


def send_for_ever(half):
    while True:
        half.sendall(BODY)


def test_a_client_that_sends_for_ever_is_disconnected(make_service):
    service = make_service(
        host="127.0.0.1", limits=ServiceLimits(body_bytes=1000, buffered_bytes=len(BODY), headers_s=60)
    )
    with running(service) as (_, address), socket.create_connection(address.split(":"), timeout=60) as half:
        half.sendall(b"POST /v1/punctuate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n")
        with pytest.raises(ConnectionError):
            send_for_ever(half)


def test_the_stop_tells_a_client_that_still_sends(make_service):
    service = make_service(host="127.0.0.1")
    with running(service) as (server, address), socket.create_connection(address.split(":"), timeout=60) as half:
        half.sendall(f"POST /v1/punctuate HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(BODY)}\r\n\r\n".encode())
        half.sendall(BODY[:100_000])
        while not server.server_state.tasks:  # a client that was not accepted yet would be refused
            time.sleep(0.01)
        server.should_exit = True
        while not service.connections.stop.is_set():
            time.sleep(0.01)
        half.sendall(BODY[100_000:])
        assert b" 503 " in all_of(half)


def test_a_full_queue(make_client):
    answer = post(make_client(limits=ServiceLimits(requests=0)), json={"text": "a"})
    assert error(answer, 503).place == "queue"
    assert int(answer.headers["retry-after"]) > 0


class Wrapped:
    """A punctuator whose `steps` passes utterances on by `restored`."""

    def __init__(self, punctuator, restored):
        self.glyphs, self.write = punctuator.glyphs, punctuator.write
        self.language_warnings = punctuator.language_warnings
        self.steps = lambda utterances, **_: restored(punctuator.steps(utterances))


def test_documents_together_fail_alone(model, punctuator):
    """One document of a run that fails takes no other one with it, and its client sees no stack trace."""

    def restored(utterances):
        for utterance in utterances:
            if utterance and any(word.text == "bomba" for word in utterance.words):
                time.sleep(0.2)  # more requests arrive
                raise KeyError("bomba")
            yield utterance

    with client_with(lambda _: Wrapped(punctuator, restored), str(model)) as client, ThreadPoolExecutor(8) as pool:
        texts = ["bomba", *["ana mira"] * 6, "bomba"]
        answers = list(pool.map(lambda text: post(client, json={"text": text}), texts))
    assert [answer.status_code for answer in answers] == [500, *[200] * 6, 500]
    assert error(answers[0], 500).found == "an internal error"
    assert "bomba" not in answers[0].text


def test_a_document_that_no_client_waits_for_is_not_computed_to_its_end(model, punctuator):
    restored, is_refused, ended = [], threading.Event(), threading.Event()

    def slowly(utterances):
        try:
            for utterance in utterances:
                restored.append(utterance)
                yield utterance
                is_refused.wait(60)
        finally:
            ended.set()

    with client_with(lambda _: Wrapped(punctuator, slowly), str(model), limits=ServiceLimits(request_s=0.2)) as client:
        answer = post(client, json={"text": "ana mira\n" * 100})
        assert error(answer, 504).place == "request"
        assert "retry-after" not in answer.headers  # it would take too long again
        is_refused.set()
        assert ended.wait(60)
        assert len(restored) < 100
        assert post(client, json={"text": "ana"}).status_code == 200


@pytest.fixture
def slow_service(model, punctuator, make_service):
    """A service whose documents take for ever, with one that its client waits for, and an event at its end."""
    begun, ended = threading.Event(), threading.Event()

    def slowly(utterances):
        try:
            while True:
                begun.set()
                time.sleep(0.01)
                yield None
        finally:
            ended.set()

    models = Models(lambda _: Wrapped(punctuator, slowly), str(model))
    with (
        service_maker(models) as make,
        running(make(host="127.0.0.1", limits=ServiceLimits(stop_s=0.5))) as (server, address),
    ):
        yield server, address, begun, ended


def ask_for_ever(address, **options):
    return httpx.post(f"http://{address}/v1/punctuate", json={"text": "ana " * 1000}, **options)


def test_the_computation_ends_when_the_client_leaves(slow_service):
    _, address, _, ended = slow_service
    with pytest.raises(httpx.ReadTimeout):
        ask_for_ever(address, timeout=httpx.Timeout(60, read=0.3))
    assert ended.wait(60)


def test_the_stop_answers_every_client(slow_service, capsys):
    """Also one whose body is incomplete."""
    server, address, begun, ended = slow_service
    with ThreadPoolExecutor() as pool, socket.create_connection(address.split(":"), timeout=60) as half:
        half.sendall(b"POST /v1/punctuate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        computed = [pool.submit(ask_for_ever, address, timeout=60) for _ in range(3)]
        assert begun.wait(60)
        while len(server.server_state.tasks) < 4:  # a client that was not accepted yet would be refused
            time.sleep(0.01)
        server.should_exit = True
        for answer in [each.result() for each in computed]:
            assert error(answer, 503).found == "a service that stops"
            assert int(answer.headers["retry-after"]) > 0
        assert b" 503 " in half.recv(1000)
    assert ended.wait(60)
    assert capsys.readouterr().err == ""


def test_answers_are_sent_at_once():
    """The sockets of clients have TCP_NODELAY: else answers on a connection that is kept wait 40 ms."""
    with bind("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        listener.setblocking(True)
        with listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


REQUEST = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"


def test_connections_without_a_request_lock_nobody_out(make_service):
    service = make_service(host="127.0.0.1", limits=ServiceLimits(streams=1))
    with running(service) as (_, address), ExitStack() as stack:
        half = [stack.enter_context(socket.create_connection(address.split(":"), timeout=60)) for _ in range(230)]
        for each in half[::2]:
            with suppress(OSError):  # it was closed already
                each.sendall(b"GET /heal")
        assert httpx.get(f"http://{address}/healthz", timeout=60).status_code == 200


@pytest.mark.parametrize("sent", [b"", REQUEST[:30], REQUEST + b"G"])
def test_a_client_without_a_whole_request_is_disconnected(make_service, sent):
    with running(make_service(limits=ServiceLimits(headers_s=0.2))) as (_, address), ExitStack() as stack:
        half = stack.enter_context(socket.create_connection(address.split(":"), timeout=60))
        half.sendall(sent)
        with suppress(ConnectionResetError):
            while half.recv(10_000):
                pass


@pytest.mark.parametrize("path", ["/", "/healthz", "/v1/models", "/page/main.js"])
def test_head_is_answered_as_get(make_service, path):
    with running(make_service(host="127.0.0.1")) as (_, address):
        head, get = (httpx.request(method, f"http://{address}{path}") for method in ("HEAD", "GET"))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(get.content))


def test_requests_together_are_those_alone(client, punctuator):
    texts = [f"ana mira la {noun}" * (n % 3 + 1) for n, noun in enumerate(["casa", "ley", "mesa"] * 10)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: post(client, json={"text": text}).json()["text"], texts))
    assert found == [punctuator(text) for text in texts]


# Token, Origin and Host

TOKEN, SITE = {"token": "geheim-n"}, "https://captions.example.org"
BEARER = {"authorization": "Bearer geheim-n"}
PATHS = ["/", "/docs", "/v1/models", "/metrics", "/openapi.json", "/page/index.html", "/v1/punctuate", "/nothing"]
BAD_TOKENS = [{}, {"authorization": "Bearer geheim"}, {"authorization": "Basic geheim-n"}, {"cookie": "x=;="}]


@pytest.fixture(scope="module")
def client_of(make_client):
    """Return a function that opens a service once for equal options."""
    return cache(lambda **options: make_client(**options))


@pytest.mark.parametrize(
    ("options", "headers", "place"),
    [
        *((TOKEN, headers, "token") for headers in BAD_TOKENS),
        (TOKEN, BEARER, None),
        (TOKEN, {**BEARER, "host": "captions.example.org"}, None),
        (TOKEN, {"host": "captions.example.org"}, "token"),
        *(({}, {"origin": origin}, "Origin") for origin in (SITE, "http://[", "null")),
        ({}, {"origin": "http://testserver"}, None),
        ({"origins": (SITE,)}, {"origin": SITE}, None),
        *(({"origins": (SITE,)}, {"host": host}, None) for host in (
            "localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "captions.example.org")),
        *(({"origins": (SITE,)}, {"host": host}, "Host") for host in (
            "evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "192.168.1.5", "", "[", "a@b")),
        ({"host": "captions.lan"}, {"host": "captions.lan:8080"}, None),
        ({"host": "captions.lan"}, {"host": "10.0.0.1"}, "Host"),
        ({"host": "0.0.0.0"}, {"host": "10.0.0.1:8080"}, None),
        ({"host": "0.0.0.0"}, {"host": "[fe80::1]:8080"}, None),
        ({"host": "0.0.0.0"}, {"host": "evil.example"}, "Host"),
    ],
)  # fmt: skip
def test_who_may_use_the_service(client_of, options, headers, place):
    """`place` is that of the error; None: the request is answered."""
    client, status = client_of(**options), {None: 200, "token": 401}.get(place, 403)
    for path in ("/v1/models", "/"):
        answer = client.get(path, headers=headers)
        assert answer.status_code == status
        assert place is None or error(answer, status).place == place
    assert client.get("/healthz", headers=headers).status_code == (403 if place == "Origin" else 200)
    if place:
        with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect("/v1/stream", headers=headers):
            pass
        assert refused.value.status_code == status
    elif "host" not in headers:
        with client.websocket_connect("/v1/stream", headers=headers) as socket:
            socket.send_json({})
            assert socket.receive_json() == {"final": [], "partial": ""}


def test_all_paths_need_the_token(client_of):
    for path in PATHS:
        assert error(client_of(**TOKEN).get(path), 401).place == "token"
        assert client_of(**TOKEN).get(path, headers=BEARER).status_code != 401


@pytest.mark.parametrize(
    ("accept", "is_html"), [("text/html,*/*;q=0.8", True), ("application/json", False), ("*/*", False)]
)
@pytest.mark.parametrize("path", ["/", "/?token=geheim", "/docs"])
def test_a_browser_without_the_token_gets_a_page(client_of, path, accept, is_html):
    answer = client_of(**TOKEN).get(path, headers={"accept": accept})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.headers["content-type"] == ("text/html; charset=utf-8" if is_html else "application/json")
    assert ("<code>?token=TOKEN</code>" in answer.text) == is_html
    assert "content-security-policy" in answer.headers


def test_the_token_in_the_address(make_client):
    client = make_client(**TOKEN)
    assert client.get("/", params={"token": "geheim"}).status_code == 401
    with client.websocket_connect("/v1/stream?token=geheim-n") as socket:
        socket.send_json({})
    answer = client.get("/", params=TOKEN)  # the token becomes a cookie
    assert (answer.status_code, answer.url.query) == (200, b"")
    assert client.get("/v1/models").status_code == 200
    assert client.get("/", params={"token": "geheim"}).status_code == 200  # a wrong one does not replace the cookie
    assert client.get("/v1/models").status_code == 200
    unasked = make_client().get("/", params={"token": "日"})
    assert (unasked.status_code, unasked.cookies) == (200, {})


def test_pages_of_other_sites_that_may_use_the_service(client_of):
    client = client_of(origins=(SITE,), **TOKEN)
    answer = client.get("/v1/models", headers={"origin": SITE, **BEARER})
    assert answer.headers["access-control-allow-origin"] == SITE
    preflight = {"origin": SITE, "access-control-request-method": "POST"}
    assert client.options("/v1/punctuate", headers=preflight).status_code == 200


ENGLISH = "this is the first time that we have seen all of the people who were here with their friends and children"


@pytest.fixture
def spanish_client():
    """Client of a service with the shipped Spanish model alone."""
    with client_with(Punctuator.from_pretrained, "es-eu") as client:
        yield client


def test_warnings_about_the_language_reach_the_client(spanish_client):
    for _ in range(2):  # each answer has its warnings
        french = post(spanish_client, json={"text": "bonjour", "language": "fr"})
        (line,) = french.json()["warnings"]
        assert french.headers["x-asr-punct-warning"] == line
        assert "French" in line
        assert "--" not in line
    file = post(spanish_client, content=ENGLISH, params={"from": "text", "to": "text"})
    assert "English" in file.headers["x-asr-punct-warning"]
    spanish = post(spanish_client, json={"text": "hola", "language": "es"})
    assert "warnings" not in spanish.json()
    assert "x-asr-punct-warning" not in spanish.headers


@pytest.mark.parametrize(("config", "language"), [({"language": "fr"}, "French"), ({}, "English")])
def test_warnings_about_the_language_reach_the_stream_once(spanish_client, config, language):
    with spanish_client.websocket_connect("/v1/stream") as socket:
        for settings in ({"config": config}, {}):
            socket.send_json({**settings, "words": ENGLISH.split(), "end": True})
        (line,) = socket.receive_json()["warnings"]
        assert language in line
        assert "warnings" not in socket.receive_json()


def test_a_huge_request_that_is_parsed_delays_no_other(make_client, monkeypatch):
    """Parsing cannot be interrupted."""
    is_answered = threading.Event()
    parse = app.parse_request

    def slowly(kind, query, body, *more):
        if len(body) > 300_000:
            is_answered.wait(60)
        return parse(kind, query, body, *more)

    monkeypatch.setattr(app, "parse_request", slowly)
    client = make_client()
    with ThreadPoolExecutor() as pool:
        huge = [pool.submit(post, client, json={"text": "ana" + " " * 400_000}) for _ in range(2)]
        time.sleep(0.2)
        assert post(client, json={"text": "ana " * 1000}).status_code == 200
        is_answered.set()
        assert [each.result().status_code for each in huge] == [200, 200]


@pytest.mark.parametrize(
    "key",
    [{"model": "x"}, {"probabilities": True}, {"fill": True}, {"marks": ["COMMA"]}, {"case": False}, {"labels": [{}]}],
)
def test_requests_that_are_restored_in_another_way_are_not_restored_together(key):
    parsed = [
        parse_request("application/json", {}, json.dumps({"text": "hola", **keys}).encode()) for keys in ({}, key)
    ]
    assert parsed[0].restoring != parsed[1].restoring
