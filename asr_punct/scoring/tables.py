"""Scores as Markdown tables, aligned for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain

from asr_punct.errors import counted_as
from asr_punct.scoring.mark_classes import EACH_MARK, MarkClasses
from asr_punct.scoring.scores import Interval, Rate, Scores
from asr_punct.scoring.significance import Difference

NONE = "–"


def percent(rate: float | None) -> str:
    """Return a fraction in per cent with one decimal; `–` for None."""
    return NONE if rate is None else f"{100 * rate:.1f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, its first column aligned left and the others right, with a final line end."""
    widths = [max(3, *(len(row[i]) for row in chain([header], rows))) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in (header, rule, *rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def report(scores: Scores, title: str = "") -> str:
    """Return all scores of a hypothesis as text: mapping of marks, classes, case, error rates, intervals."""
    classes = EACH_MARK if scores.merged is None else MarkClasses(scores.merged)
    marks = {f"marks.{name}": (name, rate) for name, rate in scores.marks.items()}
    marks |= {"micro": ("micro", scores.micro), "one_class": ("one class", scores.one_class)}
    case = {f"case.{name}": (name, rate) for name, rate in scores.case.classes.items()}
    case |= {"case.micro": ("micro", scores.case.micro), "case.surface": ("surface", scores.case.surface)}
    parts = [
        f"# {title}\n" if title else "",
        f"{counted_as(scores.words, 'word')}. Marks: {classes.describe()}.\n",
        _rate_table("mark", marks, scores.ci95),
        _rate_table("case", case, scores.ci95),
        _value_table(scores),
        _edit_table(scores),
        intervals_line(scores),
    ]
    return "\n".join(part for part in parts if part)


def _rate_table(heading: str, rates: Mapping[str, tuple[str, Rate]], ci95: Mapping[str, Interval]) -> str:
    rows = []
    for path, (name, rate) in rates.items():
        values = [percent(value) for value in (rate.precision, rate.recall, rate.f1)]
        rows.append([name, *values, interval(ci95.get(f"{path}.f1")), str(rate.support)])
    return table([heading, "P", "R", "F1", "95 %", "support"], rows)


def _value_table(scores: Scores) -> str:
    values = {
        "mean F1": ("mean_f1", scores.mean_f1),
        "slot error rate": ("slot_error_rate", scores.slot_error_rate),
        "punctuation error rate": ("punctuation_error_rate", scores.punctuation_error_rate),
    }
    if scores.wer is not None:
        values["word error rate"] = ("wer", scores.wer)
        values["written word error rate"] = ("written_wer", scores.written_wer)
    rows = [[name, percent(value), interval(scores.ci95.get(metric))] for name, (metric, value) in values.items()]
    return table(["rate", "%", "95 %"], rows)


def _edit_table(scores: Scores) -> str:
    counted = {"marks": scores.slots, "words": scores.word_edits}
    rows = [[name, *(str(count) for count in asdict(edits).values())] for name, edits in counted.items() if edits]
    return table(["", "correct", "substituted", "deleted", "inserted"], rows) if rows else ""


def intervals_line(scores: Scores) -> str:
    """Return how the intervals were computed, with a final line end."""
    if scores.bootstrap is None:
        return "No intervals: they need samples of at least two utterances.\n"
    drawn = scores.bootstrap
    return f"Intervals: bootstrap, {drawn.samples} samples of {drawn.units} utterances, seed {drawn.seed}.\n"


def comparison(differences: Mapping[str, Difference], first: str, second: str) -> str:
    """Return a table of two systems: their scores, the difference with its interval, and p."""
    rows = [
        [
            metric,
            percent(d.first),
            percent(d.second),
            f"{100 * d.difference:+.1f}",
            interval(d.ci95, "+"),
            NONE if d.p is None else f"{d.p:.3f}",
        ]
        for metric, d in differences.items()
    ]
    return table(["metric", first, second, "difference", "95 %", "p"], rows)


def interval(bounds: Interval | None, sign: str = "") -> str:
    """Return the bounds in per cent, with `sign` as in a format specification; `–` for None."""
    return NONE if bounds is None else "..".join(f"{100 * bound:{sign}.1f}" for bound in bounds)
