#!/usr/bin/env python3
"""Compare what a model's int8 and fp32 graphs decide on the words of a corpus; writes int8.json for the model's card.

local/compare_graphs.py [--threads N] MODEL_DIR CORPUS.tsv int8.json
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from itertools import tee
from pathlib import Path

from asr_punct.errors import InputError, run_script
from asr_punct.formats.files import write_json_file
from asr_punct.formats.tsv import read_tsv
from asr_punct.inference.punctuator import Punctuator
from asr_punct.words import Utterance, without_labels


def compare(first: Punctuator, second: Punctuator, utterances: Iterable[Utterance]) -> dict[str, float]:
    """Number of words, and the shares of them that get the same marks, the same case and both from two models.

    The words come with their pauses and without their labels. Raises InputError where there are none.
    """
    one, two = tee(without_labels(utterance) for utterance in utterances)
    equal: Counter[str] = Counter()
    for a, b in zip(first.restore(one), second.restore(two), strict=True):
        for x, y in zip(a.labels, b.labels, strict=True):
            equal["words"] += 1
            equal["marks"] += x.marks == y.marks
            equal["case"] += x.case is y.case
            equal["both"] += x == y
    words = equal["words"]
    if not words:
        raise InputError("corpus", "no words", "at least one word")
    return {"words": words, **{f"same_{name}": equal[name] / words for name in ("marks", "case", "both")}}


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="directory of a model with both graphs")
    parser.add_argument("corpus", help="labelled text")
    parser.add_argument("output", type=Path, help="file to write")
    parser.add_argument("--threads", type=int, default=0, help="threads; 0 for as many as there are cores (default)")
    options = parser.parse_args()
    fp32 = Punctuator.from_pretrained(options.model, threads=options.threads, graph="fp32")
    int8 = Punctuator.from_pretrained(options.model, threads=options.threads, graph="int8")
    result = compare(fp32, int8, read_tsv(options.corpus))
    write_json_file(options.output, result)
    print(", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in result.items()))


if __name__ == "__main__":
    run_script(main)
