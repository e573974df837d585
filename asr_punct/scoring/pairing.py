"""Pair the words of references and hypotheses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from asr_punct.align.edit import Alignment, align, comparison_form, identity, strip_marks
from asr_punct.align.projection import Projection, project
from asr_punct.errors import InputError
from asr_punct.marks import Labels, Mark, apply_case, format_marks
from asr_punct.words import Utterance, Word

_OTHER_WORDS = "(--align pairs words that differ)"
_AS_IN_REFERENCE = f"as in the reference {_OTHER_WORDS}"


@dataclass(frozen=True)
class PairedUtterances:
    """One or more utterances of the reference, and the words of the hypothesis that are scored against them.

    A unit is the index of an utterance of the reference.

    Attributes:
        reference_words: words of the reference.
        hypothesis_words: words of the hypothesis.
        reference: labels of the reference, projected on the words of the hypothesis, one per word.
        reference_forms: written form that each word of the hypothesis should have.
        lost: marks of the reference that no word of the hypothesis can have, each with the index of its reference word.
        alignment: alignment of the words.
        pair_units: unit of each pair of the alignment.
        reference_units: unit of each reference word.
        written_error_units: unit of each error between the written words, with marks and capitals.
    """

    reference_words: Sequence[Word]
    hypothesis_words: Sequence[Word]
    reference: Sequence[Labels]
    reference_forms: Sequence[str]
    lost: Sequence[tuple[int, Mark]]
    alignment: Alignment
    pair_units: Sequence[int]
    reference_units: Sequence[int]
    written_error_units: Sequence[int] = ()

    @property
    def hypothesis(self) -> Sequence[Labels]:
        """Labels of the hypothesis, one per word."""
        return _labels(self.hypothesis_words)

    @property
    def hypothesis_forms(self) -> Sequence[str]:
        """Written forms in the hypothesis, one per word."""
        return _forms(self.hypothesis_words)

    @property
    def units(self) -> Sequence[int]:
        """Unit of each word of the hypothesis."""
        return [unit for unit, j in zip(self.pair_units, self.alignment.hypothesis, strict=True) if j >= 0]


def pair_same_words(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], name: str
) -> Iterator[PairedUtterances]:
    """Pair equal words in order, with any boundaries of utterances; utterances with the same ids can be in any order.

    Raises InputError if the words differ, or there are no labels.
    """
    _require_labels(references, "reference")
    _require_labels(hypotheses, name)
    hypotheses = _pair_by_id(references, hypotheses, complete=True) or hypotheses
    stream = chain.from_iterable(utterance.words for utterance in hypotheses)
    for unit, reference in enumerate(references):
        words = [
            _next_word(word, stream, f"{name}: {_place(reference, unit, i)}") for i, word in enumerate(reference.words)
        ]
        units = [unit] * len(words)
        yield PairedUtterances(
            reference_words=reference.words,
            hypothesis_words=words,
            reference=reference.labels,
            reference_forms=_forms(reference.words),
            lost=(),
            alignment=identity(len(words)),
            pair_units=units,
            reference_units=units,
        )
    extra = next(stream, None)
    if extra is not None:
        raise InputError(name, f"{extra.text!r} after the last word of the reference", f"the end {_OTHER_WORDS}")


def _next_word(expected: Word, stream: Iterator[Word], place: str) -> Word:
    found = next(stream, None)
    if found is None:
        raise InputError(place, "the end", f"{expected.text!r} {_AS_IN_REFERENCE}")
    if comparison_form(found.text) != comparison_form(expected.text):
        raise InputError(place, repr(found.text), f"{expected.text!r} {_AS_IN_REFERENCE}")
    return found


def pair_recognised_words(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], name: str
) -> Iterator[PairedUtterances]:
    """Align a recogniser's words with the reference, and project the reference's labels on them.

    Utterances are paired by id if no two have the same (in text the id is the line number, used only if both texts have
    the same number of lines), else by recording; else each text is aligned as a whole. Raises InputError if there are
    no labels.
    """
    _require_labels(references, "reference")
    _require_labels(hypotheses, name)
    for units, group in _pair_groups(references, hypotheses):
        word_units = [unit for unit in units for _ in references[unit].words]
        yield _projected(_joined([references[unit] for unit in units]), _joined(group), word_units, units[0])


def _projected(
    reference: Utterance, hypothesis: Utterance, reference_units: Sequence[int], first_unit: int
) -> PairedUtterances:
    projection = project(reference, hypothesis)
    written = align(_written(reference), _written(hypothesis))
    written_units = _pair_units(written, reference_units, first_unit)
    return PairedUtterances(
        reference_words=reference.words,
        hypothesis_words=hypothesis.words,
        reference=projection.utterance.labels,
        reference_forms=_reference_forms(reference, projection),
        lost=projection.lost,
        alignment=projection.alignment,
        pair_units=_pair_units(projection.alignment, reference_units, first_unit),
        reference_units=reference_units,
        written_error_units=[unit for unit, equal in zip(written_units, written.equal, strict=True) if not equal],
    )


def _pair_units(alignment: Alignment, reference_units: Sequence[int], first_unit: int) -> list[int]:
    """Return the unit of each pair of words; an inserted word has the unit of the word before it."""
    units = []
    unit = reference_units[0] if reference_units else first_unit
    for i in alignment.reference.tolist():
        unit = reference_units[i] if i >= 0 else unit
        units.append(unit)
    return units


def _labels(words: Sequence[Word]) -> list[Labels]:
    return [word.labels or Labels() for word in words]


def _forms(words: Sequence[Word]) -> list[str]:
    return [_form(word, labels) for word, labels in zip(words, _labels(words), strict=True)]


def _form(word: Word, labels: Labels) -> str:
    """Return the written form of a word: its own if it has capitals (`EiTB`), else by its label."""
    text = strip_marks(word.text)
    return text if text != text.lower() else apply_case(text, labels.case)


def _written(utterance: Utterance) -> list[str]:
    """Return the words with their capitals and marks, for comparison."""
    forms = _forms(utterance.words)
    return [f"{form} {format_marks(label.marks)}" for form, label in zip(forms, utterance.labels, strict=True)]


def _reference_forms(reference: Utterance, projection: Projection) -> list[str]:
    """Return the form that each hypothesis word should have: the reference's own if the word is the same."""
    labels = projection.utterance.labels
    words = projection.utterance.words
    forms = [apply_case(comparison_form(word.text), label.case) for word, label in zip(words, labels, strict=True)]
    alignment = projection.alignment
    for i, j in zip(alignment.reference[alignment.equal], alignment.hypothesis[alignment.equal], strict=True):
        forms[j] = _form(reference.words[i], labels[j])
    return forms


