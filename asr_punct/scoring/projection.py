"""Projection of the labels of a reference transcript onto the words of a recogniser."""

from collections.abc import Sequence
from dataclasses import dataclass

from asr_punct.errors import InputError
from asr_punct.marks import END_OR_BREAK_OFF, LEFT, OPENER, RIGHT, Case, Kind, Labels, Mark
from asr_punct.scoring.edit import Alignment, align_words
from asr_punct.text import comparison_form
from asr_punct.words import Utterance, annotate

_STRENGTHS = {Kind.COMMA: 1, Kind.DASH: 2, Kind.STOP: 2, Kind.ELLIPSIS: 3, Kind.END: 3}
_STRENGTH = {mark: _STRENGTHS[mark.kind] for mark in RIGHT if mark.kind in _STRENGTHS}

_PlacedMarks = dict[Mark, int]
"""Marks of one hypothesis word, each with the index of its reference word."""


@dataclass(frozen=True)
class Projection:
    """The hypothesis with labels, and the alignment of the reference's words with its own.

    `moved` is the number of marks that moved from a deleted word to a neighbour. `lost` has those that no word
    received, as (index of the reference word, mark).
    """

    utterance: Utterance
    alignment: Alignment
    moved: int
    lost: tuple[tuple[int, Mark], ...]


def project(reference: Utterance, hypothesis: Utterance) -> Projection:
    """Project marks and case of a reference onto the words of a hypothesis.

    * A hypothesis word that is aligned with a reference word, equal or not, gets its marks and case (Alam et al. 2020,
      section 4.1.2). An inserted word gets none.
    * Closing marks of a deleted word move to the hypothesis word before it, opening marks to the one after it, as when
      people punctuate a recogniser's output (ibid. 3.2; Poláček et al. 2023, section 5). A pair of marks that opens and
      closes within deleted words (`¿no?`, `«ven»`) is lost.
    * A moved stop replaces the stops of its new word only if it is stronger. Sentence ends (. ? ! …) are stronger than
      SEMICOLON, COLON and DASH, and these are stronger than COMMA.
    * The capital of a deleted word at the beginning of a sentence moves to the next word of the sentence.

    Raises InputError if the reference has no labels.
    """
    if reference.words and not reference.is_labelled:
        raise InputError(f"reference {reference.id!r}".strip(), "no labels", "marks and case on every word")
    alignment = align_words(
        [comparison_form(w.text) for w in reference.words], [comparison_form(w.text) for w in hypothesis.words]
    )
    placed, cases = _project_labels(reference.labels, alignment, len(hypothesis.words))
    labels = tuple(Labels(frozenset(marks), case) for marks, case in zip(placed, cases, strict=True))
    kept = {(i, mark) for marks in placed for mark, i in marks.items()}
    deleted = set(alignment.reference[alignment.hypothesis < 0].tolist())
    slots = [(i, mark) for i, label in enumerate(reference.labels) for mark in (*LEFT, *RIGHT) if mark in label.marks]
    return Projection(
        annotate(hypothesis, labels=labels),
        alignment,
        moved=sum(i in deleted for i, _ in kept),
        lost=tuple(slot for slot in slots if slot not in kept),
    )


def _project_labels(
    labels: Sequence[Labels], alignment: Alignment, words: int
) -> tuple[list[_PlacedMarks], list[Case]]:
    """Return the marks and the case of each of `words` hypothesis words."""
    placed: list[_PlacedMarks] = [{} for _ in range(words)]
    cases = [Case.O] * words
    before: _PlacedMarks = {}  # of the last hypothesis word; those before the first one are lost
    openers: _PlacedMarks = {}  # for the next hypothesis word
    needs_capital, sentence_start = False, True
    for i, j in zip(alignment.reference.tolist(), alignment.hypothesis.tolist(), strict=True):
        if i < 0:
            continue
        label, ends = labels[i], not END_OR_BREAK_OFF.isdisjoint(labels[i].marks)
        if j < 0:
            _move_marks(label.marks, i, before, openers)
            needs_capital = not ends and (needs_capital or (sentence_start and label.case is not Case.O))
        else:
            before = placed[j] = openers | dict.fromkeys(label.marks, i)  # `_move_marks` changes it in place
            cases[j] = Case.FIRST_CAP if needs_capital and label.case is Case.O else label.case
            openers, needs_capital = {}, False
        sentence_start = ends
    return placed, cases


def _move_marks(marks: frozenset[Mark], index: int, before: _PlacedMarks, openers: _PlacedMarks) -> None:
    """Add the marks of the deleted word `index` to the word `before` it and to the `openers` of the next word."""
    openers.update({mark: index for mark in LEFT if mark in marks})
    closed = {mark for mark, opener in OPENER.items() if mark in marks and openers.pop(opener, None) is not None}
    closing = marks - closed
    stops = [mark for mark in closing if mark in _STRENGTH]
    present = [mark for mark in before if mark in _STRENGTH]
    if max((_STRENGTH[mark] for mark in stops), default=0) > max((_STRENGTH[mark] for mark in present), default=0):
        for mark in present:
            del before[mark]
        before.update(dict.fromkeys(stops, index))
    for mark in closing.difference(LEFT, _STRENGTH):
        before.setdefault(mark, index)
