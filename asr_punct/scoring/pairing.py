"""Pair the words of references and hypotheses."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from asr_punct.errors import InputError, Setting
from asr_punct.letter_case import apply_case
from asr_punct.marks import Labels, Mark, format_marks
from asr_punct.scoring.edit import Alignment, align_words
from asr_punct.scoring.projection import project
from asr_punct.text.edges import comparison_form, strip_marks
from asr_punct.words import Utterance, Word

_ALIGN = Setting("align")  # pairs words that differ
_NO_LABELS = Labels()


@dataclass(frozen=True, slots=True)
class WordPair:
    """A word of the reference and the word of the hypothesis that is aligned with it, or one of them without the other.

    Attributes:
        unit: index of the reference's utterance; an inserted word has the unit of the word before it.
        reference: word of the reference; None if the word is inserted.
        hypothesis: word of the hypothesis; None if the word is deleted.
        is_equal: whether the words are equal, apart from marks and capitals.
        expected: labels of the reference, projected on the hypothesis' word.
        expected_form: written form that the hypothesis' word should have.
        lost: marks of the reference's word that no word of the hypothesis can have.
    """

    unit: int
    reference: Word | None
    hypothesis: Word | None
    is_equal: bool
    expected: Labels = _NO_LABELS
    expected_form: str = ""
    lost: frozenset[Mark] = frozenset()

    @property
    def labels(self) -> Labels:
        """Labels of the hypothesis; none if it lacks the word."""
        return (self.hypothesis and self.hypothesis.labels) or _NO_LABELS

    @property
    def form(self) -> str:
        """Written form of the hypothesis' word."""
        return _form(self.hypothesis, self.labels) if self.hypothesis else ""


Pairs = tuple[list[WordPair], list[int]]
"""Pairs of words, and the unit of each error between the written words, with marks and capitals."""


def pair_utterances(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], name: str, *, align: bool
) -> Pairs:
    """Pair equal words; with `align`, align a recogniser's words and find the errors of written words.

    Raises InputError if labels are missing or, without `align`, the words differ.
    """
    for side, utterances in (("reference", references), (name, hypotheses)):
        for index, utterance in enumerate(utterances):
            if utterance.words and not utterance.is_labelled:
                raise InputError(f"{side}: {_place(utterance, index)}", "no labels", "marks and case on every word")
    return _pair_recognised(references, hypotheses) if align else (_pair_same(references, hypotheses, name), [])


def _pair_same(references: Sequence[Utterance], hypotheses: Sequence[Utterance], name: str) -> list[WordPair]:
    """Pair equal words in order, whatever the boundaries of utterances; utterances with ids can be in any order."""
    hypotheses = _pair_by_id(references, hypotheses, complete=True) or hypotheses
    found_words = chain.from_iterable(utterance.words for utterance in hypotheses)
    pairs = []
    for unit, reference in enumerate(references):
        for number, word in enumerate(reference.words, start=1):
            other = next(found_words, None)
            if other is None or comparison_form(other.text) != comparison_form(word.text):
                place = f"{name}: {_place(reference, unit)}, word {number}"
                found = "the end" if other is None else repr(other.text)
                raise InputError(place, found, f"{word.text!r} as in the reference", _ALIGN)
            labels = word.labels or _NO_LABELS
            pairs.append(WordPair(unit, word, other, True, labels, _form(word, labels)))
    extra = next(found_words, None)
    if extra is not None:
        raise InputError(name, f"{extra.text!r} after the last word of the reference", "the end", _ALIGN)
    return pairs


def _pair_recognised(references: Sequence[Utterance], hypotheses: Sequence[Utterance]) -> Pairs:
    """Align a recogniser's words with the reference, and project the reference's labels on them.

    Utterances are paired by id if no two have the same (in text the id is the line number, used only if both texts have
    the same number of lines), else by recording; else each text is aligned as a whole.
    """
    pairs, error_units = list[WordPair](), list[int]()
    for units, group in _pair_groups(references, hypotheses):
        word_units = [unit for unit in units for _ in references[unit].words] or [units[0]]
        reference, hypothesis = _join(references[unit] for unit in units), _join(group)
        pairs += _aligned_pairs(reference, hypothesis, word_units)
        written = align_words(_written(reference), _written(hypothesis))
        pair_units = _pair_units(written, word_units)
        error_units += [unit for unit, is_equal in zip(pair_units, written.equal, strict=True) if not is_equal]
    return pairs, error_units


