#!/usr/bin/env python3
"""Restore marks and case of a labelled file from its words and pauses alone, and measure the speed.

Writes OUTPUT/test.tsv and OUTPUT/speed.json: words a second as in the paper's Table 7, without loading and reading.
"""

import time
from pathlib import Path

from asr_punct import formats
from asr_punct.errors import run_script
from asr_punct.files import make_directory, write_json_file
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.inference.options import ModelOptions
from asr_punct.inference.restorer import Restorer
from asr_punct.words import without_labels

_WARM_UP = 20
_MINIMUM_S = 2.0


def main(model: Path, source: Path, output: Path, device: str | None = None, aggregate: int | None = None) -> None:
    make_directory(output)
    restorer = Restorer.open(model, ModelOptions(device=device))
    if aggregate is not None:
        from aggregate import averaging  # in egs/iwslt/local

        restorer = averaging(restorer, aggregate)
    utterances = [without_labels(utterance) for utterance in read_tsv(source)]
    list(restorer.restore(utterances[:_WARM_UP]))
    words, seconds, start = 0, 0.0, time.perf_counter()
    while seconds < _MINIMUM_S:
        restored = list(restorer.restore(utterances))
        words += sum(len(utterance.words) for utterance in restored)
        seconds = time.perf_counter() - start
    speed = {"words": words, "seconds": seconds, "words_per_second": words / seconds, "runtime": restorer.runtime}
    write_json_file(output / "speed.json", speed)
    formats.write(restored, output / "test.tsv", restorer.glyphs, "tsv")


if __name__ == "__main__":
    run_script(main)
