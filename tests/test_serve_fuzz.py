"""Malformed uploads and messages get an answer with place, found and expected: no status 500, no crash."""

import asyncio
import gc
import json
import random

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
import httpx
import psutil
from hypothesis import given, settings
from hypothesis import strategies as st
from services import running
from starlette.websockets import WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from asr_punct.formats.registry import READABLE_FILES, WRITABLE_FILES
from asr_punct.serve.schema import ErrorAnswer

COUNT = 100_000
MAX_GROWTH = 60 * 2**20
KINDS = ["application/json", "text/plain", "multipart/form-data; boundary=x", "multipart/form-data", ""]
WORDS = [{"word": "ana", "start": 0, "end": 1}, {"word": "mira"}, "la", {"word": "casa", "marks": ["PERIOD"]}]


@pytest.fixture(scope="module")
def files(client):
    """Valid files of all formats that are written."""
    words = [{"word": word, "start": i, "end": i + 0.5} for i, word in enumerate(["ana", "mira", "la", "casa"])]
    found = {name: client.post("/v1/punctuate", json={"words": words, "to": name}).content for name in WRITABLE_FILES}
    return {name: content for name, content in found.items() if name in READABLE_FILES}


def check(answer):
    """Check that an answer is not an internal error."""
    assert answer.status_code in (200, 400, 413, 422), answer.text
    if answer.status_code != 200:
        error = ErrorAnswer.model_validate_json(answer.content).error
        assert error.found
        assert error.expected
        assert "Traceback" not in answer.text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["es", "srt", "en", "ana"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "words", "word", "start", "end", "to", "marks"]) | st.text(), inner)
    ),
    max_leaves=15,
)


@given(json_values)
@settings(max_examples=150)
def test_any_json(client, value):
    check(client.post("/v1/punctuate", content=json.dumps(value), headers={"content-type": "application/json"}))


@given(st.binary(max_size=200), st.sampled_from(KINDS), st.sampled_from([*READABLE_FILES, "x"]) | st.none(), st.text())
@settings(max_examples=150)
def test_any_body(client, body, kind, name, file_name):
    options = {"from": name} if name else {"name": file_name.encode(errors="replace").decode()}
    check(client.post("/v1/punctuate", content=body, params=options, headers={"content-type": kind}))


@pytest.mark.parametrize("target", WRITABLE_FILES)
def test_a_file_without_utterances(client, target):
    check(client.post("/v1/punctuate", content='{"results": []}', params={"from": "ibm", "to": target}))


def damaged(rng, content):
    """Return the content with a few pieces replaced by other bytes."""
    content = bytearray(content)
    for _ in range(rng.randint(0, 4)):
        place = rng.randint(0, len(content))
        content[place : place + rng.randint(0, 30)] = rng.randbytes(rng.randint(0, 6))
    return bytes(content)


@given(st.randoms(use_true_random=True))
@settings(max_examples=150)
def test_damaged_files(client, files, rng):
    name, target = rng.choice(sorted(files)), rng.choice(WRITABLE_FILES)
    upload = {"file": (f"talk.{name}", damaged(rng, files[name]))}
    check(client.post("/v1/punctuate", files=upload, data={"from": name, "to": target}))


@given(json_values | st.fixed_dictionaries({}, optional={
    "words": st.lists(json_values | st.sampled_from(WORDS)), "partial": json_values, "end": json_values,
    "config": json_values,
}))  # fmt: skip
@settings(max_examples=150)
def test_any_message(client, value):
    with client.websocket_connect("/v1/stream") as socket:
        socket.send_text(json.dumps(value))
        answer = json.loads(socket.receive_text())
        if "error" in answer:
            assert ErrorAnswer.model_validate(answer)
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
            assert closed.value.code == 1008
        else:
            assert isinstance(answer["partial"], str)


# All of it for long, over a socket


async def upload(rng, client, files, count):
    for _ in range(count):
        name = rng.choice([*files, None])
        body = damaged(rng, files[name] if name else json.dumps({"words": WORDS}).encode()) * rng.choice([1, 1, 1, 50])
        options = {"from": rng.choice([name, *READABLE_FILES])} if name else {}
        headers = {"content-type": rng.choice(KINDS)}
        check(await client.post("/v1/punctuate", content=body, params=options, headers=headers))


async def send(rng, address, count):
    """Send messages; each connection ends at the first bad one. Return the codes of their ends."""
    codes = set()
    while count > 0:
        async with connect(f"ws://{address}/v1/stream", compression=None) as socket:
            try:
                while count > 0:
                    count -= 1
                    message = damaged(rng, json.dumps({"words": rng.sample(WORDS[1:], 2), "partial": "a"}).encode())
                    await socket.send(message.decode(errors="replace") if rng.random() < 0.9 else message)
                    if rng.random() < 0.1:
                        break
                    answer = json.loads(await socket.recv())
                    assert "internal" not in str(answer.get("error"))
            except ConnectionClosed:
                codes.add(socket.close_code)
    return codes


@pytest.mark.slow
def test_many_malformed_uploads_and_messages(make_service, files):
    service = make_service()
    process, sizes = psutil.Process(), []

    async def run(address):
        rng = random.Random(0)
        async with httpx.AsyncClient(base_url=f"http://{address}", timeout=60) as client:
            for _ in range(10):
                part = COUNT // 80
                uploads = (upload(rng, client, files, part) for _ in range(4))
                *_, codes = await asyncio.gather(*uploads, *(send(rng, address, part) for _ in range(4)))
                assert codes <= {1001, 1007, 1008, 1009}
                gc.collect()
                sizes.append(process.memory_info().rss)
            assert (await client.get("/healthz")).status_code == 200

    with running(service) as (_, address):
        asyncio.run(run(address))
    print(f"MB after each tenth: {[size // 2**20 for size in sizes]}")
    assert sizes[-1] - sizes[2] < MAX_GROWTH
    text = service.metrics.text().decode()
    assert 'status="500"' not in text
