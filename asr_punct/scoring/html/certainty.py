"""Certainty of a model about a word's labels, or of a recogniser about the word: a shade in the transcript."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from asr_punct.marks import CASES, Case, Glyphs, Labels, Mark
from asr_punct.scoring.names import CASE_NAMES, mark_name
from asr_punct.scoring.tables import percent
from asr_punct.words import Word

_MIN_DOUBT = 0.2
"""Words with less doubt are not shaded."""


@dataclass(frozen=True)
class Certainty:
    """Certainty of a word.

    `doubt` is one minus the probability of the least certain label, or of the word. `label` is the tooltip: the
    probabilities of the labels, or the confidence.
    """

    doubt: float
    label: str

    @property
    def is_shaded(self) -> bool:
        """Whether the doubt is large enough to be shown."""
        return self.doubt >= _MIN_DOUBT


def certainties(words: Iterable[Word], glyphs: Glyphs, unit: str | None) -> Iterator[Certainty | None]:
    """Yield the certainty of each word; `unit` is that of `certainty_unit`."""
    for word in words:
        if unit == "labels" and word.probabilities is not None:
            yield _of_labels(word, glyphs)
        elif unit == "words" and word.confidence is not None:
            yield Certainty(1 - word.confidence, f"confidence {percent(word.confidence)} %")
        else:
            yield None


def certainty_unit(words: Iterable[Word]) -> str | None:
    """Return `labels` if any word has probabilities, else `words` if confidences are between 0 and 1, else None."""
    confidences = []
    for word in words:
        if word.probabilities:
            return "labels"
        if word.confidence is not None:
            confidences.append(word.confidence)
    return "words" if confidences and 0 <= min(confidences) <= max(confidences) <= 1 else None


def _of_labels(word: Word, glyphs: Glyphs) -> Certainty:
    listed, labels = word.probabilities or {}, word.labels or Labels()
    marks = {mark: p for mark, p in listed.items() if isinstance(mark, Mark)}
    cases = {case: p for case, p in listed.items() if isinstance(case, Case)}
    chosen = [p if mark in labels.marks else 1 - p for mark, p in marks.items()]
    chosen.append(1 - sum(cases.values()) if labels.case is Case.O else cases.get(labels.case, 1.0))
    names = [f"{mark_name(mark, glyphs)} {percent(p)} %" for mark, p in marks.items()]
    names += [f"{CASE_NAMES[case]} {percent(cases[case])} %" for case in CASES if case in cases]
    return Certainty(1 - min(chosen), ", ".join(names))
