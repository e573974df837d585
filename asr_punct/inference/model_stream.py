"""Streams of one model: look-ahead, decoding and writing of words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat

import numpy as np

from asr_punct.decode.flags import FlagArray
from asr_punct.decode.online import OnlineDecoder
from asr_punct.decode.settings import FloatArray
from asr_punct.inference.lookahead import Decision, Lookahead
from asr_punct.inference.outputs import WindowProbabilities
from asr_punct.inference.stream import Committed, Decide, Stream
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.marks import LEFT, Glyphs, Labels, write_word
from asr_punct.pauses import pause_between, with_pauses
from asr_punct.words import Seconds, Utterance, Word, annotate

_BATCH_DECISIONS = 128
"""Decisions of a transcript that are computed together."""


class Committer:
    """Labels words in order.

    Args:
        decide: computes probabilities of windows.
        decoder: computes labels from them.
        case: whether capitals may be added.
    """

    def __init__(self, decide: Decide, decoder: OnlineDecoder, case: bool) -> None:
        self.decide, self._decoder, self._case = decide, decoder, case
        self._expected: list[Labels] = []  # labels that the next words would get by the last window

    def clear(self) -> None:
        """Drop the document."""
        self._decoder.clear()
        self._expected = []

    def commit(self, decisions: Sequence[Decision]) -> Iterator[tuple[Word, Labels]]:
        """Yield the word and labels of every token of consecutive decisions."""
        found = self.decide([decision.window for decision in decisions if decision.window])
        yield from self.label(decisions, found)

    def label(
        self, decisions: Sequence[Decision], computed: Sequence[WindowProbabilities]
    ) -> Iterator[tuple[Word, Labels]]:
        """Yield what `commit` yields, from probabilities that are already computed.

        The last decision's first unsure word that may wait, and those after it, are left out.
        """
        found = iter(computed)
        for number, decision in enumerate(decisions, start=1):
            decided: Iterator[Labels] = iter(())
            if decision.window:
                may_wait = number == len(decisions)
                decided = self._decide(decision, decision.window, next(found), may_wait)
            for word, token in zip(decision.words, decision.tokens, strict=True):
                labels = next(decided, None) if token.core else token.labels
                if labels is None:
                    return
                yield word, token.merge_labels(labels, self._case) if token.core else labels

    def _decide(
        self, decision: Decision, window: Window[Token], computed: WindowProbabilities, may_wait: bool
    ) -> Iterator[Labels]:
        """Yield the labels of the words of a decision up to the first that waits, from its window's probabilities."""
        labels, cases, flags = _undecided(window, computed)
        count = sum(bool(token.core) for token in decision.tokens)
        if may_wait and decision.least < count:
            count = self._decoder.count_sure(labels[:count], flags[:count], decision.least)
            if not count:
                self.look(window, computed)
        while count:
            decided, expected = self._decoder.commit(labels, cases, flags, decision.end, count)
            self._expected = _without_last_marks(expected)
            yield from decided
            words = len(decided)
            count, labels, cases, flags = count - words, labels[words:], cases[words:], flags[words:]

    def look(self, window: Window[Token], computed: WindowProbabilities) -> None:
        """Use the probabilities of a window that decides nothing for the next `preview`."""
        decided, expected = self._decoder.fork().commit(*_undecided(window, computed), end=False)
        self._expected = _without_last_marks(decided + expected)

    def preview(self, words: Iterable[tuple[Word, Token]]) -> Iterator[tuple[Word, Labels]]:
        """Yield the undecided words with the labels that the last window gives them; words after it get none."""
        for (word, token), labels in zip(words, chain(self._expected, repeat(Labels())), strict=False):
            yield word, token.merge_labels(labels, self._case)


def _undecided(window: Window[Token], computed: WindowProbabilities) -> tuple[FloatArray, FloatArray, FlagArray]:
    """Return probabilities of labels and of cases, and flags, of the words that a window keeps."""
    flags = np.array([word.flags for word in window.kept], dtype=np.uint8)
    return computed.labels, computed.cases, flags


