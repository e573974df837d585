#!/usr/bin/env python3
"""Restore marks and case of a labelled file from its words and pauses alone, and measure the speed.

Writes OUTPUT/tuned.tsv, decoded with the settings of `asr-punct tune` and the decoder's rules, OUTPUT/plain.tsv,
decoded as the papers decode (`--plain`), and OUTPUT/speed.json: words a second of plain decoding, as in the paper's
Table 7, without loading and reading.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from asr_punct import formats
from asr_punct.decode import DecodeSettings
from asr_punct.errors import run_script
from asr_punct.files import write_json_file
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.inference.options import ModelOptions
from asr_punct.inference.restorer import Restorer
from asr_punct.partial import make_directory
from asr_punct.words import Utterance, without_labels

_WARM_UP = 20
_MINIMUM_S = 2.0


def main(model: Path, source: Path, output: Path, device: str | None = None, aggregate: int | None = None) -> None:
    make_directory(output)
    restorer = Restorer.open(model, ModelOptions(device=device))
    if aggregate is not None:
        from aggregate import averaging  # in egs/iwslt/local

        restorer = averaging(restorer, aggregate)
    utterances = [without_labels(utterance) for utterance in read_tsv(source)]
    plain = replace(restorer, settings=DecodeSettings(plain=True))
    write_json_file(output / "speed.json", measure_speed(plain, utterances))
    for name, each in ("tuned", restorer), ("plain", plain):
        formats.write(list(each.restore(utterances)), output / f"{name}.tsv", restorer.glyphs, "tsv")


def measure_speed(restorer: Restorer, utterances: Sequence[Utterance]) -> dict[str, float | str]:
    list(restorer.restore(utterances[:_WARM_UP]))
    words, seconds, start = 0, 0.0, time.perf_counter()
    while seconds < _MINIMUM_S:
        words += sum(len(utterance.words) for utterance in restorer.restore(utterances))
        seconds = time.perf_counter() - start
    return {"words": words, "seconds": seconds, "words_per_second": words / seconds, "runtime": restorer.runtime}


if __name__ == "__main__":
    run_script(main)
