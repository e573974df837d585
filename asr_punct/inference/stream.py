"""A live stream: words in one by one, each committed with its marks and case once a few words came after it.

The look-ahead is hard (Poláček et al. 2023, section 3.4): a word is decided when the word `right` places after it is
there, by a window of at most `left` words before it and `right` after it, and what is committed never changes. With
`left` = `right` this is the sequential prediction of Courtland et al. 2020, a window centred on each word. A model
reads no more words and sub-words than its own windows have: of larger ones the ends are left out, of the longer side
first.

One window decides a word: aggregation has no part here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import TracebackType

from asr_punct.decode.online import OnlineDecoder
from asr_punct.errors import AsrPunctError
from asr_punct.inference.backend import WindowScores
from asr_punct.inference.lookahead import Lookahead, Sight
from asr_punct.inference.merge import added_label
from asr_punct.inference.windows import Window
from asr_punct.marks import Glyphs, Labels, write_word
from asr_punct.pauses import pause_between, with_pauses
from asr_punct.words import Utterance, Word, annotate

Decide = Callable[[Sequence[Window]], list[WindowScores]]
"""Scores of the words that each window decides."""
_BATCH = 128
"""Windows of a transcript that are computed together."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A word that is decided.

    Attributes:
        word: as it came.
        labels: its marks and case.
        written: the word with them, as one token.
    """

    word: Word
    labels: Labels
    written: str


class Committer:
    """Labels of words in their order, given what is in sight of each.

    Args:
        decide: computes the scores.
        decoder: decides by them.
        case: whether capitals may be added.
    """

    def __init__(self, decide: Decide, decoder: OnlineDecoder, case: bool) -> None:
        self._decide, self._decoder, self._case = decide, decoder, case

    def __call__(self, sights: Sequence[Sight]) -> Iterator[tuple[Word, Labels]]:
        """Every token of consecutive sights with its labels."""
        scores = iter(self._decide([sight.window for sight in sights if sight.window]))
        for sight in sights:
            for token in sight.tokens:
                labels = token.given
                if token.core:
                    found = next(scores)
                    predicted = self._decoder.commit(found.labels, found.cases, sight.flags, sight.end)
                    labels = added_label(token.word.text, token.core, labels, predicted, token.flags(), self._case)
                yield token.word, labels


class Stream:
    """Words in, committed words out; `Punctuator.stream` makes one.

    `flush` gives the last words; leaving it as a context manager forgets those that are not committed.

    Args:
        lookahead: what each word is decided by.
        committer: decides.
        glyphs: how words are written.
    """

    def __init__(self, lookahead: Lookahead, committer: Committer, glyphs: Glyphs) -> None:
        self._lookahead, self._committer, self._glyphs = lookahead, committer, glyphs
        self._last: Word | None = None

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lookahead.forget()

    def push(self, word: str | Word) -> list[Committed]:
        """Give the next word; words that it decides come back, the oldest first, often one.

        Its times, where it has them and the word before it too, give the pause between them.

        Raises:
            AsrPunctError: it is not one word.
        """
        token = Word(word) if isinstance(word, str) else word
        if not isinstance(token, Word) or len(token.text.split()) != 1:
            raise AsrPunctError(f"word: found {word!r}, expected one word without white space")
        pause = pause_between(self._last, token) if self._last else None
        self._last = token
        return self._commit(list(self._lookahead.push(token, pause)))

    def flush(self) -> list[Committed]:
        """End the document: its words that are not yet decided come back. What follows is a document of its own."""
        self._last = None
        return self._commit(list(self._lookahead.flush()))

    def _commit(self, sights: Sequence[Sight]) -> list[Committed]:
        return [
            Committed(word, labels, write_word(word.text, labels, self._glyphs))
            for word, labels in self._committer(sights)
        ]


def restore_streaming(
    utterances: Iterable[Utterance], lookahead: Lookahead, committer: Committer
) -> Iterator[Utterance]:
    """What a stream would give of each recording, word for word, computed in batches; lazily and in order."""
    waiting: deque[Utterance] = deque()
    labels: deque[Labels] = deque()

    def sights() -> Iterator[Sight]:
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

    seen = sights()
    while group := list(islice(seen, _BATCH)):
        labels.extend(label for _, label in committer(group))
        while waiting and len(waiting[0].words) <= len(labels):
            utterance = waiting.popleft()
            yield annotate(utterance, labels=tuple(labels.popleft() for _ in utterance.words))
    while waiting:
        yield waiting.popleft()
