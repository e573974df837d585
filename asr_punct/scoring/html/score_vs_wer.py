"""F1 of the marks by word error rate: each utterance, and pooled over bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.scoring.counts import Counts
from asr_punct.scoring.evaluate import Paired
from asr_punct.scoring.metrics import headline_rates
from asr_punct.scoring.tables import percent

_MOST_POINTS = 2000
_BANDS = {
    "0": (-1.0, 0.0),
    "0 to 10": (0.0, 0.1),
    "10 to 25": (0.1, 0.25),
    "25 to 50": (0.25, 0.5),
    "over 50": (0.5, np.inf),
}
"""Word error rates above the first number, up to the second."""


@dataclass(frozen=True)
class Point:
    """An utterance of the chart: word error rate, F1, text shown under the mouse, radius in pixels."""

    x: float
    y: float
    label: str
    radius: float = 3.5


@dataclass(frozen=True)
class Band:
    """Utterances of similar word error rate."""

    name: str
    utterances: int
    words: int
    f1: float | None


@dataclass(frozen=True)
class ScoreVsWer:
    """Chart and table of the page."""

    description: str
    points: Sequence[Point]
    bands: Sequence[Band]


def score_vs_wer(paired: Paired, counts: Counts) -> ScoreVsWer:
    """Return F1 of the marks of each utterance by its word error rate, and pooled over bands of that rate."""
    rates = headline_rates(counts)
    wer, f1 = rates["wer"], rates["micro.f1"]
    known = np.flatnonzero(~np.isnan(wer) & ~np.isnan(f1))
    step = max(1, -(-len(known) // _MOST_POINTS))
    points = [Point(wer[i], f1[i], _label(paired, i, wer[i], f1[i])) for i in known[::step].tolist()]
    drawn = "Each point is an utterance" if step == 1 else f"{len(points)} of {len(known)} utterances are drawn"
    bands = [_band(name, counts, (wer > low) & (wer <= high)) for name, (low, high) in _BANDS.items()]
    return ScoreVsWer(drawn, points, bands)


def _label(paired: Paired, unit: int, wer: float, f1: float) -> str:
    return f"{paired.references[unit].id or unit + 1}: word error rate {percent(wer)} %, F1 {percent(f1)} %"


def _band(name: str, counts: Counts, chosen: NDArray[np.bool_]) -> Band:
    f1 = float(headline_rates(counts.weighted(chosen.astype(np.float64)))["micro.f1"])
    return Band(name, int(chosen.sum()), int(counts.words[chosen].sum()), None if np.isnan(f1) else f1)
