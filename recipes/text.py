#!/usr/bin/env python3
"""Make a model's training text from a table of sources: DIR/train.tsv, DIR/dev.tsv and DIR/summary.json.

    text.py --corpus DIR --sources TABLE [--seed N] OUTPUT

Prints the words of each source and what was left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from asr_punct.corpora.mixture import prepare_mixture
from asr_punct.corpora.sources import read_sources
from asr_punct.errors import run_script
from asr_punct.formats.files import write_json_file


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="directory of the files that are made")
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the texts")
    parser.add_argument("--sources", type=Path, required=True, help="table of sources")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (default: 1)")
    arguments = parser.parse_args()
    summary = prepare_mixture(arguments.corpus, read_sources(arguments.sources), arguments.output, seed=arguments.seed)
    write_json_file(arguments.output / "summary.json", summary.as_json())
    print("\n".join(summary.lines()))


if __name__ == "__main__":
    run_script(main)
