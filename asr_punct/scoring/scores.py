"""Scores as values: what a scores file holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, read_text_file, write_json_file
from asr_punct.marks import Mark

Interval = tuple[float, float]
_DECIMALS = 6


@dataclass(frozen=True)
class Rate:
    """Precision, recall and F1 of one class or of several pooled; all None for a class on neither side.

    Attributes:
        precision: right among those in the hypothesis.
        recall: found among those in the reference.
        f1: harmonic mean of the two.
        support: how many the reference has.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    support: int

    def as_dict(self) -> dict[str, Any]:
        """As in a scores file."""
        rates = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {name: _rounded(rate) for name, rate in rates.items()} | {"support": self.support}


@dataclass(frozen=True)
class CaseScores:
    """Scores of capitals.

    Attributes:
        classes: FIRST_CAP and ALL_CAPS.
        micro: the two pooled.
        surface: written forms.
    """

    classes: Mapping[str, Rate]
    micro: Rate
    surface: Rate

    def as_dict(self) -> dict[str, Any]:
        """As in a scores file."""
        return {
            name: rate.as_dict()
            for name, rate in {**self.classes, "micro": self.micro, "surface": self.surface}.items()
        }


@dataclass(frozen=True)
class Edits:
    """Counts of what an alignment finds.

    Attributes:
        correct: found as they are in the reference.
        substituted: others in their place.
        deleted: missing.
        inserted: where the reference has none.
    """

    correct: int
    substituted: int
    deleted: int
    inserted: int


@dataclass(frozen=True)
class Resampling:
    """How the intervals were made.

    Attributes:
        samples: number of samples.
        seed: of the random numbers.
        units: number of utterances drawn from, and of utterances in a sample.
    """

    samples: int
    seed: int
    units: int


@dataclass(frozen=True)
class Scores:
    """All scores of one hypothesis; `asr_punct.scoring.metrics` defines each.

    Attributes:
        words: words of the reference.
        marks: each mark, or each class of marks.
        micro: all marks pooled.
        mean_f1: mean over the marks that occur.
        one_class: any mark at all.
        slot_error_rate: errors by slots of the reference.
        punctuation_error_rate: errors by slots of either side.
        case: capitals.
        ci95: metric, as a path into the scores file (`marks.COMMA.f1`) -> 95 % interval.
        resampling: how the intervals were made; None: there are none.
        merged: merged class -> its marks; None: every mark is a class.
        wer: word error rate, for a recogniser's words.
        written_wer: word error rate of the words as they are written, with capitals and marks.
        slots: marks, counted; None: of a file that does not tell them.
        word_edits: words, counted, for a recogniser's words.
    """

    words: int
    marks: Mapping[str, Rate]
    micro: Rate
    mean_f1: float | None
    one_class: Rate
    slot_error_rate: float | None
    punctuation_error_rate: float | None
    case: CaseScores
    ci95: Mapping[str, Interval]
    resampling: Resampling | None = None
    merged: Mapping[str, tuple[Mark, ...]] | None = None
    wer: float | None = None
    written_wer: float | None = None
    slots: Edits | None = None
    word_edits: Edits | None = None

    def as_dict(self) -> dict[str, Any]:
        """As in a scores file: plain dictionaries, lists and numbers, rates with six decimals."""
        scores: dict[str, Any] = {
            "words": self.words,
            "marks": {name: rate.as_dict() for name, rate in self.marks.items()},
            "micro": self.micro.as_dict(),
            "mean_f1": _rounded(self.mean_f1),
            "one_class": self.one_class.as_dict(),
            "slot_error_rate": _rounded(self.slot_error_rate),
            "punctuation_error_rate": _rounded(self.punctuation_error_rate),
            "case": self.case.as_dict(),
            "ci95": {metric: [_rounded(low), _rounded(high)] for metric, (low, high) in self.ci95.items()},
        }
        if self.resampling is not None:
            scores["bootstrap"] = asdict(self.resampling)
        if self.merged is not None:
            scores["merged"] = {name: [str(mark) for mark in marks] for name, marks in self.merged.items()}
        for name in ("wer", "written_wer"):
            if getattr(self, name) is not None:
                scores[name] = _rounded(getattr(self, name))
        for name in ("slots", "word_edits"):
            if getattr(self, name) is not None:
                scores[name] = asdict(getattr(self, name))
        return scores

    def to_json(self) -> str:
        """The scores file: JSON, ending in a line end."""
        return json.dumps(self.as_dict(), indent=2) + "\n"

    @classmethod
    def from_dict(cls, scores: Mapping[str, Any]) -> Scores:
        """Inverse of `as_dict`, but for the rounding."""
        case = {name: Rate(**rate) for name, rate in scores["case"].items()}
        merged = scores.get("merged")
        return cls(
            words=scores["words"],
            marks={name: Rate(**rate) for name, rate in scores["marks"].items()},
            micro=Rate(**scores["micro"]),
            mean_f1=scores["mean_f1"],
            one_class=Rate(**scores["one_class"]),
            slot_error_rate=scores["slot_error_rate"],
            punctuation_error_rate=scores["punctuation_error_rate"],
            case=CaseScores(micro=case.pop("micro"), surface=case.pop("surface"), classes=case),
            ci95={metric: (low, high) for metric, (low, high) in scores["ci95"].items()},
            resampling=Resampling(**scores["bootstrap"]) if "bootstrap" in scores else None,
            merged=merged and {name: tuple(map(Mark, marks)) for name, marks in merged.items()},
            wer=scores.get("wer"),
            written_wer=scores.get("written_wer"),
            **{name: Edits(**scores[name]) for name in ("slots", "word_edits") if name in scores},
        )


def write_score_sets(sets: Mapping[str, Scores], path: Pathlike) -> None:
    """Write the scores of several sets to one file: JSON, set -> scores."""
    write_json_file(path, {name: scores.as_dict() for name, scores in sets.items()})


def read_score_sets(path: Pathlike) -> dict[str, Scores]:
    """Inverse of `write_score_sets`, but for the rounding.

    Raises:
        InputError: no such file, or it holds something else.
    """
    text = read_text_file(path)
    try:
        return {name: Scores.from_dict(scores) for name, scores in json.loads(text).items()}
    except (RecursionError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"{type(error).__name__} {error}", "scores by set, written by asr-punct") from None


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, _DECIMALS)
