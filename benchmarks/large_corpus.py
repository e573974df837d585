"""Time, memory and disk of a large training corpus: `python benchmarks/large_corpus.py --words 100000000 DIR`.

Generates a TSV corpus of drawn words, with documents of 2,000 words, in DIR (13 bytes a word), makes its arrays, plans
the batches of an epoch, and makes some of them. Each step runs in a new process; its memory is the maximum of RssAnon,
which does not count mapped files. Prints a line of JSON for each step. Words have frequencies by Zipf's law.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

_CHUNK = 100_000
_DOCUMENT, _UTTERANCE = 2_000, 20


def generate(path: Path, words: int, vocabulary: int) -> None:
    """Write a TSV corpus of this many words, with `vocabulary` distinct words at most."""
    rng = np.random.default_rng(1)
    names = [f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}o{i:x}" for i in range(vocabulary)]
    cumulative = np.cumsum(1 / np.arange(1, vocabulary + 1))
    rows = ["O\t-\tO", "COMMA\t-\tO", "PERIOD\t-\tO", "O\t-\tFIRST_CAP", "O\t0.010\tO", "PERIOD\t0.450\tO"]
    with open(path, "w", encoding="utf-8") as out:
        for start in range(0, words, _CHUNK):
            size = min(_CHUNK, words - start)
            drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1]).tolist()
            labels = rng.choice(len(rows), size, p=[0.7, 0.07, 0.05, 0.1, 0.06, 0.02]).tolist()
            for i, (word, label) in enumerate(zip(drawn, labels, strict=True), start):
                if i % _UTTERANCE == 0:
                    out.write(("\n" if i else "") + f"# document = d{i // _DOCUMENT}\n")
                out.write(f"{names[word]}\t{rows[label]}\n")


def run_step(step: str, directory: Path) -> None:
    """Make the arrays (`arrays`), or plan an epoch and make 200 of its batches (`epoch`)."""
    from asr_punct.config import Config, EncoderConfig, ModelConfig
    from asr_punct.subwords import SubwordTokenizer, train_tokenizer
    from asr_punct.training.datamodule import PunctuationData
    from asr_punct.training.mapped import Corpora, StoredCorpus

    if step == "arrays":
        StoredCorpus.open(directory / "train.tsv")
        return
    corpora = Corpora.open(directory)
    tokenizer = SubwordTokenizer(train_tokenizer((f"{chr(97 + i % 26)}o{i:x}" for i in range(10_000)), 4000), 8)
    model = ModelConfig(encoder=EncoderConfig(name=None, max_tokens=256))
    batches = PunctuationData(corpora, tokenizer, Config(model), 256).epoch(0)
    for i in range(0, len(batches), max(1, len(batches) // 200)):
        batches[i]


def _watch(peak: list[int]) -> None:
    while True:
        lines = Path("/proc/self/status").read_text().splitlines()
        peak[0] = max(peak[0], *(int(line.split()[1]) for line in lines if line.startswith("RssAnon")))
        time.sleep(0.05)


def measured_step(step: str, directory: Path) -> None:
    """Run a step in this process and print its facts."""
    peak = [0]
    threading.Thread(target=_watch, args=(peak,), daemon=True).start()
    begin, busy = time.perf_counter(), time.process_time()
    run_step(step, directory)
    facts = {"step": step, "seconds": time.perf_counter() - begin, "cpu_seconds": time.process_time() - busy}
    print(json.dumps({**facts, "memory_mib": peak[0] / 1024}), flush=True)


def main() -> None:
    """Generate, measure each step in a process, print the sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--words", type=int, default=100_000_000)
    parser.add_argument("--vocabulary", type=int, default=500_000)
    parser.add_argument("--step", choices=["arrays", "epoch"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        measured_step(options.step, options.directory)
        return
    options.directory.mkdir(parents=True, exist_ok=True)
    generate(options.directory / "train.tsv", options.words, options.vocabulary)
    generate(options.directory / "dev.tsv", 10_000, options.vocabulary)
    for step in ("arrays", "epoch"):
        subprocess.run([sys.executable, __file__, "--step", step, str(options.directory)], check=True)
    arrays = next(options.directory.glob("train.*.arrays"))
    size = sum(path.stat().st_size for path in arrays.iterdir())
    tsv = (options.directory / "train.tsv").stat().st_size
    print(json.dumps({"words": options.words, "array_bytes_a_word": size / options.words, "tsv_bytes": tsv}))


if __name__ == "__main__":
    main()
