#!/usr/bin/env python3
"""Punctuate the test sets of a benchmark, score them on its own tokens, and measure the speed.

local/decode.py [--aggregate N] [--left N --right N] [--sets LIST] [--words N] [--device D] MODEL_DIR DATA OUT

DATA is what prepare.py made. Writes OUT/SET.tsv (the tokens with the model's marks) and OUT/facts.json: the Scores of
each set over three marks, words a second (start and reading not counted) and the number of parameters.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file

from asr_punct.checkpoint import ONNX, WEIGHTS, has_file
from asr_punct.corpora.iwslt import on_tokens
from asr_punct.errors import AsrPunctError
from asr_punct.inference.punctuator import Punctuator
from asr_punct.io.files import make_directory, write_file
from asr_punct.io.tsv import read_tsv, write_tsv
from asr_punct.marks import Labels
from asr_punct.scoring import score
from asr_punct.words import Utterance

_CLASSES = 4
_WARM_UP_WORDS = 200


def restore(punctuator: Punctuator, options: argparse.Namespace, words: list[Utterance]) -> Iterator[Utterance]:
    """The words with the model's marks; the benchmark has no case."""
    bare = [replace(utterance, labels=None) for utterance in words]
    restored = (
        punctuator.restore_streaming(bare, options.left, options.right) if options.right else punctuator.restore(bare)
    )
    for utterance in restored:
        yield replace(utterance, labels=tuple(Labels(label.marks) for label in utterance.labels or ()))


def first_utterances(words: list[Utterance], count: int) -> list[Utterance]:
    """The first utterances, of `count` words together at least; all of them for 0."""
    totals = accumulate(len(utterance.words) for utterance in words)
    return words[: 1 + bisect_left(list(totals), count)] if count else words


def parameters(model: Path) -> int:
    """Numbers in the model's weights."""
    return sum(tensor.size for tensor in load_file(model / WEIGHTS).values())


def decode(options: argparse.Namespace) -> dict[str, Any]:
    """Write the decoded sets; what is measured."""
    arguments = {"aggregate": options.aggregate} if options.aggregate else {}
    punctuator = Punctuator.from_pretrained(options.model, device=options.device, **arguments)
    graph = has_file(punctuator.info, ONNX) and options.device in (None, "cpu")
    count, seconds, scores, warm = 0, 0.0, {}, False
    names = options.sets.split() if options.sets else sorted(path.stem for path in (options.data / "tokens").iterdir())
    for path in (options.data / "tokens" / f"{name}.tsv" for name in names):
        words, tokens = list(read_tsv(options.data / path.name)), list(read_tsv(path))
        words = first_utterances(words, options.words)
        tokens = tokens[: len(words)]
        if not warm:
            list(restore(punctuator, options, words[:_WARM_UP_WORDS]))
            warm = True
        start = time.perf_counter()
        restored = list(restore(punctuator, options, words))
        seconds += time.perf_counter() - start
        count += sum(len(utterance.words) for utterance in words)
        found = [on_tokens(*pair) for pair in zip(restored, tokens, strict=True)]
        with write_file(options.output / path.name) as out:
            write_tsv(found, out)
        scores[path.stem] = score(tokens, found, _CLASSES, name=path.name).as_dict()
    return {
        "scores": scores,
        "words_per_second": count / seconds,
        "runtime": "onnxruntime" if graph else "torch",
        "parameters": parameters(options.model),
        "training": dict(punctuator.info.training),
    }


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--aggregate", type=int, default=0, help="windows that each word is predicted in")
    parser.add_argument("--left", type=int, default=100, help="words before each word, with --right")
    parser.add_argument("--right", type=int, default=0, help="look-ahead in words: decode as a stream")
    parser.add_argument("--sets", help="test sets, by default all")
    parser.add_argument("--words", type=int, default=0, help="words of each that are decoded, 0 for all")
    parser.add_argument("--device")
    options = parser.parse_args()
    try:
        make_directory(options.output)
        facts = decode(options)
    except AsrPunctError as error:
        print(f"decode.py: {error}", file=sys.stderr)
        return 2
    with write_file(options.output / "facts.json") as out:
        json.dump(facts, out, indent=2)
        out.write("\n")
    told = ", ".join(f"{name} {100 * scores['micro']['f1']:.1f}" for name, scores in facts["scores"].items())
    print(f"micro F1 {told}; {facts['words_per_second']:.0f} words/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
