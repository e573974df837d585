"""The front of a Vosk server, before a scripted server that speaks its protocol."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
from browser import CHROMIUM
from services import running
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from asr_punct.serve import vosk_proxy
from asr_punct.serve.answers import Answer
from asr_punct.serve.limits import ServiceLimits

CHUNK = 4000
SENTENCES = ["ana mira la casa", "dónde está la ley"]


def result(number):
    entries = [
        {"conf": 0.9, "end": 2 * number + i / 4 + 0.2, "start": 2 * number + i / 4, "word": word}
        for i, word in enumerate(SENTENCES[number].split())
    ]
    return {"result": entries, "text": SENTENCES[number]}


SCRIPT = [
    {"partial": ""},
    {"partial": "ana mira"},
    {"partial": "ana mira"},
    result(0),
    {"partial": SENTENCES[1], "partial_result": result(1)["result"]},
]
LAST = result(1)


def speak(connection):
    """Answer each binary message with the next line of the script, and the end with the last result."""
    script, configs, audio = iter(SCRIPT), [], b""
    for message in connection:
        if isinstance(message, bytes):
            audio += message
            connection.send(json.dumps(next(script, {"partial": ""})))
        elif message == '{"eof" : 1}':
            connection.send(json.dumps({**LAST, "spk_frames": len(audio), "config": configs}))
            return
        else:
            configs.append(json.loads(message)["config"])


@pytest.fixture(scope="module")
def vosk_server():
    """Address of the scripted server."""
    with serve(speak, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


async def transcribe(address, chunks):
    """Do what Vosk's clients do: one answer for each binary message."""
    answers = []
    async with connect(f"ws://{address}") as client:
        await client.send('{ "config" : { "sample_rate" : 16000.0 } }')
        for _ in range(chunks):
            await client.send(bytes(CHUNK))
            answers.append(json.loads(await client.recv()))
        await client.send('{"eof" : 1}')
        answers.append(json.loads(await client.recv()))
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
    return answers, closed.value.rcvd.code


def bare(text):
    return "".join(character for character in text.lower() if character.isalpha() or character == " ")


def check_result(found, sent):
    """Check that only the words have changed, and they only by marks and capitals."""
    assert found.keys() >= sent.keys()
    assert found["text"] == " ".join(entry["word"] for entry in found["result"])
    assert found["text"] != sent["text"] == bare(found["text"])
    for entry, before in zip(found["result"], sent["result"], strict=True):
        assert {**entry, "word": ""} == {**before, "word": ""}


def test_clients_get_punctuated_results(make_service, vosk_server):
    with running(make_service(vosk=vosk_server)) as (_, address):
        answers, code = asyncio.run(asyncio.wait_for(transcribe(address, len(SCRIPT)), 60))
    assert code == 1000
    assert answers[0] == {"partial": ""}
    assert answers[1] == answers[2]
    assert bare(answers[1]["partial"]) == "ana mira"
    assert answers[1]["partial"][0] == "A"
    check_result(answers[3], result(0))
    assert bare(answers[4]["partial"]) == SENTENCES[1]
    words = answers[1]["partial"], answers[4]["partial"], answers[4]["partial_result"][-1]["word"]
    assert all(word[-1].isalpha() for word in words)
    assert {answers[3]["text"][-1], answers[5]["text"][-1]} <= set(".?!…")
    assert [entry["end"] for entry in answers[4]["partial_result"]] == [2.2, 2.45, 2.7, 2.95]
    check_result(answers[5], LAST)
    assert answers[5]["spk_frames"] == CHUNK * len(SCRIPT)
    assert answers[5]["config"] == [{"sample_rate": 16000.0}]


def test_results_pass_unchanged_if_the_queue_is_full(make_service, vosk_server):
    with running(make_service(vosk=vosk_server, limits=ServiceLimits(requests=0))) as (_, address):
        answers, _ = asyncio.run(asyncio.wait_for(transcribe(address, len(SCRIPT)), 60))
    assert answers[: len(SCRIPT)] == SCRIPT


def test_the_stop_ends_the_audio(make_service, vosk_server):
    async def talk(address, server):
        async with connect(f"ws://{address}") as client:
            await client.send(bytes(CHUNK))
            await client.recv()
            server.should_exit = True
            last = json.loads(await client.recv())
            await client.wait_closed()
            return last, client.close_code

    with running(make_service(vosk=vosk_server)) as (server, address):
        found, code = asyncio.run(asyncio.wait_for(talk(address, server), 60))
    check_result(found, LAST)
    assert code == 1001


