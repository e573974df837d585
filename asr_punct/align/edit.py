"""Minimum-cost alignment of two word sequences, and labels of a reference carried onto the words of a recogniser.

The costs are those of sclite (NIST SCTK): substitution 4, insertion 3, deletion 3, correct 0; so is the choice between
ways of the same cost: traced back from the end, a pair of words before an insertion, and that before a deletion. The
cost matrix is computed a row at a time, and again in halves to trace it back, so it is never held whole.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asr_punct.errors import InputError
from asr_punct.marks import LEFT, OPENER, RIGHT, SENTENCE_ENDS, Case, Labels, Mark
from asr_punct.text.characters import shape_of
from asr_punct.words import Utterance, annotate

SUBSTITUTION, INSERTION, DELETION = 4, 3, 3
_ENDS = SENTENCE_ENDS | {Mark.ELLIPSIS}
_PAIR, _INSERT, _DELETE = range(3)
_MATRIX_CELLS = 1 << 20
"""Below this size a pair is aligned with the whole matrix (4 bytes a cell) instead of being halved."""
_EDGE_SHAPES = ".।,;:?!¿¡…-–«»\"'69`()x"
"""Classes of `text.characters` that are no part of a word at its edges: marks, brackets, and what is no mark either."""
_STRENGTH = {Mark.COMMA: 1, Mark.DASH: 2, Mark.COLON: 2, Mark.SEMICOLON: 2} | dict.fromkeys(_ENDS, 3)

IntArray = NDArray[np.int64]
_Int32Array = NDArray[np.int32]
_Origins = dict[Mark, int]
"""Marks on one word, each with the index of the reference word that it comes from."""


@dataclass(frozen=True)
class Alignment:
    """Pairs of a reference word and a hypothesis word, in order; every index stands in exactly one pair.

    Attributes:
        reference: index of the reference word, -1 for an insertion; (pairs,).
        hypothesis: index of the hypothesis word, -1 for a deletion; (pairs,).
        equal: whether the two words are the same; (pairs,).
    """

    reference: IntArray
    hypothesis: IntArray
    equal: NDArray[np.bool_]

    @property
    def errors(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each pair is a substitution, a deletion, an insertion; (pairs,) each."""
        deleted, inserted = self.hypothesis < 0, self.reference < 0
        return ~(self.equal | deleted | inserted), deleted, inserted

    @property
    def insertions(self) -> int:
        """Hypothesis words without a reference word."""
        return int(np.count_nonzero(self.reference < 0))

    @property
    def deletions(self) -> int:
        """Reference words without a hypothesis word."""
        return int(np.count_nonzero(self.hypothesis < 0))

    @property
    def substitutions(self) -> int:
        """Pairs of two different words."""
        return int(np.count_nonzero(~self.equal)) - self.insertions - self.deletions

    @property
    def cost(self) -> int:
        """Sum of the costs of all pairs."""
        return SUBSTITUTION * self.substitutions + INSERTION * self.insertions + DELETION * self.deletions


def align(reference: Sequence[str], hypothesis: Sequence[str]) -> Alignment:
    """Align two word sequences at minimum cost; words are compared as they are (see `comparable`).

    Of several alignments of the same cost it is the one that sclite chooses.

    Time grows with the product of the lengths, memory with the hypothesis' length and the logarithm of the reference's.
    """
    number: dict[str, int] = {}
    ref, hyp = (
        np.array([number.setdefault(word, len(number)) for word in words], np.int32)
        for words in (reference, hypothesis)
    )
    steps = np.array(_steps(ref, hyp, np.zeros(len(hyp) + 1, np.int32)), np.int8)
    steps = np.concatenate([np.full(len(hyp) - _columns(steps), _INSERT, np.int8), steps[::-1]])
    left, right = (_indices(steps != missing) for missing in (_INSERT, _DELETE))
    both = steps == _PAIR
    equal = np.zeros(len(steps), np.bool_)
    equal[both] = ref[left[both]] == hyp[right[both]]
    return Alignment(left, right, equal)


def same(words: int) -> Alignment:
    """The alignment of so many words with themselves."""
    index = np.arange(words, dtype=np.int64)
    return Alignment(index, index, np.ones(words, np.bool_))


def _indices(taken: NDArray[np.bool_]) -> IntArray:
    """Running index of the steps that are taken, -1 of the others."""
    return np.where(taken, np.cumsum(taken) - 1, -1)


def _columns(steps: Sequence[int] | NDArray[np.int8]) -> int:
    """How many hypothesis words the steps use."""
    return int(np.count_nonzero(np.asarray(steps, np.int8) != _DELETE))


def _steps(ref: _Int32Array, hyp: _Int32Array, above: _Int32Array) -> list[int]:
    """Steps from the end of both back to the row of the cost matrix `above` the first reference word.

    What is too large for a matrix is halved: its lower half is traced back first, which tells where the upper one ends.
    """
    shorter = min(len(ref), len(hyp))
    run = _run((ref[len(ref) - shorter :] == hyp[len(hyp) - shorter :])[::-1])
    tail = [_PAIR] * run
    ref, hyp = ref[: len(ref) - run], hyp[: len(hyp) - run]
    above = above[: len(hyp) + 1]
    if len(ref) <= 1 or (len(ref) + 1) * (len(hyp) + 1) <= _MATRIX_CELLS:
        return tail + _trace(ref, hyp, above)
    half = len(ref) // 2
    middle = deque(_rows(ref[:half], hyp, above), maxlen=1).pop()
    lower = _steps(ref[half:], hyp, middle)
    return tail + lower + _steps(ref[:half], hyp[: len(hyp) - _columns(lower)], above)


