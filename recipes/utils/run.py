#!/usr/bin/env python3
"""Run a command, or an array of jobs, on this machine; called as Kaldi's run.pl is, which can take its place.

    run.py [--max-jobs-run N] [JOB=1:4] LOG.JOB.log COMMAND ARGUMENT …

Every `JOB` in the log's name and the arguments is replaced by the job's number; the jobs run at the same time, N of
them where that is set. Arguments go to the shell as they are, so that `\\|` and `\\>` work, those with white space
quoted. Other options that queues know (`--mem 2G`, `--gpu 1`, `--num-threads 2`) are accepted and have no effect.
The log holds the command, its start, its output, its end and status. Status 0 if every job ended with 0; else that of
the first job that failed, and one line on standard error says which log to read and how it ends.

When this process ends, however it ends, its jobs end with it. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NoReturn

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Options:
    """A parsed command line.

    Attributes:
        jobs: the numbers of the array; empty for a single command.
        variable: what the numbers replace (`JOB`).
        log: name of the log, with the variable in it.
        command: the command and its arguments, with the variable in them.
        at_once: how many jobs run at the same time.
    """

    jobs: tuple[int, ...]
    variable: str
    log: str
    command: tuple[str, ...]
    at_once: int

    def substitute(self, text: str, job: int | None) -> str:
        """`text` with the variable replaced by the number of the job."""
        return text if job is None else text.replace(self.variable, str(job))


@dataclass(frozen=True)
class Job:
    """A job at work."""

    log: Path
    file: BinaryIO
    process: subprocess.Popen[bytes]
    started: float


def parse_arguments(arguments: Sequence[str]) -> Options:
    """Read the command line; a wrong one ends the process with one line and status 2."""
    rest = list(arguments)
    at_once, jobs, variable = 0, tuple[int, ...](), ""
    while rest and (rest[0].startswith("-") or "=" in rest[0]):
        word = rest.pop(0)
        array = re.fullmatch(r"(\w+)=(\d+)(?::(\d+))?", word)
        if array:
            variable, first, last = array[1], int(array[2]), int(array[3] or array[2])
            jobs = tuple(range(first, last + 1))
            if not jobs:
                _fail(f"found {word!r}, expected {variable}=FIRST:LAST with FIRST no larger than LAST")
        elif word.startswith("-") and rest:
            value = rest.pop(0)
            if word == "--max-jobs-run":
                at_once = int(value) if value.isdigit() else _fail(f"{word}: found {value!r}, expected a number")
        else:
            _fail(f"found {word!r}, expected an option with its value or JOB=1:4")
    if len(rest) < 2:
        _fail("expected a log and a command: run.py [JOB=1:4] LOG COMMAND …")
    if len(jobs) > 1 and variable not in rest[0]:
        _fail(f"found log {rest[0]!r} for {len(jobs)} jobs, expected {variable} in its name")
    return Options(jobs, variable, rest[0], tuple(rest[1:]), at_once or max(1, len(jobs)))


def _fail(message: str) -> NoReturn:
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(2)


def shell_line(words: Sequence[str]) -> str:
    """The words as one line for the shell: those with white space or nothing in them quoted, the others as they are."""
    return " ".join(word if re.fullmatch(r"\S+", word) else shlex.quote(word) for word in words)


def end_with_parent() -> None:
    """Ask the kernel to end this process when the one that started it ends (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def start(options: Options, job: int | None) -> Job:
    """Start one job; it is the leader of a process group of its own."""
    log = Path(options.substitute(options.log, job))
    log.parent.mkdir(parents=True, exist_ok=True)
    line = shell_line([options.substitute(word, job) for word in options.command])
    file = log.open("wb")
    file.write(f"# {line}\n# Started at {_now()}\n#\n".encode())
    file.flush()
    process = subprocess.Popen(
        ["bash", "-c", line],
        stdin=subprocess.DEVNULL,
        stdout=file,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=end_with_parent,
    )
    return Job(log, file, process, time.monotonic())


def finish(job: Job) -> int:
    """Write how a job ended into its log; its status."""
    status = job.process.wait()
    elapsed = time.monotonic() - job.started
    job.file.write(f"# Ended (code {status}) at {_now()}, elapsed time {elapsed:.0f} seconds\n".encode())
    job.file.close()
    return status


def _now() -> str:
    return datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")


def run(options: Options) -> int:
    """Run all jobs; 0 if all of them ended with status 0, else that of the first that failed (1 for a signal)."""
    waiting: list[int | None] = list(options.jobs) or [None]
    total, failed, running = len(waiting), list[Job](), list[Job]()
    try:
        while waiting or running:
            while waiting and len(running) < options.at_once:
                running.append(start(options, waiting.pop(0)))
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            for job in [job for job in running if job.process.poll() is not None]:
                running.remove(job)
                if finish(job):
                    failed.append(job)
    finally:
        for job in running:
            os.killpg(job.process.pid, signal.SIGTERM)
            finish(job)
    if not failed:
        return 0
    report(failed, total)
    return max(1, failed[0].process.returncode)


def report(failed: Sequence[Job], total: int) -> None:
    """One line on standard error: how many jobs failed, the log of the first one and its last line of output."""
    first = failed[0]
    lines = first.log.read_text(encoding="utf-8", errors="replace").splitlines()
    last = next((line for line in reversed(lines) if line.strip() and not line.startswith("# ")), "no output")
    count = f"{len(failed)} of {total} jobs" if total > 1 else "job"
    print(f"run.py: {count} failed with status {first.process.returncode}, log {first.log}: {last}", file=sys.stderr)


def _stop(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)


def main() -> int:
    """Entry point."""
    options = parse_arguments(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    end_with_parent()
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
