"""Projection of the labels of a reference onto the words of a recogniser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asr_punct.align.edit import Alignment, align, comparable
from asr_punct.errors import InputError
from asr_punct.marks import LEFT, OPENER, RIGHT, SENTENCE_ENDS, Case, Labels, Mark
from asr_punct.words import Utterance, annotate

_ENDS = SENTENCE_ENDS | {Mark.ELLIPSIS}
_STRENGTH = {Mark.COMMA: 1, Mark.DASH: 2, Mark.COLON: 2, Mark.SEMICOLON: 2} | dict.fromkeys(_ENDS, 3)

_Origins = dict[Mark, int]
"""Marks on one word, each with the index of the reference word that it comes from."""


@dataclass(frozen=True)
class Projection:
    """A hypothesis with the labels of a reference.

    Attributes:
        utterance: the hypothesis with the labels.
        alignment: of the words of both.
        moved: number of marks that moved from a deleted word to a neighbour.
        lost: index of the reference word and mark, for each mark without a place.
    """

    utterance: Utterance
    alignment: Alignment
    moved: int
    lost: tuple[tuple[int, Mark], ...]


def project(reference: Utterance, hypothesis: Utterance) -> Projection:
    """Project marks and case of a reference onto the words of a hypothesis.

    * An aligned hypothesis word, correct or not, gets marks and case of its reference word; an inserted word gets none.
    * Marks after a deleted word move to the hypothesis word before it, marks before it to the one after it. A pair that
      opens and closes within deleted words (`¿no?`, `«ven»`) is lost.
    * If two stops meet on one word, the stronger one stays, of equal ones the earlier: sentence ends (. ? ! …) before
      SEMICOLON, COLON and DASH, these before COMMA.
    * The capital of a deleted word at the beginning of a sentence moves to the next word of the sentence.

    So a mark survives a substitution (Alam et al. 2020, section 4.1.2), and the mark of a deleted word stays at its
    boundary, as when people punctuate a recogniser's output (ibid. 3.2; Poláček et al. 2023, section 5).

    Raises:
        InputError: the reference has no labels.
    """
    if reference.words and not reference.is_labelled:
        raise InputError(f"reference {reference.id!r}".strip(), "no labels", "marks and case on every word")
    alignment = align([comparable(w.text) for w in reference.words], [comparable(w.text) for w in hypothesis.words])
    placed, cases = _place(reference.labels, alignment, len(hypothesis.words))
    labels = tuple(Labels(frozenset(marks), case) for marks, case in zip(placed, cases, strict=True))
    kept = {(origin, mark) for marks in placed for mark, origin in marks.items()}
    deleted = set(alignment.reference[alignment.hypothesis < 0].tolist())
    slots = [(i, mark) for i, label in enumerate(reference.labels) for mark in (*LEFT, *RIGHT) if mark in label.marks]
    return Projection(
        annotate(hypothesis, labels=labels),
        alignment,
        moved=sum(origin in deleted for origin, _ in kept),
        lost=tuple(slot for slot in slots if slot not in kept),
    )


def _place(labels: Sequence[Labels], alignment: Alignment, words: int) -> tuple[list[_Origins], list[Case]]:
    """Marks with their origins, and case, of each of the hypothesis `words`."""
    placed: list[_Origins] = [{} for _ in range(words)]
    cases = [Case.O] * words
    before: _Origins = {}
    openers: _Origins = {}
    capital, sentence_start = False, True
    for i, j in zip(alignment.reference.tolist(), alignment.hypothesis.tolist(), strict=True):
        if i < 0:
            continue
        label, ends = labels[i], not _ENDS.isdisjoint(labels[i].marks)
        if j < 0:
            _move_marks(label.marks, i, before, openers)
            capital = not ends and (capital or (sentence_start and label.case is not Case.O))
        else:
            before = placed[j] = openers | dict.fromkeys(label.marks, i)
            cases[j] = Case.FIRST_CAP if capital and label.case is Case.O else label.case
            openers, capital = {}, False
        sentence_start = ends
    return placed, cases


def _move_marks(marks: frozenset[Mark], origin: int, before: _Origins, openers: _Origins) -> None:
    """Move the marks of a deleted word to the word `before` it and to the `openers` of the next word."""
    openers.update({mark: origin for mark in LEFT if mark in marks})
    closed = {mark for mark, opener in OPENER.items() if mark in marks and openers.pop(opener, None) is not None}
    closing = marks - closed
    stops = [mark for mark in closing if mark in _STRENGTH]
    present = [mark for mark in before if mark in _STRENGTH]
    if max((_STRENGTH[mark] for mark in stops), default=0) > max((_STRENGTH[mark] for mark in present), default=0):
        for mark in present:
            del before[mark]
        before.update(dict.fromkeys(stops, origin))
    if Mark.QUOTE in closing:
        before.setdefault(Mark.QUOTE, origin)
