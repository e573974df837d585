"""The command `evaluate`: scores of a model on test sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli import completion
from asr_punct.cli.base import Section, command, print_text
from asr_punct.cli.options import Device, From, Int8, Merge, Quiet, Threads, open_punctuator
from asr_punct.cli.overwriting import check_outputs
from asr_punct.progress import on_terminal


@command(
    Section.RESULTS,
    {
        "Your own model": "asr-punct evaluate my-model data/test.tsv",
        "A shipped model on written text, with a page": "asr-punct evaluate es-eu speeches.txt --html page.html",
        "Several test sets": "asr-punct evaluate es-eu one.tsv two.tsv --json scores.json",
    },
)
def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="Model directory, shipped name, or hub name.", autocompletion=completion.models
        ),
    ],
    tests: Annotated[list[Path], typer.Argument(metavar="TEST", help="Test sets: TSV, or written text.")],
    from_: From = None,
    json: Annotated[Path | None, typer.Option(help="File to write the scores to, by test set.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Page to write: scores, and the transcript with its errors.")
    ] = None,
    merge: Merge = None,
    device: Device = None,
    threads: Threads = 0,
    int8: Int8 = False,
    quiet: Quiet = False,
) -> None:
    """Score a model on test sets.

    Reads files with labels (TSV, JSON) or written text, in any format that punctuate reads. Removes the marks and
    writes the words in lower case, as recognisers do; keeps their times and pauses; restores marks and capitals with
    the model, and scores them against those of the file.

    Prints the tables of score for each test set, and a summary of several. The page has all of them together.
    """
    from asr_punct.formats.files import write_json_file
    from asr_punct.inference.evaluate import evaluate as evaluate_model
    from asr_punct.scoring import concatenate, join_texts, score_counts
    from asr_punct.scoring.html import write_page
    from asr_punct.scoring.tables import report, summary

    check_outputs({"--json": json, "--html": html}, tests)
    punctuator = open_punctuator(model, None, False, None, device, threads, int8, None)
    with on_terminal(quiet):
        texts = {
            str(test): evaluate_model(punctuator, test, from_, merge, probabilities=html is not None) for test in tests
        }
        counts = {name: text.count() for name, text in texts.items()}
        scores = {name: score_counts(count) for name, count in counts.items()}
        together = score_counts(concatenate(list(counts.values()))) if len(texts) > 1 else scores[str(tests[0])]
    if html:
        paired = join_texts(texts) if len(texts) > 1 else texts[str(tests[0])]
        write_page(html, together, paired, punctuator.glyphs, reference=", ".join(texts), hypothesis=model)
    if json:
        write_json_file(json, {name: each.as_dict() for name, each in scores.items()})
    print_text("\n".join(report(each, punctuator.glyphs, f"{model} on {name}") for name, each in scores.items()))
    if len(scores) > 1:
        print_text("\n" + summary(scores | {"all": together}))
