"""Bootstrap intervals of scores, and of the difference between two systems.

Each sample draws as many utterances as there are, with replacement; scores are computed from its pooled counts. An
interval is from the 2.5th to the 97.5th percentile of the samples in which the metric is defined (Bisani & Ney 2004,
Bootstrap estimates for confidence intervals in ASR performance evaluation). Two systems are compared on the same
samples (Koehn 2004, Statistical significance tests for machine translation evaluation). There are no intervals for
fewer than two utterances.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asr_punct import progress
from asr_punct.errors import ArgumentError
from asr_punct.scoring.counts import Array, Counts
from asr_punct.scoring.scores import Interval, headline_rates, rounded

SAMPLES, SEED = 1000, 1
_PERCENTILES = (2.5, 97.5)
_CHUNK_CELLS = 1 << 20
"""Samples × units drawn at once: 8 MB of indices."""


@dataclass(frozen=True)
class Difference:
    """Scores of two systems in one metric, and their difference: the second minus the first.

    `ci95` is its 95 % interval, `p` its two-sided p-value: twice the share of samples in which it is 0 or has the other
    sign; one sample is added so that p is never 0. Both are None for fewer than two utterances.
    """

    first: float
    second: float
    difference: float
    ci95: Interval | None
    p: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, rates with six decimals."""
        return dict(rounded(asdict(self)))


def bootstrap(counts: Counts, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Interval]:
    """Return the 95 % interval of every metric defined on all units, by its path in a scores file."""
    if counts.units < 2 or samples < 1:
        return {}
    sampled = _on_samples(counts, samples, seed)
    defined = [metric for metric, rate in headline_rates(counts.total()).items() if not np.isnan(rate)]
    return {metric: _interval(sampled[metric]) for metric in defined if not np.isnan(sampled[metric]).all()}


def compare_counts(first: Counts, second: Counts, samples: int = SAMPLES) -> dict[str, Difference]:
    """Compare two systems on the same utterances, in every metric defined for both.

    Raises ArgumentError if the two have different utterances.
    """
    if not np.array_equal(first.words, second.words):
        raise ArgumentError("second", "another reference than that of `first`", "the same utterances")
    before, after = (headline_rates(counts.total()) for counts in (first, second))
    sampled: dict[str, Array] = {}
    if first.units >= 2 and samples >= 1:
        one, two = _on_samples(first, samples, SEED), _on_samples(second, samples, SEED)
        sampled = {metric: two[metric] - one[metric] for metric in one}
    return {
        metric: _difference(float(before[metric]), float(after[metric]), sampled.get(metric))
        for metric in before
        if not np.isnan(after[metric] - before[metric])
    }


def _difference(first: float, second: float, sampled: Array | None) -> Difference:
    if sampled is None or np.isnan(sampled).all():
        return Difference(first, second, second - first, None, None)
    known = sampled[~np.isnan(sampled)]
    tail = min(np.count_nonzero(known <= 0), np.count_nonzero(known >= 0))
    p = min(1.0, 2 * (tail + 1) / (len(known) + 1))
    return Difference(first, second, second - first, _interval(sampled), p)


def _interval(sampled: Array) -> Interval:
    low, high = np.percentile(sampled[~np.isnan(sampled)], _PERCENTILES)
    return float(low), float(high)


def _on_samples(counts: Counts, samples: int, seed: int) -> dict[str, Array]:
    chunks = [headline_rates(counts.weighted(weights)) for weights in _weights(counts.units, samples, seed)]
    return {metric: np.concatenate([chunk[metric] for chunk in chunks]) for metric in chunks[0]}


def _weights(units: int, samples: int, seed: int) -> Iterator[Array]:
    """Yield how often each unit is in each sample, in chunks; (samples of a chunk, units)."""
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_CELLS // units)
    for start in progress.track(range(0, samples, step), "samples", size=lambda _: step, total=samples):
        size = min(step, samples - start)
        indices: NDArray[np.int64] = rng.integers(units, size=(size, units))
        indices += units * np.arange(size)[:, None]  # separate bins for each sample
        yield np.bincount(indices.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)
