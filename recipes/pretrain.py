#!/usr/bin/env python3
"""Pre-train a model on the words of a corpus alone, by replaced-token detection.

    pretrain.py --config NAME|FILE --data DIR [--resume] [--device D] -o MODEL_DIR [KEY=VALUE ...]

DIR holds train.tsv and dev.tsv. `asr-punct train --init MODEL_DIR` goes on from the result.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from asr_punct.errors import run_script
from asr_punct.training.configuration import read_config
from asr_punct.training.pretrain import pretrain


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="model directory to make")
    parser.add_argument("--config", required=True, help="a configuration's name, or a YAML file")
    parser.add_argument("--data", type=Path, required=True, help="directory of train.tsv and dev.tsv")
    parser.add_argument("--resume", action="store_true", help="go on from where a killed run was")
    parser.add_argument("--device", help="cpu, cuda or another torch device")
    parser.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="changes to the configuration")
    arguments = parser.parse_intermixed_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    config = read_config(arguments.config, arguments.settings)
    pretrain(config, arguments.data, arguments.output, resume=arguments.resume, device=arguments.device)


if __name__ == "__main__":
    run_script(main)
