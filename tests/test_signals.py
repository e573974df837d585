"""SIGINT and SIGTERM end a command in every phase, and nothing that is unfinished is left."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
import yaml
from dummies import COMMAND_LINE, accept_signals, tiny_config, write_corpus

from asr_punct.config import as_mapping

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
NUMBERS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
LIMIT_S = 20.0
"""An end takes two seconds on a quiet machine; without the thread of the command line these examples never end."""
BUSY = {
    "in Python": "time.sleep(900)",
    "in C code": "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)",  # without the lock of the interpreter
    "after a dropped exception": "swallow()",
}


def start(command, folder, **pipes):
    return subprocess.Popen(command, cwd=folder, start_new_session=True, preexec_fn=accept_signals, **pipes)


def end(process, number):
    """Send the signal, and return the status of the process. All of its group must end."""
    process.send_signal(number)
    try:
        status = process.wait(LIMIT_S)
        with suppress(ProcessLookupError):
            for _ in range(int(LIMIT_S / 0.05)):
                os.killpg(process.pid, 0)
                time.sleep(0.05)
            pytest.fail("a process was left")
        return status
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@NUMBERS
@pytest.mark.parametrize("busy", BUSY.values(), ids=BUSY)
def test_a_command_ends_and_removes_its_output(tmp_path, number, busy):
    code = f"""
import hashlib, time
from asr_punct.cli.signals import advice_at_end, ended_by_signals
from asr_punct.files import write_file
from asr_punct.partial import write_directory
def swallow():
    try:
        time.sleep(900)
    except BaseException:
        time.sleep(900)
with ended_by_signals(), advice_at_end("run it again"), write_file("a.txt") as out, write_directory("b") as folder:
    (folder / "c").touch()
    print("begun", flush=True)
    {busy}
"""
    process = start([sys.executable, "-c", code], tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline()
    assert end(process, number) == 128 + number
    assert process.stderr.read() == b"run it again\n"
    assert list(tmp_path.iterdir()) == []


def test_a_library_may_handle_signals_itself(tmp_path):
    """As the service does, which finishes its work."""
    code = """
import os, signal, time
from asr_punct.cli.signals import ended_by_signals
with ended_by_signals():
    signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"received\\n"))
    print("begun", flush=True)
    time.sleep(2.5)
"""
    process = start([sys.executable, "-c", code], tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    process.terminate()
    assert (process.communicate()[0], process.returncode) == ("received\n", 0)


COMMANDS = {
    "punctuate": "punctuate --model es-eu text.txt -o out.txt",
    "batch": "batch talks -o out --jobs 2 --model es-eu",
    "stream": "stream --model es-eu",
    "serve": "serve --port {port} --model es-eu",
    "train": "train --config tiny.yaml --data data -o model",
    "train on two devices": "train --config tiny.yaml --data data -o model --devices 2",
    "tune": "tune tiny data/dev.tsv",
    "export": "export tiny --int8",
    "align": "align talk.wav talk.txt -o out.ctm --lang es",
    "score": "score text.txt text.txt --html out.html",
    "evaluate": "evaluate es-eu data/dev.tsv",
    "prepare": "prepare text text.txt out",
}


@pytest.mark.slow
@NUMBERS
@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS)
def test_signals_at_random_instants(tmp_path, talk, model, line, number):
    rng = random.Random(line)
    sentences = [f"{name}, mira la casa. ¿Dónde está la mesa de {name}?\n" for name in ("Ana", "Luis", "Jon")]
    text = "".join(rng.choices(sentences, k=30_000))
    (tmp_path / "text.txt").write_text(text)
    (tmp_path / "talk.txt").write_text(sentences[0])
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(as_mapping(tiny_config(epochs=200, patience=200))))
    write_corpus(tmp_path / "data", dev=4000)
    (tmp_path / "talks").mkdir()
    for number_of_talk in range(99):
        (tmp_path / "talks" / f"{number_of_talk}.txt").write_text(text[:20_000])
    given = {path.name for path in tmp_path.iterdir()} | {"tiny", "model", "out"}
    for _ in range(2):
        shutil.rmtree(tmp_path / "model", ignore_errors=True)
        shutil.rmtree(tmp_path / "tiny", ignore_errors=True)
        shutil.copytree(model, tmp_path / "tiny")
        words = line.format(port=rng.randrange(20_000, 60_000)).split()
        process = start([*COMMAND_LINE, *words], tmp_path, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(1, 10))
        if process.poll() is None:
            # before the command line is imported, the system ends the process; an idle service is done
            assert end(process, number) in (128 + number, -number, 0 if words[0] == "serve" else 128 + number)
        assert not list(tmp_path.rglob("*.partial"))
        left = {path.name for path in tmp_path.iterdir()} - given
        assert not left or process.returncode == 0
        for config in (*tmp_path.glob("tiny/config.json"), *tmp_path.glob("model/config.json")):
            json.loads(config.read_text())
