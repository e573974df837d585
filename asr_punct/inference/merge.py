"""What a model may add to input that carries marks or capitals already: only what does not stand there."""

from __future__ import annotations

from collections.abc import Sequence

from asr_punct.marks import LEFT, Case, Labels, apply_case, case_of
from asr_punct.text import split_token
from asr_punct.words import Utterance

_LEFT = frozenset(LEFT)


def added_labels(
    utterance: Utterance, predicted: Sequence[Labels], language: str, case: bool = True
) -> tuple[Labels, ...]:
    """Labels for every word of an utterance: those it came with, and predicted ones on the sides that were free.

    A side is free when neither the token, nor a label that it came with, nor a token of marks alone beside it puts
    anything there. A word that has a capital keeps its case.

    Args:
        utterance: the input.
        predicted: one for each word that is more than marks, in order.
        language: whose conventions the tokens follow.
        case: whether capitals may be added.
    """
    tokens = [split_token(word.text, language) for word in utterance.words]
    given = utterance.labels or (Labels(),) * len(tokens)
    result, rest = [], iter(predicted)
    for i, (before, core, after) in enumerate(tokens):
        if not core:
            result.append(given[i])
            continue
        label = next(rest)
        free_left = not before and not given[i].marks & _LEFT and (i == 0 or bool(tokens[i - 1][1]))
        free_right = not after and not given[i].marks - _LEFT and (i + 1 == len(tokens) or bool(tokens[i + 1][1]))
        marks = {mark for mark in label.marks if (free_left if mark in _LEFT else free_right)}
        result.append(Labels(given[i].marks | marks, _case(core, given[i].case, label.case) if case else given[i].case))
    return tuple(result)


def _case(core: str, given: Case, predicted: Case) -> Case:
    if given is not Case.O or core != core.lower():
        return given
    return predicted if predicted is Case.O else case_of(apply_case(core, predicted))
