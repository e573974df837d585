"""A hint where a command waits for words on a terminal."""

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest

from asr_punct.hub import DEFAULT_MODEL, shipped_models

pytestmark = pytest.mark.skipif(DEFAULT_MODEL not in shipped_models(), reason="no shipped model")
RUN = [sys.executable, "-c", "from asr_punct.cli import main; main()"]
HINTS = {"punctuate": "reading text from the terminal; Ctrl-D ends it", "stream": "an empty line ends the document"}
END = b"\x04"


def converse(arguments, typed, on_terminal=True):
    """Type a line at once, or when something is shown, then Ctrl-D. Returns what the terminal shows without echo."""
    controller, terminal = pty.openpty()
    stdin = terminal if on_terminal else subprocess.PIPE
    command = [*RUN, *arguments]
    with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        if typed == "late":
            while b"\n" not in shown:
                shown += os.read(controller, 4096)
        if on_terminal:
            os.write(controller, b"ana mira la casa\n" + END)
        else:
            process.stdin.write(b"ana mira la casa\n")
            process.stdin.close()
        written = process.stdout.read().decode()
        with suppress(OSError):
            while block := os.read(controller, 4096):
                shown += block
    os.close(controller)
    assert process.returncode == 0
    assert re.findall(r"\w+", written.lower()) == ["ana", "mira", "la", "casa"]
    return shown.decode()


@pytest.mark.parametrize("command", HINTS)
def test_silence_on_a_terminal_shows_a_hint(command):
    shown = converse([command], "late")
    assert HINTS[command] in shown
    assert shown.count("terminal") == 1


@pytest.mark.parametrize(("arguments", "on_terminal"), [(["punctuate"], True), (["punctuate"], False)])
def test_no_hint_when_words_arrive(arguments, on_terminal):
    assert "terminal" not in converse(arguments, "at once", on_terminal)


def test_quiet_shows_no_hint():
    controller, terminal = pty.openpty()
    command = [*RUN, "punctuate", "--quiet"]
    process = subprocess.Popen(command, stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(3)
    os.write(controller, b"ana\n" + END)
    assert process.communicate()[1] == b""
