"""Load generator for `asr-punct serve`: live streams, documents over HTTP, and hostile clients; writes serve.json.

The service runs in a separate process, whose CPU time and memory are measured. It accepts twice as many streams as
there are clients, because a broken connection is noticed later. The clients run in this process on the same machine and
need CPU time too; hostile ones run in a process of their own with low priority, so that they do not delay the
measurement. A stream sends words in bursts of one to four, with jitter; the time of a commit is that from sending a
word to receiving the words that it enables; streams have no patience, so that this word is known. Words are drawn from
the model's vocabulary. The service is compared with `Punctuator` in this process, on the same documents and cores.

    python benchmarks/serve.py --streams 200 --seconds 300              # live streams
    python benchmarks/serve.py --streams 200 --seconds 300 --hostile 10 # the same with hostile clients
    python benchmarks/serve.py --streams 50,100,200,400 --seconds 60    # how many streams fit
    python benchmarks/serve.py --clients 16 --seconds 60                # documents over HTTP, and short requests
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import httpx
import numpy as np
import psutil
from serve_clients import Load, Results, documents, run_hostile, short_requests, stream
from speed import RUN, drawn_words, option_parser

from asr_punct.files import write_json_file
from asr_punct.hub import find_model
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.punctuator import Punctuator

Facts = dict[str, float]
_SAMPLE_S = 2.0
_WORDS = 50_000
_WARM_UP_S = 10.0


def start(model: str, streams: int) -> tuple[subprocess.Popen[bytes], str]:
    """Start the service and return its process and address when it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", RUN, "serve", "--port", str(port), "--quiet", "--max-streams", str(streams)]
    process = subprocess.Popen([*command, "--model", model])
    address = f"127.0.0.1:{port}"
    while process.poll() is None:
        try:
            httpx.get(f"http://{address}/healthz")
            return process, address
        except httpx.HTTPError:
            time.sleep(0.2)
    raise SystemExit("the service did not start")


async def watch(process: psutil.Process, end: float) -> Facts:
    """Return CPU and memory of the service between its warm-up and the end."""
    await asyncio.sleep(_WARM_UP_S)
    sizes, busy, begin = [], sum(process.cpu_times()[:2]), time.monotonic()
    while time.monotonic() < end:
        sizes.append(process.memory_info().rss / 2**20)
        await asyncio.sleep(_SAMPLE_S)
    cpu = (sum(process.cpu_times()[:2]) - busy) / (time.monotonic() - begin)
    tenth = max(1, len(sizes) // 10)
    first, last = float(np.median(sizes[:tenth])), float(np.median(sizes[-tenth:]))
    return {"cores": cpu, "mb_first_tenth": first, "mb_last_tenth": last, "mb_max": max(sizes)}


async def run(load: Load, options: argparse.Namespace, streams: int, pid: int) -> tuple[Results, Facts]:
    """Run all clients until the end of the load."""
    results = Results()
    watching = asyncio.create_task(watch(psutil.Process(pid), load.end))
    good = [stream(load, results, seed) for seed in range(streams)]
    good += [documents(load, results, seed, options.document_words) for seed in range(options.clients)]
    good += [short_requests(load, results, 1000)] if options.clients else []
    outcomes = await asyncio.gather(*good, return_exceptions=True)
    results.wrong += [repr(outcome) for outcome in outcomes if isinstance(outcome, BaseException)]
    return results, await watching


def offline_speed(model: str, words: Sequence[str], document_words: int, seconds: float) -> float:
    """Return the words a second of `Punctuator.restore` on the documents of the HTTP clients, one after the other."""
    punctuator = Punctuator.from_pretrained(model)
    starts = range(0, len(words) - document_words, document_words)
    documents = cycle(" ".join(words[start : start + document_words]) for start in starts)
    punctuator(next(documents))  # warms up
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        punctuator(next(documents))
        count += document_words
    return count / (time.perf_counter() - begin)


def summary(results: Results, load_s: float) -> Facts:
    """Return percentiles in ms, words a second, and the number of wrong results."""
    facts: Facts = {"wrong": len(results.wrong)}
    for name, seconds in (("commit", results.commit_s), ("short_request", results.request_s)):
        if seconds:
            p50, p99 = np.percentile(seconds, (50, 99)) * 1e3
            facts |= {f"{name}s": len(seconds), f"{name}_ms_p50": float(p50), f"{name}_ms_p99": float(p99)}
    facts["stream_words_a_second"] = results.stream_words / load_s
    facts["document_words_a_second"] = results.document_words / load_s
    return facts


def measure(options: argparse.Namespace, streams: int, words: Sequence[str]) -> Facts:
    """Start the service, run the clients, stop it, and return what was measured."""
    process, address = start(options.model, max(1, 2 * (streams + 3 * options.hostile)))
    try:
        end = time.monotonic() + options.seconds
        settings = {name: getattr(options, name) for name in ("left", "right", "hop", "preview")} | {"patience": 0}
        load = Load(address, words, options.language, options.rate, settings, end)
        hostile = multiprocessing.get_context("spawn").Process(target=run_hostile, args=(load, options.hostile))
        hostile.start()
        results, facts = asyncio.run(run(load, options, streams, process.pid))
        hostile.join()
    finally:
        process.terminate()
        status = process.wait(60)
    for line in results.wrong[:10]:
        print(line, file=sys.stderr)
    return {"streams": streams, **summary(results, options.seconds), **facts, "exit_status": status}


def parse_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = option_parser(__doc__)
    parser.add_argument("output", type=Path, nargs="?", default=Path("serve.json"))
    parser.add_argument("--model", default="es-eu-small")
    parser.add_argument("--language", default="es", help="language that streams name")
    parser.add_argument("--streams", default="0", help="number of streams, or several to try one after the other")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=3.0, help="words a second of a stream")
    parser.add_argument("--right", type=int, default=3, help="look-ahead")
    parser.add_argument("--left", type=int, default=StreamSettings.left, help="context before a word")
    parser.add_argument("--hop", type=int, default=1, help="words that are decided together")
    parser.add_argument("--no-preview", action="store_false", dest="preview", help="partial words without marks")
    parser.add_argument("--clients", type=int, default=0, help="HTTP clients that send documents")
    parser.add_argument("--document-words", type=int, default=1000)
    parser.add_argument("--hostile", type=int, default=0, help="number of hostile clients of each kind")
    return parser.parse_args()


def main() -> None:
    """Measure, print and write."""
    options = parse_options()
    words = drawn_words(find_model(options.model), _WORDS)
    rows = []
    for streams in map(int, options.streams.split(",")):
        facts = measure(options, streams, words)
        if options.clients:
            facts["offline_words_a_second"] = offline_speed(options.model, words, options.document_words, 10.0)
            facts["times_offline"] = facts["document_words_a_second"] / facts["offline_words_a_second"]
        rows.append(facts)
        print(json.dumps({name: round(value, 3) for name, value in facts.items()}), flush=True)
    write_json_file(options.output, {"options": {**vars(options), "output": str(options.output)}, "runs": rows})


if __name__ == "__main__":
    main()
