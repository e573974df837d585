#!/usr/bin/env python3
"""Make a small synthetic corpus in the layout of mintzai-ST.

local/make_mini_corpus.py OUT [--nj 2] [--scale 1.0]

OUT gets es-eu and eu-es with train, dev and test, the true word times in truth, and a README.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mini_corpus.layout import make_corpus

from asr_punct.errors import run_script


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--nj", type=int, default=2, help="processes")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the text to use, 0 to 1")
    options = parser.parse_args()
    if options.nj < 1:
        parser.error(f"--nj: found {options.nj}, expected 1 or more")
    if not 0 < options.scale <= 1:
        parser.error(f"--scale: found {options.scale}, expected more than 0 and at most 1")
    print(make_corpus(options.output, options.scale, options.nj))


if __name__ == "__main__":
    run_script(main)
