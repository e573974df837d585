"""`prepare`, `train`, `tune` and `export`: from a corpus to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli.base import Part, command, log_progress, print_summary, print_text
from asr_punct.cli.completion import configurations, models, one_of
from asr_punct.cli.options import Device, Language, Quiet, Threads
from asr_punct.cli.overwriting import check_outputs
from asr_punct.errors import AsrPunctError
from asr_punct.progress import on_terminal

_CORPORA = ("mintzai", "iwslt", "text", "nemo-labels")
_EXPECTED = f"{', '.join(_CORPORA[:-1])} or {_CORPORA[-1]}"


@command(
    Part.TRAINING,
    {
        "Written text, divided by document at random": "asr-punct prepare text speeches.txt data --lang es",
        "The corpus mintzai-ST": "asr-punct prepare mintzai mintzai-ST data",
        "The IWSLT benchmark": "asr-punct prepare iwslt iwslt data",
    },
)
def prepare(
    corpus: Annotated[str, typer.Argument(help=f"{_EXPECTED}.", autocompletion=one_of(_CORPORA))],
    source: Annotated[str, typer.Argument(metavar="SRC", help="The corpus: a directory, or for text a file or -.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Directory to write into.")],
    lang: Language = "es",
    dev: Annotated[float, typer.Option(help="text, nemo-labels: share of the documents in dev.")] = 0.05,
    test: Annotated[float, typer.Option(help="text, nemo-labels: share of the documents in test.")] = 0.05,
    seed: Annotated[int, typer.Option(help="text, nemo-labels: seed of the division.")] = 1,
    quiet: Quiet = False,
) -> None:
    """Prepare a corpus for training.

    Reads, by CORPUS: text, a sentence or paragraph a line and an empty line between documents, plain or .xz or .gz;
    mintzai, the corpus mintzai-ST v1.0; iwslt, its files train2012, dev2012, test2011 and test2011asr; nemo-labels,
    the files that NeMo's punctuation models were trained on: text_train.txt and labels_train.txt, train/text.txt and
    train/labels.txt, or text.txt and labels.txt, which --dev and --test divide.

    Writes train.tsv, dev.tsv and test.tsv (mintzai: Kaldi data directories, es/train and so on) into OUT, and reports
    the words of each and what was dropped.
    """
    from asr_punct.corpora.iwslt import prepare_iwslt
    from asr_punct.corpora.mintzai import prepare_mintzai
    from asr_punct.corpora.nemo import prepare_nemo_labels
    from asr_punct.corpora.written import prepare_text

    check_outputs({f"OUT: {name}": output / name for name in ("train.tsv", "dev.tsv", "test.tsv")}, [source])
    with on_terminal(quiet, source=source):
        if corpus == "mintzai":
            summary = prepare_mintzai(Path(source), output)
        elif corpus == "iwslt":
            summary = prepare_iwslt(Path(source), output)
        elif corpus == "text":
            summary = prepare_text(source, output, language=lang, dev=dev, test=test, seed=seed)
        elif corpus == "nemo-labels":
            summary = prepare_nemo_labels(Path(source), output, dev=dev, test=test, seed=seed)
        else:
            raise AsrPunctError(f"prepare: found corpus {corpus!r}, expected {_EXPECTED}")
    print_summary(summary.lines(), quiet)


@command(
    Part.TRAINING,
    {
        "A small model from scratch": "asr-punct train --config small --data data -o my-model training.epochs=9",
        "From a shipped model's weights (in a checkout)": "asr-punct train --init es-eu --data data -o my-model",
        "Resume after a run was killed": "asr-punct train --config small --data data -o my-model --resume",
    },
)
def train(
    data: Annotated[Path, typer.Option(help="Directory of train.tsv and dev.tsv.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Model directory to make.")],
    config: Annotated[
        str, typer.Option(help="A configuration's name, or a YAML file.", autocompletion=configurations)
    ] = "autopunct",
    init: Annotated[
        str | None,
        typer.Option(help="Model to start from, such as es-eu.", autocompletion=models),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume a killed run.")] = False,
    device: Device = None,
    settings: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Changes to the configuration.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Train a model.

    Reads train.tsv and dev.tsv of a directory (asr-punct prepare and asr-punct pauses write them), and a configuration
    by name or file; KEY=VALUE changes it. With --init the model keeps its configuration; model.heads.KEY=VALUE gives it
    new heads. Needs the extra "train".

    Writes a model directory: config.json, tokenizer.json, model.safetensors, README.md, and training/ with checkpoints
    for --resume. The best model on dev.tsv is kept. Prints a line an epoch.
    """
    from asr_punct.hub import find_trainable_model
    from asr_punct.training.configuration import named_heads, read_config
    from asr_punct.training.fit import train as fit

    log_progress(quiet)
    values = read_config(config, settings or [])
    start = find_trainable_model(init) if init else None
    with on_terminal(quiet):
        fit(values, data, output, init=start, heads=named_heads(settings or []), resume=resume, device=device)


@command(
    Part.TRAINING,
    {
        "Thresholds and calibration, or class weights": "asr-punct tune my-model data/dev.tsv",
        "For decoding that averages nine windows": "asr-punct tune my-model data/dev.tsv --aggregate 9",
    },
)
def tune(
    model: Annotated[Path, typer.Argument(metavar="MODEL_DIR", help="A trained model.")],
    dev: Annotated[Path, typer.Argument(metavar="DEV.tsv", help="Labelled text that it was not trained on.")],
    json: Annotated[Path | None, typer.Option(help="File to write the measurements to.")] = None,
    aggregate: Annotated[int | None, typer.Option(help="Number of windows averaged for each word.")] = None,
    device: Device = None,
    threads: Threads = 0,
) -> None:
    """Fit the decoding settings of a model on a development corpus.

    Reads a model directory and labelled TSV. Settings fit the decoding with which they are found: give --aggregate here
    if punctuate gets it too.

    Writes thresholds, calibration and case biases, or class weights, into the model's config.json, and a table of F1
    and calibration errors before and after.
    """
    from dataclasses import asdict

    from asr_punct.formats.files import write_json_file
    from asr_punct.inference.tune import tune as fit

    result = fit(model, dev, threads=threads, device=device, aggregate=aggregate)
    if json:
        write_json_file(json, asdict(result))
    print_text("\n".join([*result.lines(), ""]))


@command(
    Part.TRAINING,
    {"Both graphs": "asr-punct export my-model --int8"},
)
def export(
    model: Annotated[str, typer.Argument(metavar="MODEL_DIR", help="A trained model.")],
    int8: Annotated[bool, typer.Option("--int8", help="Write an int8 graph as well.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a model's ONNX graph, which runs without torch.

    Reads a model directory of asr-punct train. Needs the extra "train".

    Writes model.onnx into it, with --int8 model.int8.onnx too, a quarter of the size. The graphs are run first: they
    are written only where they give what torch gives.
    """
    from asr_punct.hub import find_model
    from asr_punct.training.export import export as write_graph

    log_progress(quiet)
    with on_terminal(quiet):
        difference = write_graph(find_model(model), int8)
    print_summary([f"{model}: the graph's probabilities are within {difference:.1e} of torch's"], quiet)
