"""Measure which share of the bare graph's speed the punctuator reaches on one core, in words a second of CPU time.

The punctuator works from strings to strings. The bare graph gets the same words as arrays made before, in batches of
windows that do not overlap, so that it computes each word once. Both run the same graph in one thread, and take
turns, so that other load of the machine affects both. The text is a file, or words that are drawn from the model's
vocabulary (Zipf).

    python benchmarks/share.py MODEL [--text FILE] [--words 20000] [--rounds 5] [--graph int8] [--margin WORDS]
"""

from __future__ import annotations

import time
from statistics import median

from speed import GRAPHS, add_text_options, option_parser, seconds, text_words

from asr_punct.checkpoint import load_tokenizer, read_info
from asr_punct.features import Features, WindowProbabilities
from asr_punct.hub import find_model
from asr_punct.inference.backend import Backend, OnnxBackend, open_backend
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.restorer import Restorer


class Recorder:
    """Runs a backend and keeps the batches that it gets."""

    runtime = "onnxruntime"
    batch_tokens = OnnxBackend.batch_tokens

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.batches: list[Features] = []

    def probabilities(self, features: Features) -> WindowProbabilities:
        """Return the probabilities of a batch, and keep the batch."""
        self.batches.append(features)
        return self._backend.probabilities(features)


def main() -> None:
    """Measure and print."""
    parser = option_parser(__doc__)
    parser.add_argument("model", help="directory or name of a model")
    add_text_options(parser, 20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--graph", choices=GRAPHS, default="int8")
    parser.add_argument("--margin", type=int, help="words at inner edges that a neighbouring window decides")
    options = parser.parse_args()
    directory = find_model(options.model)
    words = text_words(options, directory)
    text = " ".join(words)
    punctuator = Punctuator.from_pretrained(directory, threads=1, graph=options.graph)
    punctuator = punctuator.with_windows(margin=options.margin)
    info = read_info(directory)
    backend = open_backend(directory, info, threads=1, graph=options.graph)
    recorder = Recorder(backend)
    Punctuator(Restorer.of(info, load_tokenizer(directory, info), recorder)).with_windows(margin=0)(text)
    whole, bare = [], []
    for turn in range(options.rounds + 1):
        times = (
            seconds(lambda: punctuator(text), time.process_time),
            seconds(lambda: [backend.probabilities(batch) for batch in recorder.batches], time.process_time),
        )
        if turn:  # the first one warms up
            whole.append(times[0])
            bare.append(times[1])
    print(f"punctuator: {len(words) / median(whole):.0f} words/s, {1e6 * median(whole) / len(words):.1f} µs a word")
    print(f"bare graph: {len(words) / median(bare):.0f} words/s, {1e6 * median(bare) / len(words):.1f} µs a word")
    shares = sorted(b / w for w, b in zip(whole, bare, strict=True))
    print(f"share: {median(shares):.3f} (from {shares[0]:.3f} to {shares[-1]:.3f})")


if __name__ == "__main__":
    main()
