"""Turns of a worker: small work first, work together by its settings, and work that no client waits for."""

import threading
import time
from dataclasses import dataclass

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
from asr_punct.serve.service_errors import ServiceError
from asr_punct.serve.turns import Work, Worker


@dataclass(eq=False)
class Named(Work[str]):
    """Work that is computed together with work of the same setting; its result is its name."""

    name: str
    setting: str = "a"


class Log:
    """A worker that logs the names of the work of each run, and waits inside the first run until it is released."""

    def __init__(self, **sizes):
        self.runs, self.begun, self.released = [], threading.Event(), threading.Event()
        self.worker = Worker(self.setting, self.compute, **sizes)

    def setting(self, work):
        if work.setting == "bad":
            raise ServiceError(422, "setting", "bad", "another one")
        return work.setting

    def compute(self, group):
        names = [work.name for work in group]
        self.runs.append(names)
        self.begun.set()
        self.released.wait(60)
        for work in group:
            yield
            if work.name == "bomb":
                raise KeyError("bomb")
            work.finish(str, work.name)
        self.runs.append(f"end of {names}")

    def run(self, first, *others):
        """Compute work; the others are in the queue before the first is computed."""
        self.worker.put(first)
        assert self.begun.wait(60)
        for work in others:
            self.worker.put(work)
        self.released.set()
        self.worker.close()
        return self.runs[2:]


def test_larger_work_waits_for_small_work():
    large = [Named(20, f"large {i}") for i in range(4)]
    small = [Named(size, f"small {size}") for size in (8, 0)]
    gone = Named(20, "gone")
    gone.result.cancel()
    runs = Log(small=8, together=40).run(Named(1, "first"), *large, gone, *small, Named(500, "huge"))
    assert runs[::2] == [["large 0", "large 1", "small 8", "small 0"], ["large 2", "large 3"], ["huge"]]


def test_work_is_taken_in_order_while_it_fits():
    work = [Named(size, str(size)) for size in (5, 3, 4, 9, 1)]
    assert Log(together=8).run(Named(1, "first"), *work)[::2] == [["5", "3"], ["4"], ["9"], ["1"]]


def test_only_work_with_equal_settings_is_computed_together():
    work = [Named(1, name, setting) for name, setting in (("x", "a"), ("y", "b"), ("z", "a"), ("bad", "bad"))]
    assert Log(together=8).run(Named(1, "first"), *work)[::2] == [["x", "z"], ["y"]]
    assert [each.result.result() for each in work[:3]] == ["x", "y", "z"]
    assert work[3].result.exception().place == "setting"


def test_an_error_is_the_result_of_work_without_one():
    work = [Named(1, name) for name in ("before", "bomb", "after")]
    other = Named(9, "other")
    Log(together=8).run(Named(1, "first"), *work, other)
    assert [each.result.exception() and each.result.exception().status for each in work] == [None, 500, 500]
    assert other.result.result() == "other"


def test_long_work_is_interrupted_for_other_work():
    """Three steps of half a second each are computed alternately with work that comes later."""
    parts, begun = list[str](), threading.Event()

    def compute(group):
        for step in range(3 if group[0].size > 1 else 1):
            parts.append(f"{group[0].name}{step}")
            begun.set()
            time.sleep(0.3)
            yield
        group[0].finish(str, "")

    worker = Worker(lambda work: work.name, compute, together=1)
    worker.put(Named(9, "long"))
    assert begun.wait(60)
    for name in ("other", "a", "b"):
        worker.put(Named(9 if name == "other" else 1, name))
    worker.close()
    assert parts == ["long0", "other0", "long1", "a0", "other1", "b0", "long2", "other2"]


def test_work_that_is_begun_leaves_room_for_smaller_work():
    """While work of size 6 of 16 is interrupted, work of size 6 waits, and smaller work behind it begins."""
    parts, begun = list[str](), threading.Event()

    def compute(group):
        for _ in range(3):
            parts.append(group[0].name)
            begun.set()
            time.sleep(0.3)
            yield

    worker = Worker(lambda work: work.name, compute, together=1, room=16)
    worker.put(Named(6, "first"))
    assert begun.wait(60)
    for size, name in ((6, "large"), (5, "middle"), (2, "small")):
        worker.put(Named(size, name))
    worker.close()
    assert list(dict.fromkeys(parts)) == ["first", "middle", "small", "large"]


@pytest.mark.parametrize("wanted", [False, True])
def test_work_is_stopped_once_no_client_waits_for_it(wanted):
    log, first, second = Log(together=8), Named(1, "first"), Named(1, "second")
    log.worker.put(first)
    assert log.begun.wait(60)
    if not wanted:
        first.result.cancel()
    log.released.set()
    gone = Named(1, "gone")
    gone.result.cancel()
    log.worker.put(gone)
    log.worker.put(second)
    assert second.result.result(60) == "second"
    assert ("end of ['first']" in log.runs) == wanted
    log.worker.close()
