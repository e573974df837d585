"""Live streams: each word is committed with its marks and case once a few words follow it.

A word is decided when the `right`-th word after it arrives, and never changes (Poláček et al. 2023, section 3.4). One
window decides it, of at most `left` words before it and `right` after it. With `left` = `right` the window is centred
on the word: the sequential prediction of Courtland et al. 2020. A window larger than the model's own is cut at its
longer side. With a `hop` above 1 a window decides several words: fewer windows are computed, but words wait longer.

At a long pause, all words before it are committed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from asr_punct.errors import AsrPunctError
from asr_punct.features import WindowProbabilities
from asr_punct.inference.choice import CHECKED_WORDS, LanguageChoice
from asr_punct.inference.lookahead import Decision
from asr_punct.inference.model_stream import Decide, ModelStream
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.languages import parse_language
from asr_punct.marks import Glyphs, Labels, write_word
from asr_punct.words import Seconds, Word, check_times, is_one_word


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


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a stream, in two parts, so that a `StreamPool` can compute the windows of many streams together.

    `decide` computes the probabilities of the `windows`, and `finish` returns words from them.
    """

    windows: Sequence[Window[Token]]
    decide: Decide
    finish: Callable[[Sequence[WindowProbabilities]], list[Committed]]


class Stream:
    """Words in, committed words out; made by `Punctuator.stream`.

    `flush` returns the last words. At the end of a `with` block, words that are not committed are dropped.

    With the model `auto`, the language of a document chooses its model. If it is not given, the first words, at most
    ten, wait until it is clear.
    """

    def __init__(
        self, open_model: Callable[[str], ModelStream], choice: LanguageChoice | None, language: str = ""
    ) -> None:
        # `open_model` gets a model's name, "" for the default model; without a `choice` all documents have that one
        self._open, self._model = open_model, open_model("")
        given = choice.language or parse_language(language) if choice else ""
        self._choice = replace(choice, language=given, report=self._report) if choice else None
        self._log = choice.log if choice else None
        self._warnings: dict[str, str] = {}
        self._model_name = ""
        self._begin_document()

    def _begin_document(self) -> None:
        self._first_words: list[Word] = []  # by which the model is chosen and checked
        self._is_chosen = self._choice is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def push(self, *words: str | Word) -> list[Committed]:
        """Add the next words and return the words that are decided now, oldest first: usually as many.

        Words of one call are decided together, which is cheaper. The pause between two words is the `pause` of the
        first one, else computed from their times if they have any.

        Raises:
            AsrPunctError: an argument is not one word, or has impossible times; then the stream has not changed.
        """
        return _run(self.plan_push([one_word(word) for word in words]))

    def idle(self, seconds: Seconds) -> list[Committed]:
        """Report that no word has begun for some time, and return the words that are decided now.

        If `seconds` is at least `flush_after`, these are all words, except those that wait for the choice of a model.
        The document continues.

        Args:
            seconds: time since the last word.
        """
        return _run(self.plan_idle(seconds))

    def flush(self) -> list[Committed]:
        """End the document and return its remaining words; the next word begins another document."""
        return _run(self.plan_flush())

    def preview(self) -> list[Committed]:
        """Return the words that are not committed, as the last window of the model would write them.

        The next words can still change them. The last word of the window gets no marks on its right: half or more of
        them would soon be removed. Words after the window are unchanged. Sounds (`[noise]`) and tokens that consist of
        marks are left out.
        """
        return _run(self.plan_preview())

    def clear(self) -> None:
        """Drop the document."""
        self._begin_document()
        self._model.clear()

    @property
    def glyphs(self) -> Glyphs:
        """How the words of the current or last document are written."""
        return self._model.glyphs

    @property
    def warnings(self) -> list[str]:
        """Warnings about the language of the words, one for each language, oldest first."""
        return list(self._warnings.values())

    def plan_push(self, words: Sequence[Word]) -> Step:
        """Return the step of `push`."""
        if self._is_chosen:
            self._check_first(words)
            return self._commit(self._model.add(words))
        self._first_words += words
        return self._commit(self._choose(only_if_clear=True))

    def plan_idle(self, seconds: Seconds) -> Step:
        """Return the step of `idle`."""
        return self._commit(self._model.wait(seconds) if self._is_chosen else [])

    def plan_flush(self) -> Step:
        """Return the step of `flush`."""
        if self._is_chosen and self._choice and len(self._first_words) < CHECKED_WORDS:
            self._choice.check(_texts(self._first_words), self._model_name)
        decisions = [] if self._is_chosen else self._choose()
        self._begin_document()
        return self._commit(decisions + self._model.end())

    def plan_preview(self) -> Step:
        """Return the step of `preview`."""
        model, first_words = self._model, self._first_words
        if not self._is_chosen:
            return Step((), model.decide, lambda _: [Committed(word, Labels(), word.text) for word in first_words])
        window = model.lookahead.preview_window()

        def finish(computed: Sequence[WindowProbabilities]) -> list[Committed]:
            if window:
                model.update_preview(window, computed[0])
            return _write(model.preview(), model.glyphs)

        return Step((window,) if window else (), model.decide, finish)

    def _commit(self, decisions: Sequence[Decision]) -> Step:
        model, windows = self._model, [decision.window for decision in decisions if decision.window]
        return Step(windows, model.decide, lambda computed: _write(model.label(decisions, computed), model.glyphs))

    def _choose(self, *, only_if_clear: bool = False) -> list[Decision]:
        """Choose the model by the first words, and return their decisions; none if no model is chosen."""
        if self._choice is None:
            return []
        words = _texts(self._first_words)
        choice = self._choice.choose_early(words) if only_if_clear else self._choice.choose(words)
        if choice is None:
            return []
        self._model_name, self._is_chosen = choice[0], True
        self._model = self._open(self._model_name)
        return self._model.add(self._first_words)

    def _check_first(self, words: Sequence[Word]) -> None:
        """Once there are enough words, warn if they are clearly not in a language of the model."""
        if self._choice and len(self._first_words) < CHECKED_WORDS:
            self._first_words += words
            if len(self._first_words) >= CHECKED_WORDS:
                self._choice.check(_texts(self._first_words), self._model_name)

    def _report(self, language: str, warning: str) -> None:
        self._warnings.setdefault(language, warning)
        if self._log:
            self._log(language, warning)


def _run(step: Step) -> list[Committed]:
    # one run for each window: an int8 graph rounds by batch, and a stream must not depend on how words arrive
    return step.finish([step.decide([window])[0] for window in step.windows])


def _texts(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words]


def _write(words: Iterable[tuple[Word, Labels]], glyphs: Glyphs) -> list[Committed]:
    return [Committed(word, labels, write_word(word.text, labels, glyphs)) for word, labels in words]


def one_word(word: object) -> Word:
    """Return the word. Raises AsrPunctError if it is not one word, or for impossible times."""
    token = Word(word) if isinstance(word, str) else word
    if not isinstance(token, Word) or not is_one_word(token.text):
        raise AsrPunctError(f"word: found {word!r}, expected one word without white space")
    check_times(token)
    return token
