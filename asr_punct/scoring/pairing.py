"""References and hypotheses brought onto the same words, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

from asr_punct.align.edit import Alignment, align, bare, comparable, same
from asr_punct.align.projection import Projection, project
from asr_punct.errors import InputError
from asr_punct.marks import Labels, Mark, apply_case, format_marks
from asr_punct.words import Probabilities, Seconds, Utterance, Word

_OTHER_WORDS = "(--align pairs words that differ)"
_AS_IN_REFERENCE = f"as in the reference {_OTHER_WORDS}"


class _Token(NamedTuple):
    """One word of an utterance, with what stands on it."""

    word: Word
    labels: Labels
    probabilities: Probabilities | None
    pause: Seconds | None


@dataclass(frozen=True)
class SideBySide:
    """Labels of a reference and of a hypothesis on the same words, each word with the unit that is resampled.

    A unit is an utterance of the reference, named by its index.

    Attributes:
        reference: labels of the reference; one a word of the hypothesis.
        hypothesis: labels of the hypothesis; one a word.
        reference_forms: written forms in the reference; one a word of the hypothesis.
        hypothesis_forms: written forms in the hypothesis; one a word.
        units: unit of each word of the hypothesis.
        lost: index of the reference word, and mark, of reference marks that have no place on the hypothesis' words.
        reference_words: the reference's words.
        hypothesis_words: the hypothesis' words.
        reference_units: unit of each reference word.
        alignment: which words go together.
        pair_units: unit of each pair of the alignment.
        reference_pauses: seconds of silence after each word of the reference, None where unknown.
        hypothesis_pauses: the same of the hypothesis.
        written_error_units: unit of each error between the written words, marks and capitals on them, where words may
            differ.
        probabilities: of labels by the hypothesis, a word, or None where it has none for that word.
    """

    reference: Sequence[Labels]
    hypothesis: Sequence[Labels]
    reference_forms: Sequence[str]
    hypothesis_forms: Sequence[str]
    units: Sequence[int]
    lost: Sequence[tuple[int, Mark]]
    reference_words: Sequence[Word]
    hypothesis_words: Sequence[Word]
    reference_units: Sequence[int]
    alignment: Alignment
    pair_units: Sequence[int]
    reference_pauses: Sequence[Seconds | None]
    hypothesis_pauses: Sequence[Seconds | None]
    written_error_units: Sequence[int] = ()
    probabilities: Sequence[Probabilities | None] = ()


def same_words(references: Sequence[Utterance], hypotheses: Sequence[Utterance], name: str) -> Iterator[SideBySide]:
    """Pair word by word, whatever the division into utterances; utterances of the same ids may come in any order.

    Raises:
        InputError: the words differ (at the first place where they do), or there are no labels.
    """
    _require_labels(references, "reference")
    _require_labels(hypotheses, name)
    stream = _stream(_pair_by_id(references, hypotheses, complete=True) or hypotheses)
    for unit, reference in enumerate(references):
        expected = list(_stream([reference]))
        found = [
            _next_token(token.word, stream, f"{name}: {_place(reference, unit, i)}") for i, token in enumerate(expected)
        ]
        units = [unit] * len(expected)
        yield SideBySide(
            [token.labels for token in expected],
            [token.labels for token in found],
            [_form(token.word, token.labels) for token in expected],
            [_form(token.word, token.labels) for token in found],
            units,
            lost=(),
            reference_words=reference.words,
            hypothesis_words=[token.word for token in found],
            reference_units=units,
            alignment=same(len(expected)),
            pair_units=units,
            reference_pauses=[token.pause for token in expected],
            hypothesis_pauses=[token.pause for token in found],
            probabilities=[token.probabilities for token in found],
        )
    extra = next(stream, None)
    if extra is not None:
        raise InputError(name, f"{extra.word.text!r} after the last word of the reference", f"the end {_OTHER_WORDS}")


def _next_token(expected: Word, stream: Iterator[_Token], place: str) -> _Token:
    found = next(stream, None)
    if found is None:
        raise InputError(place, "the end", f"{expected.text!r} {_AS_IN_REFERENCE}")
    if comparable(found.word.text) != comparable(expected.text):
        raise InputError(place, repr(found.word.text), f"{expected.text!r} {_AS_IN_REFERENCE}")
    return found


def _require_labels(utterances: Sequence[Utterance], name: str) -> None:
    for index, utterance in enumerate(utterances):
        if utterance.words and not utterance.is_labelled:
            raise InputError(f"{name}: {_place(utterance, index)}", "no labels", "marks and case on every word")


def _stream(utterances: Sequence[Utterance]) -> Iterator[_Token]:
    for utterance in utterances:
        yield from starmap(
            _Token, zip(utterance.words, utterance.labels, utterance.probabilities, utterance.pauses, strict=True)
        )


def _place(utterance: Utterance, index: int, word: int | None = None) -> str:
    place = f"utterance {index + 1}" + (f" ({utterance.id})" if utterance.id else "")
    return place if word is None else f"{place}, word {word + 1}"


def _form(word: Word, labels: Labels) -> str:
    """How a word is written: as it stands if it has capitals (`EiTB`), else by its label."""
    text = bare(word.text)
    return text if text != text.lower() else apply_case(text, labels.case)


def recognised_words(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], name: str
) -> Iterator[SideBySide]:
    """Pair a reference with a recogniser's words: the labels of the reference are projected onto them.

    Utterances are paired by id where every one has its own (lines of text by their number, where both sides have as
    many), else by recording, else both sides are one document each.

    Raises:
        InputError: there are no labels.
    """
    _require_labels(references, "reference")
    _require_labels(hypotheses, name)
    for units, group in _pair_groups(references, hypotheses):
        reference = _joined([references[unit] for unit in units])
        unit_of = [unit for unit in units for _ in references[unit].words]
        yield _projected(reference, _joined(group), unit_of or units[:1])


def _projected(reference: Utterance, hypothesis: Utterance, unit_of: Sequence[int]) -> SideBySide:
    """`unit_of`: unit of each reference word (of an empty reference: one)."""
    projection = project(reference, hypothesis)
    alignment = projection.alignment
    pair_units = _pair_units(alignment, unit_of)
    labels, forms = hypothesis.labels, _forms(hypothesis)
    written = align(_written(_forms(reference), reference.labels), _written(forms, labels))
    wrong = [unit for unit, equal in zip(_pair_units(written, unit_of), written.equal, strict=True) if not equal]
    return SideBySide(
        projection.utterance.labels,
        labels,
        _reference_forms(reference, projection),
        forms,
        [unit for unit, j in zip(pair_units, alignment.hypothesis, strict=True) if j >= 0],
        lost=projection.lost,
        reference_words=reference.words,
        hypothesis_words=hypothesis.words,
        reference_units=unit_of[: len(reference.words)],
        alignment=alignment,
        pair_units=pair_units,
        reference_pauses=reference.pauses,
        hypothesis_pauses=hypothesis.pauses,
        written_error_units=wrong,
        probabilities=hypothesis.probabilities,
    )


def _pair_units(alignment: Alignment, unit_of: Sequence[int]) -> list[int]:
    """Unit of each pair of words; an inserted word belongs with the word before it."""
    units = []
    unit = unit_of[0]
    for i in alignment.reference.tolist():
        unit = unit_of[i] if i >= 0 else unit
        units.append(unit)
    return units


def _forms(utterance: Utterance) -> list[str]:
    return [_form(word, label) for word, label in zip(utterance.words, utterance.labels, strict=True)]


def _written(forms: Sequence[str], labels: Sequence[Labels]) -> list[str]:
    """Words with their capitals and marks, to be compared."""
    return [f"{form} {format_marks(label.marks)}" for form, label in zip(forms, labels, strict=True)]


def _reference_forms(reference: Utterance, projection: Projection) -> list[str]:
    """Written forms that the hypothesis' words should have: the reference's own where the word is the same."""
    labels = projection.utterance.labels
    words = projection.utterance.words
    forms = [apply_case(comparable(word.text), label.case) for word, label in zip(words, labels, strict=True)]
    alignment = projection.alignment
    for i, j in zip(alignment.reference[alignment.equal], alignment.hypothesis[alignment.equal], strict=True):
        forms[j] = _form(reference.words[i], labels[j])
    return forms


def _joined(utterances: Sequence[Utterance]) -> Utterance:
    return Utterance(tuple(word for utterance in utterances for word in utterance.words))


def _pair_by_id(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance], complete: bool
) -> list[Utterance] | None:
    """Hypotheses in the order of the references, or None where ids are missing, repeated or foreign.

    Unless `complete`, a reference without a hypothesis gets an empty one: a recogniser may hear nothing. Ids that are
    the numbers of lines name no utterance once the hypotheses have another number of lines.
    """
    wanted = [u.id for u in references]
    complete = complete or wanted == [str(number) for number in range(1, len(wanted) + 1)]
    by_id = {u.id: u for u in hypotheses}
    unique = "" not in wanted and len(set(wanted)) == len(wanted) and len(by_id) == len(hypotheses)
    if not (unique and by_id and by_id.keys() <= set(wanted)) or (complete and len(by_id) < len(wanted)):
        return None
    return [by_id.get(name, Utterance(())) for name in wanted]


def _recording(utterance: Utterance) -> str:
    return utterance.recording or utterance.document


def _pair_groups(
    references: Sequence[Utterance], hypotheses: Sequence[Utterance]
) -> Iterator[tuple[list[int], list[Utterance]]]:
    """Indices of references, and the hypotheses that go with them."""
    by_id = _pair_by_id(references, hypotheses, complete=False)
    if by_id is not None:
        for unit, hypothesis in enumerate(by_id):
            yield [unit], [hypothesis]
        return
    recordings = dict.fromkeys(map(_recording, references))
    if "" in recordings or set(recordings) != set(map(_recording, hypotheses)):
        yield list(range(len(references))), list(hypotheses)
        return
    for recording in recordings:
        units = [unit for unit, reference in enumerate(references) if _recording(reference) == recording]
        yield units, [u for u in hypotheses if _recording(u) == recording]
