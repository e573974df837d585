#!/usr/bin/env python3
"""Measure the relative time of several ways of decoding, which take turns on the same words in one process.

OPTIONS of a way are those of decode.py. Writes the median time of each way relative to the first.
"""

import shlex
import time
from collections.abc import Callable, Mapping
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Annotated

import decode
from typer import Argument, Option

from asr_punct.errors import run_script
from asr_punct.files import write_json_file

_SET = "ref"


def way(options: str, model: Path, data: Path, words: int) -> Callable[[], None]:
    """Return a function that decodes the first words of the reference set with these options of decode.py."""
    parsed = decode.parser().parse_args([*shlex.split(options), "--words", str(words), str(model), str(data), "-"])
    restorer = decode.open_model(parsed)
    bare, _ = decode.read_set(parsed, _SET)

    def run() -> None:
        for _ in decode.restore(restorer, parsed, bare):
            pass

    return run


def relative_times(ways: Mapping[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Return the median over the rounds of each way's time relative to the first; one more round warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name, run in ways.items():
            begin = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - begin)
    base = next(iter(seconds.values()))
    return {name: median(map(truediv, times, base)) for name, times in seconds.items()}


def main(
    model: Path,
    data: Path,
    output: Path,
    ways: Annotated[list[str], Argument(metavar="NAME=OPTIONS...")],
    words: Annotated[int, Option(help="Words that each way decodes.")] = 2000,
    rounds: int = 5,
) -> None:
    named = (text.partition("=") for text in ways)
    times = relative_times({name: way(options, model, data, words) for name, _, options in named}, rounds)
    write_json_file(output, times)
    print(", ".join(f"{name} {ratio:.1f}x" for name, ratio in times.items()))


if __name__ == "__main__":
    run_script(main)
