#!/usr/bin/env python3
"""Make a model's training text and casing list from a table of sources.

Writes train.tsv, dev.tsv, casing.txt and summary.json; prints the words of each source and the dropped lines.
"""

from pathlib import Path
from typing import Annotated

from training_text.casing_list import learn_casing
from training_text.mixture import prepare_mixture
from training_text.sources import read_sources
from typer import Option

from asr_punct.casing import write_casing
from asr_punct.errors import run_script
from asr_punct.files import write_json_file


def main(
    output: Path,
    corpus: Annotated[Path, Option(help="Folder of the texts.")],
    sources: Annotated[Path, Option(help="Table of sources.")],
    seed: Annotated[int, Option(help="Seed of the random generators.")] = 1,
) -> None:
    texts = read_sources(sources)
    summary = prepare_mixture(corpus, texts, output, seed=seed)
    forms = learn_casing(corpus, texts)
    write_casing(forms, output / "casing.txt", f"learnt from {', '.join(text.name for text in texts)}")
    write_json_file(output / "summary.json", vars(summary))
    print("\n".join([*summary.lines(), f"forms of the casing list: {len(forms)}"]))


if __name__ == "__main__":
    run_script(main)
