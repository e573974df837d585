"""CPU time of a word of a live stream, alone and in a pool of streams, against that of a transcript.

The words are read from a file (marks and capitals removed), or drawn from the model's vocabulary. Each of --streams
streams gets a part of them. In a pool, every stream gets a word before the model runs. One thread.

    python benchmarks/streams.py MODEL [--text FILE] [--words 3000] [--streams 50] [--left 24] [--right 3]
"""

from __future__ import annotations

import time
from functools import partial

from speed import add_text_options, option_parser, seconds, text_words

from asr_punct.hub import find_model
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.punctuator import Punctuator

_HOPS = 1, 2, 4, 8


def push_alone(punctuator: Punctuator, words: list[str], left: int, right: int, hop: int) -> None:
    """Push words one by one to one stream."""
    with punctuator.stream(left=left, right=right, hop=hop) as stream:
        for word in words:
            stream.push(word)
        stream.flush()


def push_together(punctuator: Punctuator, parts: list[list[str]], left: int, right: int, hop: int) -> None:
    """Push a word to each of the streams of a pool at a time; the parts have the same length."""
    pool = punctuator.stream_pool(left=left, right=right, hop=hop)
    for words in zip(*parts, strict=True):
        pool.push({key: [word] for key, word in enumerate(words)})
    pool.flush(range(len(parts)))


def main() -> None:
    """Measure and print."""
    parser = option_parser(__doc__)
    parser.add_argument("model", help="directory or name of a model")
    add_text_options(parser, 3_000)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--left", type=int, default=StreamSettings.left)
    parser.add_argument("--right", type=int, default=StreamSettings.right)
    options = parser.parse_args()
    directory = find_model(options.model)
    words = text_words(options, directory)
    words = words[: len(words) // options.streams * options.streams]
    parts = [words[i :: options.streams] for i in range(options.streams)]
    punctuator = Punctuator.from_pretrained(directory, threads=1)
    context = options.left, options.right
    push_alone(punctuator, words[:100], *context, 1)  # warms up
    whole = min(seconds(lambda: punctuator(" ".join(words)), time.process_time) for _ in range(3))
    print(f"transcript: {1e6 * whole / len(words):.1f} µs a word")
    for hop in _HOPS:
        alone = seconds(partial(push_alone, punctuator, words, *context, hop), time.process_time)
        together = seconds(partial(push_together, punctuator, parts, *context, hop), time.process_time)
        print(f"hop {hop}: alone {alone / whole:.1f} times as much, in a pool {together / whole:.1f} times")


if __name__ == "__main__":
    main()
