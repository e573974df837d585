"""Figures of the score page: headline, rates of marks and capitals, confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from asr_punct.scoring.confusion import Confusion
from asr_punct.scoring.scores import Rate, Scores


def headline(scores: Scores) -> Mapping[str, tuple[str, float | None]]:
    """Return name and value of the main figures by their path in a scores file."""
    return {
        "micro.f1": ("F1 of marks", scores.micro.f1),
        "mean_f1": ("mean F1 of marks", scores.mean_f1),
        "slot_error_rate": ("slot error rate (SER)", scores.slot_error_rate),
        "punctuation_error_rate": ("punctuation error rate (PER)", scores.punctuation_error_rate),
        "case.micro.f1": ("F1 of capitals", scores.case.micro.f1),
        "wer": ("word error rate (WER)", scores.wer),
        "written_wer": ("WER with capitals and marks", scores.written_wer),
    }


def mark_rates(scores: Scores) -> Mapping[str, tuple[str, Rate]]:
    """Return name and rates of the marks by their path in a scores file."""
    rates = {f"marks.{name}": (name, rate) for name, rate in scores.marks.items()}
    return rates | {"micro": ("all (micro)", scores.micro), "one_class": ("any mark (one class)", scores.one_class)}


def case_rates(scores: Scores) -> Mapping[str, tuple[str, Rate]]:
    """Return name and rates of capitals by their path in a scores file."""
    rates = {f"case.{name}": (name, rate) for name, rate in scores.case.classes.items()}
    both = {"case.micro": ("both (micro)", scores.case.micro)}
    return rates | both | {"case.surface": ("written form", scores.case.surface)}


@dataclass(frozen=True)
class Cell:
    """A cell of the confusion matrix.

    Attributes:
        count: number of marks.
        share: share of the row.
        right: the cell is on the diagonal.
    """

    count: int
    share: float
    right: bool


def confusion_rows(confusion: Confusion) -> Mapping[str, list[Cell]]:
    """Return the rows of the matrix by class, without classes that do not occur; the last is "none"."""
    counts = confusion.counts
    last = len(confusion.names)
    shown = [i for i in range(last) if counts[i].any() or counts[:, i].any()] + [last]
    names = [*confusion.names, "none"]
    return {
        names[i]: [Cell(int(counts[i, j]), counts[i, j] / (counts[i].sum() or 1), i == j) for j in shown] for i in shown
    }