def _without_last_marks(labels: list[Labels]) -> list[Labels]:
    """Drop the marks after the last word: of those that a preview would show there, half or more would soon go."""
    return [*labels[:-1], *(Labels(last.marks.intersection(LEFT), last.case) for last in labels[-1:])]


class ModelStream(Stream):
    """A stream of one model.

    Args:
        lookahead: collects the words.
        committer: labels them.
        glyphs: how words are written.
    """

    def __init__(self, lookahead: Lookahead, committer: Committer, glyphs: Glyphs) -> None:
        self._lookahead, self._committer, self._glyphs = lookahead, committer, glyphs
        self._last: Word | None = None

    def clear(self) -> None:
        """Drop the document."""
        self._last = None
        self._lookahead.clear()
        self._committer.clear()

    @property
    def glyphs(self) -> Glyphs:
        """Glyphs of the model."""
        return self._glyphs

    @property
    def decide_windows(self) -> Decide:
        """Computes the probabilities of the stream's windows."""
        return self._committer.decide

    def add(self, words: Sequence[Word]) -> list[Decision]:
        """Add words and return the decisions to make."""
        before = [self._last, *words]
        self._last = before[-1]
        return list(
            self._lookahead.push(
                (word, pause_between(last, word) if last else None) for last, word in zip(before, words, strict=False)
            )
        )

    def wait(self, seconds: Seconds) -> list[Decision]:
        """Report `seconds` without a word and return the decisions to make."""
        return list(self._lookahead.wait(seconds, has_times=self._last is not None and self._last.end is not None))

    def end(self) -> list[Decision]:
        """End the document and return the decisions to make."""
        self._last = None
        return list(self._lookahead.flush())

    def unseen(self) -> Window[Token] | None:
        """Return a window for the preview at the beginning of a document or after a pause; None elsewhere."""
        return self._lookahead.unseen()

    def look(self, window: Window[Token], computed: WindowProbabilities) -> None:
        """Use the probabilities of this window for the next preview."""
        self._committer.look(window, computed)

    def provisional(self) -> list[Committed]:
        """Return the undecided words as the last window would write them."""
        return self._write(self._committer.preview(self._lookahead.undecided()))

    def commit(self, decisions: Sequence[Decision], computed: Sequence[WindowProbabilities]) -> list[Committed]:
        """Return the words of decisions, given the probabilities of their windows."""
        labelled = list(self._committer.label(decisions, computed))
        words = [pair for each in decisions for pair in zip(each.words, each.tokens, strict=True)]
        self._lookahead.put_back(words[len(labelled) :])
        return self._write(labelled)

    def _write(self, words: Iterable[tuple[Word, Labels]]) -> list[Committed]:
        return [Committed(word, labels, write_word(word.text, labels, self._glyphs)) for word, labels in words]


def restore_streaming(
    utterances: Iterable[Utterance], lookahead: Lookahead, committer: Committer
) -> Iterator[Utterance]:
    """Yield utterances with the labels that a stream gives to their words, lazily; windows are computed in batches."""
    waiting: deque[Utterance] = deque()
    labels: deque[Labels] = deque()

    def decisions() -> Iterator[Decision]:
        """Yield the decisions of the look-ahead buffer, and append each utterance to `waiting`."""
        document, pause = None, None
        for utterance in with_pauses(utterances):
            waiting.append(utterance)
            if utterance.context != document:
                yield from lookahead.flush()
                document, pause = utterance.context, None
            for word in utterance.words:
                yield from lookahead.push([(word, pause)])
                pause = word.pause
        yield from lookahead.flush()

    pending = decisions()
    while group := list(islice(pending, _BATCH_DECISIONS)):
        labels.extend(label for _, label in committer.commit(group))
        while waiting and len(waiting[0].words) <= len(labels):
            utterance = waiting.popleft()
            yield annotate(utterance, labels=[labels.popleft() for _ in utterance.words])
    yield from waiting
