"""Restore the files of a batch on a cluster, with Ray Data.

Actors load the model once and restore groups of files. Ray restarts actors that die and repeats their groups; a repeat
skips the files that are complete. Each node needs asr_punct, and the paths of files and model must lead to the same
files on all nodes (a shared file system, or URLs).
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from asr_punct.batch.names import Item
from asr_punct.batch.restoring import FileOptions, OpenPunctuator, Restorer, Result
from asr_punct.errors import AsrPunctError, MissingExtraError, first_line
from asr_punct.formats.partial import remove_abandoned

if TYPE_CHECKING:
    import numpy as np

_GROUPS_LEFT = 4
"""Each group has this part, one of so many for each actor, of the bytes that are left: the last groups are small."""
_MAX_ATTEMPTS = 3
"""Number of times that a process may die with a file."""
_MAX_ROUNDS = 3
"""Number of times that files are sent to the cluster, if Ray returns nothing for them."""
_CONNECTION_S = 10.0
"""Seconds to wait for an answer of the cluster."""
_TASKS_OF_ACTOR = 2
"""Groups that are sent to an actor at a time: one that it restores, and the next one."""


def restore_on_cluster(
    items: Sequence[Item], address: str, actors: int, open_punctuator: OpenPunctuator, options: FileOptions
) -> Generator[Result, None, None]:
    """Restore files on a Ray cluster; yield a result for each file, group by group.

    Args:
        items: the files.
        address: address of the cluster, as `ray.init` accepts it: `auto`, `HOST:PORT`.
        actors: maximum number of actors of one core each; 0: as many as the cluster has cores, also if it grows.
        open_punctuator: opens the model; a function that can be pickled.
        options: how files are read and written.

    Raises:
        MissingExtraError: Ray is not installed.
        AsrPunctError: there is no such cluster, or the model cannot be opened.
    """
    if not items:
        return
    with _connection(address):
        left = dict(enumerate(items))
        for _ in range(_MAX_ROUNDS):
            for number, result in _restore_round(left.copy(), actors, open_punctuator, options):
                if left.pop(number, None) is not None:  # a group can be repeated
                    yield result
            remove_abandoned(item.output for item in items)
            if not left:
                return
        for item in left.values():
            yield Result(item, error=f"{item.source}: found no result of the cluster, expected one (see Ray's logs)")


@contextmanager
def _connection(address: str) -> Iterator[None]:
    """Connect to a cluster, unless this process is connected."""
    try:
        import ray.data
    except ModuleNotFoundError as error:
        raise MissingExtraError("--ray", "ray", str(error.name)) from None
    if ray.is_initialized():
        yield
        return
    handler = signal.getsignal(signal.SIGTERM)
    try:
        _check_address(address)
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        expected = "the address of a running cluster (ray start --head prints it)"
        raise AsrPunctError(f"--ray: found {address} ({first_line(error)}), expected {expected}") from None
    try:
        signal.signal(signal.SIGTERM, handler)  # Ray's handler exits with another status
        yield
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Connect to HOST:PORT. Raises OSError if nothing answers, which Ray would retry for minutes."""
    if match := re.fullmatch(r"(?:ray://)?([\w.-]+):(\d+)", address):
        socket.create_connection((match[1], int(match[2])), _CONNECTION_S).close()


def _restore_round(
    items: dict[int, Item], actors: int, open_punctuator: OpenPunctuator, options: FileOptions
) -> Iterator[tuple[int, Result]]:
    """Yield the number and the result of each file that Ray returns."""
    import ray.data
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = -1  # a lost group is sent again in the next round
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    initial = min(cores, actors or cores)
    rows = [_row(group) for group in _groups(items, initial)]
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
        fn_constructor_args=(open_punctuator, options, counter.remote(), os.getcwd()),
        compute=compute,
        batch_size=1,
        num_cpus=1,
    )
    for row in results.iter_rows():
        if row["fatal"]:
            raise AsrPunctError(row["fatal"])
        warnings = tuple(row["warnings"].splitlines())
        yield row["number"], Result(items[row["number"]], row["words"], row["error"], warnings)


def _groups(items: dict[int, Item], actors: int) -> Iterator[dict[int, Item]]:
    """Yield groups of files of about the same size, large files first; later groups are smaller."""
    sizes = {number: max(1, item.size) for number, item in items.items()}
    left = sum(sizes.values())
    group: dict[int, Item] = {}
    limit = size = 0
    for number in sorted(items, key=lambda number: sizes[number], reverse=True):
        if group and size + sizes[number] > limit:
            yield group
            group, size = {}, 0
        if not group:
            limit = left // (_GROUPS_LEFT * actors)
        group[number] = items[number]
        size += sizes[number]
        left -= sizes[number]
    yield group


def _row(group: dict[int, Item]) -> dict[str, Any]:
    sources, outputs = ([getattr(item, name) for item in group.values()] for name in ("source", "output"))
    return {"numbers": list(group), "sources": sources, "outputs": outputs}


class _Attempts:
    """Counts how often groups and files were begun; an actor of its own, which outlives those that restore."""

    def __init__(self) -> None:
        self._groups: Counter[int] = Counter()
        self._files: Counter[int] = Counter()

    def begin_group(self, number: int) -> int:
        """Return how often the group that begins with this file was begun."""
        self._groups[number] += 1
        return self._groups[number]

    def begin_file(self, number: int) -> int:
        """Return how often the file was begun since its group was repeated."""
        self._files[number] += 1
        return self._files[number]


def _columns(numbers: list[int], results: list[Result], fatal: str = "") -> dict[str, list[Any]]:
    """Return the results of a group as columns of a table."""
    return {
        "number": numbers,
        "words": [result.words for result in results],
        "error": [result.error for result in results],
        "warnings": ["\n".join(result.warnings) for result in results],
        "fatal": [fatal] * len(numbers),
    }


class _Actor:
    """Restores groups of files with one model.

    Args:
        open_punctuator: opens the model.
        options: how files are read and written.
        attempts: handle of the `_Attempts` of this batch.
        folder: folder that relative paths begin at, where it exists on this node.
    """

    def __init__(self, open_punctuator: OpenPunctuator, options: FileOptions, attempts: Any, folder: str) -> None:
        self._attempts, self._error = attempts, ""
        with suppress(OSError):
            os.chdir(folder)
        try:
            self._restorer: Restorer | None = Restorer(open_punctuator(), options)
        except AsrPunctError as error:  # raised here, it would be repeated
            self._restorer, self._error = None, str(error)

    def __call__(self, batch: dict[str, np.ndarray[Any, Any]]) -> dict[str, list[Any]]:
        """Restore a group: one row of numbers, inputs and outputs."""
        numbers, sources, outputs = ([*batch[name][0]] for name in ("numbers", "sources", "outputs"))
        items = [Item(str(source), str(output)) for source, output in zip(sources, outputs, strict=True)]
        numbers = [int(number) for number in numbers]
        if self._restorer is None:
            return _columns(numbers, [Result(item) for item in items], self._error)
        import ray

        is_repeated = ray.get(self._attempts.begin_group.remote(numbers[0])) > 1
        if is_repeated:
            remove_abandoned(item.output for item in items)
        results = []
        for number, item in zip(numbers, items, strict=True):
            attempt = ray.get(self._attempts.begin_file.remote(number)) if is_repeated else 0
            if attempt >= _MAX_ATTEMPTS:
                error = f"{item.source}: found worker processes that died with it, expected one to finish"
                results.append(Result(item, error=error))
            else:
                results.append(self._restorer.run(item))
        return _columns(numbers, results)
