"""The commands `prepare`, `train`, `tune` and `export`: from a corpus to a model."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli import options
from asr_punct.cli.base import NAME, Section, command, print_summary, print_text, set_log_level
from asr_punct.cli.outputs import check_outputs
from asr_punct.cli.signals import advice_at_end
from asr_punct.encoding import Encoding
from asr_punct.errors import ArgumentError, AsrPunctError, either
from asr_punct.files import InputFile
from asr_punct.hub import named_models, shipped_configurations
from asr_punct.languages import DEFAULT_LANGUAGE
from asr_punct.progress import progress_bar

_CORPORA = ("mintzai", "iwslt", "text", "nemo-labels")
_ENOUGH_WORDS, _FEW_WORDS = 10_000, 2_000
_CORPUS_NAMES = either(_CORPORA)


@command(
    Section.TRAINING,
    {
        "Written text, split at random by document": "asr-punct prepare text speeches.txt data --lang es",
        "The corpus mintzai-ST": "asr-punct prepare mintzai mintzai-ST data",
        "The IWSLT benchmark": "asr-punct prepare iwslt iwslt data",
    },
)
def prepare(
    corpus: Annotated[str, typer.Argument(help=f"{_CORPUS_NAMES}.", autocompletion=options.complete_from(_CORPORA))],
    source: Annotated[str, typer.Argument(metavar="SRC", help="The corpus: a directory, or for text a file or -.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Directory to write into.")],
    encoding: options.Encoding = None,
    language: options.Language = DEFAULT_LANGUAGE,
    dev: Annotated[float, typer.Option(help="text, nemo-labels: share of the documents in dev.")] = 0.05,
    test: Annotated[float, typer.Option(help="text, nemo-labels: share of the documents in test.")] = 0.05,
    seed: Annotated[int, typer.Option(help="text, nemo-labels: random seed of the split.")] = 1,
    quiet: options.Quiet = False,
) -> None:
    """Prepare a corpus for training.

    Reads one of these corpora:

    text: a sentence or paragraph per line, an empty line between documents; plain, .xz or .gz.

    mintzai: mintzai-ST v1.0.

    iwslt: the files train2012, dev2012, test2011 and test2011asr.

    nemo-labels: training files of NeMo's punctuation models: text_train.txt and labels_train.txt, train/text.txt and
    train/labels.txt, or one pair text.txt and labels.txt, which is split by --dev and --test.

    Writes train.tsv, dev.tsv and test.tsv (mintzai: Kaldi data directories, es/train and so on) into OUT, and reports
    the words and documents of each and what was dropped.
    """
    from asr_punct.corpora.iwslt import prepare_iwslt
    from asr_punct.corpora.mintzai import prepare_mintzai
    from asr_punct.corpora.written import prepare_nemo_labels, prepare_text

    check_outputs({f"OUT: {name}": output / name for name in ("train.tsv", "dev.tsv", "test.tsv")}, [source])
    prepare_corpus = {
        "mintzai": lambda: prepare_mintzai(Path(source), output),
        "iwslt": lambda: prepare_iwslt(Path(source), output),
        "text": lambda: prepare_text(
            InputFile(source, Encoding(encoding)), output, language=language, dev=dev, test=test, seed=seed
        ),
        "nemo-labels": lambda: prepare_nemo_labels(Path(source), output, dev=dev, test=test, seed=seed),
    }
    if corpus not in prepare_corpus:
        raise AsrPunctError("prepare", f"corpus {corpus!r}", _CORPUS_NAMES)
    with progress_bar(quiet, source=source):
        summary = prepare_corpus[corpus]()
    print_summary([*summary.lines(), *_few_words(summary.words, {"dev": dev, "test": test})], quiet)


def _few_words(words: Mapping[str, int], shares: Mapping[str, float]) -> Iterator[str]:
    """Yield a line about each part of a split text that is small, though there is enough text."""
    for part, share in shares.items():
        if words.get("train", 0) >= _ENOUGH_WORDS and 0 < words.get(part, 0) < _FEW_WORDS:
            larger = f"a larger share: --{part} {max(0.15, 2 * share):.2g}"
            yield f"{part}: {words[part]} words are few, and their scores uncertain ({larger})"


@command(
    Section.TRAINING,
    {
        "A small model from scratch": "asr-punct train --config small --data data -o my-model training.epochs=9",
        "Fine-tune a shipped model": "asr-punct train --init es-eu --data data -o my-model",
        "On four GPUs": "asr-punct train --config small --data data -o my-model --devices 4",
        "Resume after a run was killed": "asr-punct train --config small --data data -o my-model --resume",
    },
)
def train(
    data: Annotated[Path, typer.Option(help="Directory with train.tsv and dev.tsv.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Model directory to write.")],
    config: Annotated[
        str | None,
        options.completed_option(
            "Configuration, by name or YAML file; default: autopunct, or finetune with --init.", shipped_configurations
        ),
    ] = None,
    init: Annotated[str | None, options.completed_option("Model to start from, such as es-eu.", named_models)] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume a killed run, or extend one to more training.epochs.")
    ] = False,
    device: options.Device = None,
    devices: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of devices of this machine, a process for each.")
    ] = 1,
    nodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of machines; run the command on each, with MASTER_ADDR set.")
    ] = 1,
    settings: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Changes to the configuration.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a model.

    Reads train.tsv and dev.tsv of --data (asr-punct prepare and asr-punct pauses write them), and a configuration;
    KEY=VALUE changes it. Needs the extra "train".

    With --init a model is trained further, from its weights, thresholds, calibration and casing list. Its architecture
    stays: all model.* are ignored, except model.heads.KEY=VALUE on the command line, which changes this key. The
    weights of es-eu, es-eu-small and en are in a checkout, or in a folder of the environment variable
    ASR_PUNCT_MODELS.

    Writes a model directory: config.json, tokenizer.json, model.safetensors, README.md, and training/ with checkpoints
    for --resume. The best model on dev.tsv is kept. Prints one line per epoch, and within an epoch its share, words a
    second, loss and time left: on a terminal a progress bar, else a line every three minutes.

    With --devices or --nodes, or under torchrun, each process computes a part of every batch: the batch size and the
    learning rate stay as configured. The model directory must be visible to all machines.
    """
    from asr_punct.hub import find_trainable_model
    from asr_punct.training.configuration import named_heads, read_config
    from asr_punct.training.distributed import Process, launch

    values = read_config(config or ("finetune" if init else "autopunct"), settings or [])
    process = Process.current()
    again = f"{NAME}: {output}: interrupted; the same command with --resume continues after the last epoch"
    if process.count == 1 and devices * nodes > 1:
        with advice_at_end(again):
            launch(sys.argv[1:], devices, nodes)
        return
    from asr_punct.training.fit import train as train_model

    set_log_level(quiet or not process.is_leader)
    try:
        initial = find_trainable_model(init) if init else None
    except ArgumentError as error:
        raise error.at("init") from None
    with progress_bar(quiet or not process.is_leader), advice_at_end(again if process.count == 1 else ""):
        train_model(values, data, output, init=initial, heads=named_heads(settings or []), resume=resume, device=device)


