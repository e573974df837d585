"""Restore the files of a batch on a cluster, with Ray Data.

Actors load the model once and restore groups of files. Ray restarts actors that die and repeats their groups; a repeat
skips the files that are complete. Each node needs asr_punct, and the paths of files and model must lead to the same
files on all nodes (a shared file system, or URLs).
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import socket
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from asr_punct.batch.names import Item
from asr_punct.batch.work import BatchWork, Result
from asr_punct.errors import ArgumentError, AsrPunctError, MissingExtraError, first_line
from asr_punct.partial import remove_abandoned

_GROUPS_PER_ACTOR = 4
"""Size of a group: the remaining bytes, divided by the number of actors and by this. So later groups are smaller."""
_MAX_ATTEMPTS = 3
"""Number of times that a process may die while it restores a file."""
_MAX_ROUNDS = 3
"""Number of times that a file is sent to the cluster if Ray returns no result for it."""
_CONNECTION_S = 10.0
"""Seconds to wait for an answer from the cluster."""
_TASKS_OF_ACTOR = 2
"""Groups that are sent to an actor at a time: one that it restores, and the next one."""


def restore_on_cluster(
    items: Sequence[Item], address: str, actors: int, work: BatchWork
) -> Generator[Result, None, None]:
    """Restore files on a Ray cluster; yield a result for each file, group by group.

    `address` is as `ray.init` accepts it: `auto`, `HOST:PORT`. There are at most `actors` actors of one core each; 0:
    as many as the cluster has cores, also if it grows. Raises MissingExtraError if Ray is not installed, and
    AsrPunctError if there is no such cluster, or the model cannot be opened.
    """
    if not items:
        return
    with _connection(address):
        remaining = dict(enumerate(items))
        for _ in range(_MAX_ROUNDS):
            for number, result in _restore_round(remaining.copy(), actors, work):
                if remaining.pop(number, None) is not None:  # a group can be repeated
                    yield result
            remove_abandoned(item.output for item in items)
            if not remaining:
                return
        for item in remaining.values():
            error = AsrPunctError(item.source, "no result from the cluster", "one (see Ray's logs)")
            yield Result(item, error=error)


@contextmanager
def _connection(address: str) -> Iterator[None]:
    """Connect to a cluster, unless this process is already connected."""
    try:
        import ray.data
    except ModuleNotFoundError as error:
        raise MissingExtraError("a Ray cluster", "ray", str(error.name)) from None
    if ray.is_initialized():
        yield
        return
    handler = signal.getsignal(signal.SIGTERM)
    try:
        _check_address(address)
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        expected = "the address of a running cluster, which its start on the head node prints"
        raise ArgumentError("ray", f"{address} ({first_line(error)})", expected) from None
    try:
        signal.signal(signal.SIGTERM, handler)  # Ray's handler exits with another status
        yield
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Connect to HOST:PORT. Raises OSError if nothing answers, which Ray would retry for minutes."""
    if match := re.fullmatch(r"(?:ray://)?([\w.-]+):(\d+)", address):
        socket.create_connection((match[1], int(match[2])), _CONNECTION_S).close()


def _restore_round(items: dict[int, Item], actors: int, work: BatchWork) -> Iterator[tuple[int, Result]]:
    """Yield the number and the result of each file that Ray returns."""
    import ray.data
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = -1  # a lost group is sent again in the next round
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    initial = min(cores, actors or cores)
    rows = [{"items": pickle.dumps(group)} for group in groups_of(items, initial)]
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    remote: Any = ray.remote
    counter = remote(num_cpus=0, max_restarts=-1, max_task_retries=-1, scheduling_strategy=here)(_Attempts)
    compute = ray.data.ActorPoolStrategy(
        min_size=1,
        max_size=actors or max(initial, len(rows)),
        initial_size=initial,
        max_tasks_in_flight_per_actor=_TASKS_OF_ACTOR,
    )
    results = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
        _Actor,
        fn_constructor_args=(work, counter.remote(), os.getcwd()),
        compute=compute,
        batch_size=1,
        num_cpus=1,
    )
    for row in results.iter_rows():
        answer: dict[int, Result] | AsrPunctError = pickle.loads(row["answer"])
        if isinstance(answer, AsrPunctError):
            raise answer
        yield from answer.items()


def groups_of(items: dict[int, Item], actors: int) -> Iterator[dict[int, Item]]:
    """Yield groups of files of about the same size, large files first; later groups are smaller."""
    sizes = {number: max(1, item.size) for number, item in items.items()}
    remaining = sum(sizes.values())
    group: dict[int, Item] = {}
    limit = size = 0
    for number in sorted(items, key=lambda number: sizes[number], reverse=True):
        if group and size + sizes[number] > limit:
            yield group
            group, size = {}, 0
        if not group:
            limit = remaining // (_GROUPS_PER_ACTOR * actors)
        group[number] = items[number]
        size += sizes[number]
        remaining -= sizes[number]
    yield group


class _Attempts:
    """Counts the attempts at each group and file. It is a separate actor, because actors that restore files may die."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int]] = Counter()

    def begin(self, kind: str, number: int) -> int:
        """Count an attempt at a `group`, by its first file, or at a `file`; return the number of attempts."""
        self._counts[kind, number] += 1
        return self._counts[kind, number]


class _Actor:
    """Restores groups of files with one model.

    Relative paths refer to `folder`, if this node has it.
    """

    def __init__(self, work: BatchWork, attempts: Any, folder: str) -> None:
        self._work, self._attempts = work, attempts
        self._error: AsrPunctError | None = None
        with suppress(OSError):
            os.chdir(folder)
        try:
            _ = work.punctuator  # opens the model
        except AsrPunctError as error:  # kept for `__call__`: if it were raised, Ray would start the actor again
            self._error = error

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Restore the group of files in a batch of one row."""
        items: dict[int, Item] = pickle.loads(batch["items"][0])
        return {"answer": [pickle.dumps(self._error or self._results(items))]}

    def _results(self, items: dict[int, Item]) -> dict[int, Result]:
        import ray

        # Only where a process has died before, each file is counted: asking the counter takes as long as a short file.
        is_repeated = ray.get(self._attempts.begin.remote("group", next(iter(items)))) > 1
        if is_repeated:
            remove_abandoned(item.output for item in items.values())
        results = {}
        for number, item in items.items():
            attempt = ray.get(self._attempts.begin.remote("file", number)) if is_repeated else 0
            if attempt >= _MAX_ATTEMPTS:
                error = AsrPunctError(item.source, "worker processes that died while restoring it", "one to finish")
                results[number] = Result(item, error=error)
            else:
                results[number] = self._work.restore(item)
        return results