def _run(equal: NDArray[np.bool_]) -> int:
    """Length of the run of True at the beginning."""
    return len(equal) if equal.all() else int(np.argmin(equal))


def _rows(ref: _Int32Array, hyp: _Int32Array, above: _Int32Array) -> Iterator[_Int32Array]:
    """Rows of the cost matrix from the one `above`, each (hypothesis words + 1,), less INSERTION a column.

    In these units an insertion costs nothing, so the best way along a row is a running minimum.
    """
    row = above
    yield row
    correct, wrong = np.int32(-INSERTION), np.int32(SUBSTITUTION - INSERTION)
    for word in ref:
        diagonal = np.where(hyp == word, correct, wrong)
        diagonal += row[:-1]
        row = row + np.int32(DELETION)
        np.minimum(row[1:], diagonal, out=row[1:])
        np.minimum.accumulate(row, out=row)
        yield row


def _trace(ref: _Int32Array, hyp: _Int32Array, above: _Int32Array) -> list[int]:
    """Steps back from the end of the whole matrix to its first row; a pair is preferred, then an insertion."""
    matrix = np.stack(list(_rows(ref, hyp, above)))
    row, column = len(ref), len(hyp)
    steps = []
    while row:
        cost = matrix[row, column]
        paired = -INSERTION if column and ref[row - 1] == hyp[column - 1] else SUBSTITUTION - INSERTION
        if column and cost == matrix[row - 1, column - 1] + paired:
            row, column, step = row - 1, column - 1, _PAIR
        elif column and cost == matrix[row, column - 1]:
            column, step = column - 1, _INSERT
        else:
            row, step = row - 1, _DELETE
        steps.append(step)
    return steps


def bare(word: str) -> str:
    """The word without marks at its edges, in composed Unicode (NFC); a word of nothing but marks stays whole."""
    word = unicodedata.normalize("NFC", word)
    if word.isalnum():
        return word
    shape = shape_of(word)
    start = len(shape) - len(shape.lstrip(_EDGE_SHAPES))
    return word[start : len(shape.rstrip(_EDGE_SHAPES))] or word


def comparable(word: str) -> str:
    """The form in which words of a reference and a hypothesis are compared: lower case, no marks at the edges."""
    return bare(word).lower()


@dataclass(frozen=True)
class Projection:
    """Labels of a reference on the words of a hypothesis.

    Attributes:
        utterance: the hypothesis with the labels.
        alignment: which words go together.
        moved: number of marks that passed from a deleted word to a neighbour.
        lost: reference word and mark of every mark that found no place.
    """

    utterance: Utterance
    alignment: Alignment
    moved: int
    lost: tuple[tuple[int, Mark], ...]


def project(reference: Utterance, hypothesis: Utterance) -> Projection:
    """Carry marks and case of a reference onto the words that a recogniser heard.

    * A hypothesis word that is aligned, rightly recognised or not, takes marks and case of its reference word. An
      inserted word gets none.
    * Marks after a deleted word pass to the hypothesis word before it, marks before it to the one after it. Of a pair
      that opens and closes within deleted words (`¿no?`, `«ven»`) nothing is left to mark, and both are lost.
    * Where two stops fall together the stronger one stays, of two equal ones that of the earlier word: sentence ends
      (. ? ! …) before SEMICOLON, COLON and DASH, these before COMMA.
    * The capital of a deleted word at the beginning of a sentence passes to the next word of the sentence.

    A mark thus survives a substitution (Alam et al. 2020, section 4.1.2), and that of a deleted word stays at its
    boundary, as it does where people punctuate a recogniser's output (ibid. 3.2; Poláček et al. 2023, section 5).

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
            _release(label.marks, i, before, openers)
            capital = not ends and (capital or (sentence_start and label.case is not Case.O))
        else:
            before = placed[j] = openers | dict.fromkeys(label.marks, i)
            cases[j] = Case.FIRST_CAP if capital and label.case is Case.O else label.case
            openers, capital = {}, False
        sentence_start = ends
    return placed, cases


def _release(marks: frozenset[Mark], origin: int, before: _Origins, openers: _Origins) -> None:
    """Pass the marks of a deleted word on: to the word `before` it, and to the `openers` of the word after it."""
    openers.update({mark: origin for mark in LEFT if mark in marks})
    closed = {mark for mark, opener in OPENER.items() if mark in marks and openers.pop(opener, None) is not None}
    closing = marks - closed
    stops = [mark for mark in closing if mark in _STRENGTH]
    held = [mark for mark in before if mark in _STRENGTH]
    if max((_STRENGTH[mark] for mark in stops), default=0) > max((_STRENGTH[mark] for mark in held), default=0):
        for mark in held:
            del before[mark]
        before.update(dict.fromkeys(stops, origin))
    if Mark.QUOTE in closing:
        before.setdefault(Mark.QUOTE, origin)
