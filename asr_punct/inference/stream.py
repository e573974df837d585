"""Live streams: each word is committed with its marks and case once a few words follow it.

A word is decided when the `right`-th word after it arrives, and never changes (Poláček et al. 2023, section 3.4). One
window decides it, of at most `left` words before it and `right` after it. With `left` = `right` the window is centred
on the word: the sequential prediction of Courtland et al. 2020. A window larger than the model's own is cut at its
longer side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import TracebackType

import numpy as np

from asr_punct.decode.online import OnlineDecoder
from asr_punct.errors import AsrPunctError
from asr_punct.inference.choice import CHECKED_WORDS, LanguageChoice
from asr_punct.inference.lookahead import Decision, Lookahead
from asr_punct.inference.outputs import WindowProbabilities
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.marks import Glyphs, Labels, write_word
from asr_punct.pauses import pause_between, with_pauses
from asr_punct.words import Utterance, Word, annotate

Decide = Callable[[Sequence[Window[Token]]], list[WindowProbabilities]]
"""Computes the probabilities of the words that each window decides."""
_BATCH_DECISIONS = 128
"""Decisions of a transcript that are computed together."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A word that is decided.

    Attributes:
        word: the word of the input.
        labels: its marks and case.
        written: the word with its marks and case, as one token.
    """

    word: Word
    labels: Labels
    written: str


class Committer:
    """Labels words in order.

    Args:
        decide: computes probabilities.
        decoder: computes labels from them.
        case: whether capitals may be added.
    """

    def __init__(self, decide: Decide, decoder: OnlineDecoder, case: bool) -> None:
        self._decide, self._decoder, self._case = decide, decoder, case

    def commit(self, decisions: Sequence[Decision]) -> Iterator[tuple[Word, Labels]]:
        """Yield the word and labels of every token of consecutive decisions."""
        found = iter(self._decide([decision.window for decision in decisions if decision.window]))
        for decision in decisions:
            for word, token in zip(decision.words, decision.tokens, strict=True):
                labels = token.labels
                if token.core and decision.window:
                    flags = np.array([kept.flags for kept in decision.window.kept], dtype=np.uint8)
                    probabilities = next(found)
                    predicted = self._decoder.commit(probabilities.labels, probabilities.cases, flags, decision.end)
                    labels = token.add(predicted, self._case)
                yield word, labels


class Stream:
    """Words in, committed words out; made by `Punctuator.stream`.

    `flush` returns the last words. As a context manager, it drops words that are not committed at its end.

    Args:
        lookahead: collects the words.
        committer: labels them.
        glyphs: how words are written.
    """

    def __init__(self, lookahead: Lookahead, committer: Committer, glyphs: Glyphs) -> None:
        self._lookahead, self._committer, self.glyphs = lookahead, committer, glyphs
        self._last: Word | None = None

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lookahead.clear()

    def push(self, word: str | Word) -> list[Committed]:
        """Add the next word and return the words that are decided now, oldest first: usually one.

        The pause between two words is computed from their times if they have any.

        Raises:
            AsrPunctError: the argument is not one word.
        """
        token = _one_word(word)
        pause = pause_between(self._last, token) if self._last else None
        self._last = token
        return self._commit(list(self._lookahead.push(token, pause)))

    def flush(self) -> list[Committed]:
        """End the document and return its remaining words; the next word begins another document."""
        self._last = None
        return self._commit(list(self._lookahead.flush()))

    def _commit(self, decisions: Sequence[Decision]) -> list[Committed]:
        return [
            Committed(word, labels, write_word(word.text, labels, self.glyphs))
            for word, labels in self._committer.commit(decisions)
        ]


class LanguageStream(Stream):
    """A stream whose model is chosen by the language of each document.

    Holds back the first words of a document, at most `HELD_WORDS`, until the choice is clear; then returns those that
    are decided. Holds back none if the language or the model is given.

    Args:
        first: stream of the default model.
        open_stream: returns a stream of the model with a name.
        choice: chooses the model.
    """

    def __init__(self, first: Stream, open_stream: Callable[[str], Stream], choice: LanguageChoice) -> None:
        self._stream, self._open, self._choice = first, open_stream, choice
        self._model, self._is_chosen = "", False
        self._words: list[Word] = []

    @property
    def glyphs(self) -> Glyphs:  # type: ignore[override]
        """Glyphs of the model of the last words."""
        return self._stream.glyphs

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._words, self._is_chosen = [], False
        self._stream.__exit__(kind, error, at)

    def push(self, word: str | Word) -> list[Committed]:
        """See `Stream.push`."""
        token = _one_word(word)
        if self._is_chosen:
            self._check(token)
            return self._stream.push(token)
        self._words.append(token)
        return self._choose(self._choice.choose_early([word.text for word in self._words]))

    def flush(self) -> list[Committed]:
        """See `Stream.flush`."""
        held = list[Committed]()
        if not self._is_chosen:
            held = self._choose(self._choice.choose([word.text for word in self._words]))
        elif len(self._words) < CHECKED_WORDS:
            self._check_words()
        self._words, self._is_chosen = [], False
        return held + self._stream.flush()

    def _choose(self, choice: tuple[str, str] | None) -> list[Committed]:
        if choice is None:
            return []
        self._model, self._is_chosen = choice[0], True
        self._stream = self._open(self._model)
        return [item for word in self._words for item in self._stream.push(word)]

    def _check(self, word: Word) -> None:
        """Warn if the language is not the one that is given, when there are enough words to identify it."""
        if len(self._words) < CHECKED_WORDS:
            self._words.append(word)
            if len(self._words) == CHECKED_WORDS:
                self._check_words()

    def _check_words(self) -> None:
        self._choice.check([word.text for word in self._words], self._model)


def _one_word(word: object) -> Word:
    """Return the word. Raises AsrPunctError if it is not one word."""
    token = Word(word) if isinstance(word, str) else word
    if not isinstance(token, Word) or len(token.text.split()) != 1:
        raise AsrPunctError(f"word: found {word!r}, expected one word without white space")
    return token


def restore_streaming(
    utterances: Iterable[Utterance], lookahead: Lookahead, committer: Committer
) -> Iterator[Utterance]:
    """Yield utterances with the labels that a stream gives to their words, lazily and computed in batches."""
    waiting: deque[Utterance] = deque()
    labels: deque[Labels] = deque()

    def decisions() -> Iterator[Decision]:
        document, pause = None, None
        for utterance in with_pauses(utterances):
            waiting.append(utterance)
            if utterance.context != document:
                yield from lookahead.flush()
                document, pause = utterance.context, None
            for word in utterance.words:
                yield from lookahead.push(word, pause)
                pause = word.pause
        yield from lookahead.flush()

    pending = decisions()
    while group := list(islice(pending, _BATCH_DECISIONS)):
        labels.extend(label for _, label in committer.commit(group))
        while waiting and len(waiting[0].words) <= len(labels):
            utterance = waiting.popleft()
            yield annotate(utterance, labels=[labels.popleft() for _ in utterance.words])
    yield from waiting
