#!/usr/bin/env python3
"""Compare found word times with the synthetic corpus's true ones.

local/compare_times.py TRUTH_DIR DATA_DIR -o OUT.json

Reads TRUTH_DIR/LANG/SPLIT.ctm and DATA_DIR/LANG/SPLIT/ctm. OUT.json gets for each set, and for dev and test together
(voices that are not in train): the absolute error of word starts, and the pauses over 0.15 s between words that follow
each other on both sides, as precision, recall and F1.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from asr_punct.align.edit import align, comparable
from asr_punct.errors import AsrPunctError
from asr_punct.io.ctm import read_ctm
from asr_punct.io.files import write_file
from asr_punct.words import Seconds, Utterance, Word

LONG_PAUSE: Seconds = 0.15
_HELD_OUT = ("dev", "test")


@dataclass(frozen=True)
class Comparison:
    """Errors of word starts in seconds, and pairs (true pause, found pause) in seconds."""

    errors: list[Seconds]
    pauses: list[tuple[Seconds, Seconds]]

    def __add__(self, other: Comparison) -> Comparison:
        return Comparison(self.errors + other.errors, self.pauses + other.pauses)

    def figures(self) -> dict[str, float | int | None]:
        """What the report holds."""
        errors = np.array(self.errors)
        pauses = np.array(self.pauses).reshape(-1, 2) > LONG_PAUSE
        both, true, found = int((pauses[:, 0] & pauses[:, 1]).sum()), int(pauses[:, 0].sum()), int(pauses[:, 1].sum())
        return {
            "words": len(errors),
            "median_error_s": round(float(np.median(errors)), 4),
            "within_50_ms": round(float((errors <= 0.05).mean()), 4),
            "within_100_ms": round(float((errors <= 0.1).mean()), 4),
            "pauses": true,
            "pause_precision": round(both / found, 4) if found else None,
            "pause_recall": round(both / true, 4) if true else None,
            "pause_f1": round(2 * both / (true + found), 4) if true + found else None,
        }


def compare(truth: Utterance, found: Utterance) -> Comparison:
    """Compare two utterances by the words that are the same in both."""
    alignment = align([comparable(w.text) for w in truth.words], [comparable(w.text) for w in found.words])
    pairs = np.stack([alignment.reference, alignment.hypothesis], axis=1)[alignment.equal].tolist()
    errors = [abs((truth.words[i].start or 0.0) - (found.words[j].start or 0.0)) for i, j in pairs]
    pauses = [
        (_gap(truth.words, i), _gap(found.words, j))
        for (i, j), following in pairwise(pairs)
        if following == [i + 1, j + 1]
    ]
    return Comparison(errors, pauses)


def _gap(words: tuple[Word, ...], i: int) -> Seconds:
    return (words[i + 1].start or 0.0) - (words[i].end or 0.0)


def compare_files(truth: Path, found: Path) -> Comparison:
    """Compare the utterances that two CTM files have in common.

    Raises:
        AsrPunctError: they have none.
    """
    known = {utterance.id: utterance for utterance in read_ctm(truth)}
    total = Comparison([], [])
    for utterance in read_ctm(found):
        if utterance.id in known:
            total = total + compare(known[utterance.id], utterance)
    if not total.errors:
        raise AsrPunctError(f"{found}: found no word of {truth}")
    return total


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    figures, held_out = {}, Comparison([], [])
    for truth in sorted(options.truth.glob("*/*.ctm")):
        found = options.data / truth.parent.name / truth.stem / "ctm"
        if found.exists():
            comparison = compare_files(truth, found)
            figures[f"{truth.parent.name}/{truth.stem}"] = comparison.figures()
            held_out = held_out + comparison if truth.stem in _HELD_OUT else held_out
    figures["held out"] = held_out.figures()
    with write_file(options.output) as out:
        json.dump(figures, out, indent=2)
        out.write("\n")
    for name, row in figures.items():
        print(
            f"  {name}: word starts {row['median_error_s']:.3f} s off (median), "
            f"pauses over {LONG_PAUSE} s found with F1 {row['pause_f1']:.3f} (synthetic corpus)"
        )


if __name__ == "__main__":
    main()
