"""Batches that are interrupted or killed, and started again."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from batch_dummies import contents, write_files
from dummies import COMMAND_LINE, accept_signals

from asr_punct.files import write_file
from asr_punct.partial import remove_abandoned

ARGUMENTS = "batch", "talks", "-o", "out", "--jobs", "2", "--model", "es-eu"


def start(folder, *arguments):
    """Start a batch in a process group of its own."""
    command = [*COMMAND_LINE, *ARGUMENTS, *arguments]
    return subprocess.Popen(
        command, cwd=folder, start_new_session=True, preexec_fn=accept_signals, stderr=subprocess.PIPE, text=True
    )


def write_talks(folder, count, words=60):
    rng = random.Random(0)
    known = "la casa mesa calle dónde está quién mira hoy no es de que un día".split()  # noqa: SIM905
    talk = lambda: " ".join(rng.choices(known, k=rng.randint(1, 2 * words)))  # noqa: E731
    return write_files(folder / "talks", {f"{i % 7}/{i}.txt": talk() + "\n" for i in range(count)})


def wait_for_outputs(folder, count):
    while len(contents(folder / "out")) < count:
        time.sleep(0.05)


def wait_for_end(group):
    """Wait until all processes of a group have ended, also workers whose parent was killed."""
    with suppress(ProcessLookupError):
        for _ in range(1200):
            os.killpg(group, 0)
            time.sleep(0.05)
        pytest.fail("a process was left")


def test_unfinished_files_of_dead_processes_are_removed(tmp_path):
    code = f"""
import os
from asr_punct.files import write_file
with write_file({str(tmp_path / "a.txt")!r}) as out:
    out.write("half")
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 9
    (left,) = contents(tmp_path)
    assert left.endswith(".partial")
    with write_file(tmp_path / "b.txt"):
        remove_abandoned([f"{tmp_path}/b.txt"])
        (own,) = contents(tmp_path)  # that of this process stays
        assert own != left
    assert list(contents(tmp_path)) == ["b.txt"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_only_complete_files(tmp_path, number, status):
    write_talks(tmp_path, 500, words=200)
    batch = start(tmp_path)
    wait_for_outputs(tmp_path, 10)
    os.killpg(batch.pid, number) if number == signal.SIGINT else batch.send_signal(number)
    error = batch.communicate(timeout=60)[1]
    assert batch.returncode == status
    assert " left (the same command continues); " in error
    assert len(error.splitlines()) == 1
    wait_for_end(batch.pid)
    assert not [name for name in contents(tmp_path / "out") if name.endswith(".partial")]


@pytest.mark.slow
def test_killed_at_ten_random_moments(tmp_path):
    """Every output is that of a run without kills, and none that was complete is written again."""
    rng = random.Random(1)
    (tmp_path / "whole").mkdir()
    write_talks(tmp_path / "whole", 400, words=500)
    write_talks(tmp_path, 400, words=500)
    assert start(tmp_path / "whole").wait(600) == 0
    expected = contents(tmp_path / "whole" / "out")
    (tmp_path / "out").mkdir()
    complete = {}
    for number in range(10):
        batch = start(tmp_path)
        wait_for_outputs(tmp_path, len(complete) + rng.randint(1, 30))
        time.sleep(rng.random() / 10)
        os.killpg(batch.pid, signal.SIGKILL) if number % 2 else batch.kill()
        batch.wait()
        wait_for_end(batch.pid)
        found = {name: content for name, content in contents(tmp_path / "out").items() if "partial" not in name}
        assert found.items() <= expected.items()
        times = {name: (tmp_path / "out" / name).stat().st_mtime_ns for name in found}
        assert complete.items() <= times.items()
        complete = times
    assert len(complete) < 400
    assert start(tmp_path).wait(600) == 0
    assert contents(tmp_path / "out") == expected
    assert complete.items() <= {name: (tmp_path / "out" / name).stat().st_mtime_ns for name in expected}.items()
