#!/usr/bin/env python3
"""Measure the words a second of a model on a file, start and reading not counted (as for the paper's Table 7).

local/measure_speed.py --model MODEL_DIR [--device D] [--aggregate N] IN.tsv OUT.json
"""

from __future__ import annotations

import argparse
import time

from asr_punct.errors import run_script
from asr_punct.formats.files import write_json_file
from asr_punct.formats.tsv import read_tsv
from asr_punct.inference.punctuator import Punctuator

_WARM_UP = 20
_AT_LEAST_S = 2.0


def measure(model: str, source: str, device: str | None, aggregate: int | None) -> dict[str, float | str]:
    """Words, seconds, words a second and runtime; short files are run again until two seconds have passed."""
    punctuator = Punctuator.from_pretrained(model, device=device, aggregate=aggregate)
    utterances = list(read_tsv(source))
    list(punctuator.restore(utterances[:_WARM_UP]))
    words, start, seconds = 0, time.perf_counter(), 0.0
    while seconds < _AT_LEAST_S:
        words += sum(len(utterance.words) for utterance in punctuator.restore(utterances))
        seconds = time.perf_counter() - start
    rate = words / seconds
    return {"words": words, "seconds": seconds, "words_per_second": rate, "runtime": punctuator.runtime}


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--device")
    parser.add_argument("--aggregate", type=int)
    parser.add_argument("source")
    parser.add_argument("target")
    options = parser.parse_args()
    result = measure(options.model, options.source, options.device, options.aggregate)
    write_json_file(options.target, result)


if __name__ == "__main__":
    run_script(main)
