"""Compare the speed of a model with discrete Gaussian pauses and one without pauses.

Both models share one 12-layer, 768-wide encoder with random weights (the size of BETO, BERTeus and IXAmBERT) and take
turns on the same windows, so that other load of the machine affects both. In AutoPunct's Table 7, models with discrete
pauses have 0.41 to 0.50 of the speed of those without.

    python benchmarks/pauses.py [--pairs 30] [--words 96] [--batch 4] [--context none|transformer]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from asr_punct.config import ContextConfig, EncoderConfig, ModelConfig, PauseConfig, WindowConfig
from asr_punct.features import WordInput, collate
from asr_punct.model.encoder import Encoder, new_encoder
from asr_punct.model.tagger import Tagger
from asr_punct.pauses import UNKNOWN_PAUSE

_VOCABULARY = 30_000


def build(pauses: str, context: str, words: int, encoder: Encoder) -> Tagger:
    """Build a model for inference with the shared encoder."""
    config = ModelConfig(
        pauses=PauseConfig(kind="discrete-gaussian" if pauses == "discrete-gaussian" else "none"),
        context=ContextConfig("none" if context == "none" else "transformer"),
        window=WindowConfig(words, 0),
    )
    model = Tagger(config, encoder).fold()
    model.encoder = encoder.eval()  # folding copies, but both models must share the weights
    return model


def windows(batch: int, words: int, seed: int) -> dict[str, torch.Tensor]:
    """Draw a batch of random words and pauses."""
    rng = np.random.default_rng(seed)
    rows = [
        [
            WordInput(
                tuple(rng.integers(5, _VOCABULARY, rng.integers(1, 3)).tolist()), int(rng.integers(0, UNKNOWN_PAUSE))
            )
            for _ in range(words)
        ]
        for _ in range(batch)
    ]
    return {name: torch.from_numpy(array) for name, array in collate(rows, 2, 3, 0).inputs().items()}


def seconds(model: Tagger, inputs: dict[str, torch.Tensor]) -> float:
    """Return the time of one forward pass."""
    begin = time.perf_counter()
    with torch.inference_mode():
        model(**inputs)
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--words", type=int, default=96)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", choices=("none", "transformer"), default="transformer")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    size = EncoderConfig(layers=12, width=768, heads=12, feed_forward=3072)
    encoder = new_encoder(size, _VOCABULARY, 0)
    models = {kind: build(kind, arguments.context, arguments.words, encoder) for kind in ("none", "discrete-gaussian")}
    for model in models.values():
        seconds(model, windows(arguments.batch, arguments.words, 0))
    times: dict[str, list[float]] = {kind: [] for kind in models}
    for pair in range(arguments.pairs):
        inputs = windows(arguments.batch, arguments.words, pair)
        for kind in sorted(models, reverse=bool(pair % 2)):  # each goes first in every other pair
            times[kind].append(seconds(models[kind], inputs))
    report(times, arguments.batch * arguments.words)


def report(times: dict[str, list[float]], words: int) -> None:
    """Print words a second of both, and the median ratio with its bootstrap interval."""
    for kind, values in times.items():
        print(f"{kind:<18} {words / np.median(values):8.0f} words/s")
    ratios = np.array(times["none"]) / np.array(times["discrete-gaussian"])
    drawn = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    print(f"speed with pauses / without: median {np.median(ratios):.3f}, 95 % interval {low:.3f} to {high:.3f}")
    print(f"({len(ratios)} interleaved pairs)")


if __name__ == "__main__":
    main()
