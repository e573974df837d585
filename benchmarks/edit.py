"""Time and memory of the word alignment of an hour-long pair: 10,000 words, one in five wrong.

Run: python benchmarks/edit.py [words] [error rate]
"""

from __future__ import annotations

import random
import resource
import sys
import time

from asr_punct.align.edit import align


def make_pair(words: int, errors: float, seed: int = 1) -> tuple[list[str], list[str]]:
    """Draw a reference with word frequencies of a text (Zipf), and a hypothesis with this share of errors.

    Half of the errors are substitutions, a quarter each insertions and deletions.
    """
    rng = random.Random(seed)
    vocabulary = [f"w{rank}" for rank in range(1, 20_001)]
    weights = [1 / rank for rank in range(1, 20_001)]
    reference = rng.choices(vocabulary, weights, k=words)
    hypothesis = []
    for word, other in zip(reference, rng.choices(vocabulary, weights, k=words), strict=True):
        draw = rng.random()
        if draw < errors / 2:
            hypothesis.append(other)
        elif draw < 3 * errors / 4:
            hypothesis += [word, other]
        elif draw >= errors:
            hypothesis.append(word)
    return reference, hypothesis


def main() -> None:
    """Align one pair, and print the time and the peak memory of the process."""
    words = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    errors = float(sys.argv[2]) if len(sys.argv) > 2 else 0.2
    reference, hypothesis = make_pair(words, errors)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    alignment = align(reference, hypothesis)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{len(reference)} reference words, {len(hypothesis)} hypothesis words, cost {alignment.cost}:")
    print(f"{seconds:.2f} s, peak {peak / 1024:.0f} MB, of which {(peak - before) / 1024:.0f} MB for the alignment")


if __name__ == "__main__":
    main()
