"""On a terminal: progress bars, and a hint where a command waits for words."""

import fcntl
import gzip
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress

import pytest
from dummies import COMMAND_LINE, file

from asr_punct.hub import DEFAULT_MODEL, shipped_models

BAR = "import time\nfrom asr_punct.progress import progress_bar, step, track\n"
WORK = """
def slowly(n):
    for i in range(n):
        yield i
        time.sleep(0.15)
with progress_bar():
    for _ in track(slowly(3), "things", size=lambda _: 1000, total=3000):
        for _ in track(slowly(1), "others", total=1):
            with step("something else"):
                pass
"""


def run(code, *arguments, cwd, term="xterm", columns=80):
    """Run Python code with standard error on a terminal. Returns the status and what the terminal received."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        cwd=cwd,
        env=os.environ | {"TERM": term},
    )
    os.close(terminal)
    written = received(controller)
    return process.wait(), written.decode()


def received(controller):
    """Return what the terminal receives until the process ends."""
    written = b""
    with suppress(OSError):  # raised when the process has ended
        while block := os.read(controller, 4096):
            written += block
    os.close(controller)
    return written


def lines_of(written):
    """Split at line ends and control codes."""
    return re.split(r"\r|\n|\x1b\[[0-9;?]*[a-zA-Z]", written)


@pytest.mark.parametrize("columns", [40, 100])
def test_the_outermost_count_is_shown_and_removed(tmp_path, columns):
    status, written = run(BAR + WORK, cwd=tmp_path, columns=columns)
    assert status == 0
    lines = lines_of(written)
    assert "2,000/3,000 things" in "".join(lines)
    assert max(map(len, lines)) <= columns
    assert "others" not in written
    assert "something else" not in written
    assert lines_of(written.split("\x1b[2K")[-1])[-1].strip() == ""
    assert written.count("\x1b[?25h") == written.count("\x1b[?25l") > 0  # the cursor is shown again


def test_the_bar_is_removed_when_the_work_fails(tmp_path):
    status, written = run(BAR + WORK.replace("pass", "raise SystemExit(3)"), cwd=tmp_path)
    assert status == 3
    assert written.count("\x1b[?25h") == written.count("\x1b[?25l") > 0


def test_a_dumb_terminal_shows_nothing(tmp_path):
    assert run(BAR + WORK, cwd=tmp_path, term="dumb") == (0, "")


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_without_a_total_the_bytes_of_the_file_are_measured(tmp_path, name):
    text = b"".join(b"%06d\n" % i for i in range(200_000))
    file(tmp_path, name, gzip.compress(text) if name.endswith("gz") else text)
    code = f"""
from asr_punct.files import InputFile
file = InputFile({name!r})
with progress_bar():
    for number, _ in enumerate(track(file.lines(), "lines", position=file.position)):
        if number % 50_000 == 0:
            time.sleep(0.3)
"""
    _, written = run(BAR + code, cwd=tmp_path)
    shares = [int(share) for share in re.findall(r"(\d+)%", written)]
    assert shares == sorted(shares)
    assert any(20 <= share <= 90 for share in shares)


def test_a_command_shows_its_bar_unless_it_is_quiet(tmp_path):
    file(tmp_path, "a.txt", "\n\n".join(f"Discurso {i}. ¿Otra línea?" for i in range(2000)))
    prepare = (COMMAND_LINE[-1], "prepare", "text", "a.txt", "out")
    status, written = run(*prepare, cwd=tmp_path)
    assert status == 0
    assert "words" in written
    assert run(*prepare, "--quiet", cwd=tmp_path) == (0, "")


def test_a_pipe_gets_no_control_codes(tmp_path):
    file(tmp_path, "a.txt", "Discurso.\n\n" * 100)
    arguments = [*COMMAND_LINE, "prepare", "text", "a.txt", "out"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert "\r" not in done.stderr
    assert "\x1b" not in done.stderr


# A hint where a command waits for words on a terminal


needs_model = pytest.mark.skipif(DEFAULT_MODEL not in shipped_models(), reason="no shipped model")
HINTS = {"punctuate": "reading text from the terminal; Ctrl-D ends it", "stream": "an empty line ends the document"}
END = b"\x04"


def converse(command, typed, progress_bar=True):
    """Type a line at once, or when something is shown, then Ctrl-D. Returns what the terminal shows without echo."""
    controller, terminal = pty.openpty()
    stdin = terminal if progress_bar else subprocess.PIPE
    with subprocess.Popen([*COMMAND_LINE, command], stdin=stdin, stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        if typed == "late":
            while b"\n" not in shown:
                shown += os.read(controller, 4096)
        if progress_bar:
            os.write(controller, b"ana mira la casa\n" + END)
        else:
            process.stdin.write(b"ana mira la casa\n")
            process.stdin.close()
        written = process.stdout.read().decode()
        shown += received(controller)
    assert process.returncode == 0
    assert re.findall(r"\w+", written.lower()) == ["ana", "mira", "la", "casa"]
    return shown.decode()


@needs_model
@pytest.mark.parametrize("command", HINTS)
def test_silence_on_a_terminal_shows_a_hint(command):
    shown = converse(command, "late")
    assert HINTS[command] in shown
    assert shown.count("terminal") == 1


@needs_model
@pytest.mark.parametrize("progress_bar", [True, False])
def test_no_hint_when_words_arrive(progress_bar):
    assert "terminal" not in converse("punctuate", "at once", progress_bar)


@needs_model
def test_quiet_shows_no_hint():
    controller, terminal = pty.openpty()
    command = [*COMMAND_LINE, "punctuate", "--quiet"]
    process = subprocess.Popen(command, stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(3)
    os.write(controller, b"ana\n" + END)
    assert process.communicate()[1] == b""
