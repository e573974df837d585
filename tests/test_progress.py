"""Progress bars: shown on a terminal of any width and wiped afterwards, never in a pipe."""

import fcntl
import gzip
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest
from dummies import file

COMMAND = "from asr_punct.cli import main; main()"
BAR = "import time\nfrom asr_punct.progress import counted, on_terminal, step\n"
THREE = """
def slowly(n):
    for i in range(n):
        yield i
        time.sleep(0.15)
with on_terminal():
    for _ in counted(slowly(3), "things", size=lambda _: 1000, total=3000):
        for _ in counted(slowly(1), "others", total=1):
            with step("something else"):
                pass
"""


def run(code, *arguments, cwd, term="xterm", columns=80):
    """Return the status and what is written to standard error, a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        cwd=cwd,
        env=os.environ | {"TERM": term},
    )
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 4096):
            written += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return process.wait(), written.decode()


def without_control_codes(written):
    return re.split(r"\r|\n|\x1b\[[0-9;?]*[a-zA-Z]", written)


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_shows_the_outer_count_and_is_left_clean(tmp_path, columns):
    status, written = run(BAR + THREE, cwd=tmp_path, columns=columns)
    assert status == 0
    lines = without_control_codes(written)
    assert "2,000/3,000 things" in "".join(lines)
    assert max(map(len, lines)) <= columns
    assert "others" not in written
    assert "something else" not in written
    assert without_control_codes(written.split("\x1b[2K")[-1])[-1].strip() == ""
    assert written.count("\x1b[?25h") == written.count("\x1b[?25l") > 0  # the cursor is shown again


def test_the_bar_is_wiped_when_the_work_fails(tmp_path):
    status, written = run(BAR + THREE.replace("pass", "raise SystemExit(3)"), cwd=tmp_path)
    assert status == 3
    assert written.count("\x1b[?25h") == written.count("\x1b[?25l") > 0


def test_a_dumb_terminal_shows_nothing(tmp_path):
    assert run(BAR + THREE, cwd=tmp_path, term="dumb") == (0, "")


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_the_bytes_of_the_file_are_the_measure(tmp_path, name):
    text = b"".join(b"%06d\n" % i for i in range(200_000))
    file(tmp_path, name, gzip.compress(text) if name.endswith("gz") else text)
    code = f"""
from asr_punct.formats.files import read_lines
with on_terminal():
    for number, _ in enumerate(counted(read_lines({name!r}), "lines", source={name!r})):
        if number % 50_000 == 0:
            time.sleep(0.3)
"""
    _, written = run(BAR + code, cwd=tmp_path)
    shares = [int(share) for share in re.findall(r"(\d+)%", written)]
    assert shares == sorted(shares)
    assert any(20 <= share <= 90 for share in shares)


def prepare(tmp_path, *options, **terminal):
    file(tmp_path, "a.txt", "\n\n".join(f"Discurso {i}. ¿Otra línea?" for i in range(2000)))
    return run(COMMAND, "prepare", "text", "a.txt", "out", *options, cwd=tmp_path, **terminal)


def test_a_command_shows_its_bar(tmp_path):
    status, written = prepare(tmp_path)
    assert status == 0
    assert "words" in written


def test_a_quiet_command_shows_nothing(tmp_path):
    assert prepare(tmp_path, "--quiet") == (0, "")


def test_a_pipe_gets_no_control_codes(tmp_path):
    file(tmp_path, "a.txt", "Discurso.\n\n" * 100)
    arguments = [sys.executable, "-c", COMMAND, "prepare", "text", "a.txt", "out"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert "\r" not in done.stderr
    assert "\x1b" not in done.stderr


def test_log_messages_are_printed_as_they_are():
    script = """
import logging
from asr_punct.cli.base import LogHandler
logging.basicConfig(handlers=[LogHandler()])
logging.warning("epoch 1")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == "epoch 1\n"
