"""Measure a model's speed on a CPU: a long transcript, one sentence, and a cold start; writes speed.json.

The fp32 and the int8 graph take turns on the same text, so that other load of the machine affects both. The words are
drawn from the model's vocabulary (Zipf), or read from a file. Times include all work from strings to strings. On a busy
machine compare the CPU times, which are those of all threads.

    python benchmarks/speed.py MODEL_DIR [speed.json] [--text FILE] [--words 20000] [--rounds 5] [--threads 2]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Literal, get_args

from asr_punct.checkpoint import TOKENIZER
from asr_punct.files import read_text_file, write_json_file
from asr_punct.inference.punctuator import Punctuator

Facts = dict[str, float]
Graph = Literal["fp32", "int8"]
GRAPHS: tuple[Graph, ...] = get_args(Graph)
_SENTENCE_WORDS = 20
_WORD_STARTS = ("▁", "Ġ")
"""Prefixes of a word's first sub-word: SentencePiece, byte pairs of RoBERTa."""
RUN = "from asr_punct.cli import main; main()"


def frequent_words(model: Path, rng: random.Random) -> tuple[list[str], list[float]]:
    """Return the complete words of the model's vocabulary and their weights: 1/n for the n-th.

    WordPiece marks the sub-words that continue a word (`##ing`), other tokenizers those that begin one.
    """
    entries = json.loads(read_text_file(model / TOKENIZER))["model"]["vocab"]
    subwords = [entry if isinstance(entry, str) else entry[0] for entry in entries]  # unigrams have scores
    beginnings = [subword[1:] for subword in subwords if subword.startswith(_WORD_STARTS)]
    known = sorted(word for word in beginnings or subwords if word.isalpha())
    rng.shuffle(known)
    return known, [1 / rank for rank in range(1, len(known) + 1)]


def drawn_words(model: Path, count: int) -> list[str]:
    """Draw words from the model's vocabulary."""
    rng = random.Random(0)
    words, weights = frequent_words(model, rng)
    return rng.choices(words, weights, k=count)


def option_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of options whose help begins with the docstring of a program."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_text_options(parser: argparse.ArgumentParser, words: int) -> None:
    """Add the options of `text_words`."""
    parser.add_argument("--text", type=Path, help="text to punctuate; default: words drawn from the vocabulary")
    parser.add_argument("--words", type=int, default=words, help="number of words to read or draw")


def text_words(options: argparse.Namespace, model: Path) -> list[str]:
    """Return the words of the text, or words drawn from the model's vocabulary."""
    words = read_text_file(options.text).split() if options.text else drawn_words(model, options.words)
    return words[: options.words]


def report(output: Path, facts: Facts) -> None:
    """Write facts to a file, and print them."""
    write_json_file(output, facts)
    for name, value in facts.items():
        print(f"{name.replace('_', ' ')}: {value:.4g}")


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the time of a call."""
    begin = clock()
    call()
    return clock() - begin


def transcript_speed(punctuators: dict[Graph, Punctuator], text: str, rounds: int) -> dict[str, float]:
    """Return median words a second and CPU microseconds a word of each graph, and the speed-up of int8."""
    words = len(text.split())
    wall: dict[Graph, list[float]] = {graph: [] for graph in GRAPHS}
    cpu: dict[Graph, list[float]] = {graph: [] for graph in GRAPHS}
    for turn in range(rounds + 1):
        for graph in GRAPHS if turn % 2 else GRAPHS[::-1]:
            busy = time.process_time()
            took = seconds(lambda punctuator=punctuators[graph]: punctuator(text))  # type: ignore[misc]
            if turn:  # the first one warms up
                wall[graph].append(took)
                cpu[graph].append(time.process_time() - busy)
    facts = {f"{graph}_words_a_second": words / median(wall[graph]) for graph in GRAPHS}
    facts |= {f"{graph}_cpu_us_a_word": 1e6 * median(cpu[graph]) / words for graph in GRAPHS}
    return facts | {"int8_times_fp32": median(a / b for a, b in zip(wall["fp32"], wall["int8"], strict=True))}


def sentence_ms(model: Path, sentence: str, threads: int, rounds: int = 50) -> float:
    """Return the median milliseconds for one sentence, with the int8 model in memory."""
    punctuator = Punctuator.from_pretrained(model, threads=threads, graph="int8")
    punctuator(sentence)
    return 1e3 * median(seconds(lambda: punctuator(sentence)) for _ in range(rounds))


def cold_start(model: Path, sentence: str, rounds: int = 5) -> float:
    """Return the median seconds of `asr-punct punctuate` for one sentence, including the start of the process."""
    command = [sys.executable, "-c", RUN, "punctuate", "--model", str(model), "--int8"]
    run = lambda: subprocess.run(command, input=sentence.encode(), stdout=subprocess.DEVNULL, check=True)  # noqa: E731
    return median(seconds(run) for _ in range(rounds))


def main() -> None:
    """Measure, print and write."""
    parser = option_parser(__doc__)
    parser.add_argument("model", type=Path, help="directory of a model with both graphs")
    parser.add_argument("output", type=Path, nargs="?", default=Path("speed.json"))
    add_text_options(parser, 20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    words = text_words(options, options.model)
    sentence = " ".join(words[:_SENTENCE_WORDS])
    punctuators = {
        graph: Punctuator.from_pretrained(options.model, threads=options.threads, graph=graph) for graph in GRAPHS
    }
    facts: Facts = {"words": len(words), "threads": options.threads}
    facts |= transcript_speed(punctuators, " ".join(words), options.rounds)
    facts |= {f"sentence_ms_{n}_threads": sentence_ms(options.model, sentence, n) for n in (1, options.threads)}
    facts["cold_start_s"] = cold_start(options.model, sentence)
    report(options.output, facts)


if __name__ == "__main__":
    main()