def _joined(utterances: Sequence[Utterance]) -> Utterance:
    return Utterance(tuple(word for utterance in utterances for word in utterance.words))


def _require_labels(utterances: Sequence[Utterance], name: str) -> None:
    for index, utterance in enumerate(utterances):
        if utterance.words and not utterance.is_labelled:
            raise InputError(f"{name}: {_place(utterance, index)}", "no labels", "marks and case on every word")


def _place(utterance: Utterance, index: int, word: int | None = None) -> str:
    place = f"utterance {index + 1}" + (f" ({utterance.id})" if utterance.id else "")
    return place if word is None else f"{place}, word {word + 1}"


def _pair_by_id(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], complete: bool
) -> list[Utterance] | None:
    """Return the hypotheses in the order of the references, or None if ids are missing, repeated or unknown.

    Unless `complete`, a reference without a hypothesis gets an empty one: the recogniser found no words. Line numbers
    are no ids if the hypotheses have another number of lines.
    """
    wanted = [u.id for u in references]
    complete = complete or wanted == [str(number) for number in range(1, len(wanted) + 1)]
    by_id = {u.id: u for u in hypotheses}
    unique = "" not in wanted and len(set(wanted)) == len(wanted) and len(by_id) == len(hypotheses)
    if not (unique and by_id and by_id.keys() <= set(wanted)) or (complete and len(by_id) < len(wanted)):
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
