"""The front of a recogniser with OpenAI's API, before a scripted server, by OpenAI's client and by plain requests."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
import httpx
from services import bare, running

TEXT = "ana mira la casa dónde está la ley"
WORDS = [{"word": word, "start": i / 2, "end": i / 2 + 0.25} for i, word in enumerate(TEXT.split())]
SEGMENTS = [
    {"id": 0, "seek": 0, "start": 0.0, "end": 1.75, "text": " ana mira la casa", "tokens": [5], "avg_logprob": -0.25},
    {"id": 1, "seek": 0, "start": 2.0, "end": 3.75, "text": " dónde está la ley", "tokens": [6], "avg_logprob": -0.5},
]
VERBOSE = {"task": "transcribe", "language": "spanish", "duration": 4.0, "text": TEXT, "segments": SEGMENTS}
SRT = "1\n00:00:00,000 --> 00:00:01,750\nana mira la casa\n\n2\n00:00:02,000 --> 00:00:03,750\ndónde está la ley\n\n"
VTT = "WEBVTT\n\n00:00.000 --> 00:01.750\nana mira la casa\n\n00:02.000 --> 00:03.750\ndónde está la ley\n\n"
EVENTS = """data: {"type": "transcript.text.delta", "delta": "ana"}

data: {"type": "transcript.text.done", "text": "ana"}

"""
ANSWERS = {
    "json": ("application/json", json.dumps({"text": TEXT, "usage": {"type": "duration", "seconds": 4}})),
    "verbose_json": ("application/json", json.dumps({**VERBOSE, "words": WORDS, "x": [1]})),
    "segments": ("application/json", json.dumps(VERBOSE)),
    "words": ("application/json", json.dumps({"text": TEXT, "duration": 4.0, "words": WORDS})),
    "text": ("text/plain; charset=utf-8", f"{TEXT}\n"),
    "srt": ("text/plain", SRT),
    "vtt": ("text/vtt", VTT),
    "stream": ("text/event-stream", EVENTS),
    "array": ("application/json", "[1, 2]"),
    "broken": ("application/json", '{"text": '),
    "number": ("application/json", '{"text": 5}'),
    "bytes": ("text/plain", "\ufffd"),
}


class Recogniser(BaseHTTPRequestHandler):
    """Answers by the field `response_format`; its own fields and headers come back in a header."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = b""
        if self.headers.get("transfer-encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["content-length"]))
        name = next((name for name in ANSWERS if b"\r\n\r\n" + name.encode() + b"\r\n" in body), "json")
        kind, content = ANSWERS["stream" if b'"stream"' in body else name]
        is_bad = b"whisper-99" in body
        self.send_response(404 if is_bad else 200)
        content = b'{"error": {"message": "no such model", "code": 7}}' if is_bad else content.encode()
        self.send_header("content-type", "application/json" if is_bad else kind)
        self.send_header("content-length", str(len(content)))
        self.send_header("x-request-id", "abc")
        self.send_header("x-seen", f"{self.path} {self.headers.get('authorization')} {len(body)} {b'unknown' in body}")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def recogniser():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recogniser)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def address(make_service, recogniser):
    with running(make_service(host="127.0.0.1", openai=f"{recogniser}/v1")) as (_, address):
        yield f"http://{address}/v1"


def ask(address, name="json", **fields):
    data = {"model": "whisper-1", "response_format": name, "unknown": "kept", **fields}
    url = f"{address}/audio/transcriptions?x=1&token=t"
    return httpx.post(url, data=data, files={"file": ("a.wav", b"RIFF")}, timeout=60)


def check_text(found, sent=TEXT):
    assert bare(found) == sent.split()
    assert found != sent


def test_answers_in_json(address):
    check_text(ask(address).json()["text"])
    assert ask(address).json()["usage"] == {"type": "duration", "seconds": 4}
    for name in ("verbose_json", "segments", "words"):
        found, sent = ask(address, name).json(), json.loads(ANSWERS[name][1])
        assert found.keys() == sent.keys()
        assert {**found, "text": "", "segments": "", "words": ""} == {**sent, "text": "", "segments": "", "words": ""}
        check_text(found["text"])
        for key, text in (("segments", "text"), ("words", "word")):
            entries, before = found.get(key, []), sent.get(key, [])
            assert [{**each, text: ""} for each in entries] == [{**each, text: ""} for each in before]
            assert bare(" ".join(each[text] for each in entries)) == (TEXT.split() if before else [])
            assert entries != before or not before


@pytest.mark.parametrize("name", ["text", "srt", "vtt"])
def test_answers_in_other_formats(address, name):
    answer, sent = ask(address, name), ANSWERS[name][1]
    assert answer.headers["content-type"] == ANSWERS[name][0]
    lines = answer.text.splitlines()
    assert [bare(line) or line for line in lines] == [bare(line) or line for line in sent.splitlines()]
    assert lines != sent.splitlines()


@pytest.mark.parametrize("name", ["stream", "array", "broken", "number"])
def test_what_is_no_transcript_passes_unchanged(address, name):
    answer = ask(address, name)
    assert (answer.status_code, answer.text) == (200, ANSWERS[name][1])
    assert (answer.headers["content-type"], answer.headers["x-request-id"]) == (ANSWERS[name][0], "abc")


def test_errors_and_unknown_fields_pass(address):
    refused = ask(address, model="whisper-99")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, 7)
    path, authorization, size, has_unknown = ask(address).headers["x-seen"].split()
    assert (path, authorization, has_unknown) == ("/v1/audio/transcriptions?x=1", "None", "True")
    assert int(size) > 400


@pytest.mark.parametrize("token", ["", "abc"])
def test_the_token_of_the_service_stays_here(make_service, recogniser, token):
    with running(make_service(host="127.0.0.1", openai=recogniser, token=token)) as (_, address):
        headers = {"authorization": "Bearer abc"}
        url = f"http://{address}/v1/audio/transcriptions"
        answer = httpx.post(url, headers=headers, files={"file": b"x"}, timeout=60)
    assert answer.headers["x-seen"].split()[1:-2] == (["None"] if token else ["Bearer", "abc"])


def test_an_unreachable_recogniser(make_service):
    with running(make_service(host="127.0.0.1", openai="http://127.0.0.1:9")) as (_, address):
        answer = ask(f"http://{address}/v1")
    assert (answer.status_code, answer.json()["error"]["place"]) == (502, "http://127.0.0.1:9")


def test_the_client_of_openai(address):
    openai = pytest.importorskip("openai", reason="pip install openai")
    client = openai.OpenAI(base_url=address, api_key="x", max_retries=0)

    def transcribe(**options):
        return client.audio.transcriptions.create(model="whisper-1", file=("a.wav", b"RIFF"), **options)

    check_text(transcribe().text)
    verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
    check_text(verbose.text)
    assert [(word.start, word.end) for word in verbose.words] == [(word["start"], word["end"]) for word in WORDS]
    assert [segment.end for segment in verbose.segments] == [1.75, 3.75]
    assert "00:00:02,000 --> 00:00:03,750" in transcribe(response_format="srt")
    assert [event.type for event in transcribe(stream=True)] == ["transcript.text.delta", "transcript.text.done"]
    with pytest.raises(openai.NotFoundError):
        client.audio.transcriptions.create(model="whisper-99", file=("a.wav", b"RIFF"))
