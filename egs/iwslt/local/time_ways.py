#!/usr/bin/env python3
"""Measure how long ways of decoding take beside each other: all take turns on the same words, in one process.

local/time_ways.py [--words N] [--rounds N] MODEL_DIR DATA OUT.json NAME=OPTIONS…

OPTIONS are those of decode.py. OUT.json has the median time of each over that of the first.
"""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import decode  # type: ignore[import-not-found]  # the program beside it

from asr_punct.errors import run_script
from asr_punct.formats.files import write_json_file

_SET = "ref"


def way(options: str, model: Path, data: Path, words: int) -> Callable[[], None]:
    """What decodes the first words of the reference set with these options of decode.py."""
    parsed = decode.parser().parse_args([*shlex.split(options), "--words", str(words), str(model), str(data), "-"])
    punctuator = decode.open_model(parsed)
    bare, _ = decode.read_set(parsed, _SET)

    def run() -> None:
        for _ in decode.restore(punctuator, parsed, bare):
            pass

    return run


def relative_times(ways: Mapping[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Median over the rounds of each way's time over the first one's in the same round; one round more warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name, run in ways.items():
            begin = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - begin)
    base = next(iter(seconds.values()))
    return {
        name: median(took / first for took, first in zip(times, base, strict=True)) for name, times in seconds.items()
    }


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("ways", nargs="+", metavar="NAME=OPTIONS")
    parser.add_argument("--words", type=int, default=2000, help="words that each decodes (default: 2000)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (default: 5)")
    options = parser.parse_args()
    named = (text.partition("=") for text in options.ways)
    ways = {name: way(chosen, options.model, options.data, options.words) for name, _, chosen in named}
    times = relative_times(ways, options.rounds)
    write_json_file(options.output, times)
    print(", ".join(f"{name} {ratio:.1f}x" for name, ratio in times.items()))


if __name__ == "__main__":
    run_script(main)
