"""Measure memory and time of `asr-punct punctuate` for transcripts of several lengths; writes growth.json.

Transcripts are CTM files with words drawn from the model's vocabulary (Zipf) and pauses between them. A separate
process punctuates each; the measures are its peak resident memory and the CPU time of all threads. The ratio compares
the time per word of the longest and the shortest transcript, both without the time for a transcript of one word.

    python benchmarks/growth.py MODEL_DIR [growth.json] [--words 100000 1000000] [--threads 2]
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from itertools import accumulate
from pathlib import Path

from speed import RUN, frequent_words, option_parser

from asr_punct.files import write_json_file


def write_transcript(model: Path, count: int, path: Path) -> None:
    """Write a CTM of `count` words of 0.2 s, with 0 to 0.9 s of silence after each."""
    rng = random.Random(0)
    words, weights = frequent_words(model, rng)
    cumulative = list(accumulate(weights))
    start = 0.0
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            (word,) = rng.choices(words, cum_weights=cumulative)
            out.write(f"talk 1 {start:.2f} 0.20 {word}\n")
            start += 0.2 + rng.choice((0, 0, 0, 0, 0.1, 0.3, 0.9))


def punctuate(model: Path, transcript: Path, threads: int) -> tuple[float, float]:
    """Punctuate a transcript in another process; return its peak memory in 10^6 bytes and its CPU seconds."""
    options = ["--model", str(model), "--threads", str(threads), "--quiet", "--to", "ctm", "-o", f"{transcript}.out"]
    process = subprocess.Popen([sys.executable, "-c", RUN, "punctuate", str(transcript), *options])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(process.returncode)
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * unit / 1e6, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure, print and write."""
    parser = option_parser(__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("output", type=Path, nargs="?", default=Path("growth.json"))
    parser.add_argument("--words", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, *sorted(options.words)):
            transcript = Path(folder, f"{count}.ctm")
            write_transcript(options.model, count, transcript)
            memory, cpu = punctuate(options.model, transcript, options.threads)
            rows.append({"words": count, "memory_mb": memory, "cpu_s": cpu, "words_a_second": count / cpu})
            print(f"{count} words: {memory:.0f} MB, {cpu:.1f} s of CPU, {count / cpu:.0f} words/s")
    start, shortest, longest = rows[0]["cpu_s"], rows[1], rows[-1]
    ratio = (longest["cpu_s"] - start) / (shortest["cpu_s"] - start) * shortest["words"] / longest["words"]
    print(f"time of a word, longest against shortest: {ratio:.3f}")
    write_json_file(options.output, {"rows": rows, "ratio": ratio})


if __name__ == "__main__":
    main()
