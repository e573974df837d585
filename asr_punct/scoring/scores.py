"""Metrics of marks, case and words, on counts of one or more units, and the JSON file of scores.

Definitions
    *Slot*: one (word, mark) pair. A word without marks has no slot, so "no mark" is never a class.
    *Position*: the left or the right side of a word. If m marks of the reference are missing at a position and e others
    are there, min(m, e) are substitutions S; the others are deletions D (missing) or insertions I (extra). C counts the
    correct slots.
    *Precision* tp / (tp + fp), *recall* tp / (tp + fn), *F1* 2 tp / (2 tp + fp + fn), *support* tp + fn. *Micro* pools
    the counts of all marks (González-Docasal et al. 2021, Table 4, and Table 6 for FIRST_CAP and ALL_CAPS).
    *One class*: a position is correct if both texts have any mark there (Poláček et al. 2023, Table 3).
    *Surface*: words written with a capital, correct only if the written forms are equal (`EiTB`). If a word of the
    reference is in lower case, its label gives the written form.

Conventions
    Precision, recall and F1 of a class in neither text are None (NaN in arrays). For a class in one of the texts, F1 is
    defined, and precision or recall is 0 if its denominator is 0. Other rates with denominator 0 are None. All rates
    are fractions.

Recognised words
    The labels of the reference are projected on the hypothesis' words (`scoring.projection`) and scored there. A mark
    that no word of the hypothesis can have is a deletion, so support is that of the complete reference. The case of
    words that were not recognised is not scored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, read_text_file, write_json_file
from asr_punct.marks import Mark
from asr_punct.scoring.counts import CASE_CLASSES, Array, Counts

Interval = tuple[float, float]
_DECIMALS = 6


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
    """All scores of one hypothesis, as defined above.

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
        optional = [field.name for field in fields(self) if field.default is not MISSING]
        return {name: value for name, value in scores.items() if value is not None or name not in optional}

    @classmethod
    def from_dict(cls, scores: Mapping[str, Any]) -> Scores:
        """Inverse of `as_dict`, except for the rounding."""
        parts: dict[str, Any] = {field.name: scores[field.name] for field in fields(cls) if field.name in scores}
        kinds = {"micro": Rate, "one_class": Rate, "bootstrap": Resampling, "slots": Edits, "word_edits": Edits}
        parts |= {name: kind(**parts[name]) for name, kind in kinds.items() if name in parts}
        case = {name: Rate(**rate) for name, rate in scores["case"].items()}
        merged = scores.get("merged")
        parts |= {
            "marks": {name: Rate(**rate) for name, rate in scores["marks"].items()},
            "case": CaseScores(micro=case.pop("micro"), surface=case.pop("surface"), classes=case),
            "ci95": {metric: (low, high) for metric, (low, high) in scores["ci95"].items()},
            "merged": merged and {name: tuple(map(Mark, marks)) for name, marks in merged.items()},
        }
        return cls(**parts)


def f1(counts: Array) -> Array:
    """F1 = 2 tp / (2 tp + fp + fn), NaN for a class in neither text; (…, 3) -> (…,)."""
    tp, fp, fn = np.moveaxis(counts, -1, 0)
    return _ratio(2 * tp, 2 * tp + fp + fn)


def mean_f1(counts: Counts) -> Array:
    """Mean of the F1 of the classes that are in either text, NaN if there are none; (…,).

    González-Docasal et al. 2021, Table 5, give the F1 of each mark; Shi et al. 2021 the mean of three.
    """
    marks = f1(counts.marks)
    return _ratio(np.nansum(marks, axis=-1), np.count_nonzero(~np.isnan(marks), axis=-1))


def slot_error_rate(counts: Counts) -> Array:
    """(S + D + I) / (C + S + D), above 1 for many insertions, NaN without reference slots; (…,).

    Makhoul et al. 1999, Performance measures for information extraction.
    """
    correct, substituted, deleted, inserted = np.moveaxis(counts.edits, -1, 0)
    return _ratio(substituted + deleted + inserted, correct + substituted + deleted)


def punctuation_error_rate(counts: Counts) -> Array:
    """(S + D + I) / (C + S + D + I), at most 1, NaN without slots; (…,).

    Meister et al. 2023, LibriSpeech-PC; used by NeMo.
    """
    return _ratio(counts.edits[..., 1:].sum(axis=-1), counts.edits.sum(axis=-1))


