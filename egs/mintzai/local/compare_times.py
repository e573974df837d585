#!/usr/bin/env python3
"""Compare aligned word times with the true ones of the synthetic corpus.

Reads TRUTH/LANG/SPLIT.ctm and DATA/LANG/SPLIT/ctm. Writes the figures of `word_times` for each set, and
for dev and test together, whose voices are not in train.
"""

from pathlib import Path

from word_times import LONG_PAUSE, TimeComparison, compare

from asr_punct.errors import AsrPunctError, run_script
from asr_punct.files import write_json_file
from asr_punct.formats.kaldi.ctm import read_ctm

_HELD_OUT = ("dev", "test")


def compare_files(truth: Path, found: Path) -> TimeComparison:
    """Compare the utterances that are in both CTM files. Raises AsrPunctError if there are none."""
    known = {utterance.id: utterance for utterance in read_ctm(truth)}
    total = TimeComparison()
    for utterance in read_ctm(found):
        if utterance.id in known:
            total = total + compare(known[utterance.id].words, utterance.words)
    if not total.errors:
        raise AsrPunctError(found, "other utterances", f"some of {truth}")
    return total


def main(truth: Path, data: Path, output: Path) -> None:
    figures, held_out = {}, TimeComparison()
    for file in sorted(truth.glob("*/*.ctm")):
        found = data / file.parent.name / file.stem / "ctm"
        if found.exists():
            comparison = compare_files(file, found)
            figures[f"{file.parent.name}/{file.stem}"] = comparison.figures()
            held_out = held_out + comparison if file.stem in _HELD_OUT else held_out
    figures["held out"] = held_out.figures()
    write_json_file(output, figures)
    for name, row in figures.items():
        error, f1 = ("–" if row[key] is None else f"{row[key]:.3f}" for key in ("median_error_s", "pause_f1"))
        pauses = f"pauses over {LONG_PAUSE} s found with F1 {f1} (synthetic corpus)"
        print(f"  {name}: word starts {error} s off (median), {pauses}")


if __name__ == "__main__":
    run_script(main)
