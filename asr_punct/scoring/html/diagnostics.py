"""What the scores hang together with: errors of the recogniser, and its own confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from asr_punct.scoring.counts import Array, Counts
from asr_punct.scoring.evaluate import Paired
from asr_punct.scoring.html.charts import Point, plot
from asr_punct.scoring.html.markup import Html, table, tag
from asr_punct.scoring.metrics import headline_rates
from asr_punct.scoring.pairing import SideBySide
from asr_punct.scoring.tables import percent

_MOST_POINTS = 2000
_BANDS = (0.0, 0.1, 0.25, 0.5, np.inf)
"""Upper edges of the word error rates that are pooled, each belonging to its band."""
_BINS = 10


def score_by_errors(paired: Paired, counts: Counts) -> Html:
    """F1 of the marks of each utterance by its word error rate, and pooled over bands of that rate."""
    if not paired.aligned:
        return tag("p", "The hypothesis has the words of the reference, so there is no word error rate.")
    rates = headline_rates(counts)
    wer, f1 = rates["wer"], rates["micro.f1"]
    known = np.flatnonzero(~np.isnan(wer) & ~np.isnan(f1))
    step = max(1, -(-len(known) // _MOST_POINTS))
    points = [Point(wer[i], f1[i], _label(paired, i, wer[i], f1[i])) for i in known[::step].tolist()]
    drawn = "Each point is an utterance" if step == 1 else f"{len(points)} of {len(known)} utterances are drawn"
    words = f"{drawn}; a word error rate over 100 % stands at 100 %."
    drawing = plot("F1 of marks by word error rate", "word error rate %", "F1 of marks %", points)
    return tag("div", tag("p", words), drawing, _band_table(counts, wer), class_="beside")


def _label(paired: Paired, unit: int, wer: float, f1: float) -> str:
    return f"{paired.references[unit].id or unit + 1}: word error rate {percent(wer)} %, F1 {percent(f1)} %"


def _band_table(counts: Counts, wer: Array) -> Html:
    rows, low = [], -1.0
    for high in _BANDS:
        chosen = (wer > low) & (wer <= high)
        pooled = headline_rates(counts.weighted(chosen.astype(np.float64)))["micro.f1"]
        cells = [
            int(chosen.sum()),
            int(counts.words[chosen].sum()),
            "–" if np.isnan(pooled) else percent(float(pooled)),
        ]
        rows.append(tag("tr", tag("th", _band(low, high), scope="row"), *(tag("td", cell) for cell in cells)))
        low = high
    return table("Pooled by word error rate", ("word error rate %", "utterances", "words", "F1 of marks %"), rows)


def _band(low: float, high: float) -> str:
    if low < 0:
        return "0"
    return f"over {100 * low:.0f}" if np.isinf(high) else f"{100 * low:.0f} to {100 * high:.0f}"


def reliability(paired: Paired) -> Html:
    """Whether words are as often right as the recogniser is confident; marks have no probabilities to compare."""
    marks = tag("p", "The hypothesis carries no probability of its marks, so none is drawn for them.")
    found = np.array([row for pair in paired.pairs for row in _confidences(pair)]).reshape(-1, 2)
    if not paired.aligned or not len(found) or found[:, 0].max() > 1:
        return marks
    drawing = plot(
        "Share of right words by confidence",
        "confidence of the recogniser %",
        "right words %",
        _bins(found),
        diagonal=True,
    )
    words = "Each point is a tenth of the scale of the recogniser's confidence: its mean, and how many words are right."
    return tag("div", marks, tag("p", words), drawing)


def _confidences(pair: SideBySide) -> Iterable[tuple[float, bool]]:
    """Confidence of each recognised word that has one, and whether it is right."""
    alignment = pair.alignment
    for j, equal in zip(alignment.hypothesis.tolist(), alignment.equal.tolist(), strict=True):
        if j >= 0 and (confidence := pair.hypothesis_words[j].confidence) is not None:
            yield confidence, equal


def _bins(found: NDArray[np.float64]) -> Sequence[Point]:
    """A point for each tenth of the scale that has words; `found`: confidence and 1 or 0, (words, 2)."""
    number = np.minimum((found[:, 0] * _BINS).astype(np.int64), _BINS - 1)
    points = []
    for bin_ in np.unique(number):
        chosen = found[number == bin_]
        confidence, right = chosen.mean(axis=0).tolist()
        label = f"{len(chosen)} words: mean confidence {percent(confidence)} %, right {percent(right)} %"
        points.append(Point(confidence, right, label, radius=3 + 9 * (len(chosen) / len(found)) ** 0.5))
    return points
