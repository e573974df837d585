"""A stream whose model is chosen by the language of each document."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from asr_punct.inference.choice import CHECKED_WORDS, LanguageChoice
from asr_punct.inference.lookahead import Decision
from asr_punct.inference.outputs import WindowProbabilities
from asr_punct.inference.stream import Committed, Decide, Stream
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
        self._stream, self._open, self._choice = first, open_stream, choice
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

    def clear(self) -> None:
        """Drop the document; a new model is chosen for the next one."""
        self._words, self._is_chosen = [], False
        self._stream.clear()

    def add(self, word: Word) -> list[Decision]:
        """Add a word and return the decisions to make: none until the model is chosen."""
        if self._is_chosen:
            self._check(word)
            return self._stream.add(word)
        self._words.append(word)
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

    def undecided(self) -> Decision | None:
        """Return the undecided words as a decision; None if there are none, or until the model is chosen."""
        return self._stream.undecided() if self._is_chosen else None

    def held(self) -> list[Committed]:
        """Return the words that are held back, unchanged; an empty list once the model is chosen."""
        return [] if self._is_chosen else [Committed(word, Labels(), word.text) for word in self._words]

    def commit(self, decisions: Sequence[Decision], computed: Sequence[WindowProbabilities]) -> list[Committed]:
        """Return the words of decisions, written with the glyphs of their model."""
        return self._stream.commit(decisions, computed)

    def write_preview(self, decision: Decision, computed: WindowProbabilities) -> list[Committed]:
        """Return undecided words as the model would write them now."""
        return self._stream.write_preview(decision, computed)

    def _choose(self, choice: tuple[str, str] | None) -> list[Decision]:
        if choice is None:
            return []
        self._model, self._is_chosen = choice[0], True
        self._stream = self._open(self._model)
        return [decision for word in self._words for decision in self._stream.add(word)]

    def _check(self, word: Word) -> None:
        """Once there are enough words, warn if they are clearly not in a language of the model."""
        if len(self._words) < CHECKED_WORDS:
            self._words.append(word)
            if len(self._words) == CHECKED_WORDS:
                self._check_words()

    def _check_words(self) -> None:
        self._choice.check([word.text for word in self._words], self._model)
