"""Figures of the score page: confusion of marks, reliability diagrams, F1 of marks by word error rate."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from asr_punct.decode.inputs import MIN_LISTED
from asr_punct.marks import CASES, MARKS, Case, Mark
from asr_punct.scoring.counts import Counts
from asr_punct.scoring.markdown import interval, percent
from asr_punct.scoring.paired_texts import PairedTexts
from asr_punct.scoring.scores import headline_rates

_BINS = 10
_MIN_COUNT = 20
"""Minimum number of decisions of a point: neighbouring tenths with fewer are joined."""
_Z95 = 1.96
"""Half the width of a 95 % interval of the normal distribution, in standard deviations."""
_PROBABILITY_DESCRIPTION = (
    "Each point is {unit} of similar probability, set or not: their mean probability, and the share of them in the "
    f"reference, with its 95 % interval. Probabilities below {100 * MIN_LISTED:.0f} % are not listed."
)
_CONFIDENCE_DESCRIPTION = (
    "Each point is words of similar confidence: their mean, and the share of right ones with its 95 % interval."
)
_MIN_POINTS, _MAX_POINTS = 5, 2000
"""Numbers of utterances that are drawn as points: of fewer none, of more some."""
_WER_AXES = (0.2, 0.4, 1.0)
"""Possible ends of the axis of word error rates."""
_WER_BANDS = {
    "0": (-1.0, 0.0),
    "0 to 10": (0.0, 0.1),
    "10 to 25": (0.1, 0.25),
    "25 to 50": (0.25, 0.5),
    "over 50": (0.5, np.inf),
}
"""Bands of word error rate, in per cent: above the first fraction, up to the second."""


@dataclass(frozen=True)
class Point:
    """A point of a chart with its tooltip, its radius in pixels, and the ends of its interval if it has one."""

    x: float
    y: float
    radius: float
    label: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Chart:
    """A chart, and a table of the same numbers. Without points or rows only the other or the description is shown.

    `x_max` is the end of the x axis; that of the y axis is 1. The first cell of each row is its name if
    `has_row_names`.
    """

    title: str
    x_name: str
    y_name: str
    description: str
    points: Sequence[Point] = ()
    x_max: float = 1.0
    caption: str = ""
    header: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    has_row_names: bool = False


def reliability(paired: PairedTexts) -> dict[str, Chart]:
    """Return how often marks, capitals and recognised words are right, by their probability, if they have one."""
    charts = {}
    for unit, labels in (("marks", MARKS), ("capitals", CASES)):
        if decisions := list(_label_decisions(paired, labels)):
            names = f"Share of right {unit} by probability", f"probability of a {unit[:-1]} %", "in the reference %"
            charts[unit] = _reliability_chart(unit, *names, _PROBABILITY_DESCRIPTION.format(unit=unit), decisions)
    confidences = [
        (pair.hypothesis.confidence, pair.is_equal)
        for pair in paired.pairs
        if paired.is_aligned and pair.hypothesis and pair.hypothesis.confidence is not None
    ]
    if confidences and min(confidences)[0] >= 0 and max(confidences)[0] <= 1:
        names = "Share of right words by confidence", "confidence of the recogniser %", "right words %"
        charts["words"] = _reliability_chart("words", *names, _CONFIDENCE_DESCRIPTION, confidences)
    return charts


def _label_decisions(paired: PairedTexts, labels: Collection[Mark | Case]) -> Iterator[tuple[float, bool]]:
    """Yield the probability of each of the labels listed for a word, and whether the reference has the label."""
    for pair in paired.pairs:
        for name, probability in ((pair.hypothesis and pair.hypothesis.probabilities) or {}).items():
            if name in labels and probability >= MIN_LISTED:
                yield probability, name in pair.expected.marks or name is pair.expected.case


def _reliability_chart(
    unit: str, title: str, x_name: str, y_name: str, description: str, decisions: Sequence[tuple[float, bool]]
) -> Chart:
    """Return a point for each tenth of the range of probability; those with few decisions are joined with the next."""
    if len(decisions) < 2 * _MIN_COUNT:
        return Chart(title, x_name, y_name, f"Too few {unit} with a probability for a diagram: {len(decisions)}.")
    found = np.array(decisions, np.float64)
    tenths = np.minimum((found[:, 0] * _BINS).astype(np.int64), _BINS - 1)
    groups = list[NDArray[np.float64]]()
    for tenth in np.unique(tenths):
        chosen = found[tenths == tenth]
        if groups and len(groups[-1]) < _MIN_COUNT:
            groups[-1] = np.concatenate([groups[-1], chosen])
        else:
            groups.append(chosen)
    if len(groups) > 1 and len(groups[-1]) < _MIN_COUNT:
        groups[-2:] = [np.concatenate(groups[-2:])]
    points, rows = [], []
    for group in groups:
        x, y = group.mean(axis=0).tolist()
        bounds = _wilson(y, len(group))
        label = f"{len(group)} {unit}: mean {percent(x)} %, right {percent(y)} % ({interval(bounds)})"
        points.append(Point(x, y, 3 + 9 * (len(group) / len(found)) ** 0.5, label, bounds))
        rows.append([percent(x), percent(y), interval(bounds), len(group)])
    header = [x_name, y_name, "95 %", unit]
    return Chart(title, x_name, y_name, description, points, caption=title, header=header, rows=rows)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `count` decisions (Wilson 1927)."""
    centre = (share + _Z95**2 / (2 * count)) / (1 + _Z95**2 / count)
    half = _Z95 / (1 + _Z95**2 / count) * (share * (1 - share) / count + _Z95**2 / (4 * count**2)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


def score_vs_wer(paired: PairedTexts, counts: Counts) -> Chart:
    """Return the F1 of marks by word error rate: a point for each utterance, a row for each band.

    There are no points for few utterances.
    """
    rates = headline_rates(counts)
    wer, f1 = rates["wer"], rates["micro.f1"]
    known = np.flatnonzero(~np.isnan(wer) & ~np.isnan(f1))
    step = max(1, -(-len(known) // _MAX_POINTS))
    points = []
    for i in known[::step].tolist():
        name = paired.references[i].id or i + 1
        label = f"{name}: word error rate {percent(wer[i])} %, F1 {percent(f1[i])} %"
        points.append(Point(wer[i], f1[i], min(9.0, 2 + 0.5 * counts.words[i] ** 0.5), label))
    drawn = "Each point is an utterance" if step == 1 else f"{len(points)} of {len(known)} utterances are drawn"
    description = f"{drawn}, larger if it has more words; a word error rate over 100 % is drawn at 100 %."
    if len(points) < _MIN_POINTS:
        points, description = [], ""
    rows = []
    for name, (low, high) in _WER_BANDS.items():
        chosen = (wer > low) & (wer <= high)
        pooled = float(headline_rates(counts.weighted(chosen.astype(np.float64)))["micro.f1"])
        pooled_cell = percent(None if np.isnan(pooled) else pooled)
        rows.append([name, chosen.sum(), int(counts.words[chosen].sum()), pooled_cell])
    x_name, y_name = "word error rate %", "F1 of marks %"
    return Chart(
        title="F1 of marks by word error rate",
        x_name=x_name,
        y_name=y_name,
        description=description,
        points=points,
        x_max=next((end for end in _WER_AXES if all(point.x <= end for point in points)), _WER_AXES[-1]),
        caption="Pooled by word error rate",
        header=[x_name, "utterances", "words", y_name],
        rows=[row for row in rows if row[1]],
        has_row_names=True,
    )


def confusion_rows(paired: PairedTexts) -> Mapping[str, list[int]]:
    """Return the rows of `confusion_matrix` by class, without classes that do not occur; the last is "none"."""
    counts = confusion_matrix(paired)
    names = [*paired.classes.names, "none"]
    shown = [i for i, name in enumerate(names) if name == "none" or counts[i].any() or counts[:, i].any()]
    return {names[i]: counts[i, shown].tolist() for i in shown}


def confusion_matrix(paired: PairedTexts) -> NDArray[np.int64]:
    """Count marks of the reference (rows) by marks of the hypothesis (columns), (classes + 1, classes + 1).

    The left and the right side of a word are two positions. A missing mark is paired with an extra mark at the same
    position, in the order of the classes; other missing and extra marks are paired with "none", the last row and
    column. "None" by "none" counts the positions without marks. Other sums over the matrix are the slots of `metrics`.
    """
    classes = paired.classes
    none = len(classes.names)
    counts = np.zeros((none + 1, none + 1), np.int64)
    for pair in paired.pairs:
        for mark in pair.lost:
            counts[classes.marks.index(mark), none] += 1
        for side in classes.sides if pair.hypothesis else ():
            wanted, written = (
                {i for i in side if classes.marks[i] in labels.marks} for labels in (pair.expected, pair.labels)
            )
            for right in wanted & written:
                counts[right, right] += 1
            for row, column in zip_longest(sorted(wanted - written), sorted(written - wanted), fillvalue=none):
                counts[row, column] += 1
            counts[none, none] += not (wanted or written)
    return counts
