"""The command line: each command parses, calls one function, writes. Heavy imports stay inside the commands."""

from __future__ import annotations

import logging
import sys
from importlib import metadata
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from asr_punct.config import LEFT_WORDS, RIGHT_WORDS
from asr_punct.errors import AsrPunctError, missing_extra
from asr_punct.options import (
    Audio,
    CasingList,
    Choices,
    ClassWeights,
    DataDir,
    Device,
    From,
    Int8,
    Language,
    MarkNames,
    Model,
    NoCase,
    Output,
    OutputFile,
    Quiet,
    Subtitles,
    Threads,
    To,
)

app = typer.Typer(
    name="asr-punct",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(metadata.version("asr-punct"))
        raise typer.Exit


@app.callback()
def main_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Punctuation and capitals for speech recognition output, from the words and the pauses between them."""


@app.command()
def punctuate(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="File to read; - is standard input (text, or what --from says).")
    ] = "-",
    output: Output = "-",
    model: Model = None,
    from_: From = None,
    to: To = None,
    subtitles: Subtitles = None,
    audio: Audio = None,
    wav_scp: Annotated[Path | None, typer.Option(help="Audio of each recording: name and path, a line each.")] = None,
    marks: MarkNames = None,
    no_case: NoCase = False,
    casing: CasingList = None,
    device: Device = None,
    threads: Threads = 0,
    int8: Int8 = False,
    class_weights: ClassWeights = None,
    aggregate: Annotated[
        int | None, typer.Option(help="Average the results of so many windows for each word; slower by that factor.")
    ] = None,
    aggregate_by: Annotated[
        str | None, typer.Option(help="What --aggregate averages: logits (by default) or probabilities.")
    ] = None,
    left: Annotated[
        int | None, typer.Option(min=0, help="With --right: words before each word that it is decided by; 100.")
    ] = None,
    right: Annotated[
        int | None, typer.Option(min=1, help="Decide each word as asr-punct stream does, by so many words after it.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Add marks and capitals to recognised words.

    Example: asr-punct punctuate --audio talk.wav talk.ctm -o talk.txt
    """
    from asr_punct import io
    from asr_punct.io.subtitle_output import chosen_limits
    from asr_punct.progress import show_progress
    from asr_punct.timing import audio_of_recordings, refined

    target = io.output_format(output, to)
    limits = chosen_limits(subtitles, target)
    if audio and wav_scp:
        raise AsrPunctError("found --audio and --wav-scp, expected one of them")
    if left is not None and right is None:
        raise AsrPunctError("found --left and no --right, expected both or --right alone")
    if aggregate_by is not None and aggregate is None:
        raise AsrPunctError("found --aggregate-by, expected --aggregate with it")
    if right is not None and aggregate is not None:
        raise AsrPunctError("found --right and --aggregate, expected one of them")
    choices = Choices(model, marks, no_case, casing, device, threads, int8, class_weights)
    punctuator = choices.open(aggregate=aggregate, aggregate_by=aggregate_by or "logits")
    utterances = io.read_utterances(source, from_, parts=True)
    if audio or wav_scp:
        utterances = refined(utterances, audio_of_recordings(audio, wav_scp))
    shown = show_progress(utterances, "utterances", quiet)
    if right is None:
        restored = punctuator.restore(shown)
    else:
        restored = punctuator.restore_streaming(shown, LEFT_WORDS if left is None else left, right)
    io.write_utterances(restored, output, punctuator.glyphs, target, limits)


@app.command()
def stream(
    model: Model = None,
    left: Annotated[int, typer.Option(min=0, help="Words before each word that it is decided by.")] = LEFT_WORDS,
    right: Annotated[int, typer.Option(min=1, help="Words after it that are waited for.")] = RIGHT_WORDS,
    marks: MarkNames = None,
    no_case: NoCase = False,
    casing: CasingList = None,
    device: Device = None,
    threads: Threads = 1,
    int8: Int8 = False,
    class_weights: ClassWeights = None,
) -> None:
    """Add marks and capitals to words as they come, on standard input, and write each as soon as it is decided.

    A line is words, or one word as JSON ({"word": "hola", "start": 0.5, "end": 0.9}), whose times give the pauses and
    which comes back as JSON. A word is written once the --right words after it are there, a line each, and never
    changes. An empty line ends the document: all its words are written. Where the model's windows are shorter than
    --left and --right, as much of both is read as they hold.

    Example: recogniser | asr-punct stream --right 3
    """
    from asr_punct.inference.lines import punctuate_standard_input

    punctuator = Choices(model, marks, no_case, casing, device, threads, int8, class_weights).open()
    with punctuator.stream(left, right) as words:
        punctuate_standard_input(words, punctuator.glyphs)


@app.command()
def align(
    audio: Annotated[Path | None, typer.Argument(help="Audio file.")] = None,
    text: Annotated[Path | None, typer.Argument(help="What is said in it.")] = None,
    output: Output = "-",
    lang: Language = "es",
    method: Annotated[str, typer.Option(help="dtw: against espeak-ng, with no acoustic model.")] = "dtw",
    data_dir: DataDir = None,
    quiet: Quiet = False,
) -> None:
    """Find when each word is said; writes CTM.

    Example: asr-punct align --lang es a.wav a.txt -o a.ctm
    """
    from asr_punct import io
    from asr_punct.marks import glyphs
    from asr_punct.progress import show_progress
    from asr_punct.timing import align_data_dir, align_file

    if method != "dtw":
        raise AsrPunctError(f"--method: found {method!r}, expected dtw")
    if data_dir is not None and audio is None:
        utterances = align_data_dir(data_dir, lang)
    elif audio is not None and text is not None and data_dir is None:
        utterances = align_file(audio, text, lang)
    else:
        raise AsrPunctError("align: expected AUDIO and TEXT, or --data-dir")
    io.write_utterances(show_progress(utterances, "utterances", quiet), output, glyphs(lang), "ctm")


@app.command()
def pauses(
    source: Annotated[str, typer.Argument(metavar="IN", help="Words with times: CTM, TextGrid, NeMo manifest, JSON.")],
    output: OutputFile,
    from_: From = None,
    audio: Audio = None,
    data_dir: DataDir = None,
    lang: Language = "es",
    times: Annotated[
        str | None, typer.Option(help="Where the times come from: asr aligner ctc whisper; by default as IN says.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Turn times into pauses, with the labels of the data directory's text where there is one; writes TSV.

    Example: asr-punct pauses data/es/train/ctm --data-dir data/es/train --times aligner -o train.tsv
    """
    from asr_punct import io
    from asr_punct.marks import glyphs
    from asr_punct.progress import show_progress
    from asr_punct.timing import TimedCorpus

    if output.suffix not in ("", ".tsv"):
        raise AsrPunctError(f"-o: found {str(output)!r}, expected a .tsv file")
    corpus = TimedCorpus(lang, times, audio, data_dir)
    utterances = corpus.read(source, from_)
    io.write_utterances(show_progress(utterances, "utterances", quiet), output, glyphs(lang), "tsv")
    _tell(corpus.summary(), quiet)


@app.command()
def prepare(
    corpus: Annotated[str, typer.Argument(help="mintzai, iwslt, text or nemo-labels.")],
    source: Annotated[str, typer.Argument(metavar="SRC", help="The corpus: a directory, or for text a file or -.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Directory to write into.")],
    lang: Language = "es",
    dev: Annotated[float, typer.Option(help="text, nemo-labels: share of the documents for development.")] = 0.05,
    test: Annotated[float, typer.Option(help="text, nemo-labels: share of the documents for testing.")] = 0.05,
    seed: Annotated[int, typer.Option(help="text, nemo-labels: seed of the division.")] = 1,
    recording: Annotated[
        str | None, typer.Option(help="mintzai: regular expression of a stem, its first group the recording.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Turn a corpus into what the other commands read: data directories (mintzai), or training files (all others).

    nemo-labels takes the files that NeMo's punctuation models were trained on: text_train.txt and labels_train.txt,
    train/text.txt and train/labels.txt, or text.txt and labels.txt, which --dev and --test divide.

    Example: asr-punct prepare text speeches.txt data --lang es
    """
    from asr_punct.corpora.iwslt import prepare_iwslt
    from asr_punct.corpora.mintzai import RECORDING, prepare_mintzai
    from asr_punct.corpora.nemo import prepare_nemo_labels
    from asr_punct.corpora.written import prepare_text

    if corpus == "mintzai":
        summary = prepare_mintzai(Path(source), output, recording=recording or RECORDING)
    elif corpus == "iwslt":
        summary = prepare_iwslt(Path(source), output)
    elif corpus == "text":
        summary = prepare_text(source, output, language=lang, dev=dev, test=test, seed=seed)
    elif corpus == "nemo-labels":
        summary = prepare_nemo_labels(Path(source), output, dev=dev, test=test, seed=seed)
    else:
        raise AsrPunctError(f"prepare: found corpus {corpus!r}, expected mintzai, iwslt, text or nemo-labels")
    _tell(summary.lines(), quiet)


@app.command()
def train(
    data: Annotated[Path, typer.Option(help="Directory of train.tsv and dev.tsv.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Model directory to make.")],
    config: Annotated[str, typer.Option(help="A configuration's name, or a YAML file.")] = "autopunct",
    init: Annotated[str | None, typer.Option(help="Model whose weights are the start, such as es-eu.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from where a killed run was.")] = False,
    device: Device = None,
    settings: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Changes to it.")] = None,
    quiet: Quiet = False,
) -> None:
    """Train a model.

    Example: asr-punct train --config autopunct_mini --data data -o model training.epochs=10
    """
    from asr_punct.checkpoint import find_trainable_model
    from asr_punct.training.configuration import read_config
    from asr_punct.training.fit import train as fit

    _log_progress(quiet)
    values = read_config(config, settings or [])
    start = find_trainable_model(init) if init else None
    progress = not quiet and sys.stderr.isatty()
    fit(values, data, output, init=start, resume=resume, device=device, progress=progress)


@app.command()
def export(
    model: Annotated[str, typer.Argument(metavar="MODEL_DIR", help="A trained model.")],
    int8: Annotated[bool, typer.Option("--int8", help="Write an int8 graph as well.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a model's ONNX graph, which runs without torch.

    Example: asr-punct export my-model --int8
    """
    from asr_punct.checkpoint import find_model
    from asr_punct.training.export import export as write_graph

    _log_progress(quiet)
    difference = write_graph(find_model(model), int8)
    _tell([f"{model}: the graph's probabilities are within {difference:.1e} of torch's"], quiet)


@app.command()
def score(
    reference: Annotated[Path, typer.Argument(metavar="REF", help="The right marks and case: TSV, or written text.")],
    hypothesis: Annotated[Path, typer.Argument(metavar="HYP", help="The marks and case to score.")],
    align: Annotated[bool, typer.Option("--align", help="The words differ: align them first.")] = False,
    json: Annotated[Path | None, typer.Option(help="File to write the scores to.")] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: all scores, and the transcript's errors.")] = None,
    audio: Annotated[Path | None, typer.Option(help="With --html: the recording, to be played from its words.")] = None,
    merge: Annotated[int | None, typer.Option(help="Score 4, 3 or 2 classes.")] = None,
    compare: Annotated[Path | None, typer.Option(metavar="HYP2", help="Another hypothesis to compare with.")] = None,
    lang: Language = "es",
) -> None:
    """Score marks and case; with --align those of a recogniser's words, and these.

    Both files may be of any format that punctuate reads, guessed from their names.

    Example: asr-punct score test.txt recognised.ctm --align --html scores.html --audio talk.wav
    """
    from asr_punct.io.files import write_file
    from asr_punct.io.labelled import read_labelled
    from asr_punct.marks import glyphs
    from asr_punct.scoring import pair_words, paired, score_counts
    from asr_punct.scoring.html import write_page
    from asr_punct.scoring.html.audio import check_times
    from asr_punct.scoring.tables import comparison, page

    if audio and not html:
        raise AsrPunctError("found --audio, expected --html with it")
    expected, found = (list(read_labelled(path, lang)) for path in (reference, hypothesis))
    if audio:
        check_times(found, str(hypothesis))
    words = pair_words(expected, found, merge, align=align, name=str(hypothesis))
    counts = words.count()
    scores = score_counts(counts)
    report = page(scores, str(hypothesis))
    if compare:
        second = pair_words(expected, read_labelled(compare, lang), merge, align=align, name=str(compare))
        report += "\n" + comparison(paired(counts, second.count()), str(hypothesis), str(compare))
    if html:
        names = {"reference": str(reference), "hypothesis": str(hypothesis)}
        write_page(html, scores, words, glyphs(lang), **names, audio=audio)
    if json:
        with write_file(json) as out:
            out.write(scores.to_json())
    _print(report)


@app.command()
def models() -> None:
    """List the models that came with the package, with their scores.

    Example: asr-punct models
    """
    from asr_punct.checkpoint import shipped_models
    from asr_punct.inference.describe import list_models

    if shipped := shipped_models():
        _print(list_models(shipped))
    else:
        typer.echo("no model comes with this release: asr-punct train makes one", err=True)


@app.command()
def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model directory, shipped name, or hub name.")],
) -> None:
    """Tell what a model is and what it was trained on.

    Example: asr-punct info es-eu
    """
    from asr_punct.checkpoint import find_model, read_info
    from asr_punct.inference.describe import describe

    directory = find_model(model)
    _print(describe(directory, read_info(directory)) + "\n")


def _log_progress(quiet: bool) -> None:
    logging.getLogger("asr_punct").setLevel(logging.WARNING if quiet else logging.INFO)


def _print(text: str) -> None:
    from asr_punct.io.files import STANDARD_STREAM, write_file

    with write_file(STANDARD_STREAM) as out:
        out.write(text)


def _tell(lines: list[str], quiet: bool) -> None:
    if not quiet:
        for line in lines:
            typer.echo(line, err=True)


def main() -> NoReturn:
    """Run the command line: status 0 done, 2 bad input or usage with one line on standard error, 1 a fault of ours."""
    logging.basicConfig(format="%(message)s", stream=sys.stderr, level=logging.WARNING)
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], standalone_mode=False) or 0)
    except AsrPunctError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        _fail(str(missing_extra(error, sys.argv[1:])))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        if hasattr(error, "format_message"):  # the usage errors of the command-line parser
            _fail(error.format_message())
        raise


def _fail(message: str) -> NoReturn:
    typer.echo("asr-punct: " + " ".join(message.split()), err=True)
    sys.exit(2)
