#!/usr/bin/env python3
"""Compare the decisions of a model's int8 and fp32 graphs on the words of a corpus; writes int8.json for its card."""

from collections import Counter
from collections.abc import Iterable
from itertools import tee
from pathlib import Path

from asr_punct.errors import InputError, run_script
from asr_punct.files import write_json_file
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.inference.punctuator import Punctuator
from asr_punct.words import Utterance, without_labels


def compare(first: Punctuator, second: Punctuator, utterances: Iterable[Utterance]) -> dict[str, float]:
    """Return the number of words, and the shares with the same marks, the same case and both.

    The models see the words with their pauses and without their labels. Raises InputError if there are no words.
    """
    one, two = tee(without_labels(utterance) for utterance in utterances)
    equal: Counter[str] = Counter()
    for a, b in zip(first.restore(one), second.restore(two), strict=True):
        for x, y in zip(a.labels, b.labels, strict=True):
            equal["words"] += 1
            equal["marks"] += x.marks == y.marks
            equal["case"] += x.case is y.case
            equal["both"] += x == y
    words = equal["words"]
    if not words:
        raise InputError("corpus", "no words", "at least one word")
    return {"words": words, **{f"same_{name}": equal[name] / words for name in ("marks", "case", "both")}}


def main(model: Path, corpus: Path, output: Path) -> None:
    fp32, int8 = (Punctuator.from_pretrained(model, graph=graph) for graph in ("fp32", "int8"))
    result = compare(fp32, int8, read_tsv(corpus))
    write_json_file(output, result)
    print(", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in result.items()))


if __name__ == "__main__":
    run_script(main)
