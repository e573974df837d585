#!/usr/bin/env python3
"""Compare found word times with the synthetic corpus's true ones.

local/compare_times.py TRUTH_DIR DATA_DIR -o OUT.json

Reads TRUTH_DIR/LANG/SPLIT.ctm and DATA_DIR/LANG/SPLIT/ctm. OUT.json gets for each set, and for dev and test together
(voices that are not in train), the figures of `asr_punct.align.compare`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from asr_punct.align.compare import LONG_PAUSE, Comparison, compare
from asr_punct.errors import AsrPunctError, run_script
from asr_punct.formats.ctm import read_ctm
from asr_punct.formats.files import write_json_file

_HELD_OUT = ("dev", "test")


def compare_files(truth: Path, found: Path) -> Comparison:
    """Compare the utterances that two CTM files have in common.

    Raises:
        AsrPunctError: they have none.
    """
    known = {utterance.id: utterance for utterance in read_ctm(truth)}
    total = Comparison()
    for utterance in read_ctm(found):
        if utterance.id in known:
            total = total + compare(known[utterance.id].words, utterance.words)
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
    figures, held_out = {}, Comparison()
    for truth in sorted(options.truth.glob("*/*.ctm")):
        found = options.data / truth.parent.name / truth.stem / "ctm"
        if found.exists():
            comparison = compare_files(truth, found)
            figures[f"{truth.parent.name}/{truth.stem}"] = comparison.figures()
            held_out = held_out + comparison if truth.stem in _HELD_OUT else held_out
    figures["held out"] = held_out.figures()
    write_json_file(options.output, figures)
    for name, row in figures.items():
        error, f1 = ("–" if row[key] is None else f"{row[key]:.3f}" for key in ("median_error_s", "pause_f1"))
        print(
            f"  {name}: word starts {error} s off (median), "
            f"pauses over {LONG_PAUSE} s found with F1 {f1} (synthetic corpus)"
        )


if __name__ == "__main__":
    run_script(main)
