#!/usr/bin/env python3
"""Fit the decoding settings of a model, as `asr-punct tune`, if several windows are averaged for each word."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from aggregate import averaging
from typer import Option

from asr_punct.errors import run_script
from asr_punct.files import write_json_file
from asr_punct.inference.options import ModelOptions
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.tune import tune


def main(
    model: Path,
    dev: Path,
    json: Annotated[Path, Option(help="File to write the measurements to.")],
    aggregate: Annotated[int, Option(help="Windows that each word is predicted in.")],
    device: str | None = None,
    threads: int = 0,
) -> None:
    restorer = Restorer.open(model, ModelOptions(device=device, threads=threads))
    tuning = tune(model, dev, averaging(restorer, aggregate))
    write_json_file(json, asdict(tuning))
    print("\n".join(tuning.lines()))


if __name__ == "__main__":
    run_script(main)
