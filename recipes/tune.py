#!/usr/bin/env python3
"""Fit thresholds and calibration, or class weights, and case biases of a model directory on a development corpus.

    tune.py MODEL_DIR DEV.tsv [--json REPORT] [--threads N] [--device D] [--aggregate N]

Writes them into MODEL_DIR/config.json, prints a table, and keeps what was measured in REPORT. Settings fit the
decoding that they are found with: --aggregate N is for models that `asr-punct punctuate --aggregate N` decodes, and
takes up to N times as long.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from asr_punct.errors import run_script
from asr_punct.formats.files import write_json_file
from asr_punct.tuning.tune import tune


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="directory of the model")
    parser.add_argument("dev", type=Path, help="labelled text that it was not trained on")
    parser.add_argument("--json", type=Path, help="file to write what was measured to")
    parser.add_argument("--threads", type=int, default=0, help="threads; 0 for as many as there are cores (default)")
    parser.add_argument("--device", help="where scores are computed (default: cpu)")
    parser.add_argument("--aggregate", type=int, metavar="N", help="windows that each word is predicted in")
    options = parser.parse_args()
    done = tune(options.model, options.dev, options.threads, device=options.device, aggregate=options.aggregate)
    if options.json:
        write_json_file(options.json, asdict(done))
    print(f"{done.words} words: micro F1 {done.micro_f1[0]:.3f} before, {done.micro_f1[1]:.3f} after")
    for name, weight in done.class_weights.items():
        print(f"{name:<12} weight {weight:.3f}")
    for name, (before, after) in done.calibration_error.items():
        print(f"{name:<12} calibration error {before:.5f} before, {after:.5f} after")


if __name__ == "__main__":
    run_script(main)
