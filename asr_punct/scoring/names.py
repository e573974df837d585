"""Names of marks, capitals and metrics for readers: glyphs of the language (`,`) instead of labels (`COMMA`)."""

from collections.abc import Mapping

from asr_punct.marks import MARKS, Glyphs, Mark
from asr_punct.scoring.mark_classes import MarkClasses

_DASHES = {Mark.DASH: " (dash)", Mark.OPEN_DASH: " (opening dash)"}
CASE_NAMES: Mapping[str, str] = {"FIRST_CAP": "Abc", "ALL_CAPS": "ABC"}


def mark_name(mark: Mark, glyphs: Glyphs) -> str:
    """Return the glyph of a mark; the two dashes, which have one glyph, are described too."""
    return glyphs.glyph[mark] + _DASHES.get(mark, "")


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
        "one_class.f1": "F1 of one class",
        "slot_error_rate": "slot error rate",
        "punctuation_error_rate": "punctuation error rate",
        "case.micro.f1": "F1 of capitals",
        "case.surface.f1": "F1 of surface forms",
        "wer": "word error rate",
        "written_wer": "written word error rate",
    }
