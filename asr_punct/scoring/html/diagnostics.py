"""What the scores hang together with: errors of the recogniser, its confidence, and the model's probabilities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.decode.probabilities import MIN_LISTED
from asr_punct.marks import CASES, MARKS, Case, Mark
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
    """Whether marks and capitals are as often right as the model finds them probable, and words as it is confident."""
    marks = np.array([row for pair in paired.pairs for row in _decisions(pair, MARKS)]).reshape(-1, 2)
    capitals = np.array([row for pair in paired.pairs for row in _decisions(pair, CASES)]).reshape(-1, 2)
    words = np.array([row for pair in paired.pairs for row in _confidences(pair)]).reshape(-1, 2)
    parts = [_MARKS.drawn(marks) if len(marks) else tag("p", _NO_PROBABILITIES)]
    if len(capitals):
        parts.append(_CAPITALS.drawn(capitals))
    if paired.aligned and len(words) and words[:, 0].max() <= 1:
        parts.append(_WORDS.drawn(words))
    return tag("div", *parts)


_NO_PROBABILITIES = (
    "The hypothesis carries no probability of its marks, so none is drawn for them "
    "(asr-punct punctuate --to json --probabilities writes them)."
)


@dataclass(frozen=True)
class _Diagram:
    """A reliability diagram.

    Attributes:
        title: of it.
        x_name: name of what should be as high as the share that is right.
        y_name: name of that share.
        what: what is counted.
        told: what a point is.
    """

    title: str
    x_name: str
    y_name: str
    what: str
    told: str

    def drawn(self, found: NDArray[np.float64]) -> Html:
        """The diagram; `found`: probability and 1 or 0, (decisions, 2)."""
        bins = list(_bins(found))
        drawing = plot(self.title, self.x_name, self.y_name, [self._point(bin_) for bin_ in bins], diagonal=True)
        cells = ((percent(bin_.probable), percent(bin_.right), bin_.count) for bin_ in bins)
        rows = [tag("tr", *(tag("td", cell) for cell in row)) for row in cells]
        figures = table(self.title, (self.x_name, self.y_name, self.what), rows)
        return tag("div", tag("p", self.told), drawing, figures, class_="beside")

    def _point(self, bin_: _Bin) -> Point:
        label = f"{bin_.count} {self.what}: mean {percent(bin_.probable)} %, right {percent(bin_.right)} %"
        return Point(bin_.probable, bin_.right, label, radius=3 + 9 * bin_.share**0.5)


@dataclass(frozen=True)
class _Bin:
    """Decisions of like probability.

    Attributes:
        probable: their mean probability.
        right: the share that is right.
        count: how many they are.
        share: how many of all decisions.
    """

    probable: float
    right: float
    count: int
    share: float


_LISTED = (
    "Each point is a tenth of the scale of the model's probability of {what}, whether it set them or not: its mean, "
    f"and how many of them stand in the reference. What is less than {100 * MIN_LISTED:.0f} % likely is not listed."
)
_MARKS = _Diagram(
    "Share of right marks by probability",
    "probability of a mark %",
    "in the reference %",
    "marks",
    _LISTED.format(what="marks"),
)
_CAPITALS = _Diagram(
    "Share of right capitals by probability",
    "probability of a capital %",
    "in the reference %",
    "capitals",
    _LISTED.format(what="capitals"),
)
_WORDS = _Diagram(
    "Share of right words by confidence",
    "confidence of the recogniser %",
    "right words %",
    "words",
    "Each point is a tenth of the scale of the recogniser's confidence: its mean, and how many words are right.",
)


def _decisions(pair: SideBySide, labels: Collection[Mark | Case]) -> Iterable[tuple[float, bool]]:
    """Probability of each of the labels that was listed for a word, and whether the reference has it there."""
    for probabilities, expected in zip(pair.probabilities, pair.reference, strict=False):
        for name, probability in (probabilities or {}).items():
            if name in labels and probability >= MIN_LISTED:
                yield probability, name in expected.marks or name is expected.case


def _confidences(pair: SideBySide) -> Iterable[tuple[float, bool]]:
    """Confidence of each recognised word that has one, and whether it is right."""
    alignment = pair.alignment
    for j, equal in zip(alignment.hypothesis.tolist(), alignment.equal.tolist(), strict=True):
        if j >= 0 and (confidence := pair.hypothesis_words[j].confidence) is not None:
            yield confidence, equal


def _bins(found: NDArray[np.float64]) -> Iterator[_Bin]:
    """Each tenth of the scale that has any decisions; `found`: probability and 1 or 0, (decisions, 2)."""
    number = np.minimum((found[:, 0] * _BINS).astype(np.int64), _BINS - 1)
    for bin_ in np.unique(number):
        chosen = found[number == bin_]
        probable, right = chosen.mean(axis=0).tolist()
        yield _Bin(probable, right, len(chosen), len(chosen) / len(found))