def word_error_rate(counts: Counts) -> Array:
    """(S + D + I) / words of the reference, in lower case and without marks, aligned as by sclite; (…,)."""
    return _ratio(counts.word_errors.sum(axis=-1), counts.words)


def written_word_error_rate(counts: Counts) -> Array:
    """Word error rate of the words with capitals and (scored) marks, which are aligned separately; (…,)."""
    return _ratio(counts.written_errors, counts.words)


class ErrorRate(NamedTuple):
    """An error rate: its name, how it is computed, and whether only a recogniser's words have it."""

    name: str
    of: Callable[[Counts], Array]
    recognised: bool = False


ERROR_RATES: Mapping[str, ErrorRate] = {
    "slot_error_rate": ErrorRate("slot error rate", slot_error_rate),
    "punctuation_error_rate": ErrorRate("punctuation error rate", punctuation_error_rate),
    "wer": ErrorRate("word error rate", word_error_rate, recognised=True),
    "written_wer": ErrorRate("written word error rate", written_word_error_rate, recognised=True),
}
"""The error rates by attribute of `Scores`, which is also their path in a scores file."""


def headline_rates(counts: Counts) -> dict[str, Array]:
    """Return the rates that get an interval, by their path in a scores file; each (…,), NaN if undefined."""
    marks, case = f1(counts.marks), f1(counts.case)
    rates = {f"marks.{name}.f1": marks[..., i] for i, name in enumerate(counts.classes.names)}
    rates |= {
        "micro.f1": f1(counts.marks.sum(axis=-2)),
        "mean_f1": mean_f1(counts),
        "one_class.f1": f1(counts.one_class),
    }
    rates |= {path: rate.of(counts) for path, rate in ERROR_RATES.items() if not rate.recognised}
    rates |= {f"case.{name}.f1": case[..., i] for i, name in enumerate(CASE_CLASSES)}
    rates |= {"case.micro.f1": f1(counts.case.sum(axis=-2)), "case.surface.f1": f1(counts.surface)}
    if counts.has_word_errors:
        rates |= {path: rate.of(counts) for path, rate in ERROR_RATES.items() if rate.recognised}
    return rates


def make_scores(
    counts: Counts, ci95: Mapping[str, Interval] | None = None, resampling: Resampling | None = None
) -> Scores:
    """Return the scores of the sum over all units."""
    total = counts.total()
    rates = {metric: None if np.isnan(rate) else float(rate) for metric, rate in headline_rates(total).items()}
    words, errors = int(total.words), total.word_errors.astype(int).tolist()
    return Scores(
        words=words,
        marks={name: _rate(tp_fp_fn) for name, tp_fp_fn in zip(counts.classes.names, total.marks, strict=True)},
        micro=_rate(total.marks.sum(axis=0)),
        mean_f1=rates["mean_f1"],
        one_class=_rate(total.one_class),
        case=CaseScores(
            {name.value: _rate(tp_fp_fn) for name, tp_fp_fn in zip(CASE_CLASSES, total.case, strict=True)},
            _rate(total.case.sum(axis=0)),
            _rate(total.surface),
        ),
        ci95=ci95 or {},
        bootstrap=resampling,
        merged=counts.classes.members if counts.classes.is_merged else None,
        slots=Edits(*total.edits.astype(int).tolist()),
        word_edits=Edits(words - errors[0] - errors[1], *errors) if counts.has_word_errors else None,
        **{path: rates.get(path) for path in ERROR_RATES},
    )


def _rate(counts: Array) -> Rate:
    """Return the rates of tp, fp and fn, (3,)."""
    tp, fp, fn = counts.tolist()
    if not (tp or fp or fn):
        return Rate(None, None, None, 0)
    precision, recall = (tp / (tp + errors) if tp else 0.0 for errors in (fp, fn))
    return Rate(precision, recall, 2 * tp / (2 * tp + fp + fn), int(tp + fn))


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Return quotients, NaN where the denominator is 0."""
    quotients = np.full(np.shape(denominator), np.nan)
    np.divide(numerator, denominator, out=quotients, where=np.asarray(denominator) > 0)
    return quotients


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
