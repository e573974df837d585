"""A stream whose model is chosen by the language of each document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from asr_punct.inference.choice import CHECKED_WORDS, LanguageChoice
from asr_punct.inference.lookahead import Decision
from asr_punct.inference.outputs import WindowProbabilities
from asr_punct.inference.stream import Committed, Decide, Stream
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.marks import Glyphs, Labels
from asr_punct.words import Seconds, Word


class LanguageStream(Stream):
    """A stream whose model is chosen by the language of each document.

    Holds back the first words of a document, at most `HELD_WORDS`, until the language is clear. Holds back none if the
    language or the model is given.

    Args:
        first: stream of the default model.
        open_stream: returns a stream of the model with a name.
        choice: chooses the model.
    """

    def __init__(self, first: Stream, open_stream: Callable[[str], Stream], choice: LanguageChoice) -> None:
        self._stream, self._open, self._log = first, open_stream, choice.log
        self._choice = replace(choice, report=self._report)
        self._warnings: dict[str, str] = {}
        self._model, self._is_chosen = "", False
        self._words: list[Word] = []

    @property
    def glyphs(self) -> Glyphs:
        """Glyphs of the current or last document's model."""
        return self._stream.glyphs

    @property
    def decide_windows(self) -> Decide:
        """Computes the probabilities of windows with the current or last document's model."""
        return self._stream.decide_windows

    @property
    def warnings(self) -> list[str]:
        """Warnings about the language, one for each language, oldest first."""
        return list(self._warnings.values())

    def _report(self, language: str, warning: str) -> None:
        self._warnings.setdefault(language, warning)
        self._log(language, warning)

    def clear(self) -> None:
        """Drop the document; a new model is chosen for the next one."""
        self._words, self._is_chosen = [], False
        self._stream.clear()

    def add(self, words: Sequence[Word]) -> list[Decision]:
        """Add words and return the decisions to make: none until the model is chosen."""
        if self._is_chosen:
            self._check(words)
            return self._stream.add(words)
        self._words += words
        return self._choose(self._choice.choose_early([word.text for word in self._words]))

    def wait(self, seconds: Seconds) -> list[Decision]:
        """See `Stream.wait`. Words that are held back until the language is clear are not decided."""
        return self._stream.wait(seconds) if self._is_chosen else []

    def end(self) -> list[Decision]:
        """End the document, choose its model if it is not chosen yet, and return the decisions to make."""
        held = list[Decision]()
        if not self._is_chosen:
            held = self._choose(self._choice.choose([word.text for word in self._words]))
        elif len(self._words) < CHECKED_WORDS:
            self._check_words()
        self._words, self._is_chosen = [], False
        return held + self._stream.end()

    def unseen(self) -> Window[Token] | None:
        """Return a window for the preview; None until the model is chosen."""
        return self._stream.unseen() if self._is_chosen else None

    def look(self, window: Window[Token], computed: WindowProbabilities) -> None:
        """Use the probabilities of this window for the next preview."""
        self._stream.look(window, computed)

    def provisional(self) -> list[Committed]:
        """Return the words that are not committed; unchanged until the model is chosen."""
        if self._is_chosen:
            return self._stream.provisional()
        return [Committed(word, Labels(), word.text) for word in self._words]

    def commit(self, decisions: Sequence[Decision], computed: Sequence[WindowProbabilities]) -> list[Committed]:
        """Return the words of decisions, written with the glyphs of their model."""
        return self._stream.commit(decisions, computed)

    def _choose(self, choice: tuple[str, str] | None) -> list[Decision]:
        if choice is None:
            return []
        self._model, self._is_chosen = choice[0], True
        self._stream = self._open(self._model)
        return self._stream.add(self._words)

    def _check(self, words: Sequence[Word]) -> None:
        """Once there are enough words, warn if they are clearly not in a language of the model."""
        if len(self._words) < CHECKED_WORDS:
            self._words += words
            if len(self._words) >= CHECKED_WORDS:
                self._check_words()

    def _check_words(self) -> None:
        self._choice.check([word.text for word in self._words], self._model)
