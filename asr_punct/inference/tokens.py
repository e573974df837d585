"""Tokens: words of the input with their sub-words for the model and their flags for the decoder."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from asr_punct.decode.flags import WordFlag
from asr_punct.decode.probabilities import list_probabilities
from asr_punct.decode.settings import CAPITAL_FOLLOWS
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput
from asr_punct.marks import LEFT, PAIRS, Case, Labels, Mark, apply_case, case_of, takes_case
from asr_punct.pauses import UNKNOWN_PAUSE, buckets
from asr_punct.subwords import SubwordTokenizer
from asr_punct.text import clean, read_marks, split_token
from asr_punct.text.abbreviations import rules_of
from asr_punct.words import Utterance, Word, annotate

_LEFT = frozenset(LEFT)
_ENDS = frozenset(CAPITAL_FOLLOWS)
_BARRIERS = frozenset({Mark.PERIOD, *(mark for pair in PAIRS for mark in pair)})
_CACHED_WORDS, _CACHED_LENGTH = 100_000, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(WordInput):
    """A word of the input. Some words consist of marks, such as `-`: the model does not see them.

    Attributes:
        word: the word of the input, with its labels.
        core: the word without the marks at its edges; empty if it consists of marks.
        left: the marks before the core, also those of a neighbour that consists of marks.
        right: the marks after the core, likewise.
        flags: flags for the decoder.
    """

    word: Word
    core: str
    left: str
    right: str
    flags: WordFlag

    @property
    def labels(self) -> Labels:
        """Labels of the input."""
        return self.word.labels or _NO_LABELS

    def with_marks(self, left: str = "", right: str = "") -> Token:
        """Return the token with further marks beside it."""
        left, right = left + self.left, self.right + right
        flags = _flags(self.word.text, left, self.core, right, self.labels) | self.flags & WordFlag.FUNCTION_WORD
        return replace(self, left=left, right=right, flags=flags)

    def add(self, predicted: Labels, case: bool) -> Labels:
        """Return the labels of the input together with predicted ones that may be added.

        Args:
            predicted: labels from the decoder.
            case: whether capitals may be added.
        """
        if not self.flags and predicted.case is Case.O:
            return predicted
        given, marks, new_case = self.labels, predicted.marks, Case.O
        if WordFlag.LEFT_TAKEN in self.flags:
            marks -= _LEFT
        if WordFlag.RIGHT_TAKEN in self.flags:
            marks &= _LEFT
        if case and predicted.case is not Case.O and WordFlag.CASE_FIXED not in self.flags:
            new_case = _possible_case(self.core, predicted.case)
        return Labels(given.marks | marks, given.case if new_case is Case.O else new_case)


_NO_LABELS = Labels()


def share_marks(before: Token, after: Token) -> tuple[Token, Token]:
    """Return two neighbours; if one of them consists of marks, the other one has these marks beside it."""
    if before.core and not after.core:
        return before.with_marks(right=after.word.text), after
    if after.core and not before.core:
        return before, after.with_marks(left=before.word.text)
    return before, after


def mark_edges(document: Iterable[Token]) -> Iterator[Token]:
    """Yield the words of one document, with flags on the first and the last one."""
    last: Token | None = None
    for token in document:
        if last is None:
            last = replace(token, boundary=DOCUMENT_START)
        else:
            yield last
            last = token
    if last is not None:
        yield replace(last, boundary=last.boundary + DOCUMENT_END)


class _Entry(NamedTuple):
    """Properties of a token that depend on its text alone."""

    subwords: tuple[int, ...]
    core: str
    left: str
    right: str
    flags: WordFlag


class TokenReader:
    """Makes tokens of words; what depends on the text alone is cached.

    Args:
        tokenizer: splits words into sub-words.
        language: language code of the text.
    """

    def __init__(self, tokenizer: SubwordTokenizer, language: str) -> None:
        self._tokenizer, self._language = tokenizer, language
        self._cache: dict[str, _Entry] = {}

    def read(self, words: Sequence[Word]) -> list[Token]:
        """Return the tokens of consecutive words of an utterance."""
        entries = self._entries([word.text for word in words])
        pauses = [word.pause for word in words]
        known = any(pause is not None for pause in pauses)
        numbers = buckets(pauses).tolist() if known else [UNKNOWN_PAUSE] * len(words)
        tokens = [_token(*row) for row in zip(words, entries, numbers, strict=True)]
        if all(token.core for token in tokens):
            return tokens
        for i in range(1, len(tokens)):
            tokens[i - 1 : i + 1] = share_marks(*tokens[i - 1 : i + 1])
        return tokens

    def _entries(self, texts: Sequence[str]) -> list[_Entry]:
        cache = self._cache  # other threads may replace it
        missing = [text for text in dict.fromkeys(texts) if text not in cache]
        if not missing:
            return [cache[text] for text in texts]
        new = self._make_entries(missing)
        result = [new.get(text) or cache[text] for text in texts]
        if len(cache) + len(new) > _CACHED_WORDS:
            cache = self._cache = {}
        cache.update((text, entry) for text, entry in new.items() if len(text) <= _CACHED_LENGTH)
        return result

    def _make_entries(self, texts: Sequence[str]) -> dict[str, _Entry]:
        parts = [split_token(text, self._language) for text in texts]
        subwords = self._tokenizer.encode([clean(core).lower() for _, core, _ in parts])
        return {
            text: _Entry(ids, core, left, right, _flags(text, left, core, right, _NO_LABELS) | self._word_flag(core))
            for text, (left, core, right), ids in zip(texts, parts, subwords, strict=True)
        }

    def _word_flag(self, core: str) -> WordFlag:
        rules = rules_of(self._language)
        is_function_word = core.lower() in rules.function_words - rules.pronouns
        return WordFlag.FUNCTION_WORD if is_function_word else WordFlag(0)


def _token(word: Word, entry: _Entry, pause: int) -> Token:
    subwords, core, left, right, flags = entry
    if word.labels is not None:
        flags = _flags(word.text, left, core, right, word.labels) | flags & WordFlag.FUNCTION_WORD
    return Token(subwords, pause, word=word, core=core, left=left, right=right, flags=flags)


def _flags(text: str, left: str, core: str, right: str, labels: Labels) -> WordFlag:
    marks = labels.marks
    flags = WordFlag.LEFT_TAKEN if left or marks & _LEFT else WordFlag(0)
    if right or marks - _LEFT:
        flags |= WordFlag.RIGHT_TAKEN
    if flags:
        marks |= read_marks(left, right)
        flags |= WordFlag.BARRIER if marks & _BARRIERS else 0
        flags |= WordFlag.ENDED if marks & _ENDS else 0
    is_lower = labels.case is Case.O and core == core.lower() != core.upper()
    return flags if is_lower and takes_case(text) else flags | WordFlag.CASE_FIXED


@lru_cache(maxsize=1 << 16)
def _possible_case(core: str, case: Case) -> Case:
    """Return the case that a word can have: ALL_CAPS needs two letters, and some words cannot have capitals."""
    return case_of(apply_case(core, case))


class PendingUtterance:
    """An utterance that waits for its labels.

    Attributes:
        words: number of its tokens that the decoder labels: all but those that consist of marks.
    """

    def __init__(self, utterance: Utterance, tokens: Sequence[Token]) -> None:
        self._utterance, self._tokens = utterance, tokens
        self.words = sum(bool(token.core) for token in tokens)

    def finish(self, decided: deque[Labels], probabilities: deque[list[float]], case: bool) -> Utterance:
        """Return the utterance with the next decided labels and, if there are any, probabilities."""
        tokens = self._tokens
        labels = [token.add(decided.popleft(), case) if token.core else token.labels for token in tokens]
        if not probabilities:
            return annotate(self._utterance, labels=labels)
        listed = [
            list_probabilities(probabilities.popleft(), token.word.probabilities, token.labels, new)
            if token.core
            else token.word.probabilities
            for token, new in zip(tokens, labels, strict=True)
        ]
        return annotate(self._utterance, labels=labels, probabilities=listed)
