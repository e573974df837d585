"""Scores as Markdown tables, aligned for a terminal. Marks have the glyphs of the language (`,`, not `COMMA`)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain

from asr_punct.errors import plural
from asr_punct.glyphs import Glyphs
from asr_punct.marks import MARKS, Kind, Mark
from asr_punct.scoring.mark_classes import EACH_MARK, MarkClasses
from asr_punct.scoring.scores import ERROR_RATES, Interval, Rate, Scores
from asr_punct.scoring.significance import Difference

NO_VALUE = "–"
"""Cell of a table for an undefined or unknown value."""
CASE_NAMES: Mapping[str, str] = {"FIRST_CAP": "Abc", "ALL_CAPS": "ABC"}
_FEW_UNITS = 20
"""Units below which intervals of the bootstrap are too narrow: of 5, those of 95 % hold the true value 4 times in 5."""


def mark_name(mark: Mark, glyphs: Glyphs) -> str:
    """Return the glyph of a mark; the two dashes, which have one glyph, are described too."""
    if mark.kind is Kind.DASH:
        return f"{glyphs.glyph[mark]} ({'opening dash' if mark.is_left else 'dash'})"
    return glyphs.glyph[mark]


def class_names(classes: MarkClasses, glyphs: Glyphs) -> dict[str, str]:
    """Return the name of each class: the glyphs of its marks."""
    return {name: " ".join(mark_name(mark, glyphs) for mark in marks) for name, marks in classes.members.items()}


def describe_classes(classes: MarkClasses, glyphs: Glyphs) -> str:
    """Return the classes and the marks that are not scored, on one line."""
    if not classes.is_merged:
        return f"{len(MARKS)} marks, each a class of its own"
    scored = {mark for marks in classes.members.values() for mark in marks}
    others = " ".join(mark_name(mark, glyphs) for mark in MARKS if mark not in scored)
    names = " ".join(f"({name})" for name in class_names(classes, glyphs).values())
    return f"classes {names}, not scored {others}"


def metric_names(classes: MarkClasses, glyphs: Glyphs) -> dict[str, str]:
    """Return the name of each metric that has an interval, by its path in a scores file."""
    names = {f"marks.{name}.f1": f"F1 of {marks}" for name, marks in class_names(classes, glyphs).items()}
    names |= {f"case.{name}.f1": f"F1 of {written}" for name, written in CASE_NAMES.items()}
    return names | {
        "micro.f1": "F1 of marks",
        "mean_f1": "mean F1 of marks",
        "one_class.f1": "F1 of any mark",
        "case.micro.f1": "F1 of capitals",
        "case.surface.f1": "F1 of words with capitals",
        **{path: rate.name for path, rate in ERROR_RATES.items()},
    }


def percent(rate: float | None) -> str:
    """Return a fraction in per cent with one decimal; `–` for None."""
    return NO_VALUE if rate is None else f"{100 * rate:.1f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, its first column aligned left and the others right, with a final line end."""
    widths = [max(3, *(len(row[i]) for row in chain([header], rows))) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in (header, rule, *rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def scored_classes(scores: Scores) -> MarkClasses:
    """Return the classes that the scores count: each mark, or classes that merge marks."""
    return EACH_MARK if scores.merged is None else MarkClasses(scores.merged)


def mark_rates(scores: Scores, glyphs: Glyphs) -> dict[str, tuple[str, Rate]]:
    """Return name and rates of marks by their path in a scores file."""
    names = class_names(scored_classes(scores), glyphs)
    rates = {f"marks.{name}": (names[name], rate) for name, rate in scores.marks.items()}
    return rates | {"micro": ("micro", scores.micro), "one_class": ("one class", scores.one_class)}


def case_rates(scores: Scores) -> dict[str, tuple[str, Rate]]:
    """Return name and rates of capitals by their path in a scores file."""
    rates = {f"case.{name}": (CASE_NAMES[name], rate) for name, rate in scores.case.classes.items()}
    return rates | {"case.micro": ("micro", scores.case.micro), "case.surface": ("surface", scores.case.surface)}


def error_rates(scores: Scores) -> dict[str, tuple[str, float | None]]:
    """Return name and value of the single rates by their path in a scores file."""
    names = {path: rate.name for path, rate in ERROR_RATES.items() if scores.wer is not None or not rate.recognised}
    return {path: (name, getattr(scores, path)) for path, name in {"mean_f1": "mean F1", **names}.items()}


def report(scores: Scores, glyphs: Glyphs, title: str = "") -> str:
    """Return all scores of a hypothesis as text with Markdown tables; marks have the glyphs of the language."""
    parts = [
        f"# {title}\n" if title else "",
        f"{plural(scores.words, 'word')}. Marks: {describe_classes(scored_classes(scores), glyphs)}.\n",
        _rate_table("mark", mark_rates(scores, glyphs), scores.ci95),
        _rate_table("case", case_rates(scores), scores.ci95),
        _error_rate_table(scores),
        _edit_table(scores),
        intervals_line(scores),
    ]
    return "\n".join(part for part in parts if part)


def summary(sets: Mapping[str, Scores]) -> str:
    """Return a table with the main rates of each test set."""
    rows = [
        [name, str(s.words), *map(percent, (s.micro.f1, s.mean_f1, s.slot_error_rate, s.case.micro.f1))]
        for name, s in sets.items()
    ]
    return table(["test set", "words", "F1 of marks", "mean F1", "slot error rate", "F1 of case"], rows)


def _rate_table(heading: str, rates: Mapping[str, tuple[str, Rate]], ci95: Mapping[str, Interval]) -> str:
    rows = []
    for path, (name, rate) in rates.items():
        values = [percent(value) for value in (rate.precision, rate.recall, rate.f1)]
        rows.append([name, *values, interval(ci95.get(f"{path}.f1")), str(rate.support)])
    return table([heading, "P", "R", "F1", "95 %", "support"], rows)


def _error_rate_table(scores: Scores) -> str:
    rates = error_rates(scores).items()
    rows = [[name, percent(value), interval(scores.ci95.get(path))] for path, (name, value) in rates]
    return table(["rate", "%", "95 %"], rows)


def _edit_table(scores: Scores) -> str:
    edits_of = {"marks": scores.slots, "words": scores.word_edits}
    rows = [[name, *(str(count) for count in asdict(edits).values())] for name, edits in edits_of.items() if edits]
    return table(["", "correct", "substituted", "deleted", "inserted"], rows) if rows else ""


def intervals_line(scores: Scores) -> str:
    """Return a line that describes how the intervals were computed."""
    if scores.bootstrap is None:
        return "No intervals: they need samples of at least two utterances.\n"
    drawn = scores.bootstrap
    few = "; they are too narrow, because the utterances are few" if drawn.units < _FEW_UNITS else ""
    return f"Intervals: bootstrap, {drawn.samples} samples of {drawn.units} utterances, seed {drawn.seed}{few}.\n"


def comparison(
    differences: Mapping[str, Difference], first: str, second: str, names: Mapping[str, str] | None = None
) -> str:
    """Return a table that compares two systems.

    `differences` are by the metric's path in a scores file; `names`, such as `metric_names`, replace the paths.
    """
    names = names or {}
    rows = [
        [names.get(metric, metric), percent(d.first), percent(d.second), *difference_cells(d)]
        for metric, d in differences.items()
    ]
    return table(["metric", first, second, "difference", "95 %", "p"], rows)


def difference_cells(difference: Difference) -> list[str]:
    """Return a difference in points, its interval, and its p-value, as cells of a table."""
    p = NO_VALUE if difference.p is None else f"{difference.p:.3f}"
    return [f"{100 * difference.difference:+.1f}", interval(difference.ci95, "+"), p]


def interval(bounds: Interval | None, sign: str = "") -> str:
    """Return the bounds in per cent as `64.5..70.0`; `–` for None. With `sign` "+", positive numbers have a plus."""
    return NO_VALUE if bounds is None else "..".join(f"{100 * bound:{sign}.1f}" for bound in bounds)
