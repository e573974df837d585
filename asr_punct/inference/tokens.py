"""Tokens: words of the input with their sub-words for the model and their flags for the decoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from asr_punct.caching import cached_by_word
from asr_punct.decode.inputs import WordFlag
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, TURN_END, TURN_START, WordInput
from asr_punct.inference.evidence import (
    CLOSED,
    STOPPED,
    mark_flags,
)
from asr_punct.languages import any_language
from asr_punct.letter_case import apply_case, case_of, takes_case
from asr_punct.marks import LEFT, Case, Labels, Mark
from asr_punct.pauses import BUCKETS, UNKNOWN_PAUSE
from asr_punct.text import glued_marks
from asr_punct.words import changes_speaker

_LEFT = frozenset(LEFT)
NO_LABELS, _NO_CAPITAL = Labels(), Case.O
_NO_MARKS = frozenset[Mark]()
_SINGLES = ("'", "‘", "‛", "`")
_CORE = attrgetter("core")
# integers, because they are faster than flags
_LEFT_TAKEN, _RIGHT_TAKEN, _CASE_FIXED = map(int, (WordFlag.LEFT_TAKEN, WordFlag.RIGHT_TAKEN, WordFlag.CASE_FIXED))
_MUST_OPEN, _MUST_END, _TURN_ENDS = map(int, (WordFlag.MUST_OPEN, WordFlag.MUST_END, WordFlag.TURN_ENDS))
_ANSWERED, _REPLIES = int(WordFlag.ANSWERED), any_language().replies
_NEGATIONS = _REPLIES & any_language().binds_next
_TAKEN = _LEFT_TAKEN | _RIGHT_TAKEN
_FIXED = int(_TAKEN | WordFlag.QUOTED | _CASE_FIXED)
# not of the marks and the case
_KEPT_FLAGS = (
    int(WordFlag.NEVER_NAME | WordFlag.LONG_WORD | WordFlag.NO_CAPITAL | WordFlag.LETTER | WordFlag.CONJUNCTION)
    | WordFlag.HESITATION
    | _TURN_ENDS
    | _MUST_END
    | _ANSWERED
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(WordInput):
    """A word of the input, as the model and the decoder read it. Equal words may share one token.

    Some words consist of marks, such as `-`, or are sounds, such as `[noise]`: the model does not see them, and their
    time belongs to the pause before them. Others are pieces of the word before them (`text.pieces`): the model reads
    the word whole, as the first token.

    Attributes:
        text: the word of the input, unchanged.
        core: the word without the marks at its edges; empty if it consists of marks, is a sound or a piece.
        left: the marks before the core, after those of a left neighbour that consists of marks.
        right: the marks after the core, before those of a right neighbour that consists of marks.
        flags: flags for the decoder, a sum of `WordFlag` and `given_flags`.
        labels: labels of the input.
        spoken: the word as the model reads it, with its pieces.
        is_piece: whether it is a piece of the word before it.
        barred: marks that are not added between this word, a number, and the next one, which is one too.
        begins_turn: whether a dash, `>>` or name of the input begins a speaker's turn at it.
    """

    text: str
    core: str
    left: str
    right: str
    flags: int
    labels: Labels = NO_LABELS
    spoken: str = ""
    is_piece: bool = False
    barred: frozenset[Mark] = _NO_MARKS
    begins_turn: bool = False

    @property
    def is_bare_sound(self) -> bool:
        """Whether it is a sound or a piece without marks, and begins no turn."""
        return not (self.core or self.left or self.right or self.begins_turn)

    @property
    def needs_neighbours(self) -> bool:
        """Whether its marks concern the words beside it, or theirs it (see `TokenReader.share_marks`)."""
        if not self.core or self.flags & (CLOSED | STOPPED):
            return True
        return bool(self.left) and (self.opens_single or bool(glued_marks(self.left)))

    @property
    def opens_single(self) -> bool:
        """Whether a single quotation mark is before it."""
        return self.left[-1:] in _SINGLES

    def with_marks(self, left: str = "", right: str = "") -> Token:
        """Return the token with further marks beside it."""
        return replace(self, left=left + self.left, right=self.right + right)._with_flags()

    def with_pause_of(self, following: Token) -> Token:
        """Return the token with the pause of the next one, which the model does not see, added to its own.

        The pause after a piece replaces it.
        """
        if following.is_piece:
            return replace(self, pause=following.pause)
        if UNKNOWN_PAUSE in (self.pause, following.pause):
            return replace(self, pause=UNKNOWN_PAUSE)
        return replace(self, pause=min(BUCKETS - 1, self.pause + following.pause))

    def at(self, boundary: int) -> Token:
        """Return the token with one more flag of a boundary."""
        ends = _TURN_ENDS if boundary == TURN_END else 0
        return replace(self, boundary=self.boundary | boundary, flags=self.flags | ends)

    def with_labels(self, labels: Labels) -> Token:
        """Return the token with marks and case that the decoder keeps."""
        return replace(self, labels=labels)._with_flags()

    def ending(self, following: Token) -> Token:
        """Return the token of a word after which a dash of the input begins a turn with the `following` word.

        One that may belong to the next word (`no puedo`) answers only if it has a mark (`no, gracias`).
        """
        words = _REPLIES if following.right else _REPLIES - _NEGATIONS
        answered = _ANSWERED if following.core.lower() in words else 0
        return replace(self, flags=self.flags | _MUST_END | _TURN_ENDS | answered)

    def beginning_turn(self) -> Token:
        """Return the token of a word at which a dash of the input begins a speaker's turn."""
        return replace(self, begins_turn=True)

    def read_as(self, spoken: str, subwords: tuple[int, ...]) -> Token:
        """Return the token of a word that the model reads with a further piece."""
        return replace(self, subwords=subwords, spoken=spoken)._with_flags()

    def kept(self) -> Token:
        """Return the token with flags and labels with which nothing is added to it."""
        return replace(self, flags=self.flags & ~_MUST_OPEN | _FIXED, labels=replace(self.labels, as_is=True))

    def _with_flags(self) -> Token:
        flags = mark_and_case_flags(self.spoken, self.left, self.core, self.right, self.labels)
        return replace(self, flags=flags | self.flags & _KEPT_FLAGS)

    def merge_labels(self, predicted: Labels, case: bool) -> Labels:
        """Return the labels of the input and the predicted ones that may be added; capitals only with `case`."""
        given = self.labels
        if given.as_is:
            return given
        if not self.barred.isdisjoint(predicted.marks):
            predicted = Labels(predicted.marks - self.barred, predicted.case)
        if predicted.case is _NO_CAPITAL and given is NO_LABELS and not self.flags & _TAKEN:
            return predicted  # most words
        marks, new_case = predicted.marks, _NO_CAPITAL
        if self.flags & _LEFT_TAKEN:
            marks -= _LEFT
        if self.flags & _RIGHT_TAKEN:
            marks &= _LEFT
        if case and predicted.case is not _NO_CAPITAL and not self.flags & _CASE_FIXED:
            new_case = _possible_case(self.core, predicted.case)
        if given is NO_LABELS and marks is predicted.marks and new_case is predicted.case:
            return predicted
        return Labels(given.marks | marks, given.case if new_case is _NO_CAPITAL else new_case)


