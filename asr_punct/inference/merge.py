"""What a model may add to input that carries marks or capitals already: only what does not stand there."""

from __future__ import annotations

from collections.abc import Sequence

from asr_punct.decode.decoder import BARRIER, CASE_FIXED, ENDED, LEFT_TAKEN, RIGHT_TAKEN
from asr_punct.decode.settings import CAPITAL_FOLLOWS
from asr_punct.marks import LEFT, PAIRS, Case, Labels, Mark, apply_case, case_of, takes_case
from asr_punct.text import read_marks, split_token
from asr_punct.words import Utterance

_LEFT = frozenset(LEFT)
_EDGE = ("", "a word", "")
_ENDS = frozenset(CAPITAL_FOLLOWS)
_BARRIERS = frozenset({Mark.PERIOD, *(mark for pair in PAIRS for mark in pair)})


def mark_flags(utterance: Utterance, language: str) -> list[int]:
    """What the input leaves to a model, for each word that is more than marks: flags of `decode.decoder`.

    A side is taken when the token, a label that it came with, or a token of marks alone beside it puts anything there.

    Args:
        utterance: the input.
        language: whose conventions the tokens follow.
    """
    tokens = [split_token(word.text, language) for word in utterance.words]
    given = utterance.labels
    lone = ["" if core else before + after for before, core, after in (_EDGE, *tokens, _EDGE)]
    result = []
    for i, (before, core, after) in enumerate(tokens):
        if not core:
            continue
        left, right = lone[i] + before, after + lone[i + 2]
        result.append(word_flags(utterance.words[i].text, (left, core, right), given[i]))
    return result


def word_flags(word: str, parts: tuple[str, str, str], given: Labels) -> int:
    """The flags of one word that is more than marks.

    Args:
        word: its token.
        parts: the token without the marks at its edges, and what stands on its left and its right, in tokens of marks
            alone beside it too: left, word, right.
        given: the labels that it came with.
    """
    left, core, right = parts
    marks = given.marks
    flags = LEFT_TAKEN * bool(left or marks & _LEFT) + RIGHT_TAKEN * bool(right or marks - _LEFT)
    if flags:
        marks |= read_marks(left, right)
        flags += BARRIER * bool(marks & _BARRIERS) + ENDED * bool(marks & _ENDS)
    return flags + CASE_FIXED * (not _may_have_capital(word, core, given.case))


def added_labels(
    utterance: Utterance, predicted: Sequence[Labels], flags: Sequence[int], language: str, case: bool = True
) -> tuple[Labels, ...]:
    """Labels for every word of an utterance: those it came with, and predicted ones on the sides that were free.

    A word that has a capital keeps its case, and so does one that takes none.

    Args:
        utterance: the input.
        predicted: one for each word that is more than marks, in order.
        flags: theirs, as of `mark_flags`.
        language: whose conventions the tokens follow.
        case: whether capitals may be added.
    """
    cores = [split_token(word.text, language)[1] for word in utterance.words]
    given = utterance.labels
    rest = zip(predicted, flags, strict=True)
    result = []
    for word, core, own in zip(utterance.words, cores, given, strict=True):
        if not core:
            result.append(own)
            continue
        result.append(added_label(word.text, core, own, *next(rest), case))
    return tuple(result)


def added_label(word: str, core: str, given: Labels, predicted: Labels, flags: int, case: bool) -> Labels:
    """Labels of one word that is more than marks: those it came with, and predicted ones where its flags let them.

    Args:
        word: its token.
        core: the token without the marks at its edges.
        given: the labels that it came with.
        predicted: a model's.
        flags: the word's.
        case: whether capitals may be added.
    """
    marks = predicted.marks if not flags else _free(predicted.marks, flags)
    cased = case and predicted.case is not Case.O and _may_have_capital(word, core, given.case)
    return Labels(given.marks | marks, case_of(apply_case(core, predicted.case)) if cased else given.case)


def _free(marks: frozenset[Mark], flags: int) -> frozenset[Mark]:
    """The marks whose side is not taken."""
    return frozenset(mark for mark in marks if not flags & (LEFT_TAKEN if mark in _LEFT else RIGHT_TAKEN))


def _may_have_capital(word: str, core: str, given: Case) -> bool:
    """Whether a word takes a capital that it does not have."""
    return given is Case.O and core == core.lower() != core.upper() and takes_case(word)
