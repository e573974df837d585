#!/usr/bin/env python3
"""Gather the scores of append_to_asr.sh from exp/LANGUAGE/{reference,recognised}/scores.json."""

from pathlib import Path
from typing import Annotated

from environment import describe_environment
from typer import Option

from asr_punct.errors import run_script
from asr_punct.files import read_json_file, write_file, write_json_file
from asr_punct.scoring import Scores
from asr_punct.scoring.markdown import interval, percent, table

_HEADER = ("test set", "words", "WER", "F1, reference words", "95 %", "F1, recognised words", "95 %")
_TEXT = """\
# A recogniser followed by the stage punctuate.sh

**Every number here is measured on a synthetic corpus**: text written for it, spoken by espeak-ng. They show that
the stage works after a recogniser that makes errors, and say nothing about real speech.

F1 is the micro average over all marks, in per cent. The reference words have times of an aligner. The recognised words
have times of the recogniser, and the marks of the reference are aligned with them. Both are the output of
`recipes/punctuate.sh`, with a model of each language and one of both, and pauses refined on the audio.
"""

Pair = tuple[Scores, Scores]
"""Scores on the words of the reference, and on the recognised words."""


def read_scores(language: str) -> Pair:
    files = (Path("exp", language, words, "scores.json") for words in ("reference", "recognised"))
    reference, recognised = (Scores.from_dict(read_json_file(file)) for file in files)
    return reference, recognised


def row(language: str, pair: Pair) -> tuple[str, ...]:
    reference, recognised = pair
    cells = [percent(recognised.wer)]
    for scores in pair:
        cells += [percent(scores.micro.f1), interval(scores.ci95.get("micro.f1"))]
    return (language, str(reference.words), *cells)


def figures(pair: Pair) -> dict[str, float | None]:
    reference, recognised = pair
    f1 = {"f1_reference": reference.micro.f1, "f1_recognised": recognised.micro.f1}
    return {"words": reference.words, "wer": recognised.wer, **f1}


def main(
    page_file: Path, json_file: Path, languages: list[str], command: Annotated[str, Option(help="For the page.")]
) -> None:
    scores = {language: read_scores(language) for language in languages}
    results = table(_HEADER, [row(language, pair) for language, pair in scores.items()])
    write_json_file(json_file, {language: figures(pair) for language, pair in scores.items()})
    with write_file(page_file) as out:
        out.write("\n".join([_TEXT, *describe_environment(command), "", results, ""]))
    print(results, end="")


if __name__ == "__main__":
    run_script(main)
