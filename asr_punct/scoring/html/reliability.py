"""Reliability diagrams: how often marks, capitals and words are right, by their probability."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.decode.probabilities import MIN_LISTED
from asr_punct.marks import CASES, MARKS, Case, Mark
from asr_punct.scoring.evaluate import PairedTexts
from asr_punct.scoring.tables import interval, percent

_BINS = 10
_MIN_COUNT = 20
"""Minimum number of decisions of a point: neighbouring tenths with fewer are joined."""
_Z95 = 1.96
_LISTED = (
    "Each point is {unit} of similar probability, set or not: their mean probability, and the share of them in the "
    f"reference, with its 95 % interval. Probabilities below {100 * MIN_LISTED:.0f} % are not listed."
)
_CONFIDENCE = (
    "Each point is words of similar confidence: their mean, and the share of right ones with its 95 % interval."
)
_TOO_FEW = "Too few {unit} with a probability for a diagram: {count}."


@dataclass(frozen=True)
class Bin:
    """Decisions of similar probability, a point of the diagram.

    `x` is their mean probability, `y` the share of right ones, `low` and `high` its 95 % interval (Wilson 1927),
    `radius` that of the point in pixels, and `label` its tooltip.
    """

    x: float
    y: float
    low: float
    high: float
    count: int
    radius: float
    label: str


@dataclass(frozen=True)
class Diagram:
    """A reliability diagram; `unit` is `marks`, `capitals` or `words`. Without bins there are too few decisions."""

    title: str
    x_name: str
    y_name: str
    unit: str
    description: str
    bins: Sequence[Bin]


def reliability(paired: PairedTexts) -> Iterator[Diagram]:
    """Yield the diagrams of marks, capitals and recognised words that have probabilities."""
    for unit, labels in (("marks", MARKS), ("capitals", CASES)):
        decisions = list(_label_decisions(paired, labels))
        if decisions:
            title, x_name = f"Share of right {unit} by probability", f"probability of a {unit[:-1]} %"
            yield _diagram(title, x_name, "in the reference %", unit, _LISTED.format(unit=unit), decisions)
    confidences = list(_word_decisions(paired))
    if confidences and max(confidences)[0] <= 1:
        title, x_name = "Share of right words by confidence", "confidence of the recogniser %"
        yield _diagram(title, x_name, "right words %", "words", _CONFIDENCE, confidences)


def _diagram(
    title: str, x_name: str, y_name: str, unit: str, description: str, decisions: Sequence[tuple[float, bool]]
) -> Diagram:
    if len(decisions) < 2 * _MIN_COUNT:
        return Diagram(title, x_name, y_name, unit, _TOO_FEW.format(count=len(decisions), unit=unit), ())
    return Diagram(title, x_name, y_name, unit, description, _bins(decisions, unit))


def _label_decisions(paired: PairedTexts, labels: Collection[Mark | Case]) -> Iterator[tuple[float, bool]]:
    """Yield the probability of each of the labels listed for a word, and whether the reference has the label."""
    for pair in paired.pairs:
        for word, expected in zip(pair.hypothesis_words, pair.reference, strict=True):
            for name, probability in (word.probabilities or {}).items():
                if name in labels and probability >= MIN_LISTED:
                    yield probability, name in expected.marks or name is expected.case


def _word_decisions(paired: PairedTexts) -> Iterator[tuple[float, bool]]:
    for pair in paired.pairs if paired.aligned else ():
        for j, equal in zip(pair.alignment.hypothesis.tolist(), pair.alignment.equal.tolist(), strict=True):
            if j >= 0 and (confidence := pair.hypothesis_words[j].confidence) is not None:
                yield confidence, equal


def _bins(decisions: Sequence[tuple[float, bool]], unit: str) -> list[Bin]:
    """Return the tenths of the range of probability, joined with the next ones until they have enough decisions."""
    found: NDArray[np.float64] = np.array(decisions, np.float64).reshape(-1, 2)
    number = np.minimum((found[:, 0] * _BINS).astype(np.int64), _BINS - 1)
    groups: list[NDArray[np.float64]] = []
    for tenth in np.unique(number):
        chosen = found[number == tenth]
        if groups and len(groups[-1]) < _MIN_COUNT:
            groups[-1] = np.concatenate([groups[-1], chosen])
        else:
            groups.append(chosen)
    if len(groups) > 1 and len(groups[-1]) < _MIN_COUNT:
        groups[-2:] = [np.concatenate(groups[-2:])]
    return [_bin(group, len(found), unit) for group in groups]


def _bin(decisions: NDArray[np.float64], total: int, unit: str) -> Bin:
    count = len(decisions)
    probability, right = decisions.mean(axis=0).tolist()
    low, high = _wilson(right, count)
    label = f"{count} {unit}: mean {percent(probability)} %, right {percent(right)} % ({interval((low, high))})"
    return Bin(probability, right, low, high, count, 3 + 9 * (count / total) ** 0.5, label)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `count` decisions (Wilson 1927)."""
    centre = (share + _Z95**2 / (2 * count)) / (1 + _Z95**2 / count)
    half = _Z95 / (1 + _Z95**2 / count) * (share * (1 - share) / count + _Z95**2 / (4 * count**2)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)