@command(Section.TRAINING, {"Tune on a development set": "asr-punct tune my-model data/dev.tsv"})
def tune(
    model: Annotated[Path, typer.Argument(metavar="MODEL_DIR", help="A trained model.")],
    dev: Annotated[Path, typer.Argument(metavar="DEV.tsv", help="Labelled text that the model was not trained on.")],
    json: Annotated[Path | None, typer.Option(help="File to write the measurements to.")] = None,
    device: options.Device = None,
    threads: options.Threads = 0,
) -> None:
    """Fit the decoding settings of a model on a development corpus.

    Reads a model directory and labelled TSV.

    Writes thresholds, calibration and case biases, or class weights, into config.json. Prints a table of F1 and
    calibration errors before and after.
    """
    from dataclasses import asdict

    from asr_punct.checkpoint import CONFIG
    from asr_punct.files import write_json_file
    from asr_punct.inference.options import ModelOptions
    from asr_punct.inference.restorer import Restorer
    from asr_punct.inference.tune import tune as tune_model

    check_outputs({"--json": json}, [dev, model / CONFIG])
    result = tune_model(model, dev, Restorer.open(model, ModelOptions(threads=threads, device=device)))
    if json:
        write_json_file(json, asdict(result))
    print_text("\n".join([*result.lines(), ""]))


@command(Section.TRAINING, {"fp32 and int8 graphs": "asr-punct export my-model data/dev.tsv --int8"})
def export(
    model: Annotated[str, typer.Argument(metavar="MODEL_DIR", help="A trained model.")],
    text: Annotated[
        Path | None, typer.Argument(metavar="[TEXT.tsv]", help="Text to which the scales of the int8 graph are fitted.")
    ] = None,
    int8: Annotated[bool, typer.Option("--int8", help="Write an int8 graph as well.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a model's ONNX graph, which runs without torch.

    Reads a model directory of asr-punct train. Needs the extra "train".

    Writes model.onnx into that directory; with --int8 also model.int8.onnx, a quarter of the size. A graph is kept only
    if its output matches: fp32 against torch, int8 against fp32. With TEXT.tsv, such as dev.tsv, the int8 graph of a
    pretrained encoder agrees with the fp32 graph on more words.
    """
    from asr_punct.hub import find_model
    from asr_punct.training.export import export as write_graph

    set_log_level(quiet)
    with progress_bar(quiet):
        difference = write_graph(find_model(model), int8, text)
    print_summary([f"{model}: the graph's probabilities are within {difference:.1e} of torch's"], quiet)
