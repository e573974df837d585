#!/usr/bin/env python3
"""Take marks and case away from a labelled TSV: what a recogniser would give, with the pauses.

local/strip_labels.py IN.tsv OUT.tsv
"""

from __future__ import annotations

import sys

from asr_punct.errors import run_script
from asr_punct.formats.files import write_file
from asr_punct.formats.tsv import read_tsv, write_tsv
from asr_punct.words import without_labels


def main(source: str, target: str) -> None:
    """Copy `source` to `target` without labels."""
    with write_file(target) as out:
        write_tsv((without_labels(utterance) for utterance in read_tsv(source)), out)


if __name__ == "__main__":
    run_script(lambda: main(*sys.argv[1:]))
