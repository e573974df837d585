#!/usr/bin/env python3
"""Gather the scores of append_to_asr.sh.

local/asr_results.py --command "append_to_asr.sh …" RESULTS.md results.json LANGUAGE…

Reads exp/LANGUAGE/{reference,recognised}/scores.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from asr_punct.formats.files import write_file, write_json_file
from asr_punct.scoring import Scores
from asr_punct.scoring.circumstances import circumstances
from asr_punct.scoring.tables import interval, percent, table

_HEADER = ("test set", "words", "WER", "F1, reference words", "95 %", "F1, recognised words", "95 %")
_TEXT = """\
**Every number here is measured on a synthetic corpus**: sentences of a generator, spoken by espeak-ng. They show that
the stage works behind a recogniser that errs, and say nothing about real speech.

F1 is that of all marks, their counts pooled (micro), in per cent. On reference words their times are an aligner's; on
recognised words they are the recogniser's, and the reference's marks are brought onto the words that it heard. Both are
the output of `recipes/punctuate.sh`, with a model of each language and one of both, the pauses refined on the audio.
"""


Pair = tuple[Scores, Scores]
"""What the stage wrote: scores on the reference's words, and on those recognised."""


def read_scores(language: str) -> Pair:
    """The scores of a test set."""
    files = (Path("exp", language, words, "scores.json") for words in ("reference", "recognised"))
    reference, recognised = (Scores.from_dict(json.loads(file.read_text(encoding="utf-8"))) for file in files)
    return reference, recognised


def row(language: str, pair: Pair) -> tuple[str, ...]:
    """A test set's row."""
    reference, recognised = pair
    cells = [percent(recognised.wer)]
    for scores in pair:
        cells += [percent(scores.micro.f1), interval(scores.ci95.get("micro.f1"))]
    return (language, str(reference.words), *cells)


def figures(pair: Pair) -> dict[str, float | None]:
    """What results.json has of a test set."""
    reference, recognised = pair
    f1 = {"f1_reference": reference.micro.f1, "f1_recognised": recognised.micro.f1}
    return {"words": reference.words, "wer": recognised.wer, **f1}


def page(command: str, results: str) -> Iterator[str]:
    """Lines of the page."""
    yield "# A recogniser with the stage punctuate.sh behind it\n"
    yield _TEXT
    yield from circumstances(command)
    yield ""
    yield results


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True)
    parser.add_argument("page", type=Path)
    parser.add_argument("json", type=Path)
    parser.add_argument("languages", nargs="+")
    options = parser.parse_args()
    scores = {language: read_scores(language) for language in options.languages}
    results = table(_HEADER, [row(language, pair) for language, pair in scores.items()])
    write_json_file(options.json, {language: figures(pair) for language, pair in scores.items()})
    with write_file(options.page) as out:
        out.writelines(f"{line}\n" for line in page(options.command, results))
    print(results, end="")


if __name__ == "__main__":
    main()
