#!/usr/bin/env python3
"""Give a trained model more context layers, which start as the identity, to go on training from.

    grow.py MODEL_DIR OUT KERNEL...

MODEL_DIR is the directory of a model with `context.kind: convolution` and its weights. The kernels, odd numbers or 0
for attention, are those of the layers that come after its own. OUT is a directory for `asr-punct train --init`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from asr_punct.errors import run_script
from asr_punct.training.grow import grow


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="directory of the trained model")
    parser.add_argument("output", type=Path, help="directory to make")
    parser.add_argument("kernels", type=int, nargs="+", help="of the layers to add")
    options = parser.parse_args()
    grow(options.model, options.output, tuple(options.kernels))


if __name__ == "__main__":
    run_script(main)
