"""Batches on a Ray cluster of two nodes of one core each."""

import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from batch_dummies import FILES, LOG, SlowPeriods, contents, refuse, write_files
from dummies import refused

from asr_punct.batch.cluster import groups_of, restore_on_cluster
from asr_punct.batch.names import Inputs, Item
from asr_punct.batch.work import BatchWork
from asr_punct.restoring import PipelineOptions

TESTS = str(Path(__file__).parent)
STORE = {"object_store_memory": 100 * 2**20}


def test_groups_have_all_files_and_shrink():
    items = {number: Item(f"{number}", "", size) for number, size in enumerate([9000, *[10] * 1000, 0])}
    groups = list(groups_of(items, 2))
    assert {number: item for group in groups for number, item in group.items()} == items
    assert sum(map(len, groups)) == len(items)
    assert list(groups[0]) == [0]
    sizes = [len(group) for group in groups[1:]]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 100
    assert sizes[-1] == 1


@pytest.fixture
def cluster(monkeypatch, tmp_path):
    """Return a running cluster whose processes can import the modules of the tests."""
    pytest.importorskip("ray", reason="pip install '.[ray]'")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([TESTS, os.environ.get("PYTHONPATH", str(Path(TESTS).parent))]))
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    monkeypatch.chdir(tmp_path)
    running = started(Cluster)
    try:
        yield running
    finally:
        running.shutdown()


def started(cluster_class, tries=3):
    """Return a cluster of two nodes. On a machine short of CPU, Ray gives up a node whose agents take over 15 s."""
    cluster = cluster_class()
    try:
        cluster.add_node(num_cpus=1, include_dashboard=False, **STORE)
        cluster.add_node(num_cpus=1, **STORE)
    except Exception:
        cluster.shutdown()
        if tries == 1:
            raise
        return started(cluster_class, tries - 1)
    return cluster


@pytest.mark.slow
def test_outputs_are_those_of_local_processes(cluster, run, tmp_path):
    write_files(tmp_path / "talks", {**FILES, "m.ctm": "r 1 0.1\n"})
    options = "batch", "talks", "--model", "es-eu"
    status, _, local = run(*options, "-o", "local")
    assert status == 1
    status, _, err = run(*options, "-o", "out", "--ray", cluster.address)
    assert status == 1
    assert err.splitlines()[-1] == local.splitlines()[-1]
    assert contents(tmp_path / "out") == contents(tmp_path / "local")
    status, _, err = run(*options, "-o", "out", "--ray", cluster.address)
    assert "5 complete before, 1 failed" in err


def restored(tmp_path):
    """Return process and first word of each file that was restored, also if its output was not renamed any more."""
    path = tmp_path / "log"
    return [tuple(line.split()) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.slow
def test_a_killed_process_and_a_killed_node_lose_nothing(cluster, tmp_path):
    files = {f"{i % 5}/{i}.txt": f"w{i} mira la casa\n" for i in range(150)}
    write_files(tmp_path / "talks", {**files, "poison.txt": "die\n"})
    items = Inputs(["talks"], "out").items()
    killed = 0
    results = []
    for result in restore_on_cluster(items, cluster.address, 0, BatchWork(SlowPeriods, PipelineOptions())):
        results.append(result)
        if len(results) == 30:
            os.kill(int(restored(tmp_path)[-1][0]), signal.SIGKILL)
            killed += 1
        if len(results) == 70:
            (node,) = [node for node in cluster.worker_nodes if node is not cluster.head_node]
            cluster.remove_node(node, allow_graceful=False)
            killed += 1
    assert killed == 2
    assert sorted(result.item.source for result in results) == sorted(item.source for item in items)
    assert [result.error.place for result in results if result.error] == ["talks/poison.txt"]
    assert contents(tmp_path / "out") == {name: text.replace("casa", "casa.").encode() for name, text in files.items()}
    counts = Counter(word for _, word in restored(tmp_path))
    assert counts.total() - len(counts) <= killed  # a kill before the output is renamed repeats that file


@pytest.mark.slow
def test_a_model_that_cannot_be_opened_ends_the_batch(cluster, tmp_path):
    write_files(tmp_path / "talks", FILES)
    items = Inputs(["talks"], "out").items()
    with refused("model", "none"):
        list(restore_on_cluster(items, cluster.address, 0, BatchWork(refuse, PipelineOptions())))


@pytest.mark.slow
def test_a_cluster_that_does_not_exist_is_refused(run, tmp_path):
    pytest.importorskip("ray", reason="pip install '.[ray]'")
    write_files(tmp_path / "talks", FILES)
    status, out, err = run("batch", tmp_path / "talks", "-o", tmp_path / "out", "--ray", "127.0.0.1:1")
    assert (status, out) == (2, "")
    assert "--ray: found 127.0.0.1:1" in err
