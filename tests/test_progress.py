"""The line of progress: on a terminal alone, at any width, and at no cost for the work."""

import fcntl
import gzip
import io
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
import tracemalloc

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import progress
from asr_punct.io.files import read_lines
from asr_punct.progress import Line, Task, advance, counted, drawn_text, expect, on_terminal, step
from asr_punct.shipped import shipped_models

RUN = "from asr_punct.cli import main; main()"


class Terminal(io.StringIO):
    """Standard error that is a terminal of 80 columns."""

    def isatty(self):
        return True

    def fileno(self):
        return 2

    @property
    def lines(self):
        """What was drawn, one after the other."""
        return [text for text in self.getvalue().replace("\x1b[K", "").split("\r") if text]


@pytest.fixture
def terminal(monkeypatch):
    """A line on a terminal that is drawn by hand."""
    stream = Terminal()
    monkeypatch.setattr(progress, "_line", Line(stream))
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((80, 24)))
    return stream


def draw():
    progress._line.draw()


def test_nothing_happens_where_no_line_is_open():
    items = [1, 2, 3]
    assert counted(items, "things") is items
    with step("something"), progress.aside():
        expect(1)
        advance(1)


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
def test_where_a_line_is_shown(monkeypatch, stderr, stdout, environment, options, shown):
    monkeypatch.setattr(sys, "stderr", Terminal() if stderr else io.StringIO())
    monkeypatch.setattr(sys, "stdout", Terminal() if stdout else io.StringIO())
    monkeypatch.setenv("TERM", environment)
    before = threading.active_count()
    with on_terminal(**options):
        assert (progress._line is not None) == shown
        assert threading.active_count() == before + shown
    assert progress._line is None
    assert threading.active_count() == before


def test_the_line_goes_also_where_the_work_fails(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "REFRESH_S", 0.001)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((80, 24)))

    def work():
        with on_terminal():
            for _ in counted(range(5), "things", total=5):
                while "things" not in stream.getvalue():
                    time.sleep(0.001)
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert stream.getvalue().endswith("\r\x1b[K")
    assert progress._line is None


def test_items_are_counted_by_their_size_and_total(terminal):
    for number in counted([2, 3, 5], "words", size=float, total=10):
        if number == 5:
            draw()
    (line,) = terminal.lines
    assert line.startswith(f"[{'#' * 14:<29}]")
    assert " 50%  5/10 words" in line


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_the_place_in_the_file_is_the_measure(terminal, tmp_path, name):
    text = b"".join(b"%06d\n" % i for i in range(200_000))
    path = file(tmp_path, name, gzip.compress(text) if name.endswith("gz") else text)
    shown = []
    for number, _ in enumerate(counted(read_lines(path), "lines", source=path)):
        if number in (0, 100_000, 199_999):
            draw()
            shown.append(int(terminal.lines[-1].split("%")[0].split()[-1]))
    assert shown[0] < 25
    assert 35 <= shown[1] <= 75
    assert shown[2] >= 95


def test_a_file_that_is_read_as_a_whole_is_no_measure(terminal, tmp_path):
    path = file(tmp_path, "a.txt", "a\n" * 10)

    def whole():
        rows = list(read_lines(path))
        yield from rows

    for number, _ in enumerate(counted(whole(), "lines", source=path)):
        if number == 5:
            draw()
    assert "%" not in terminal.lines[-1]
    assert "5 lines" in terminal.lines[-1]


def test_work_in_parts_counts_when_it_is_done(terminal, tmp_path):
    path = file(tmp_path, "a.txt", "a\n" * 1000)
    read = iter(counted(read_lines(path), "lines", source=path, in_parts=True))
    for _ in range(101):
        next(read)
    draw()
    expect(4)
    draw()
    advance(1)
    draw()
    advance(3)
    for _ in range(100):  # what is read ahead does not count before it is handed in
        next(read)
    draw()
    expect(2)
    advance(1)
    draw()
    counts = [line.split("%  ")[1].split()[0] for line in terminal.lines]
    assert counts == ["0", "0", "25", "100", "150"]


def test_of_nested_work_the_outer_one_is_told(terminal):
    for _ in counted("ab", "letters", total=2):
        for _ in counted("cd", "others", total=2):
            with step("something"):
                draw()
    assert len(terminal.lines) == 4
    assert all("/2 letters" in line for line in terminal.lines)


def test_other_lines_stand_beside_the_line(terminal):
    with step("thinking"):
        draw()
        with progress.aside():
            terminal.write("a message\n")
        draw()
    first, second = terminal.getvalue().split("a message\n")
    assert first.endswith("\r\x1b[K")
    assert "thinking" in second
    assert terminal.getvalue().endswith("\r\x1b[K")


@given(
    st.floats(0, 1e7),
    st.none() | st.floats(1, 1e7),
    st.none() | st.floats(0, 1),
    st.floats(0, 1e5),
    st.integers(1, 200),
)
def test_the_line_has_room_at_any_width(count, total, fraction, elapsed, columns):
    task = Task("words", total, count=count)
    text = drawn_text(task, fraction, elapsed, columns, "|")
    assert len(text) <= columns
    assert text.isascii()
    if columns >= 60 and fraction is not None:
        assert f"{fraction:.0%}" in text


def test_on_forty_columns_the_most_important_has_room():
    assert drawn_text(Task("words", count=1234567), 0.42, 100, 39, "|") == " 42%  1,234,567 words  2:18 left"
    assert (
        drawn_text(Task("utterances", 300, count=12), 0.04, 7200, 39, "|") == "  4%  12/300 utterances  48:00:00 left"
    )


def test_a_line_costs_an_addition_an_item(terminal):
    """Counted in calls: no drawing, no clock, no look at the file for each item."""
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(event) if event in ("call", "c_call") else None)
    for _ in counted(range(1000), "things", total=1000):
        pass
    sys.setprofile(None)
    assert len(calls) < 1000 + 100
    assert terminal.getvalue() == ""


def test_a_line_holds_nothing(terminal):
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
    slow = "import asr_punct.progress as p; p.REFRESH_S = 0.001; " + RUN
    process = subprocess.Popen(
        [sys.executable, "-c", slow, *arguments],
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
    drawn = written.replace("\x1b[K", "").split("\r")
    assert any("words" in line for line in drawn)
    assert max(map(len, drawn)) < columns
    assert "\n" not in written
    assert written.endswith("\r\x1b[K")


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