def _aligned_pairs(reference: Utterance, hypothesis: Utterance, word_units: Sequence[int]) -> Iterator[WordPair]:
    projection = project(reference, hypothesis)
    alignment, labels = projection.alignment, projection.utterance.labels
    lost = defaultdict[int, set[Mark]](set)
    for i, mark in projection.lost:
        lost[i].add(mark)
    columns = (alignment.reference.tolist(), alignment.hypothesis.tolist(), alignment.equal.tolist())
    for unit, i, j, is_equal in zip(_pair_units(alignment, word_units), *columns, strict=True):
        word = reference.words[i] if i >= 0 else None
        marks = frozenset(lost.get(i, ()))
        if j < 0:
            yield WordPair(unit, word, None, False, lost=marks)
            continue
        other = hypothesis.words[j]
        form = _form(word, labels[j]) if word and is_equal else apply_case(comparison_form(other.text), labels[j].case)
        yield WordPair(unit, word, other, is_equal, labels[j], form, marks)


def _pair_units(alignment: Alignment, word_units: Sequence[int]) -> Iterator[int]:
    """Yield the unit of each pair of words; an inserted word has the unit of the word before it."""
    unit = word_units[0]
    for i in alignment.reference.tolist():
        unit = word_units[i] if i >= 0 else unit
        yield unit


def _form(word: Word, labels: Labels) -> str:
    """Return the written form of a word: its own if it has capitals (`EiTB`), else by its label."""
    text = strip_marks(word.text)
    return text if text != text.lower() else apply_case(text, labels.case)


def _written(utterance: Utterance) -> list[str]:
    """Return the words with their capitals and marks, for comparison."""
    rows = zip(utterance.words, utterance.labels, strict=True)
    return [f"{_form(word, labels)} {format_marks(labels.marks)}" for word, labels in rows]


def _join(utterances: Iterable[Utterance]) -> Utterance:
    return Utterance(tuple(word for utterance in utterances for word in utterance.words))


def _place(utterance: Utterance, index: int) -> str:
    return f"utterance {index + 1}" + (f" ({utterance.id})" if utterance.id else "")


def _pair_by_id(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], complete: bool
) -> list[Utterance] | None:
    """Return the hypotheses in the order of the references, or None if ids are missing, repeated or unknown.

    A reference without a hypothesis gets an empty one (the recogniser found no words), but not with `complete`, or if
    the ids are line numbers: then every reference needs a hypothesis.
    """
    wanted = [u.id for u in references]
    are_line_numbers = wanted == [str(number) for number in range(1, len(wanted) + 1)]
    by_id = {u.id: u for u in hypotheses}
    are_unique = "" not in wanted and len(set(wanted)) == len(wanted) and len(by_id) == len(hypotheses)
    least = len(wanted) if complete or are_line_numbers else 1
    if not by_id or not are_unique or not by_id.keys() <= set(wanted) or len(by_id) < least:
        return None
    return [by_id.get(name, Utterance(())) for name in wanted]


def _pair_groups(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance]
) -> Iterator[tuple[Sequence[int], Sequence[Utterance]]]:
    """Yield indices of references, and their hypotheses."""
    by_id = _pair_by_id(references, hypotheses, complete=False)
    if by_id is not None:
        yield from (([unit], [hypothesis]) for unit, hypothesis in enumerate(by_id))
        return
    recordings = dict.fromkeys(reference.recording_name for reference in references)
    if "" in recordings or set(recordings) != {u.recording_name for u in hypotheses}:
        yield range(len(references)), hypotheses
        return
    for recording in recordings:
        units = [unit for unit, reference in enumerate(references) if reference.recording_name == recording]
        yield units, [u for u in hypotheses if u.recording_name == recording]
