#!/usr/bin/env python3
"""Learn a model's casing list from the texts of its table of sources.

    casing.py --corpus DIR --sources TABLE [--count N] [--share S] [--forms N] OUTPUT

Prints how many forms the list has.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from asr_punct.casing import write_casing
from asr_punct.corpora.casing import Evidence, learn_from_sources
from asr_punct.corpora.sources import read_sources
from asr_punct.errors import counted_as, run_script


def main() -> None:
    """Entry point."""
    least = Evidence()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="list that is made")
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the texts")
    parser.add_argument("--sources", type=Path, required=True, help="table of sources")
    parser.add_argument(
        "--count", type=int, default=least.count, help="places of a form at least (default: %(default)s)"
    )
    parser.add_argument("--share", type=float, default=least.share, help="of its word's places (default: %(default)s)")
    parser.add_argument("--forms", type=int, default=least.forms, help="most forms (default: %(default)s)")
    arguments = parser.parse_args()
    evidence = Evidence(arguments.count, arguments.share, arguments.forms)
    sources = read_sources(arguments.sources)
    lines = learn_from_sources(arguments.corpus, sources, evidence)
    write_casing(lines, arguments.output, f"learnt from {', '.join(source.name for source in sources)}")
    print(f"{arguments.output}: {counted_as(len(lines), 'line')}")


if __name__ == "__main__":
    run_script(main)
