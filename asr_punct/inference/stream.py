"""Live streams: each word is committed with its marks and case once a few words follow it.

A word is decided when the `right`-th word after it arrives, and never changes (Poláček et al. 2023, section 3.4). One
window decides it, of at most `left` words before it and `right` after it. With `left` = `right` the window is centred
on the word: the sequential prediction of Courtland et al. 2020. A window larger than the model's own is cut at its
longer side. With a `hop` above 1 a window decides several words: fewer windows are computed, but words wait longer.

At a long pause, all words before it are committed at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from asr_punct.errors import AsrPunctError
from asr_punct.inference.lookahead import Decision
from asr_punct.inference.outputs import WindowProbabilities
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.marks import Glyphs, Labels
from asr_punct.words import Seconds, Word, check_times

Decide = Callable[[Sequence[Window[Token]]], list[WindowProbabilities]]
"""Computes the probabilities of the words that each window decides."""


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


class Stream(ABC):
    """Words in, committed words out; made by `Punctuator.stream`.

    `flush` returns the last words. At the end of a `with` block, words that are not committed are dropped.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def push(self, *words: str | Word) -> list[Committed]:
        """Add the next words and return the words that are decided now, oldest first: usually as many.

        Words of one call are decided together, which is cheaper. The pause between two words is computed from their
        times if they have any.

        Raises:
            AsrPunctError: an argument is not one word, or has impossible times; then the stream has not changed.
        """
        return self._decide(self.add([one_word(word) for word in words]))

    def idle(self, seconds: Seconds) -> list[Committed]:
        """Report that no word has begun for some time, and return the words that are decided now.

        If `seconds` is at least `flush_after`, these are all words. The document continues.

        Args:
            seconds: time since the last word.
        """
        return self._decide(self.wait(seconds))

    def flush(self) -> list[Committed]:
        """End the document and return its remaining words; the next word begins another document."""
        return self._decide(self.end())

    def preview(self) -> list[Committed]:
        """Return the words that are not committed, as the last window of the model would write them.

        The next words can still change them. No marks follow the last word of that window: half or more of them would
        soon go. With a `hop`, words after it are unchanged. Tokens that consist of marks are left out.
        """
        if window := self.unseen():
            self.look(window, *self.decide_windows([window]))
        return self.provisional()

    @property
    def warnings(self) -> list[str]:
        """Warnings about the language of the words, oldest first."""
        return []

    @abstractmethod
    def clear(self) -> None:
        """Drop the document."""

    @property
    @abstractmethod
    def glyphs(self) -> Glyphs:
        """How words are written."""

    # Collecting decisions and computing their windows are separate, so that a StreamPool can compute the windows of
    # many streams together.

    @property
    @abstractmethod
    def decide_windows(self) -> Decide:
        """Computes the probabilities of the stream's windows."""

    @abstractmethod
    def add(self, words: Sequence[Word]) -> list[Decision]:
        """Add words and return the decisions to make."""

    @abstractmethod
    def wait(self, seconds: Seconds) -> list[Decision]:
        """Report `seconds` without a word and return the decisions to make."""

    @abstractmethod
    def end(self) -> list[Decision]:
        """End the document and return the decisions to make."""

    @abstractmethod
    def unseen(self) -> Window[Token] | None:
        """Return a window for the preview, if no window of a decision has the undecided words."""

    @abstractmethod
    def look(self, window: Window[Token], computed: WindowProbabilities) -> None:
        """Use the probabilities of this window for the next preview."""

    @abstractmethod
    def provisional(self) -> list[Committed]:
        """Return the words that are not committed, as the last window would write them."""

    @abstractmethod
    def commit(self, decisions: Sequence[Decision], computed: Sequence[WindowProbabilities]) -> list[Committed]:
        """Return the words of decisions, given the probabilities of their windows."""

    def _decide(self, decisions: Sequence[Decision]) -> list[Committed]:
        # one run for each window: an int8 graph rounds by batch, and a stream must not depend on how words arrive
        computed = [self.decide_windows([decision.window])[0] for decision in decisions if decision.window]
        return self.commit(decisions, computed)


def one_word(word: object) -> Word:
    """Return the word. Raises AsrPunctError if it is not one word, or for impossible times."""
    token = Word(word) if isinstance(word, str) else word
    if not isinstance(token, Word) or len(token.text.split()) != 1:
        raise AsrPunctError(f"word: found {word!r}, expected one word without white space")
    check_times(token)
    return token
