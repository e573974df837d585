"""The commands `score`, `models` and `info`."""

from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli import options
from asr_punct.cli.base import Section, command, print_text
from asr_punct.cli.files import check_outputs
from asr_punct.errors import AsrPunctError
from asr_punct.progress import on_terminal


@command(
    Section.RESULTS,
    {
        "Two texts with the same words": "asr-punct score ref.txt hyp.txt",
        "A recogniser's words; a page with transcript and audio": (
            "asr-punct score ref.txt hyp.json --align --html page.html --audio talk.wav"
        ),
        "Two systems, with the four classes of IWSLT": (
            "asr-punct score ref.tsv one.tsv --compare two.tsv --merge 4 --json s.json"
        ),
    },
)
def score(
    reference: Annotated[Path, typer.Argument(metavar="REF", help="Reference marks and case: TSV, or written text.")],
    hypothesis: Annotated[Path, typer.Argument(metavar="HYP", help="Hypothesis to score.")],
    ref_from: options.ReferenceFrom = None,
    hyp_from: options.HypothesisFrom = None,
    align: Annotated[bool, typer.Option("--align", help="Align the words first, because they differ.")] = False,
    json: Annotated[Path | None, typer.Option(help="File to write the scores to.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="HTML page to write: scores, and the transcript with its errors.")
    ] = None,
    audio: Annotated[
        Path | None,
        typer.Option(help="With --html: the recording, to play from any word; over 8 MiB it is linked, not embedded."),
    ] = None,
    merge: options.Merge = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="HYP2", help="Another hypothesis to compare with, also on the page.")
    ] = None,
    lang: options.Language = "es",
    quiet: options.Quiet = False,
) -> None:
    """Score marks and case against a reference.

    Reads two files of any format that punctuate reads (--ref-from, --hyp-from, else detected). Marks and case are the
    file's labels, or else the punctuation and capitals of its words. If REF is a NeMo manifest, its key `text` is read.
    Without --align both must have the same words.

    Prints precision, recall and F1 in per cent for each mark and for case, slot error rate, and 95 % intervals from a
    bootstrap over the utterances; with --align also word error rates. Rates in the --json file are fractions; with
    --compare it also has the differences.
    """
    from asr_punct.formats.files import write_json_file
    from asr_punct.formats.labelled import read_labelled
    from asr_punct.formats.stm import without_ignored_segments
    from asr_punct.marks import glyphs
    from asr_punct.scoring import compare_counts, pair_words, score_counts
    from asr_punct.scoring.html import Comparison, write_page
    from asr_punct.scoring.html.audio import check_times
    from asr_punct.scoring.tables import comparison, metric_names, report

    if audio and not html:
        raise AsrPunctError("found --audio, expected --html with it")
    check_outputs({"--json": json, "--html": html}, [reference, hypothesis, compare, audio])
    with on_terminal(quiet):
        expected = list(read_labelled(reference, lang, ref_from, reference=True))
        found = list(without_ignored_segments(read_labelled(hypothesis, lang, hyp_from), expected))
        if audio:
            check_times(found, str(hypothesis), audio)
        words = pair_words(expected, found, merge, align=align, name=str(hypothesis))
        counts = words.count()
        scores = score_counts(counts)
        language_glyphs = glyphs(lang)
        text = report(scores, language_glyphs, str(hypothesis))
        other, differences = None, {}
        if compare:
            words2 = without_ignored_segments(read_labelled(compare, lang, hyp_from), expected)
            second = pair_words(expected, words2, merge, align=align, name=str(compare))
            other = Comparison(str(compare), second, compare_counts(counts, second.count()))
            differences = {name: each.as_dict() for name, each in other.differences.items()}
            names = metric_names(words.classes, language_glyphs)
            text += "\n" + comparison(other.differences, str(hypothesis), str(compare), names)
    if html:
        sides = {"reference": str(reference), "hypothesis": str(hypothesis)}
        write_page(html, scores, words, language_glyphs, **sides, audio=audio, compare=other)
    if json:
        write_json_file(json, scores.as_dict() | ({"differences": differences} if compare else {}))
    print_text(text)


@command(Section.RESULTS, {"All shipped models": "asr-punct models"})
def models() -> None:
    """List the shipped models and their scores.

    Prints two tables: size, parameters and licence, and F1 in per cent of marks and capitals by test set.
    """
    from asr_punct.cli.describe import list_models
    from asr_punct.hub import shipped_models

    if shipped := shipped_models():
        print_text(list_models(shipped))
    else:
        typer.echo("this release has no model: train one with asr-punct train", err=True)


@command(Section.RESULTS, {"A shipped model": "asr-punct info es-eu", "Your own model": "asr-punct info my-model"})
def info(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="Model directory, shipped name, or hub name.", autocompletion=options.complete_model
        ),
    ],
) -> None:
    """Describe a model.

    Prints its language, parts, windows, training and files, one per line.
    """
    from asr_punct.checkpoint import read_info
    from asr_punct.cli.describe import describe
    from asr_punct.hub import find_model

    directory = find_model(model)
    print_text(describe(directory, read_info(directory)) + "\n")
