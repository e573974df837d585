#!/usr/bin/env python3
"""Measure whether marks of the input help: F1 of the other marks, with a share of the reference's marks left in place.

    benchmarks/marks_left.py MODEL --corpus DIR [--words N]

The sets are those of `egs/models/local/score_model.py`, of each the first N words. The model computes the probabilities
of the bare words once, since it does not see marks; the decoder gets some marks of the reference as labels, drawn one
by one (seed 0). A row has the F1 of the marks that are not left, over all sets of a language: those that the decoder
adds given the others, and those among what it sets without any mark left ("bare"). Compare the two: both fall with the
share, because fewer true marks are left to find while the wrong ones stay.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from typer import Option

from asr_punct.decode.inputs import FloatArray
from asr_punct.decode.plain import new_decoder
from asr_punct.errors import run_script
from asr_punct.formats.labelled import read_labelled
from asr_punct.hub import find_model
from asr_punct.inference.restorer import Restorer
from asr_punct.marks import Labels, Mark
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, annotate

sys.path.insert(0, str(Path(__file__).parents[1] / "egs" / "models" / "local"))
from score_model import find_sets

SHARES = (0.0, 0.1, 0.3, 0.6)
Marks = frozenset[Mark]
Counts = npt.NDArray[np.int64]


class Document(NamedTuple):
    """Bare words, the reference's marks of each word that the model sees, and the model's probabilities of these."""

    utterances: Sequence[Utterance]
    marks: Sequence[Marks]
    parts: Sequence[tuple[FloatArray, FloatArray, bool]]


def read_documents(path: Path, language: str, words: int) -> Iterator[list[Utterance]]:
    """Yield the documents of a text up to a number of words; the last one may be cut."""
    for _, document in groupby(read_labelled(path, language, "text"), key=lambda utterance: utterance.context):
        utterances = list[Utterance]()
        for utterance in document:
            if utterance.words and words > 0:
                utterances.append(utterance)
                words -= len(utterance.words)
        if utterances:
            yield utterances
        if words <= 0:
            return


def compute(restorer: Restorer, utterances: Sequence[Utterance]) -> Document:
    """Return a document with the probabilities of its words."""
    spoken = list(map(bare, utterances))
    parts = [(part.labels, part.cases, part.end) for part in restorer.predict(spoken)]
    marks = [
        label.marks
        for utterance, words in zip(utterances, spoken, strict=True)
        for label, token in zip(utterance.labels, restorer.reader.read(words.words), strict=True)
        if token.core
    ]
    return Document(spoken, marks, parts)


def decode(restorer: Restorer, document: Document, left: Sequence[Marks]) -> list[Marks]:
    """Return the marks that the decoder adds to the words that the model sees, some of which have marks already."""
    given, flags = iter(left), list[int]()
    for utterance in document.utterances:
        seen = [bool(token.core) for token in restorer.reader.read(utterance.words)]
        labels = [Labels(next(given)) if each else None for each in seen]
        tokens = restorer.reader.read(annotate(utterance, labels=labels).words)
        flags += [token.flags for token in tokens if token.core]
    decoder, result, first = new_decoder(restorer.settings, restorer.classes), list[Marks](), 0
    for labels_of, cases, end in document.parts:
        part = np.array(flags[first : first + len(cases)], dtype=np.uint32)
        result += [label.marks for label in decoder.push(labels_of, cases, part, end)]
        first += len(cases)
    return result


def count(found: Iterable[Marks], true: Iterable[Marks]) -> Counts:
    """Return the numbers of marks that are found and true, found, and true."""
    rows = [(len(one & other), len(one), len(other)) for one, other in zip(found, true, strict=True)]
    return np.asarray(np.array(rows).sum(axis=0))


def f1(counts: Counts) -> float:
    """Return the F1 of the numbers of `count`."""
    return float(2 * counts[0] / max(1, counts[1] + counts[2]))


def measure(restorer: Restorer, documents: Sequence[Document], share: float) -> tuple[Counts, Counts]:
    """Return the counts of marks that are not left: with the others left in place, and without any."""
    draw, given, alone = Random(0), np.zeros(3, int), np.zeros(3, int)
    for document in documents:
        left = [frozenset(mark for mark in sorted(marks) if draw.random() < share) for marks in document.marks]
        others = [marks - kept for marks, kept in zip(document.marks, left, strict=True)]
        given += count(decode(restorer, document, left), others)
        plain = decode(restorer, document, [frozenset()] * len(left))
        alone += count([marks - kept for marks, kept in zip(plain, left, strict=True)], others)
    return given, alone


def main(
    model: str,
    corpus: Annotated[Path, Option(help="Folder of the texts.")],
    words: Annotated[int, Option(help="Number of words of each set.")] = 8000,
) -> None:
    restorer = Restorer.open(find_model(model))
    sets = dict[str, list[Document]]()
    for name, held_out in find_sets(corpus, restorer.info.model.language).items():
        if not name.startswith("iwslt/"):
            read = read_documents(held_out.path, name.split("/")[0], words)
            sets[name] = [compute(restorer, document) for document in read]
    for language in sorted({name.split("/")[0] for name in sets}):
        for share in SHARES:
            chosen = [document for name, found in sets.items() if name.startswith(language) for document in found]
            given, alone = measure(restorer, chosen, share)
            print(f"{language} {share:.0%} left: F1 of the others {f1(given):.3f}, bare {f1(alone):.3f}", flush=True)


if __name__ == "__main__":
    run_script(main)
