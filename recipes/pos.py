#!/usr/bin/env python3
"""Train a tagger of parts of speech on treebanks, for `training.pos_tagger`, and print its accuracy.

    pos.py --config NAME|FILE --train FILE... --dev FILE [--test FILE...] [--epochs N] -o DIR [KEY=VALUE ...]

The treebanks are CoNLL-U, plain or .xz. The tagger is of the sizes of model.pos and reads the tokenizer of
model.encoder.name (a name of the hub, or a directory).
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from asr_punct.errors import run_script
from asr_punct.training.configuration import read_config
from asr_punct.training.pos import train_pos_tagger


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="directory to write into")
    parser.add_argument("--config", default="pos_fusion", help="a configuration's name, or a YAML file")
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="treebanks to learn from")
    parser.add_argument("--dev", type=Path, nargs="+", required=True, help="treebanks that choose the best epoch")
    parser.add_argument("--test", type=Path, nargs="+", default=[], help="treebanks to measure on")
    parser.add_argument("--epochs", type=int, default=20, help="how often the treebanks are seen (default: 20)")
    parser.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="changes to the configuration")
    options = parser.parse_intermixed_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    config = read_config(options.config, options.settings)
    scores = train_pos_tagger(config, options.train, options.dev, options.test, options.output, epochs=options.epochs)
    for name, score in scores.items():
        print(f"{score:.4f}\t{name}")


if __name__ == "__main__":
    run_script(main)
