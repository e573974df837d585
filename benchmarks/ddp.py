"""Words a second of training in one and in two processes: `OMP_NUM_THREADS=1 python benchmarks/ddp.py`.

Trains a model on a generated corpus with `asr-punct train`, in one process and with --devices N, on the CPU with one
thread for each process. An epoch's time is that between two lines of standard error; the first epoch, with the start,
is not counted. Rounds alternate. Prints JSON: medians of the words a second of each, and their ratio.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from large_corpus import generate
from speed import RUN, option_parser

_EPOCHS, _VOCABULARY = 6, 5000


def epoch_seconds(data: Path, config: str, processes: int, settings: list[str]) -> list[float]:
    """Train and return the seconds of each epoch after the first."""
    with tempfile.TemporaryDirectory() as folder:
        values = [f"training.epochs={_EPOCHS}", f"training.epochs_per_pass={_EPOCHS}", *settings]
        options = ["--config", config, "--data", str(data), "-o", f"{folder}/model", "--device", "cpu"]
        command = [sys.executable, "-c", RUN, "train", *options, "--devices", str(processes), *values]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
            ends = [time.perf_counter() for line in process.stderr or () if line.startswith("epoch ")]
        if process.returncode:
            sys.exit(f"ddp.py: training failed with status {process.returncode}")
    return [end - begin for begin, end in pairwise(ends)]


def main() -> None:
    """Measure and print."""
    parser = option_parser(__doc__)
    parser.add_argument("--config", default="small")
    parser.add_argument("--words", type=int, default=600_000, help="number of words of the corpus")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("settings", nargs="*", help="key=value changes of the configuration")
    options = parser.parse_args()
    seconds: dict[int, list[float]] = {1: [], options.processes: []}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        generate(data / "train.tsv", options.words, _VOCABULARY)
        generate(data / "dev.tsv", 2_000, _VOCABULARY)
        for turn in range(options.rounds):
            for processes in list(seconds)[:: 1 if turn % 2 else -1]:
                seconds[processes] += epoch_seconds(data, options.config, processes, options.settings)
    speed = {processes: options.words / _EPOCHS / median(times) for processes, times in seconds.items()}
    facts = {f"words_a_second_{processes}": round(value) for processes, value in speed.items()}
    print(json.dumps({**facts, "ratio": speed[options.processes] / speed[1], "processors": os.cpu_count()}))


if __name__ == "__main__":
    main()
