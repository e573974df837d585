"""The commands `evaluate`, `score`, `models` and `info`."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli import groups, options
from asr_punct.cli.base import Section, command, print_text
from asr_punct.cli.outputs import check_outputs
from asr_punct.errors import AsrPunctError
from asr_punct.hub import named_models
from asr_punct.inference.options import Computing
from asr_punct.languages import DEFAULT_LANGUAGE
from asr_punct.progress import progress_bar


@dataclass(frozen=True)
class Outputs:
    """The files that get the scores, and the classes that are scored."""

    json: Annotated[Path | None, typer.Option(help="File to write the scores to.")] = None
    html: options.Page = None
    merge: options.Merge = None


OtherModel = Annotated[
    str | None,
    options.completed_option("Another model to compare with, also on the page.", named_models, metavar="MODEL2"),
]
OtherHypothesis = Annotated[
    Path | None, typer.Option(metavar="HYP2", help="Another hypothesis to compare with, also on the page.")
]
PageAudio = Annotated[
    Path | None,
    typer.Option(help="With --html: the recording, to play from any word; over 8 MiB it is linked, not embedded."),
]


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
    model: Annotated[str, options.model_argument("Model directory, or name of a shipped or hub model.")],
    tests: Annotated[list[Path], typer.Argument(metavar="TEST", help="Test sets: TSV, or written text.")],
    source_format: options.From = None,
    encoding: options.Encoding = None,
    *,
    outputs: Outputs,
    compare: OtherModel = None,
    computing: Computing,
    threads: options.Threads = 0,
    quiet: options.Quiet = False,
) -> None:
    """Score a model on test sets.

    Reads files with labels (TSV, JSON) or written text, in any format that punctuate reads. Removes the marks and
    writes the words in lower case, as recognisers do; keeps their times and pauses; restores marks and capitals with
    the model, and scores them against those of the file.

    Prints the same tables as asr-punct score for each test set, and a summary if there are several. The page and the
    differences of --compare cover all test sets together.
    """
    from asr_punct.files import write_json_file
    from asr_punct.inference.evaluate import evaluate as evaluate_model
    from asr_punct.inference.punctuator import Punctuator
    from asr_punct.scoring import compare_counts, join_texts, score_counts
    from asr_punct.scoring.html import Comparison, write_page
    from asr_punct.scoring.markdown import comparison, metric_names, report, summary

    check_outputs({"--json": outputs.json, "--html": outputs.html}, tests)
    names = [model] if compare is None else [model, compare]
    chosen = groups.model_options(computing=computing, threads=threads)
    punctuators = [Punctuator.open(replace(chosen, name=name)) for name in names]
    glyphs = punctuators[0].glyphs
    files = [options.input_file(test, encoding) for test in tests]
    with progress_bar(quiet):
        of_test = partial(
            evaluate_model, format_name=source_format, merge=outputs.merge, probabilities=outputs.html is not None
        )
        # for each model: its words and those of the file, by test set
        by_model = [{str(test): of_test(punctuator, test) for test in files} for punctuator in punctuators]
        scores = {test: score_counts(texts.count()) for test, texts in by_model[0].items()}
        joined = [join_texts(by_test) if len(by_test) > 1 else by_test[str(tests[0])] for by_test in by_model]
        counts = [texts.count() for texts in joined]
        total = score_counts(counts[0])
        differences = compare_counts(counts[0], counts[1]) if compare else {}
    if outputs.html:
        second = Comparison(compare, joined[1], differences) if compare else None
        write_page(
            outputs.html, total, joined[0], glyphs, reference=", ".join(scores), hypothesis=model, compare=second
        )
    if outputs.json:
        write_json_file(outputs.json, {name: each.as_dict() for name, each in scores.items()})
    tables = [report(each, glyphs, f"{model} on {name}") for name, each in scores.items()]
    if len(scores) > 1:
        tables.append(summary(scores | {"all": total}))
    if compare:
        tables.append(comparison(differences, model, compare, metric_names(joined[0].classes, glyphs)))
    print_text("\n".join(tables))


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
    encoding: options.Encoding = None,
    align: Annotated[bool, typer.Option("--align", help="Align the words first, because they differ.")] = False,
    *,
    outputs: Outputs,
    audio: PageAudio = None,
    compare: OtherHypothesis = None,
    language: options.TextLanguage = None,
    quiet: options.Quiet = False,
) -> None:
    """Score marks and case against a reference.

    Reads two files of any format that punctuate reads (--ref-from, --hyp-from, else detected). Marks and case are the
    file's labels, or else the punctuation and capitals of its words, in the language of REF. If REF is a NeMo
    manifest, its key `text` is read. Without --align both must have the same words.

    Prints precision, recall and F1 in per cent for each mark and for case, slot error rate, and 95 % intervals from a
    bootstrap over the utterances; with --align also word error rates. Rates in the --json file are fractions; with
    --compare it also has the differences.
    """
    from asr_punct.files import write_json_file
    from asr_punct.formats.kaldi.stm import without_ignored_segments
    from asr_punct.formats.labelled import language_of, read_labelled, read_written, with_labels
    from asr_punct.glyphs import glyphs
    from asr_punct.scoring import compare_counts, pair_words, score_counts
    from asr_punct.scoring.html import Comparison, check_audio, write_page
    from asr_punct.scoring.markdown import comparison, metric_names, report
    from asr_punct.scoring.paired_texts import PairedTexts

    if audio and not outputs.html:
        raise AsrPunctError("", "--audio", "--html with it")
    check_outputs({"--json": outputs.json, "--html": outputs.html}, [reference, hypothesis, compare, audio])

    def paired(file: Path, audio: Path | None = None) -> PairedTexts:
        words = read_labelled(options.input_file(file, encoding), code, hyp_from)
        hypotheses = list(without_ignored_segments(words, references))
        if audio:
            check_audio(hypotheses, str(file), audio)
        return pair_words(references, hypotheses, outputs.merge, align=align, name=str(file))

    second = None
    with progress_bar(quiet):
        written = list(read_written(options.input_file(reference, encoding), ref_from, reference=True))
        code = language or language_of(written) or DEFAULT_LANGUAGE
        references = [with_labels(utterance, code) for utterance in written]
        texts = paired(hypothesis, audio)
        counts = texts.count()
        scores = score_counts(counts)
        if compare:
            other = paired(compare)
            second = Comparison(str(compare), other, compare_counts(counts, other.count()))
    language_glyphs, values = glyphs(code), scores.as_dict()
    tables = [report(scores, language_glyphs, str(hypothesis))]
    if second:
        names = metric_names(texts.classes, language_glyphs)
        tables.append(comparison(second.differences, str(hypothesis), str(compare), names))
        values["differences"] = {name: each.as_dict() for name, each in second.differences.items()}
    if outputs.html:
        names_of_texts = {"reference": str(reference), "hypothesis": str(hypothesis)}
        write_page(outputs.html, scores, texts, language_glyphs, **names_of_texts, audio=audio, compare=second)
    if outputs.json:
        write_json_file(outputs.json, values)
    print_text("\n".join(tables))


@command(Section.RESULTS, {"All models": "asr-punct models"})
def models() -> None:
    """List the models that have a name, and their scores.

    These are the shipped ones and those in folders of ASR_PUNCT_MODELS.

    Prints two tables: size, parameters and licence, and F1 in per cent of marks and capitals by test set. Between them
    are the languages for which a model is used without --model.
    """
    from asr_punct.cli.describe import list_models

    if known := named_models():
        print_text(list_models(known))
    else:
        typer.echo("this release has no model: train one with asr-punct train", err=True)


@command(Section.RESULTS, {"A shipped model": "asr-punct info es-eu", "Your own model": "asr-punct info my-model"})
def info(model: Annotated[str, options.model_argument("Model directory, shipped name, or hub name.")]) -> None:
    """Describe a model.

    Prints its language, parts, windows, training and files, one per line.
    """
    from asr_punct.checkpoint import read_info
    from asr_punct.cli.describe import describe
    from asr_punct.hub import find_model

    directory = find_model(model)
    print_text(describe(directory, read_info(directory)) + "\n")
