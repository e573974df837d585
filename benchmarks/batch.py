"""Measure `asr-punct batch`: many small files against one large file, one process against two, and a Ray cluster.

Each measurement runs the command anew and includes the start of its processes. The words are drawn from the model's
vocabulary (Zipf). Rounds are interleaved, so that other load of the machine affects all of them. The cluster has two
nodes of one core on this machine and is started before the measurement. CPU times are those of the command and its
processes; the processes of the cluster are not among them. Writes batch.json.

    python benchmarks/batch.py [batch.json] [--files 2000] [--words 200] [--rounds 3] [--ray]
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from speed import RUN, Facts, drawn_words, option_parser, report, seconds

from asr_punct.hub import find_model

_MODEL = "es-eu-small"
_STORE_BYTES = 200 * 2**20


def write_inputs(folder: Path, files: int, words: int) -> int:
    """Write small files of about `words` words and one large file of all words. Return the number of words."""
    rng = random.Random(0)
    drawn = drawn_words(find_model(_MODEL), files * words * 2)
    (folder / "small").mkdir()
    (folder / "large").mkdir()
    count = 0
    with open(folder / "large" / "all.txt", "w", encoding="utf-8") as large:
        for number in range(files):
            text = " ".join(drawn[count : count + rng.randint(words // 2, words * 3 // 2)])
            count += len(text.split())
            (folder / "small" / f"{number}.txt").write_text(text + "\n", encoding="utf-8")
            large.write(text + "\n")
    return count


def restore(folder: Path, name: str, *options: str) -> tuple[float, float]:
    """Restore a folder of inputs. Return the seconds that the command takes, and its CPU seconds."""
    output = folder / "out"
    shutil.rmtree(output, ignore_errors=True)
    arguments = ["batch", str(folder / name), "-o", str(output), "--model", _MODEL, "--quiet", *options]
    before = children_seconds()
    took = seconds(lambda: subprocess.run([sys.executable, "-c", RUN, *arguments], check=True))
    return took, children_seconds() - before


def children_seconds() -> float:
    """Return the CPU seconds of processes that were started here and have ended."""
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def running_cluster() -> Iterator[str]:
    """Start a Ray cluster of two nodes of one core, and yield its address."""
    from ray.cluster_utils import Cluster

    options = {"num_cpus": 1, "object_store_memory": _STORE_BYTES}
    cluster: Any = Cluster(initialize_head=True, head_node_args={"include_dashboard": False, **options})
    try:
        cluster.add_node(**options)
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def measure(folder: Path, rounds: int, with_ray: bool) -> dict[str, tuple[float, float]]:
    """Return the median seconds and CPU seconds of each measurement."""
    took = defaultdict[str, list[tuple[float, float]]](list)
    for _ in range(rounds):
        for name, jobs in (("large", "1"), ("small", "1"), ("small", "2")):
            took[f"{name}_jobs_{jobs}"].append(restore(folder, name, "--jobs", jobs))
        if with_ray:
            with running_cluster() as address:
                took["small_ray_2"].append(restore(folder, "small", "--ray", address))
    return {name: (median(wall for wall, _ in times), median(cpu for _, cpu in times)) for name, times in took.items()}


def main() -> None:
    """Measure, print and write."""
    parser = option_parser(__doc__)
    parser.add_argument("output", type=Path, nargs="?", default=Path("batch.json"))
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--words", type=int, default=200, help="mean number of words of a small file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ray", action="store_true", help="measure a cluster of two nodes too (extra ray)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = write_inputs(Path(folder), options.files, options.words)
        took = measure(Path(folder), options.rounds, options.ray)
    facts: Facts = {"files": options.files, "words": words}
    facts |= {f"{name}_words_a_second": words / wall for name, (wall, _) in took.items()}
    facts |= {f"{name}_cpu_us_a_word": 1e6 * cpu / words for name, (_, cpu) in took.items() if "ray" not in name}
    for name, one, other in (
        ("small_times_large", "small_jobs_1", "large_jobs_1"),
        ("two_jobs_times_one", "small_jobs_2", "small_jobs_1"),
        ("ray_times_two_jobs", "small_ray_2", "small_jobs_2"),
    ):
        if one in took:
            facts[name] = took[other][0] / took[one][0]
    report(options.output, facts)


if __name__ == "__main__":
    main()
