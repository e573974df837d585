#!/usr/bin/env python3
"""Make the training files of a benchmark whose files have `token TAB label` a line.

local/prepare.py --sets sets.tsv --corpus DIR [--text FILE] [--train-words N] [--dev-words N] [--tune-words N] OUT

`sets.tsv` names the files of DIR: train, dev, and test sets by their names in the tables. Writes OUT/train.tsv,
OUT/dev.tsv (chooses the epoch), OUT/tune.tsv (of the same set, tunes the decoding), OUT/SET.tsv (words as a recogniser
writes them), OUT/tokens/SET.tsv (the benchmark's own tokens, on which it is scored) and OUT/summary.json.

Trained on is DIR's training file; without one the written text of --text, whose marks become the benchmark's labels;
without that the first four fifths of the development set, of which the last fifth is then left. Documents of the text
that share eight words in a row with a test set, or sixteen with the development set, are left out: eight are a phrase
that two talks of three thousand words have in common by chance, and a test set is to be safe from those too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from asr_punct.corpora.iwslt import CLASSES, as_recognised, find_file, first_words, read_iwslt
from asr_punct.errors import InputError, run_script
from asr_punct.formats.files import make_directory, write_file, write_json_file
from asr_punct.formats.labelled import read_labelled
from asr_punct.formats.tsv import write_tsv
from asr_punct.marks import Labels
from asr_punct.scoring.classes import MERGED
from asr_punct.words import Utterance, annotate

_TEST_RUN, _DEV_RUN = 8, 16
"""Words in a row that a document may not share with a set."""
_DEV_SHARE = 0.2

Corpus = list[Utterance]


def read_sets(table: Path) -> dict[str, str]:
    """File names by the names of the sets."""
    lines = table.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def read_text(path: Path, language: str) -> Iterator[Utterance]:
    """Written text with the benchmark's labels and without case, which the benchmark does not have."""
    labelled = (utterance for utterance in read_labelled(path, language, "text") if utterance.words)
    for utterance in MERGED[CLASSES].relabel(labelled):
        words = tuple(replace(word, text=word.text.lower()) for word in utterance.words)
        labels = tuple(Labels(label.marks) for label in utterance.labels)
        yield annotate(replace(utterance, words=words), labels=labels)


def runs(utterances: Iterable[Utterance], length: int) -> set[tuple[str, ...]]:
    """All runs of so many words."""
    words = [word.text for utterance in utterances for word in utterance.words]
    return set(zip(*(words[first:] for first in range(length)), strict=False))


def without_overlap(text: Iterable[Utterance], others: Iterable[tuple[Corpus, int]]) -> tuple[Corpus, int]:
    """The utterances of documents that have no run of words in common with a set, and how many documents have one.

    Args:
        text: utterances of each document one after the other.
        others: sets, and the length of such a run.
    """
    known = [(runs(other, length), length) for other, length in others]
    kept, dropped = [], 0
    for _, group in groupby(text, key=lambda utterance: utterance.context):
        document = list(group)
        if all(found.isdisjoint(runs(document, length)) for found, length in known):
            kept.extend(document)
        else:
            dropped += 1
    return kept, dropped


def count_words(corpus: Corpus) -> int:
    """Words of all utterances."""
    return sum(len(utterance.words) for utterance in corpus)


def write(path: Path, utterances: Iterable[Utterance]) -> None:
    """Write a corpus."""
    with write_file(path) as out:
        write_tsv(utterances, out)


def prepare(options: argparse.Namespace) -> None:
    """Read, choose and write.

    Raises:
        InputError: a file is missing or has another form.
    """
    sets = read_sets(options.sets)
    paths = {name: find_file(options.corpus, file) for name, file in sets.items()}
    for name, path in paths.items():
        if path is None and name != "train":
            raise InputError(options.corpus / sets[name], "no such file", "the benchmark's file")
    tokens = {name: list(read_iwslt(path)) for name, path in paths.items() if path and name != "train"}
    words = {name: list(map(as_recognised, corpus)) for name, corpus in tokens.items()}
    dev, dropped = words.pop("dev"), 0
    if paths["train"]:
        source, train = sets["train"], list(map(as_recognised, read_iwslt(paths["train"])))
    elif options.text:
        source = options.text.name
        others = [(dev, _DEV_RUN), *((test, _TEST_RUN) for test in words.values())]
        train, dropped = without_overlap(read_text(options.text, options.lang), others)
    else:
        source = f"the first four fifths of {sets['dev']}"
        train = first_words(dev, round(count_words(dev) * (1 - _DEV_SHARE)))
        dev = dev[len(train) :]
    train, tune = first_words(train, options.train_words), first_words(dev, options.tune_words)
    dev = first_words(dev, options.dev_words)
    make_directory(options.output / "tokens")
    write(options.output / "train.tsv", train)
    write(options.output / "dev.tsv", dev)
    write(options.output / "tune.tsv", tune)
    for name, corpus in words.items():
        write(options.output / f"{name}.tsv", corpus)
        write(options.output / "tokens" / f"{name}.tsv", tokens[name])
    counts = {name: count_words(corpus) for name, corpus in {"train": train, "dev": dev, "tune": tune, **words}.items()}
    summary = {"source": source, "overlapping_documents": dropped, "words": counts}
    write_json_file(options.output / "summary.json", summary)
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"trained on {source} ({dropped} documents that overlap with another set left out); words: {told}")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--train-words", type=int, default=0)
    parser.add_argument("--dev-words", type=int, default=0)
    parser.add_argument("--tune-words", type=int, default=0)
    parser.add_argument("--lang", default="en")
    prepare(parser.parse_args())


if __name__ == "__main__":
    run_script(main)