def test_audio_after_the_end_does_not_lose_the_last_result():
    """Such audio meets a closed connection, here while the last result gets its marks."""

    class Client:
        on_text = None

        def __init__(self):
            self.messages, self.sent, self.is_read = [vosk_proxy._EOF, bytes(CHUNK)], [], asyncio.Event()

        async def receive(self):
            if self.messages:
                return self.messages.pop(0)
            self.is_read.set()
            return await asyncio.Event().wait()

        async def send(self, message):
            self.sent.append(json.loads(message))

    class Upstream:
        is_ended = False

        async def send(self, message):
            if self.is_ended:
                raise ConnectionClosed(None, None)
            self.is_ended = message == vosk_proxy._EOF

        async def __aiter__(self):
            yield json.dumps(LAST)

    class Documents:
        async def answer(self, parse, size, kind):
            await client.is_read.wait()
            return Answer(json.dumps(LAST).encode(), "application/json")

    client = Client()
    asyncio.run(vosk_proxy._Session(client, Upstream(), Documents()).run())
    assert client.sent == [LAST]


def test_viewers_get_the_last_result_of_a_client_that_leaves(make_service, vosk_server):
    async def talk(address):
        async with connect(f"ws://{address}/v1/captions?stream=hall") as viewer:
            async with connect(f"ws://{address}/?captions=hall") as client:
                await client.send(bytes(CHUNK))
                await client.recv()
            return [json.loads(await viewer.recv()) for _ in range(2)]

    with running(make_service(vosk=vosk_server)) as (_, address):
        first, last = asyncio.run(asyncio.wait_for(talk(address), 60))
    assert first == SCRIPT[0]
    check_result(last, LAST)


def test_an_unreachable_server(make_service):
    async def talk(address):
        async with connect(f"ws://{address}") as client:
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
            return closed.value.rcvd.code

    with running(make_service(vosk="ws://127.0.0.1:9")) as (_, address):
        assert asyncio.run(asyncio.wait_for(talk(address), 60)) == 1014


def test_vosk_transcriber(make_service, vosk_server, tmp_path):
    """`vosk-transcriber --server` always connects to port 2700 of this machine."""
    pytest.importorskip("vosk", reason="pip install vosk")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", 2700))
        except OSError:
            pytest.skip("port 2700 is in use")
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\nhead -c {CHUNK * len(SCRIPT)} /dev/zero\n")
    program.chmod(0o755)
    (tmp_path / "talk.wav").write_bytes(b"")
    code = (
        "from vosk.transcriber import transcriber, cli\n"
        "transcriber.Model = lambda **_: None  # it loads a model although the server recognises\n"
        "cli.main()"
    )
    command = [sys.executable, "-c", code, "--server", "-i", "talk.wav", "-o", "talk.txt"]
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    with running(make_service(vosk=vosk_server), port=2700):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "talk.txt").read_text().splitlines()
    assert [bare(line) for line in lines] == SENTENCES
    assert all(line[0] in "¿AD" and line[-1] in ".?" for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
def test_the_microphone_is_turned_off(open_page, vosk_server):
    with open_page(vosk=vosk_server) as page:
        page.click("#tab-microphone")
        page.wait("!document.querySelector('#microphone-tools').hidden")
        page.run("""(() => {
            const { mediaDevices } = navigator;
            const ask = mediaDevices.getUserMedia.bind(mediaDevices);
            mediaDevices.getUserMedia = async (wish) => (globalThis.stream = await ask(wish));
            globalThis.load = AudioWorklet.prototype.addModule;
            AudioWorklet.prototype.addModule = () => Promise.reject(new Error("no worklet"));
            globalThis.ends = 0;
            const { send } = WebSocket.prototype;
            WebSocket.prototype.send = function (data) {
                if (String(data).includes("eof")) ends += 1;
                send.call(this, data);
            };
        })()""")
        page.click("#listen")
        page.wait("document.querySelector('#status').className === 'error'")
        assert page.run("stream.getTracks().map((track) => track.readyState)") == ["ended"]
        page.run("AudioWorklet.prototype.addModule = load")
        page.click("#listen")
        page.wait("document.querySelector('#level').value > 0")
        page.run("for (const _ of [1, 2]) document.querySelector('#listen').click()")
        page.wait("!document.querySelector('#edit-spoken').disabled")
        assert page.run("ends") == 1


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
def test_the_microphone_of_the_page(open_page, vosk_server):
    words = "[...document.querySelectorAll('.w')].map((word) => word.textContent).join(' ')"
    with open_page(vosk=vosk_server) as page:
        page.click("#tab-microphone")
        page.wait("!document.querySelector('#microphone-tools').hidden")
        page.click("#listen")
        page.wait("document.querySelector('#level').value > 0")
        page.wait("document.querySelector('#spoken .final').textContent.toLowerCase().includes('casa')")
        page.click("#listen")
        page.wait("!document.querySelector('#edit-spoken').disabled")
        page.click("#edit-spoken")
        page.wait("document.querySelectorAll('.w').length === 8")
        assert bare(page.run(words)) == " ".join(SENTENCES)
    with open_page() as page:
        page.wait("document.querySelector('#microphone-hint').textContent.includes('--vosk')")
        assert page.run("document.querySelector('#microphone-tools').hidden")
