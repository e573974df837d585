"""F1 of marks by word error rate, a chart and a table of the score page."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.scoring.counts import Counts
from asr_punct.scoring.evaluate import PairedTexts
from asr_punct.scoring.metrics import headline_rates
from asr_punct.scoring.tables import percent

_MIN_POINTS, _MAX_POINTS = 5, 2000
_AXES = (0.2, 0.4, 1.0)
"""Ends of the axis of word error rates."""
_BANDS = {
    "0": (-1.0, 0.0),
    "0 to 10": (0.0, 0.1),
    "10 to 25": (0.1, 0.25),
    "25 to 50": (0.25, 0.5),
    "over 50": (0.5, np.inf),
}
"""Bands of word error rate, in per cent: above the first fraction, up to the second."""


@dataclass(frozen=True)
class Point:
    """An utterance of the chart: word error rate, F1, tooltip, radius in pixels, larger for more words."""

    x: float
    y: float
    label: str
    radius: float


@dataclass(frozen=True)
class Band:
    """Utterances of similar word error rate."""

    name: str
    utterances: int
    words: int
    f1: float | None


@dataclass(frozen=True)
class ScoreVsWer:
    """Points of the chart, none for few utterances, with a description and the end of its axis; rows of the table."""

    description: str
    points: Sequence[Point]
    x_max: float
    bands: Sequence[Band]


def score_vs_wer(paired: PairedTexts, counts: Counts) -> ScoreVsWer:
    """Return the F1 of marks by word error rate: of each utterance, and pooled over bands."""
    rates = headline_rates(counts)
    wer, f1 = rates["wer"], rates["micro.f1"]
    known = np.flatnonzero(~np.isnan(wer) & ~np.isnan(f1))
    step = max(1, -(-len(known) // _MAX_POINTS))
    points = [
        Point(wer[i], f1[i], _label(paired, i, wer[i], f1[i]), min(9.0, 2 + 0.5 * counts.words[i] ** 0.5))
        for i in known[::step].tolist()
    ]
    drawn = "Each point is an utterance" if step == 1 else f"{len(points)} of {len(known)} utterances are drawn"
    description = f"{drawn}, larger if it has more words; a word error rate over 100 % is drawn at 100 %."
    if len(points) < _MIN_POINTS:
        points, description = [], ""
    bands = [_band(name, counts, (wer > low) & (wer <= high)) for name, (low, high) in _BANDS.items()]
    x_max = next((end for end in _AXES if all(point.x <= end for point in points)), _AXES[-1])
    return ScoreVsWer(description, points, x_max, [band for band in bands if band.utterances])


def _label(paired: PairedTexts, unit: int, wer: float, f1: float) -> str:
    return f"{paired.references[unit].id or unit + 1}: word error rate {percent(wer)} %, F1 {percent(f1)} %"


def _band(name: str, counts: Counts, chosen: NDArray[np.bool_]) -> Band:
    f1 = float(headline_rates(counts.weighted(chosen.astype(np.float64)))["micro.f1"])
    return Band(name, int(chosen.sum()), int(counts.words[chosen].sum()), None if np.isnan(f1) else f1)
