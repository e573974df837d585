"""Reliability diagrams: how often marks, capitals and words are right, by their probability."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.decode.probabilities import MIN_LISTED
from asr_punct.marks import CASES, MARKS, Case, Mark
from asr_punct.scoring.evaluate import PairedTexts
from asr_punct.scoring.tables import percent

_BINS = 10
_LISTED = (
    "Each point is a tenth of the range of the model's probability of {unit}, set or not: its mean, and the share of "
    f"them in the reference. Probabilities below {100 * MIN_LISTED:.0f} % are not listed."
)
_CONFIDENCE = (
    "Each point is a tenth of the range of the recogniser's confidence: its mean, and the share of right words."
)


@dataclass(frozen=True)
class Bin:
    """Decisions of similar probability, a point of the diagram.

    Attributes:
        x: mean probability.
        y: share of right decisions.
        count: number of decisions.
        radius: radius of the point, in pixels.
        label: tooltip of the point.
    """

    x: float
    y: float
    count: int
    radius: float
    label: str


@dataclass(frozen=True)
class Diagram:
    """A reliability diagram; `unit` is `marks`, `capitals` or `words`."""

    title: str
    x_name: str
    y_name: str
    unit: str
    description: str
    bins: Sequence[Bin]


def reliability(paired: PairedTexts) -> Iterator[Diagram]:
    """Yield the diagrams of marks, capitals and recognised words that have probabilities."""
    for unit, labels in (("marks", MARKS), ("capitals", CASES)):
        bins = _bins(_label_decisions(paired, labels), unit)
        if bins:
            title, x_name = f"Share of right {unit} by probability", f"probability of a {unit[:-1]} %"
            yield Diagram(title, x_name, "in the reference %", unit, _LISTED.format(unit=unit), bins)
    confidences = list(_word_decisions(paired))
    if confidences and max(confidences)[0] <= 1:
        title, x_name = "Share of right words by confidence", "confidence of the recogniser %"
        yield Diagram(title, x_name, "right words %", "words", _CONFIDENCE, _bins(iter(confidences), "words"))


def _label_decisions(paired: PairedTexts, labels: Collection[Mark | Case]) -> Iterator[tuple[float, bool]]:
    """Yield the probability of each of the labels listed for a word, and whether the reference has the label."""
    for pair in paired.pairs:
        for word, expected in zip(pair.hypothesis_words, pair.reference, strict=True):
            for name, probability in (word.probabilities or {}).items():
                if name in labels and probability >= MIN_LISTED:
                    yield probability, name in expected.marks or name is expected.case


def _word_decisions(paired: PairedTexts) -> Iterator[tuple[float, bool]]:
    """Yield the confidence of each recognised word, and whether it is right."""
    for pair in paired.pairs if paired.aligned else ():
        for j, equal in zip(pair.alignment.hypothesis.tolist(), pair.alignment.equal.tolist(), strict=True):
            if j >= 0 and (confidence := pair.hypothesis_words[j].confidence) is not None:
                yield confidence, equal


def _bins(decisions: Iterator[tuple[float, bool]], unit: str) -> list[Bin]:
    """Return the tenths of the range of probability that have decisions."""
    found: NDArray[np.float64] = np.array(list(decisions), np.float64).reshape(-1, 2)
    number = np.minimum((found[:, 0] * _BINS).astype(np.int64), _BINS - 1)
    return [_bin(found[number == tenth], len(found), unit) for tenth in np.unique(number)]


def _bin(decisions: NDArray[np.float64], total: int, unit: str) -> Bin:
    probability, right = decisions.mean(axis=0).tolist()
    label = f"{len(decisions)} {unit}: mean {percent(probability)} %, right {percent(right)} %"
    return Bin(probability, right, len(decisions), 3 + 9 * (len(decisions) / total) ** 0.5, label)
