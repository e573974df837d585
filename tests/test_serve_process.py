"""The service as a process: the command, SIGTERM and SIGKILL under load, and what is missing without the extra."""

import asyncio
import signal
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
import httpx
from dummies import COMMAND_LINE

from asr_punct.serve.client import StreamClient

WORDS = (["ana", "mira", "la", "casa", "dónde", "está", "la", "ley", "luis", "mira", "la", "mesa"] * 10)[:100]
ROOT = Path(__file__).parent.parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(model, port, *options):
    """Start the command and wait until it answers."""
    command = [*COMMAND_LINE, "serve", "--model", model, "--port", str(port), "--threads", "1", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                return process
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(process.stderr.read())


async def transcribe(port, stop, number):
    """Send words at 100 a second; `stop` is called after the first third of them."""
    async with StreamClient(f"ws://127.0.0.1:{port}/v1/stream", retry_s=0.1) as client:
        for i, word in enumerate(WORDS):
            if number == 0 and i == len(WORDS) // 3:
                await asyncio.to_thread(stop)
            await client.send(f"{word}{number}")
            await asyncio.sleep(0.01)
        await client.end()
        return [each["word"] for each in [word async for word in client]]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_clients_survive_a_restart(model, number):
    """Five clients stream; the service is stopped and started again; each word comes back once and in order."""
    port = free_port()
    processes = [start(model, port)]

    def restart():
        processes[0].send_signal(number)
        processes[0].wait(60)
        processes.append(start(model, port))

    async def run():
        return await asyncio.gather(*(transcribe(port, restart, i) for i in range(5)))

    try:
        found = asyncio.run(asyncio.wait_for(run(), 300))
    finally:
        for process in processes:
            process.kill()
    assert processes[0].returncode == (0 if number == signal.SIGTERM else -signal.SIGKILL)
    assert found == [[f"{word}{i}" for word in WORDS] for i in range(5)]


@pytest.mark.slow
def test_requests_in_flight_are_finished(model):
    port = free_port()
    process = start(model, port)
    text = "ana mira la casa " * 3_000

    async def run():
        async with httpx.AsyncClient(timeout=120) as client:
            url = f"http://127.0.0.1:{port}/v1/punctuate"
            requests = [asyncio.create_task(client.post(url, json={"text": text})) for _ in range(3)]
            await asyncio.sleep(0.2)
            process.terminate()
            return await asyncio.gather(*requests)

    try:
        answers = asyncio.run(run())
        assert [answer.status_code for answer in answers] == [200] * 3
        assert process.wait(60) == 0
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("options", "place"),
    [
        (["--token", ""], "--token"),
        (["--token", "a b"], "--token"),
        (["--vosk", "localhost:2700"], "--vosk"),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid:"),
        (["--model", "/nowhere"], "--model"),
        (["--port", "{used}"], "127.0.0.1:{used}"),
    ],
)
def test_bad_options(run, options, place):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        used = str(listener.getsockname()[1])
        status, _, err = run("serve", "--port", free_port(), *(each.replace("{used}", used) for each in options))
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith(f"asr-punct: {place.replace('{used}', used)}")


def test_the_missing_extra_is_named(run, monkeypatch):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = [f'{each}; extra == "serve"' for each in settings["project"]["optional-dependencies"]["serve"]]
    monkeypatch.setattr("asr_punct.errors.metadata.requires", lambda _: declared)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "asr_punct.serve.server", raising=False)
    status, _, err = run("serve")
    assert status == 2
    assert err.startswith("asr-punct: serve: found no package uvicorn, expected it installed: pip install")
    assert "asr-punct[serve]" in err
