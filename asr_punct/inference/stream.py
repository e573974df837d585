"""Live streams: each word is committed with its marks and case once a few words follow it.

A word is decided when the `right`-th word after it arrives, and never changes (Poláček et al. 2023, section 3.4). One
window decides it, of at most `left` words before it and `right` after it. With `left` = `right` the window is centred
on the word: the sequential prediction of Courtland et al. 2020. A window larger than the model's own is cut at its
longer side. With a `hop` above 1 a window decides several words: fewer windows are computed, but words wait longer.

At a long pause, all words before it are committed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, repeat
from types import TracebackType
from typing import Self

import numpy as np

from asr_punct.decode.inputs import FlagArray, FloatArray
from asr_punct.decode.plain import new_online_decoder
from asr_punct.features import WindowProbabilities
from asr_punct.glyphs import Glyphs, write_word
from asr_punct.inference.choice import CHECKED_WORDS, LanguageChoice
from asr_punct.inference.lookahead import Decision, Lookahead
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.quote_sides import QuoteSides
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.stream_words import Committed, one_word
from asr_punct.inference.tokens import Token, spread_labels
from asr_punct.inference.windows import Window
from asr_punct.languages import parse_language
from asr_punct.marks import LEFT, Labels
from asr_punct.words import Seconds, Word


class Stream:
    """Words in, committed words out; made by `Punctuator.stream`.

    `flush` returns the last words. At the end of a `with` block, words that are not committed are dropped.

    With the model `auto`, the language of a document chooses its model. If it is not given, the first words, at most
    ten, wait until it is clear.

    Each call has two parts, so that a `StreamPool` can compute the windows of many streams together: `add_words`,
    `add_silence` and `end_document` choose the `windows` that decide words, and `commit` returns these words from the
    probabilities, which the `model` of the current or last document computes.

    Args:
        open_model: returns a model by name; "" is the default one.
        choice: chooses the model of a document; None: all have the default one.
        language: code of the language of the words; "" if it is not known, or `choice` has it.
    """

    def __init__(
        self,
        open_model: Callable[[str], Restorer],
        settings: StreamSettings,
        choice: LanguageChoice | None = None,
        language: str = "",
    ) -> None:
        self._open_model, self._settings = open_model, settings
        given = choice.language or parse_language(language) if choice else ""
        self._choice = replace(choice, language=given, report=self._report) if choice else None
        self._log = choice.log if choice else None
        self._warnings: dict[str, str] = {}
        self._begin_document()
        self._use_model("")

    def _begin_document(self) -> None:
        self._first_words: list[Word] = []  # by which the model is chosen and checked
        self._is_chosen = self._choice is None

    def _use_model(self, name: str) -> None:
        self._model_name, self.model = name, self._open_model(name)
        limits = self.model.info.model.window.words, self.model.info.max_tokens - 2
        self._lookahead = Lookahead(self.model.reader, self._settings, *limits)
        self._decoder = new_online_decoder(self.model.settings, self.model.classes)
        self._sides = QuoteSides(self.model.info.model.language)
        self._decisions: list[Decision] = []  # those that wait for the probabilities of their windows
        self._previewed: list[Labels] = []  # labels that the last window gives to the undecided words

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
        self.add_words([one_word(word) for word in words])
        return self.commit(self._compute(self.windows))

    def idle(self, seconds: Seconds) -> list[Committed]:
        """Report that no word has begun for `seconds`, and return the words that are decided now.

        After `flush_after` or more, these are all words, except those that wait for the choice of a model. The document
        continues.
        """
        self.add_silence(seconds)
        return self.commit(self._compute(self.windows))

    def flush(self) -> list[Committed]:
        """End the document and return its remaining words; the next word begins another document."""
        self.end_document()
        return self.commit(self._compute(self.windows))

    def preview(self) -> list[Committed]:
        """Return the words that are not committed, as the last window of the model would write them.

        The next words can still change them. The last word of the window gets no marks on its right: half or more of
        them would soon be removed. Words after the window are unchanged. Sounds (`[noise]`) and tokens that consist of
        marks are left out.
        """
        return self.show(self._compute(self.preview_windows))

    def clear(self) -> None:
        """Drop the document."""
        self._begin_document()
        self._use_model(self._model_name)

    @property
    def glyphs(self) -> Glyphs:
        """How the words of the current or last document are written."""
        return self.model.glyphs

    @property
    def warnings(self) -> list[str]:
        """Warnings about the language of the words, one for each language, oldest first."""
        return list(self._warnings.values())

    @property
    def windows(self) -> list[Window[Token]]:
        """The windows that decide the next words."""
        return [decision.window for decision in self._decisions if decision.window]

    @property
    def preview_windows(self) -> list[Window[Token]]:
        """The window that a preview needs, if the last one does not contain all its words."""
        return [window] if (window := self._lookahead.preview_window()) else []

    def add_words(self, words: Sequence[Word]) -> None:
        """Add words without deciding any (see `push`)."""
        if self._is_chosen:
            self._check_first(words)
            self._decisions += self._lookahead.plan_words(words)
        else:
            self._first_words += words
            self._choose(only_if_clear=True)

    def add_silence(self, seconds: Seconds) -> None:
        """Report some time without a word (see `idle`)."""
        if self._is_chosen:
            self._decisions += self._lookahead.plan_silence(seconds)

    def end_document(self) -> None:
        """End the document without deciding any word (see `flush`)."""
        if not self._is_chosen:
            self._choose()
        elif self._choice and len(self._first_words) < CHECKED_WORDS:
            self._choice.check(_texts(self._first_words), self._model_name)
        self._decisions += self._lookahead.plan_end()
        self._begin_document()

    def commit(self, computed: Sequence[WindowProbabilities]) -> list[Committed]:
        """Return the words that the `windows` decide, from the probabilities of their words.

        The last window's first unsure word that may wait, and the words after it, stay undecided.
        """
        decisions, self._decisions = self._decisions, []
        probabilities, result = iter(computed), list[Committed]()
        for decision in decisions:
            labels = list[Labels]()
            if decision.window:
                may_wait = decision is decisions[-1]
                labels += self._labels(decision, decision.window, next(probabilities), may_wait)
            elif decision.end:
                self._decoder.clear()
                self._previewed = []
                self._sides.begin()
            result += self._take_decided(decision, labels)
        return result

    def show(self, computed: Sequence[WindowProbabilities]) -> list[Committed]:
        """Return the words that are not committed, from the probabilities of the `preview_windows`."""
        if not self._is_chosen:
            return [Committed(word, Labels(), word.text) for word in self._first_words]
        for window, found in zip(self.preview_windows, computed, strict=True):
            self._update_preview(window, found)
        undecided = list(self._lookahead.undecided())
        return self._written(undecided, chain(self._previewed, repeat(Labels())), copy(self._sides))

    def _compute(self, windows: Iterable[Window[Token]]) -> list[WindowProbabilities]:
        # one run for each window: an int8 graph rounds by batch, and a stream must not depend on how words arrive
        return [self.model.predictor.decide([window])[0] for window in windows]

    def _labels(
        self, decision: Decision, window: Window[Token], computed: WindowProbabilities, may_wait: bool
    ) -> Iterator[Labels]:
        """Yield the labels of the words of a decision up to the first that waits, from its window's probabilities."""
        labels, cases, flags, texts = _decoder_inputs(window, computed)
        count = sum(bool(token.core) for _, token in decision.words)
        if may_wait and decision.must_decide < count:
            count = self._decoder.count_sure(labels[:count], flags[:count], decision.must_decide)
            if not count:
                self._update_preview(window, computed)
        while count:
            decided, following = self._decoder.commit(labels, cases, flags, decision.end, count, texts)
            self._previewed = _without_last_marks(following)
            yield from decided
            words = len(decided)
            count, labels, cases = count - words, labels[words:], cases[words:]
            flags, texts = flags[words:], texts[words:]

    def _take_decided(self, decision: Decision, labels: Sequence[Labels]) -> list[Committed]:
        """Return the words of a decision that have labels, and put back those after them."""
        seen = [number for number, (_, token) in enumerate(decision.words) if token.core]
        if len(labels) < len(seen):
            self._lookahead.put_back(decision.words[seen[len(labels)] :])
            return self._written(decision.words[: seen[len(labels)]], labels, self._sides)
        return self._written(decision.words, labels, self._sides)

    def _written(
        self, words: Sequence[tuple[Word, Token]], decided: Iterable[Labels], sides: QuoteSides
    ) -> list[Committed]:
        """Return words as they are written, given the labels of those that the model sees."""
        following, case = iter(decided), self.model.case
        tokens = [token for _, token in words]
        labels = [token.merge_labels(next(following), case) if token.core else token.labels for token in tokens]
        pairs = zip(words, spread_labels(tokens, sides.place(tokens, labels)), strict=True)
        return [Committed(word, label, write_word(word.text, label, self.model.glyphs)) for (word, _), label in pairs]

    def _update_preview(self, window: Window[Token], computed: WindowProbabilities) -> None:
        """Use the probabilities of a window that decides nothing for the next `preview`."""
        inputs = _decoder_inputs(window, computed)
        first, following = self._decoder.fork().commit(*inputs[:3], end=False, texts=inputs[3])
        self._previewed = _without_last_marks(first + following)

    def _choose(self, *, only_if_clear: bool = False) -> None:
        """Choose the model by the first words, and add them to it; do nothing if no model is chosen."""
        if self._choice is None:
            return
        words = _texts(self._first_words)
        choice = self._choice.choose_early(words) if only_if_clear else self._choice.choose(words)
        if choice is not None:
            self._is_chosen = True
            self._use_model(choice[0])
            self._decisions += self._lookahead.plan_words(self._first_words)

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


def _texts(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words]


def _decoder_inputs(
    window: Window[Token], computed: WindowProbabilities
) -> tuple[FloatArray, FloatArray, FlagArray, tuple[str, ...]]:
    """Return probabilities of labels and of cases, flags, and the words without marks, that a window keeps."""
    flags = np.array([word.flags for word in window.kept], dtype=np.uint32)
    return computed.labels, computed.cases, flags, tuple(word.core for word in window.kept)


def _without_last_marks(labels: list[Labels]) -> list[Labels]:
    """Drop the marks after the last word: half or more of those that a preview would show there would soon change."""
    return [*labels[:-1], *(Labels(last.marks.intersection(LEFT), last.case) for last in labels[-1:])]
