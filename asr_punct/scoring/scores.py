"""Scores, and the JSON file of scores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, read_text_file, write_json_file
from asr_punct.marks import Mark

Interval = tuple[float, float]
_DECIMALS = 6
_OPTIONAL = ("bootstrap", "merged", "wer", "written_wer", "slots", "word_edits")


@dataclass(frozen=True)
class Rate:
    """Precision, recall and F1 of a class or of several pooled, all None for a class in neither text.

    `support` is the number in the reference.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    support: int


@dataclass(frozen=True)
class CaseScores:
    """Scores of capitals: FIRST_CAP and ALL_CAPS, the two pooled, and words written with a capital."""

    classes: Mapping[str, Rate]
    micro: Rate
    surface: Rate


@dataclass(frozen=True)
class Edits:
    """Counts of an alignment."""

    correct: int
    substituted: int
    deleted: int
    inserted: int


@dataclass(frozen=True)
class Resampling:
    """Bootstrap of the intervals: number of samples, random seed, number of utterances."""

    samples: int
    seed: int
    units: int


@dataclass(frozen=True)
class Scores:
    """All scores of one hypothesis; `asr_punct.scoring.metrics` defines each.

    Attributes:
        words: number of words of the reference.
        marks: rates of each mark, or of each class of marks.
        micro: rates of all marks pooled.
        mean_f1: mean F1 of the marks that occur.
        one_class: rates of positions with any mark.
        slot_error_rate: errors divided by slots of the reference.
        punctuation_error_rate: errors divided by slots of either text.
        case: scores of capitals.
        ci95: 95 % intervals by the metric's path in the scores file (`marks.COMMA.f1`).
        bootstrap: how the intervals were computed; None without intervals.
        merged: marks of each class; None if every mark is a class.
        wer: word error rate of a recogniser's words.
        written_wer: word error rate of the written words, with capitals and marks.
        slots: counts of marks; None if the scores file does not have them.
        word_edits: counts of a recogniser's words.
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
    bootstrap: Resampling | None = None
    merged: Mapping[str, tuple[Mark, ...]] | None = None
    wer: float | None = None
    written_wer: float | None = None
    slots: Edits | None = None
    word_edits: Edits | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the content of a scores file: dictionaries, lists and numbers, rates with six decimals."""
        scores: dict[str, Any] = rounded(asdict(self))
        scores["case"] = scores["case"].pop("classes") | scores["case"]  # FIRST_CAP, ALL_CAPS, micro, surface
        return {name: value for name, value in scores.items() if value is not None or name not in _OPTIONAL}

    @classmethod
    def from_dict(cls, scores: Mapping[str, Any]) -> Scores:
        """Inverse of `as_dict`, except for the rounding."""
        case = {name: Rate(**rate) for name, rate in scores["case"].items()}
        merged = scores.get("merged")
        parts: dict[str, Any] = {field.name: scores[field.name] for field in fields(cls) if field.name in scores}
        parts |= {name: Rate(**scores[name]) for name in ("micro", "one_class")}
        parts |= {name: Edits(**scores[name]) for name in ("slots", "word_edits") if name in scores}
        parts |= {
            "marks": {name: Rate(**rate) for name, rate in scores["marks"].items()},
            "case": CaseScores(micro=case.pop("micro"), surface=case.pop("surface"), classes=case),
            "ci95": {metric: (low, high) for metric, (low, high) in scores["ci95"].items()},
            "bootstrap": Resampling(**scores["bootstrap"]) if "bootstrap" in scores else None,
            "merged": merged and {name: tuple(map(Mark, marks)) for name, marks in merged.items()},
        }
        return cls(**parts)


def write_score_sets(sets: Mapping[str, Scores], path: Pathlike) -> None:
    """Write the scores of several sets to one JSON file: set -> scores."""
    write_json_file(path, {name: scores.as_dict() for name, scores in sets.items()})


def read_score_sets(path: Pathlike) -> dict[str, Scores]:
    """Inverse of `write_score_sets`, except for the rounding. Raises InputError if there is no such file of scores."""
    text = read_text_file(path)
    try:
        return {name: Scores.from_dict(scores) for name, scores in json.loads(text).items()}
    except (RecursionError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"{type(error).__name__} {error}", "scores by set, written by asr-punct") from None


def rounded(value: Any) -> Any:
    """Round all floats of nested dictionaries and sequences; tuples become lists."""
    if isinstance(value, float):
        return round(value, _DECIMALS)
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value
