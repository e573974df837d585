"""The figures of a page: headline, tables of marks, capitals and errors, confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from asr_punct.scoring.confusion import Confusion
from asr_punct.scoring.html.markup import Html, table, tag
from asr_punct.scoring.scores import Rate, Scores
from asr_punct.scoring.tables import NONE, interval, percent


def headline(scores: Scores) -> Html:
    """The main figures, each with its interval."""
    values = {
        "micro.f1": ("F1 of marks", scores.micro.f1),
        "mean_f1": ("mean F1 of marks", scores.mean_f1),
        "slot_error_rate": ("slot error rate (SER)", scores.slot_error_rate),
        "punctuation_error_rate": ("punctuation error rate (PER)", scores.punctuation_error_rate),
        "case.micro.f1": ("F1 of capitals", scores.case.micro.f1),
        "wer": ("word error rate (WER)", scores.wer),
        "written_wer": ("WER with capitals and marks", scores.written_wer),
    }
    known = [(metric, name, value) for metric, (name, value) in values.items() if value is not None]
    return Html(tag("dl", *(_card(scores, *figure) for figure in known), class_="cards") + tag("p", _READING))


_READING = (
    "F1 is the better the higher it is, an error rate the lower. SER divides the errors of marks by the marks of the "
    "reference, PER by these and the inserted ones."
)


def _card(scores: Scores, metric: str, name: str, value: float) -> Html:
    bounds = scores.ci95.get(metric)
    figure = tag("dd", tag("b", percent(value), data_metric=metric), " %")
    return tag("div", tag("dt", name), figure, tag("dd", f"95 %: {interval(bounds)}" if bounds else "no interval"))


def mark_table(scores: Scores) -> Html:
    """Precision, recall and F1 of each mark, of all and of any mark at all."""
    rates = {f"marks.{name}": (name, rate) for name, rate in scores.marks.items()}
    rates |= {"micro": ("all (micro)", scores.micro), "one_class": ("any mark (one class)", scores.one_class)}
    return _rate_table("What is right of each mark", scores, rates)


def case_table(scores: Scores) -> Html:
    """The same of capitals."""
    rates = {f"case.{name}": (name, rate) for name, rate in scores.case.classes.items()}
    rates |= {"case.micro": ("both (micro)", scores.case.micro), "case.surface": ("written form", scores.case.surface)}
    return _rate_table("What is right of the words with capitals", scores, rates)


def _rate_table(caption: str, scores: Scores, rates: Mapping[str, tuple[str, Rate]]) -> Html:
    rows = [_rate_row(scores, path, name, rate) for path, (name, rate) in rates.items() if rate.f1 is not None]
    absent = [name for name, rate in rates.values() if rate.f1 is None]
    note = tag("p", f"On neither side: {', '.join(absent)}.") if absent else Html()
    return Html(table(caption, ("", "precision %", "recall %", "F1 %", "95 % of F1", "in the reference"), rows) + note)


def _rate_row(scores: Scores, path: str, name: str, rate: Rate) -> Html:
    values = {part: getattr(rate, part) for part in ("precision", "recall", "f1")}
    cells = [tag("td", percent(value), data_metric=f"{path}.{part}") for part, value in values.items()]
    cells += [tag("td", interval(scores.ci95.get(f"{path}.f1"))), tag("td", rate.support)]
    return tag("tr", tag("th", name, scope="row"), *cells)


def edit_table(scores: Scores) -> Html:
    """Words and marks that are right, wrong, missing and extra."""
    counted = {"word_edits": ("words", scores.word_edits), "slots": ("marks", scores.slots)}
    rows = [
        tag(
            "tr", tag("th", name, scope="row"), *(tag("td", n, data_metric=f"{path}.{k}") for k, n in asdict(e).items())
        )
        for path, (name, e) in counted.items()
        if e is not None
    ]
    return table("Words and marks, counted", ("", "correct", "substituted", "deleted", "inserted"), rows)


def confusion_table(confusion: Confusion) -> Html:
    """Marks of the reference (rows) by those of the hypothesis (columns), shaded by their share of the row."""
    counts = confusion.counts
    last = len(confusion.names)
    shown = [i for i in range(last) if counts[i].any() or counts[:, i].any()] + [last]
    names = [*confusion.names, "none"]
    rows = []
    for i in shown:
        total = counts[i].sum() or 1
        cells = [_confusion_cell(int(counts[i, j]), counts[i, j] / total, i == j) for j in shown]
        rows.append(tag("tr", tag("th", names[i], scope="row"), *cells))
    drawn = table("Reference ↓ by hypothesis →", ("", *(names[i] for i in shown)), rows)
    return Html(drawn + tag("p", _NONE_BY_NONE))


_NONE_BY_NONE = (
    "Right ones are underlined, and each is shaded by its share of the row. None by none counts sides of words, left "
    "and right, that have no mark in either."
)


def _confusion_cell(count: int, share: float, right: bool) -> Html:
    if not count:
        return tag("td", NONE)
    return tag("td", count, class_="right" if right else "wrong", style=f"--share:{share:.3f}")