def spread_labels(tokens: Sequence[Token], labels: Sequence[Labels]) -> list[Labels]:
    """Return the labels of tokens; of a word in pieces the last piece gets the marks after the word."""
    result, first = list(labels), 0
    for i, token in enumerate(tokens):
        if not token.is_piece:
            first = i
        elif not (i + 1 < len(tokens) and tokens[i + 1].is_piece):
            marks = result[first].marks - _LEFT
            result[first] = replace(result[first], marks=result[first].marks - marks)
            result[i] = replace(result[i], marks=result[i].marks | marks)
    return result


def gather_labels(tokens: Sequence[Token], labels: Sequence[Labels]) -> list[Labels]:
    """Return the labels of the words that the model sees, given those of all tokens; the inverse of `spread_labels`."""
    result = list[Labels]()
    for token, label in zip(tokens, labels, strict=True):
        if token.core:
            result.append(label)
        elif token.is_piece:
            result[-1] = Labels(result[-1].marks | label.marks, result[-1].case)
    return result


def flag_boundaries(document: Iterable[tuple[str, Sequence[Token]]]) -> Iterator[Token]:
    """Yield the words of one document that the model sees, given the speaker and all words of each utterance.

    The words at the edges of the document, and those beside a change of speaker, get their `boundary`. A turn that
    begins with a dash, `>>` or name is read as a document of its own: such turns are short, and the model, which has
    learnt from continuous text, would read question and answer as one sentence.
    """
    last: Token | None = None
    voice = ""
    for speaker, utterance in document:
        if last is not None and utterance and not utterance[0].core:
            last = last.with_pause_of(utterance[0])
        for token in filter(_CORE, utterance):
            if last is None:
                token = token.at(DOCUMENT_START)
            elif token.begins_turn:
                last, token = last.ending(token).at(DOCUMENT_END), token.at(DOCUMENT_START)
            elif changes_speaker(voice, speaker):
                last, token = last.at(TURN_END), token.at(TURN_START)
            if last is not None:
                yield last
            last, voice = token, speaker or voice
    if last is not None:
        yield last.at(DOCUMENT_END)


def mark_and_case_flags(text: str, left: str, core: str, right: str, labels: Labels) -> int:
    """Return the flags of a word for its marks, those of its labels, and its case."""
    flags = mark_flags(left, right, labels)
    is_lower = labels.case is Case.O and core == core.lower() != core.upper()
    return flags if is_lower and takes_case(text) else flags | _CASE_FIXED


@cached_by_word(1 << 16)
def _possible_case(core: str, case: Case) -> Case:
    """Return the case that a word can have: ALL_CAPS needs two letters, and some words cannot have capitals."""
    return case_of(apply_case(core, case))
