"""The words of a live stream in one model: look-ahead and labels."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, repeat

import numpy as np

from asr_punct.decode.inputs import FlagArray, FloatArray
from asr_punct.decode.online import OnlineDecoder
from asr_punct.features import WindowProbabilities
from asr_punct.inference.lookahead import Decision, Lookahead
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.marks import LEFT, Glyphs, Labels
from asr_punct.pauses import pause_between, with_pauses
from asr_punct.words import Seconds, Utterance, Word, annotate

Decide = Callable[[Sequence[Window[Token]]], list[WindowProbabilities]]
"""Computes the probabilities of the words that each window decides."""
_BATCH_DECISIONS = 128
"""Decisions of a transcript that are computed together."""


class ModelStream:
    """Collects the words of one document after the other, and labels them with one model.

    `case` is whether capitals may be added.
    """

    def __init__(
        self, lookahead: Lookahead, decide: Decide, decoder: OnlineDecoder, case: bool, glyphs: Glyphs
    ) -> None:
        self.lookahead, self.decide, self.glyphs = lookahead, decide, glyphs
        self._decoder, self._case = decoder, case
        self.clear()

    def clear(self) -> None:
        """Drop the document."""
        self._last: Word | None = None
        self._previewed: list[Labels] = []  # labels that the last window gives to the undecided words
        self.lookahead.clear()
        self._decoder.clear()

    def add(self, words: Sequence[Word]) -> list[Decision]:
        """Add words and return the decisions to make; unknown pauses are computed from the times."""
        before = [self._last, *words]
        self._last = before[-1]
        pauses = [_pause(last, word) for last, word in zip(before, words, strict=False)]
        return list(self.lookahead.push(zip(words, pauses, strict=True)))

    def wait(self, seconds: Seconds) -> list[Decision]:
        """Report `seconds` without a word and return the decisions to make."""
        return list(self.lookahead.wait(seconds, has_times=self._last is not None and self._last.end is not None))

    def end(self) -> list[Decision]:
        """End the document and return the decisions to make."""
        self._last = None
        return list(self.lookahead.flush())

    def label(
        self, decisions: Sequence[Decision], computed: Sequence[WindowProbabilities]
    ) -> list[tuple[Word, Labels]]:
        """Return the words of consecutive decisions with their labels, from the probabilities of their windows.

        The last decision's first unsure word that may wait, and those after it, stay undecided.
        """
        probabilities, result = iter(computed), list[tuple[Word, Labels]]()
        for decision in decisions:
            decided = deque[Labels]()
            if decision.window:
                may_wait = decision is decisions[-1]
                decided.extend(self._decide(decision, decision.window, next(probabilities), may_wait))
            elif decision.end:
                self._decoder.clear()
                self._previewed = []
            for number, (word, token) in enumerate(decision.words):
                if not token.core:
                    result.append((word, token.labels))
                elif decided:
                    result.append((word, token.merge_labels(decided.popleft(), self._case)))
                else:
                    self.lookahead.put_back(decision.words[number:])
                    break
        return result

    def _decide(
        self, decision: Decision, window: Window[Token], computed: WindowProbabilities, may_wait: bool
    ) -> Iterator[Labels]:
        """Yield the labels of the words of a decision up to the first that waits, from its window's probabilities."""
        labels, cases, flags = _decoder_inputs(window, computed)
        count = sum(bool(token.core) for _, token in decision.words)
        if may_wait and decision.must_decide < count:
            count = self._decoder.count_sure(labels[:count], flags[:count], decision.must_decide)
            if not count:
                self.update_preview(window, computed)
        while count:
            decided, following = self._decoder.commit(labels, cases, flags, decision.end, count)
            self._previewed = _without_last_marks(following)
            yield from decided
            words = len(decided)
            count, labels, cases, flags = count - words, labels[words:], cases[words:], flags[words:]

    def update_preview(self, window: Window[Token], computed: WindowProbabilities) -> None:
        """Use the probabilities of a window that decides nothing for the next `preview`."""
        first, following = self._decoder.fork().commit(*_decoder_inputs(window, computed), end=False)
        self._previewed = _without_last_marks(first + following)

    def preview(self) -> list[tuple[Word, Labels]]:
        """Return the undecided words with the labels that the last window gives them; words after it get none."""
        previewed = chain(self._previewed, repeat(Labels()))
        undecided = zip(self.lookahead.undecided(), previewed, strict=False)
        return [(word, token.merge_labels(labels, self._case)) for (word, token), labels in undecided]


def _pause(before: Word | None, word: Word) -> Seconds | None:
    if before is None:
        return None
    return pause_between(before, word) if before.pause is None else before.pause


def _decoder_inputs(window: Window[Token], computed: WindowProbabilities) -> tuple[FloatArray, FloatArray, FlagArray]:
    """Return probabilities of labels and of cases, and flags, of the words that a window keeps."""
    flags = np.array([word.flags for word in window.kept], dtype=np.uint8)
    return computed.labels, computed.cases, flags


def _without_last_marks(labels: list[Labels]) -> list[Labels]:
    """Drop the marks after the last word: half or more of those that a preview would show there would soon change."""
    return [*labels[:-1], *(Labels(last.marks.intersection(LEFT), last.case) for last in labels[-1:])]


def restore_streaming(utterances: Iterable[Utterance], stream: ModelStream) -> Iterator[Utterance]:
    """Yield utterances with the labels that a stream gives to their words, lazily; windows are computed in batches."""
    waiting: deque[Utterance] = deque()
    labels: deque[Labels] = deque()

    def decisions() -> Iterator[Decision]:
        document, pause = None, None
        for utterance in with_pauses(utterances):
            waiting.append(utterance)
            if utterance.context != document:
                yield from stream.lookahead.flush()
                document, pause = utterance.context, None
            for word in utterance.words:
                yield from stream.lookahead.push([(word, pause)])
                pause = word.pause
        yield from stream.lookahead.flush()

    pending = decisions()
    while group := list(islice(pending, _BATCH_DECISIONS)):
        computed = stream.decide([decision.window for decision in group if decision.window])
        labels.extend(label for _, label in stream.label(group, computed))
        while waiting and len(waiting[0].words) <= len(labels):
            utterance = waiting.popleft()
            yield annotate(utterance, labels=[labels.popleft() for _ in utterance.words])
    yield from waiting
