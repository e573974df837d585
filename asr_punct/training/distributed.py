"""The processes of a training run, one for each device.

`launch` starts those of this machine, as torchrun does. Each runs the whole command; process 0 of the run, the leader,
writes files and prints.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import distributed

from asr_punct.errors import ArgumentError, AsrPunctError, ExitStatus, Setting
from asr_punct.logs import log_level
from asr_punct.model.device import open_device

T = TypeVar("T")
_TIMEOUT = timedelta(days=1)
"""Longest wait for another process. The launcher ends the others when a process has died."""


@dataclass(frozen=True)
class Process:
    """Number of this process in its run and on its machine, from 0, and the numbers of processes of both."""

    rank: int = 0
    local_rank: int = 0
    count: int = 1
    local_count: int = 1

    @classmethod
    def current(cls) -> Process:
        """Read the environment that torchrun sets."""
        names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
        return cls(*(int(os.environ[name]) for name in names)) if all(name in os.environ for name in names) else cls()

    @property
    def is_leader(self) -> bool:
        """Whether this process writes the files and messages of the run."""
        return self.rank == 0


SINGLE_PROCESS = Process()


def resolve_device(name: str | None, process: Process = SINGLE_PROCESS) -> torch.device:
    """Return the named device, or by default a GPU if there is one; each process of a machine has its own GPU.

    Raises AsrPunctError if the device cannot be used, or one GPU is named for several processes.
    """
    name = name or ("cuda" if torch.cuda.is_available() else "cpu")
    if process.local_count == 1:
        return open_device(name)
    if name not in ("cpu", "cuda"):
        raise ArgumentError("device", repr(name), "cpu or cuda with several processes")
    return open_device(f"cuda:{process.local_rank}" if name == "cuda" else name)


@contextmanager
def connected(process: Process, device: torch.device) -> Iterator[None]:
    """Connect the processes of a run; do nothing for a single process."""
    if process.count == 1:
        yield
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=_TIMEOUT)
    try:
        yield
    finally:
        distributed.destroy_process_group()


def from_leader(process: Process, make: Callable[[], T]) -> T:
    """Return the leader's result of `make` on every process. If it fails there, the other processes exit quietly."""
    if process.count == 1:
        return make()
    result: list[Any] = [None, False]  # the value, and whether there is one
    try:
        if process.is_leader:
            result = [make(), True]
    finally:
        distributed.broadcast_object_list(result)
    if not result[1]:
        sys.exit(ExitStatus.USAGE)
    value: T = result[0]
    return value


def launch(arguments: Sequence[str], devices: int, nodes: int) -> None:
    """Run this command line in `devices` processes on this machine, which is one of `nodes` machines.

    With several machines MASTER_ADDR is the name of the first one, and MASTER_PORT its port. Raises AsrPunctError if a
    process failed, after the others were ended; SystemExit if a process reported an error of input or usage.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // devices)))
    config = LaunchConfig(
        min_nodes=nodes,
        max_nodes=nodes,
        nproc_per_node=devices,
        run_id="asr-punct",
        rdzv_backend="c10d",
        rdzv_endpoint=_endpoint(nodes),
        max_restarts=0,
    )
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}  # elastic sets its own
    try:
        with log_level("torch.distributed.elastic", logging.CRITICAL):
            elastic_launch(config, sys.executable)("-c", "from asr_punct.cli import main; main()", *arguments)
    except SignalException as stop:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.raise_signal(stop.sigval)  # as if it came now, when the processes have ended
    except ChildFailedError as error:
        rank, failure = min(error.failures.items(), key=lambda item: item[1].timestamp)
        if failure.exitcode == ExitStatus.USAGE:
            sys.exit(ExitStatus.USAGE)
        place, found = f"process {rank} of the training", f"status {failure.exitcode}"
        expected = "status 0; another run continues after the last epoch"
        raise AsrPunctError(place, found, expected, Setting("resume")) from None


def _endpoint(nodes: int) -> str:
    if nodes == 1:
        return "localhost:0"
    if "MASTER_ADDR" not in os.environ:
        raise ArgumentError("nodes", "no MASTER_ADDR", "the first machine's name in the environment")
    return f"{os.environ['MASTER_ADDR']}:{os.environ.get('MASTER_PORT', '29500')}"
