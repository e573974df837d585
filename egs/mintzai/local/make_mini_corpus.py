#!/usr/bin/env python3
"""Make a small synthetic corpus in the layout of mintzai-ST.

local/make_mini_corpus.py OUT [--seed 1] [--nj 2] [--scale 1.0]

OUT gets es-eu and eu-es with train, dev and test, the true word times in truth, and a README.md that tells what it
is. Killed and started again it goes on; with other options it starts anew.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from mini_corpus.layout import Parameters, make_corpus, read_description

from asr_punct.errors import run_script


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nj", type=_positive(int), default=2, help="processes")
    parser.add_argument("--scale", type=_positive(float), default=1.0, help="factor on the number of words")
    options = parser.parse_args()
    make_corpus(options.output, Parameters(options.seed, options.scale), options.nj)
    print(*read_description(options.output), sep="\n")


def _positive(kind: Callable[[str], float]) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = kind(text)
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"found {text}, expected more than 0")
        return value

    return read


if __name__ == "__main__":
    run_script(main)
