#!/usr/bin/env python3
"""Make a small synthetic corpus in the layout of mintzai-ST.

OUTPUT gets es-eu and eu-es with train, dev and test, the true word times in truth, and a README.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mini_corpus.layout import make_corpus
from typer import Option

from asr_punct.errors import AsrPunctError, run_script


def main(
    output: Path,
    nj: Annotated[int, Option(min=1, help="Processes.")] = 2,
    scale: Annotated[float, Option(help="Share of the text to use, 0 to 1.")] = 1.0,
) -> None:
    if not 0 < scale <= 1:
        raise AsrPunctError(f"--scale: found {scale}, expected more than 0 and at most 1")
    print(make_corpus(output, scale, nj))


if __name__ == "__main__":
    run_script(main)
