"""The command `evaluate`: scores of a model on test sets."""

from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli import options
from asr_punct.cli.base import Section, command, print_text
from asr_punct.cli.files import check_outputs
from asr_punct.progress import on_terminal


@command(
    Section.RESULTS,
    {
        "Your own model": "asr-punct evaluate my-model data/test.tsv",
        "A shipped model on written text, with a page": "asr-punct evaluate es-eu speeches.txt --html page.html",
        "Your model against a shipped one": "asr-punct evaluate my-model data/test.tsv --compare es-eu",
        "Several test sets": "asr-punct evaluate es-eu one.tsv two.tsv --json scores.json",
    },
)
def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Model directory, or name of a shipped or hub model.",
            autocompletion=options.complete_model,
        ),
    ],
    tests: Annotated[list[Path], typer.Argument(metavar="TEST", help="Test sets: TSV, or written text.")],
    from_: options.From = None,
    json: Annotated[Path | None, typer.Option(help="File to write the scores to, by test set.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="HTML page to write: scores, and the transcript with its errors.")
    ] = None,
    merge: options.Merge = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL2",
            help="Another model to compare with, also on the page.",
            autocompletion=options.complete_model,
        ),
    ] = None,
    device: options.Device = None,
    threads: options.Threads = 0,
    int8: options.Int8 = False,
    quiet: options.Quiet = False,
) -> None:
    """Score a model on test sets.

    Reads files with labels (TSV, JSON) or written text, in any format that punctuate reads. Removes the marks and
    writes the words in lower case, as recognisers do; keeps their times and pauses; restores marks and capitals with
    the model, and scores them against those of the file.

    Prints the tables of the command score for each test set, and a summary if there are several. The page and the
    differences of --compare cover all test sets together.
    """
    from asr_punct.formats.files import write_json_file
    from asr_punct.inference.evaluate import evaluate as evaluate_model
    from asr_punct.scoring import compare_counts, join_texts, score_counts
    from asr_punct.scoring.html import Comparison, write_page
    from asr_punct.scoring.tables import comparison, metric_names, report, summary

    check_outputs({"--json": json, "--html": html}, tests)
    names = [model] if compare is None else [model, compare]
    punctuators = [options.punctuator_opener(name, None, False, None, device, threads, int8, None)() for name in names]
    glyphs = punctuators[0].glyphs
    with on_terminal(quiet):
        texts = [
            {
                str(test): evaluate_model(punctuator, test, from_, merge, probabilities=html is not None)
                for test in tests
            }
            for punctuator in punctuators
        ]
        scores = {name: score_counts(text.count()) for name, text in texts[0].items()}
        joined = [join_texts(sets) if len(sets) > 1 else sets[str(tests[0])] for sets in texts]
        counts = [text.count() for text in joined]
        total = score_counts(counts[0])
        differences = compare_counts(counts[0], counts[1]) if compare else {}
    if html:
        other = Comparison(compare, joined[1], differences) if compare else None
        write_page(html, total, joined[0], glyphs, reference=", ".join(scores), hypothesis=model, compare=other)
    if json:
        write_json_file(json, {name: each.as_dict() for name, each in scores.items()})
    tables = [report(each, glyphs, f"{model} on {name}") for name, each in scores.items()]
    if len(scores) > 1:
        tables.append(summary(scores | {"all": total}))
    if compare:
        tables.append(comparison(differences, model, compare, metric_names(joined[0].classes, glyphs)))
    print_text("\n".join(tables))
