"""Bootstrap intervals of scores, and of the difference between two systems.

Utterances are drawn with replacement, as many as there are, and the scores computed from the pooled counts of each
sample; an interval runs from the 2.5th to the 97.5th percentile (Bisani & Ney 2004, Bootstrap estimates for confidence
intervals in ASR performance evaluation). Two systems are compared on the same samples (Koehn 2004, Statistical
significance tests for machine translation evaluation). Samples in which a metric is undefined are left out of its
interval. Fewer than two utterances give no intervals: resampling needs something to vary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asr_punct import progress
from asr_punct.errors import AsrPunctError
from asr_punct.scoring.counts import Array, Counts
from asr_punct.scoring.metrics import headline_rates
from asr_punct.scoring.scores import Interval

SAMPLES, SEED = 1000, 1
_PERCENTILES = (2.5, 97.5)
_CHUNK_CELLS = 1 << 20
"""Samples × units drawn at a time: 8 MB of indices."""


@dataclass(frozen=True)
class Difference:
    """Second system less first, for one metric.

    Attributes:
        first: score of the first system.
        second: score of the second system.
        difference: second less first.
        ci95: interval of the difference, or None where there are too few utterances.
        p: two-sided p-value, or None: twice the share of samples in which the difference is 0 or has the other sign,
            one such sample more counted so that p is never 0.
    """

    first: float
    second: float
    difference: float
    ci95: Interval | None
    p: float | None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, rates with six decimals."""
        ci95 = None if self.ci95 is None else [round(bound, 6) for bound in self.ci95]
        rates = {name: round(getattr(self, name), 6) for name in ("first", "second", "difference")}
        return rates | {"ci95": ci95, "p": None if self.p is None else round(self.p, 6)}


def bootstrap(counts: Counts, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Interval]:
    """95 % interval of every metric that is defined on the whole, by its path in a scores file."""
    if counts.units < 2 or samples < 1:
        return {}
    drawn = _sampled(counts, samples, seed)
    defined = [metric for metric, rate in headline_rates(counts.total()).items() if not np.isnan(rate)]
    return {metric: _interval(drawn[metric]) for metric in defined if not np.isnan(drawn[metric]).all()}


def paired(first: Counts, second: Counts, samples: int = SAMPLES, seed: int = SEED) -> dict[str, Difference]:
    """Compare two systems on the same utterances, metric by metric where both are defined.

    Raises:
        AsrPunctError: the two have not the same utterances.
    """
    if not np.array_equal(first.words, second.words):
        raise AsrPunctError("compare: found two systems on different utterances, expected the same")
    before, after = (
        {metric: float(rate) for metric, rate in headline_rates(counts.total()).items()} for counts in (first, second)
    )
    drawn: dict[str, Array] = {}
    if first.units >= 2 and samples >= 1:
        one, two = _sampled(first, samples, seed), _sampled(second, samples, seed)
        drawn = {metric: two[metric] - one[metric] for metric in one}
    return {
        metric: _difference(before[metric], after[metric], drawn.get(metric))
        for metric in before
        if not np.isnan(after[metric] - before[metric])
    }


def _difference(first: float, second: float, drawn: Array | None) -> Difference:
    if drawn is None or np.isnan(drawn).all():
        return Difference(first, second, second - first, None, None)
    known = drawn[~np.isnan(drawn)]
    tail = min(np.count_nonzero(known <= 0), np.count_nonzero(known >= 0))
    p = min(1.0, 2 * (tail + 1) / (len(known) + 1))
    return Difference(first, second, second - first, _interval(drawn), p)


def _interval(drawn: Array) -> Interval:
    low, high = np.percentile(drawn[~np.isnan(drawn)], _PERCENTILES)
    return float(low), float(high)


def _sampled(counts: Counts, samples: int, seed: int) -> dict[str, Array]:
    """Every metric on every sample; each (samples,)."""
    chunks = [headline_rates(counts.weighted(weights)) for weights in _weights(counts.units, samples, seed)]
    return {metric: np.concatenate([chunk[metric] for chunk in chunks]) for metric in chunks[0]}


def _weights(units: int, samples: int, seed: int) -> Iterator[Array]:
    """How often each unit stands in each sample; (samples of a chunk, units). A seed gives the same samples always."""
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_CELLS // units)
    for start in progress.counted(range(0, samples, step), "samples", size=lambda _: step, total=samples):
        size = min(step, samples - start)
        drawn: NDArray[np.int64] = rng.integers(units, size=(size, units))
        drawn += units * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)
