"""The bar of progress: on a terminal alone, at any width, and at little cost for the work."""

import fcntl
import gzip
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import tracemalloc

import pytest
from dummies import file

from asr_punct import progress
from asr_punct.formats.files import read_lines
from asr_punct.progress import counted, on_terminal, step
from asr_punct.shipped import shipped_models

RUN = "from asr_punct.cli import main; main()"


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self):
        return True


class Drawn:
    """The drawing of bars, as Bar uses it: the last state of its one task."""

    def __init__(self):
        self.task = None

    def add_task(self, what, total):
        self.task = {"description": what, "total": total, "completed": 0}
        return 0

    def update(self, task, **values):
        self.task |= values

    def remove_task(self, task):
        self.task = None


@pytest.fixture
def drawn(monkeypatch):
    """What a terminal would show, at every item."""
    drawn = Drawn()
    monkeypatch.setattr(progress, "_bar", progress.Bar(drawn))
    monkeypatch.setattr(progress, "REFRESH_S", 0)
    return drawn


def test_nothing_happens_where_no_bar_is_open():
    items = [1, 2, 3]
    assert counted(items, "things") is items
    with step("something"):
        pass


@pytest.mark.parametrize(
    ("stderr", "stdout", "environment", "options", "shown"),
    [
        (True, False, "xterm", {}, True),
        (False, False, "xterm", {}, False),
        (True, False, "dumb", {}, False),
        (True, False, "xterm", {"quiet": True}, False),
        (True, True, "xterm", {"output": "-"}, False),
        (True, False, "xterm", {"output": "-"}, True),
        (True, True, "xterm", {"output": "a.txt"}, True),
    ],
)
def test_where_a_bar_is_shown(monkeypatch, stderr, stdout, environment, options, shown):
    monkeypatch.setattr(sys, "stderr", Terminal() if stderr else io.StringIO())
    monkeypatch.setattr(sys, "stdout", Terminal() if stdout else io.StringIO())
    monkeypatch.setenv("TERM", environment)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with on_terminal(**options):
        assert (progress._bar is not None) == shown
    assert progress._bar is None


def test_the_bar_goes_also_where_the_work_fails(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    monkeypatch.setenv("TERM", "xterm")

    def work():
        with on_terminal():
            for _ in counted(range(5), "things", total=5):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert sys.stderr is stream
    assert progress._bar is None


def test_items_are_counted_by_their_size_and_total(drawn):
    seen = [drawn.task["completed"] for _ in counted([2, 3, 5], "words", size=float, total=10)]
    assert seen == [0, 2, 5]
    assert drawn.task is None


def test_the_count_is_told(drawn):
    told = [drawn.task["description"] for _ in counted(range(3), "things", total=3)]
    assert told == ["things", "1/3 things", "2/3 things"]
    assert [drawn.task["description"] for _ in counted("ab", "letters")] == ["letters", "1 letters"]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_the_place_in_the_file_is_the_measure(drawn, tmp_path, name):
    text = b"".join(b"%06d\n" % i for i in range(200_000))
    path = file(tmp_path, name, gzip.compress(text) if name.endswith("gz") else text)
    shares = [
        drawn.task["completed"] / drawn.task["total"]
        for number, _ in enumerate(counted(read_lines(path), "lines", source=path))
        if number in (1, 100_000, 199_999)
    ]
    assert shares[0] < 0.25
    assert 0.35 <= shares[1] <= 0.75
    assert shares[2] >= 0.95


def test_a_file_that_is_read_as_a_whole_is_no_measure(drawn, tmp_path):
    path = file(tmp_path, "a.txt", "a\n" * 10)

    def whole():
        rows = list(read_lines(path))
        yield from rows

    totals = [drawn.task["total"] for _ in counted(whole(), "lines", source=path)]
    assert totals == [None] * 10


def test_of_nested_work_the_outer_one_is_told(drawn):
    for _ in counted("ab", "letters", total=2):
        for _ in counted("cd", "others", total=2):
            with step("something"):
                assert drawn.task["description"].endswith("letters")


def test_an_item_costs_a_look_at_the_clock(drawn, monkeypatch):
    """Counted in calls: no drawing, no look at the file for each item."""
    monkeypatch.setattr(progress, "REFRESH_S", 3600)
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(event) if event in ("call", "c_call") else None)
    for _ in counted(range(1000), "things", total=1000):
        pass
    sys.setprofile(None)
    assert len(calls) < 2 * 1000 + 100


def test_a_bar_holds_nothing(drawn):
    tracemalloc.start()
    for _ in counted((bytes(1000) for _ in range(2000)), "things"):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000


def on_a_terminal(arguments, columns, cwd):
    """Status, and what a command writes to a terminal of so many columns that is its standard error alone."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=cwd,
        env=os.environ | {"TERM": "xterm"},
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    process.communicate()
    os.close(ours)
    return process.returncode, written.decode()


@pytest.mark.skipif(not shipped_models(), reason="no model is shipped")
@pytest.mark.parametrize("columns", [40, 100])
def test_a_real_terminal_shows_a_command_and_is_left_clean(tmp_path, columns):
    file(tmp_path, "a.txt", "buenos días qué tal están\n" * 2000)
    status, written = on_a_terminal(["punctuate", "a.txt", "-o", "b.txt"], columns, tmp_path)
    assert status == 0
    drawn = re.split(r"\r|\n|\x1b\[[0-9;?]*[a-zA-Z]", written)
    assert "words" in "".join(drawn)
    assert max(map(len, drawn)) <= columns
    assert written.split("\x1b[2K")[-1].replace("\x1b[?25h", "").strip() == ""  # the bar is wiped out
    assert written.count("\x1b[?25h") == written.count("\x1b[?25l")  # and the cursor is back


def test_what_is_logged_is_told_as_it_is():
    script = """
import logging
from asr_punct.cli.base import LogHandler
logging.basicConfig(handlers=[LogHandler()])
logging.warning("epoch 1")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == "epoch 1\n"


@pytest.mark.parametrize("option", [[], ["--quiet"]])
def test_a_pipe_gets_nothing_and_a_quiet_terminal_neither(tmp_path, option):
    file(tmp_path, "a.txt", "\n\n".join(f"Discurso {i}. ¿Otra línea?" for i in range(2000)))
    arguments = ["prepare", "text", "a.txt", "out", *option]
    if option:
        status, written = on_a_terminal(arguments, 80, tmp_path)
        assert (status, written) == (0, "")
    else:
        done = subprocess.run([sys.executable, "-c", RUN, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0
        assert "\r" not in done.stderr
        assert "\x1b" not in done.stderr
