"""Classes of marks that are scored as one.

Reports print the mapping from marks to classes, because it is the main difference between published scores.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from asr_punct.errors import ArgumentError
from asr_punct.marks import MARKS, STRONGEST_FIRST, Labels, Mark
from asr_punct.words import Utterance, annotate


@dataclass(frozen=True)
class MarkClasses:
    """Classes of marks for scoring: the marks of each class by its name. The first mark represents the class.

    Marks that are in no class are not scored.
    """

    members: Mapping[str, tuple[Mark, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(self.members)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The mark that represents each class."""
        return tuple(marks[0] for marks in self.members.values())

    @property
    def is_merged(self) -> bool:
        """Whether the classes differ from the marks."""
        return self != EACH_MARK

    @property
    def sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Indices of the classes before a word, and of those after it."""
        left = tuple(i for i, mark in enumerate(self.marks) if mark.is_left)
        return left, tuple(i for i in range(len(self.marks)) if i not in left)

    def relabel(self, utterances: Iterable[Utterance]) -> list[Utterance]:
        """Replace every mark by the one that represents its class, or drop it.

        Probabilities are dropped, because those of single marks are not those of a class.
        """
        if not self.is_merged:
            return list(utterances)
        representative = {mark: marks[0] for marks in self.members.values() for mark in marks}

        def merged(label: Labels) -> Labels:
            return Labels(frozenset(representative[mark] for mark in label.marks if mark in representative), label.case)

        return [
            annotate(each, labels=list(map(merged, each.labels)), probabilities=None) if each.is_labelled else each
            for each in utterances
        ]


EACH_MARK = MarkClasses({mark.value: (mark,) for mark in MARKS})
"""Each mark by itself, as in the tables of González-Docasal et al. 2021."""


def _members(name: Mark) -> tuple[Mark, ...]:
    """Return the marks of a class of the IWSLT benchmark, first the one that names it."""
    return tuple(sorted((mark for mark in STRONGEST_FIRST if mark.merged == name), key=lambda mark: mark != name))


_COMMA, _PERIOD, _QUESTION = map(_members, (Mark.COMMA, Mark.PERIOD, Mark.QUESTION))
MERGED: Mapping[int, MarkClasses] = {
    4: MarkClasses({"COMMA": _COMMA, "PERIOD": _PERIOD, "QUESTION": _QUESTION}),
    3: MarkClasses({"COMMA": _COMMA, "PERIOD": _PERIOD + _QUESTION}),
    2: MarkClasses({"PUNCTUATION": _PERIOD + _QUESTION + _COMMA}),
}
"""Classes by their number, which counts "no mark" (Alam et al. 2020, sections 3.1 and 5.2).

The 4 classes are those of the IWSLT 2011/2012 benchmark."""


def mark_classes(merge: int | None) -> MarkClasses:
    """Return 4, 3 or 2 classes; None: each mark is a class. Raises ArgumentError for another number."""
    if merge is not None and merge not in MERGED:
        raise ArgumentError("merge", str(merge), "4, 3 or 2 classes")
    return EACH_MARK if merge is None else MERGED[merge]
