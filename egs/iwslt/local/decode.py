#!/usr/bin/env python3
"""Punctuate the test sets of a benchmark, score them on its own tokens, and measure the speed.

DATA is the output of prepare.py. Writes OUTPUT/SET.tsv (the tokens with the model's marks) and OUTPUT/facts.json: the
scores of each set over three marks, its micro F1 over merged classes (Alam et al. 2020, section 5.2), words a second
without loading and reading, the number of parameters, and for a model with classes the micro F1 without the class
weights that were fitted on the development set.
"""

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aggregate import averaging
from prepare import first_utterances, without_case
from safetensors.numpy import load_file
from stream_in_batches import restore_streaming

from asr_punct.checkpoint import WEIGHTS, load_tokenizer, read_info
from asr_punct.corpora.iwslt import CLASSES, label_tokens
from asr_punct.decode.settings import parse_class_weights
from asr_punct.errors import run_script
from asr_punct.files import write_file, write_json_file
from asr_punct.formats.lines.tsv import read_tsv, write_tsv
from asr_punct.inference.backend import open_backend
from asr_punct.inference.options import ModelOptions, StreamSettings
from asr_punct.inference.restorer import Restorer
from asr_punct.marks import NO_MARKS
from asr_punct.partial import make_directory
from asr_punct.scoring import score
from asr_punct.words import Utterance, without_labels

_MERGED = 3, 2
_WARM_UP_WORDS = 100


def restore(restorer: Restorer, options: argparse.Namespace, words: list[Utterance]) -> Iterator[Utterance]:
    """Return the words with the model's marks, without case."""
    bare = map(without_labels, words)
    if options.right:
        settings = StreamSettings(left=options.left, right=options.right, patience=0)
        return map(without_case, restore_streaming(restorer, bare, settings))
    return map(without_case, restorer.restore(bare))


def parameters(model: Path) -> int:
    return sum(tensor.size for tensor in load_file(model / WEIGHTS).values())


def open_model(options: argparse.Namespace, weights: Mapping[str, float] | None = None) -> Restorer:
    """Open the model; `weights` replace its class weights."""
    info = read_info(options.model)
    if weights:
        info = replace(info, decoding=replace(info.decoding, class_weights=weights))
    backend = open_backend(options.model, info, options.device, options.threads)
    restorer = Restorer.of(info, load_tokenizer(options.model, info), backend, ModelOptions(plain=options.plain))
    return averaging(restorer, options.aggregate, options.of) if options.aggregate else restorer


def read_set(options: argparse.Namespace, name: str) -> tuple[list[Utterance], list[Utterance]]:
    """Read the words and tokens of the utterances of a test set to decode."""
    file = f"{name}.tsv"
    words = first_utterances(list(read_tsv(options.data / file)), options.words)
    return words, list(read_tsv(options.data / "tokens" / file))[: len(words)]


def untuned(options: argparse.Namespace) -> dict[str, float | None]:
    """Return the micro F1 of each set with all class weights 1; empty for a model of all marks."""
    if not read_info(options.model).decoding.class_weights:
        return {}
    restorer, result = open_model(options, {NO_MARKS: 1.0}), {}
    for name in set_names(options):
        words, tokens = read_set(options, name)
        found = [label_tokens(*pair) for pair in zip(restore(restorer, options, words), tokens, strict=True)]
        result[name] = score(tokens, found, CLASSES, samples=0, name=name).micro.f1
    return result


def set_names(options: argparse.Namespace) -> list[str]:
    return options.sets.split() if options.sets else sorted(path.stem for path in (options.data / "tokens").iterdir())


def decode(options: argparse.Namespace) -> dict[str, Any]:
    """Write the decoded sets and return the measurements."""
    weights = parse_class_weights(options.class_weights) if options.class_weights else None
    restorer = open_model(options, weights)
    count, seconds, warm = 0, 0.0, False
    scores: dict[str, Any] = {}
    merged: dict[str, dict[int, float | None]] = {}
    for name in set_names(options):
        words, tokens = read_set(options, name)
        if not warm:
            list(restore(restorer, options, first_utterances(words, _WARM_UP_WORDS)))
            warm = True
        start = time.perf_counter()
        restored = list(restore(restorer, options, words))
        seconds += time.perf_counter() - start
        count += sum(len(utterance.words) for utterance in words)
        found = [label_tokens(*pair) for pair in zip(restored, tokens, strict=True)]
        with write_file(options.output / f"{name}.tsv") as out:
            write_tsv(found, out)
        scores[name] = score(tokens, found, CLASSES, name=name).as_dict()
        merged[name] = {classes: score(tokens, found, classes, samples=0).micro.f1 for classes in _MERGED}
    info = restorer.info
    return {
        "scores": scores,
        "merged": merged,
        "words_per_second": count / seconds,
        "runtime": restorer.runtime,
        "parameters": parameters(options.model),
        "untuned": untuned(options) if options.untuned else {},
        # the embedding matrix replaces the masked-LM head that the token layer reads
        "lacks_lm_head": info.model.encoder.sequence_hidden > 0 and not info.encoder.get("masked_lm_head"),
        "training": dict(info.training),
    }


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--aggregate", type=int, default=0, help="windows that each word is predicted in")
    parser.add_argument(
        "--of", choices=("activations", "probabilities"), default="activations", help="what is averaged"
    )
    parser.add_argument("--plain", action="store_true", help="decode without rules and tuned settings")
    parser.add_argument("--class-weights", help="in place of the model's own, as QUESTION=2,COMMA=0.8")
    parser.add_argument("--untuned", action="store_true", help="decode with class weights of 1 as well")
    parser.add_argument("--left", type=int, default=100, help="words before each word, with --right")
    parser.add_argument("--right", type=int, default=0, help="look-ahead in words: decode as a stream")
    parser.add_argument("--sets", help="test sets, by default all")
    parser.add_argument("--words", type=int, default=0, help="words of each that are decoded, 0 for all")
    parser.add_argument("--device")
    parser.add_argument("--threads", type=int, default=0, help="on the CPU, 0 for as many as there are cores")
    return parser


def main() -> None:
    options = parser().parse_args()
    make_directory(options.output)
    facts = decode(options)
    write_json_file(options.output / "facts.json", facts)
    listed = ", ".join(f"{name} {100 * scores['micro']['f1']:.1f}" for name, scores in facts["scores"].items())
    print(f"micro F1 {listed}; {facts['words_per_second']:.0f} words/s")


if __name__ == "__main__":
    run_script(main)
