#!/usr/bin/env python3
"""Make the training files of a benchmark whose files have `token TAB label` per line.

Writes OUTPUT/train.tsv, dev.tsv (chooses the epoch), tune.tsv (words of the same set, for tuning), SET.tsv (words as a
recogniser writes them), tokens/SET.tsv (the benchmark's own tokens, for scoring) and summary.json.

Trains on the training file of the corpus, else on the written text of --text with the benchmark's labels, else on the
first four fifths of the development set. Leaves out documents of the text that share eight words in a row with a test
set or sixteen with the development set. Two talks of three thousand words share eight words by chance; the lower limit
keeps the test sets safe from those too.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby
from pathlib import Path
from typing import Annotated

from typer import Option

from asr_punct.corpora.iwslt import CLASSES, find_file, join_clitics, read_iwslt
from asr_punct.errors import InputError, run_script
from asr_punct.files import write_file, write_json_file
from asr_punct.formats.kaldi.tables import read_mapping
from asr_punct.formats.labelled import read_labelled
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.marks import Labels
from asr_punct.partial import make_directory
from asr_punct.scoring.mark_classes import MERGED
from asr_punct.text.bare import lowercased
from asr_punct.words import Utterance, annotate, word_count

_TEST_RUN, _DEV_RUN = 8, 16
"""Length in words of a run that a document of the text may not share with a set."""
_DEV_SHARE = 0.2

Corpus = list[Utterance]


def first_utterances(utterances: list[Utterance], min_words: int) -> list[Utterance]:
    """Return as few utterances from the start as have `min_words` words in total; all utterances if it is 0."""
    if not min_words:
        return utterances
    words_before = accumulate((len(utterance.words) for utterance in utterances), initial=0)
    return [utterance for utterance, before in zip(utterances, words_before, strict=False) if before < min_words]


def without_case(utterance: Utterance) -> Utterance:
    """Return the utterance with case O on every word, because the benchmark has no case."""
    return annotate(utterance, labels=[Labels(label.marks) for label in utterance.labels])


def read_text(path: Path, language: str) -> Iterator[Utterance]:
    """Read written text with the benchmark's labels and without case, which the benchmark lacks."""
    labelled = (utterance for utterance in read_labelled(path, language, "text") if utterance.words)
    return map(without_case, map(lowercased, MERGED[CLASSES].relabel(labelled)))


def runs(utterances: Iterable[Utterance], length: int) -> set[tuple[str, ...]]:
    """Return all runs of `length` consecutive words."""
    words = [word.text for utterance in utterances for word in utterance.words]
    return set(zip(*(words[first:] for first in range(length)), strict=False))


def without_overlap(text: Iterable[Utterance], others: Iterable[tuple[Corpus, int]]) -> tuple[Corpus, int]:
    """Return the utterances of documents that share no run of words with other sets, and the number of the others.

    `others` are the other sets, each with the length of a run in words.
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


def write(path: Path, utterances: Iterable[Utterance]) -> None:
    with write_file(path) as out:
        write_tsv(utterances, out)


def main(
    output: Path,
    sets: Annotated[Path, Option(help="Table of set names (train, dev, and the test sets) and file names.")],
    corpus: Annotated[Path, Option(help="Folder of the benchmark's files.")],
    text: Annotated[Path | None, Option(help="Written text, for a benchmark without a training file.")] = None,
    lang: str = "en",
    train_words: Annotated[int, Option(help="Words of the training set; 0 for all.")] = 0,
    dev_words: int = 0,
    tune_words: int = 0,
) -> None:
    files = read_mapping(sets)
    paths = {name: find_file(corpus, file) for name, file in files.items()}
    for name, path in paths.items():
        if path is None and name != "train":
            raise InputError(corpus / files[name], "no such file", "the benchmark's file")
    tokens = {name: list(read_iwslt(path)) for name, path in paths.items() if path and name != "train"}
    words = {name: list(map(join_clitics, utterances)) for name, utterances in tokens.items()}
    dev, dropped = words.pop("dev"), 0
    if paths["train"]:
        source, train = files["train"], list(map(join_clitics, read_iwslt(paths["train"])))
    elif text:
        source = text.name
        others = [(dev, _DEV_RUN), *((test, _TEST_RUN) for test in words.values())]
        train, dropped = without_overlap(read_text(text, lang), others)
    else:
        source = f"the first four fifths of {files['dev']}"
        train = first_utterances(dev, round(sum(map(word_count, dev)) * (1 - _DEV_SHARE)))
        dev = dev[len(train) :]
    words["train"], words["tune"] = first_utterances(train, train_words), first_utterances(dev, tune_words)
    words["dev"] = first_utterances(dev, dev_words)
    make_directory(output / "tokens")
    for name, utterances in words.items():
        write(output / f"{name}.tsv", utterances)
        if name not in ("train", "dev", "tune"):
            write(output / "tokens" / f"{name}.tsv", tokens[name])
    counts = {name: sum(map(word_count, words[name])) for name in dict.fromkeys(("train", "dev", "tune", *words))}
    write_json_file(output / "summary.json", {"source": source, "overlapping_documents": dropped, "words": counts})
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"trained on {source} ({dropped} documents that overlap with another set left out); words: {listed}")


if __name__ == "__main__":
    run_script(main)
