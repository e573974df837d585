#!/usr/bin/env python3
"""Compare live streams of a model with whole texts: F1 of marks on the first words of its test sets.

The sets are those of score_model.py without the IWSLT benchmark. Their words are pushed in lower case, one by one and
without times, to a stream with the default settings; the whole texts are the same words in `restore`. The delay is the
mean number of words that have followed a word when it is committed; words that the end of a document commits do not
count.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from statistics import mean
from typing import Annotated

from score_model import find_sets, punctuate_bare
from typer import Option

from asr_punct.errors import InputError, run_script
from asr_punct.formats.labelled import read_labelled
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.stream import Committed
from asr_punct.scoring import score
from asr_punct.words import Utterance, annotate, lowercased, without_labels


def first_utterances(utterances: Iterable[Utterance], words: int) -> list[Utterance]:
    """Return utterances that have words, until there are `words` of them or more."""
    result, total = list[Utterance](), 0
    for utterance in utterances:
        if total >= words:
            break
        if utterance.words:
            result.append(utterance)
            total += len(utterance.words)
    return result


def push_bare(punctuator: Punctuator, references: Sequence[Utterance]) -> tuple[list[Utterance], list[int]]:
    """Return the references with the labels that a stream gives to their bare words, and the delays of the words."""
    committed, delays = list[Committed](), list[int]()
    with punctuator.stream() as stream:
        for _, document in groupby(map(without_labels, lowercased(references)), key=attrgetter("context")):
            before = len(committed)
            for pushed, word in enumerate((word for utterance in document for word in utterance.words), start=1):
                found = stream.push(word)
                first = len(committed) - before + 1  # position of the first of these words in the document
                delays += (pushed - place for place in range(first, first + len(found)))
                committed += found
            committed += stream.flush()
    labels = (word.labels for word in committed)
    return [annotate(each, labels=list(islice(labels, len(each.words)))) for each in references], delays


def main(
    model: str,
    corpus: Annotated[Path, Option(help="Folder of the texts.")],
    words: Annotated[int, Option(min=1, help="Words of each set; the last line is read to its end.")] = 8_000,
) -> None:
    punctuator = Punctuator.from_pretrained(model)
    rows, delays = [], list[int]()
    for name, test_set in find_sets(corpus, punctuator.info.model.language).items():
        if test_set.merge is not None:
            continue
        references = first_utterances(read_labelled(test_set.path, name.split("/")[0], "text"), words)
        if not references:
            raise InputError(test_set.path, "no words", "a text")
        whole = [found for _, found in punctuate_bare(punctuator, references)]
        streamed, later = push_bare(punctuator, references)
        row = [100 * (score(references, found).micro.f1 or 0.0) for found in (whole, streamed)]
        rows.append(row)
        delays += later
        count = sum(len(utterance.words) for utterance in references)
        print(f"{name}: {count} words, whole texts {row[0]:.1f}, streams {row[1]:.1f}", flush=True)
    wholes, streams = map(mean, zip(*rows, strict=True))
    print(f"mean: whole texts {wholes:.2f}, streams {streams:.2f}, difference {streams - wholes:+.2f}", end="")
    print(f", delay {mean(delays):.2f} words" if delays else "")


if __name__ == "__main__":
    run_script(main)
