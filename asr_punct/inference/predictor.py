"""Compute the probabilities of the words of documents, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from asr_punct.config import WindowConfig
from asr_punct.decode.inputs import FlagArray, FloatArray
from asr_punct.features import DOCUMENT_END, WindowProbabilities, collate, turns_as_edges
from asr_punct.inference.backend import Backend
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window, plan_windows
from asr_punct.subwords import SubwordTokenizer

Computed = tuple[Window[Token], WindowProbabilities]
"""A window with the probabilities of its words, or of those that it decides."""
_JOINED_WINDOWS = 8
"""Windows whose probabilities are joined to one `Prediction`, so that decoding has few large arrays."""
_SORTED_BATCHES = 8
"""Full batches of windows that are sorted together, so that each has windows of similar length."""
_FREE_PADDING_TOKENS, _FREE_PADDING_SHARE = 24, 0.1
"""Padding of a batch that is cheaper than a further run: up to this many tokens, or this share of all its tokens."""


@dataclass(frozen=True)
class Prediction:
    """Probabilities of consecutive words of one document, (words, labels) and (words, cases).

    The labels are marks or classes. `end` is whether the document ends with these words.
    """

    tokens: tuple[Token, ...]
    labels: FloatArray
    cases: FloatArray
    end: bool

    @property
    def flags(self) -> FlagArray:
        """Flags of the words, (words,)."""
        return np.array([token.flags for token in self.tokens], dtype=np.uint32)

    @property
    def texts(self) -> tuple[str, ...]:
        """The words without marks."""
        return tuple(token.core for token in self.tokens)


@dataclass(frozen=True, eq=False)
class Predictor:
    """Computes probabilities of words.

    Attributes:
        window: sizes of windows in words.
        max_tokens: maximum number of sub-words of a window, both special tokens included.
        batch_size: maximum number of windows of a batch; None: only `Backend.batch_tokens` limits it.
        knows_turns: whether the model has vectors for words beside a change of speaker.
    """

    backend: Backend
    tokenizer: SubwordTokenizer
    window: WindowConfig
    max_tokens: int
    batch_size: int | None = None
    knows_turns: bool = False

    def with_windows(
        self, batch_size: int | None = None, max_tokens: int | None = None, margin: int | None = None
    ) -> Predictor:
        """Return a predictor with other sizes (see `Punctuator.with_windows`)."""
        own_margin = self.window.margin if margin is None else min(margin, (self.window.words - 1) // 2)
        return replace(
            self,
            batch_size=batch_size or self.batch_size,
            max_tokens=min(self.max_tokens, max_tokens or self.max_tokens),
            window=replace(self.window, margin=own_margin),
        )

    def predict(self, tokens: Iterable[Token]) -> Iterator[Prediction]:
        """Yield predictions for the words of any number of documents, lazily and in order."""
        waiting: list[Computed] = []
        for window, found in self.decided(tokens):
            waiting.append((window, found))
            end = bool(window.kept[-1].boundary & DOCUMENT_END)
            if end or len(waiting) == _JOINED_WINDOWS:
                yield _join(waiting, end)
                waiting = []

    def decided(self, tokens: Iterable[Token]) -> Iterator[Computed]:
        """Yield windows with the probabilities of the words that each decides, lazily and in order."""
        for window, found in self.compute(plan_windows(tokens, self.window, self.max_tokens)):
            yield window, _keep(window, found)

    def decide(self, windows: Sequence[Window[Token]]) -> list[WindowProbabilities]:
        """Return the probabilities of the words that each window decides."""
        return [_keep(window, found) for window, found in zip(windows, self._compute(windows), strict=True)]

    def compute(self, windows: Iterable[Window[Token]]) -> Iterator[Computed]:
        """Yield each window with the probabilities of all its words, lazily and in order."""
        limit = _SORTED_BATCHES * self.backend.batch_tokens
        group, tokens = list[Window[Token]](), 0
        for window in windows:
            group.append(window)
            tokens += window.token_count
            if tokens >= limit:
                yield from zip(group, self._compute(group), strict=True)
                group, tokens = [], 0
        yield from zip(group, self._compute(group), strict=True)

    def _compute(self, windows: Sequence[Window[Token]]) -> list[WindowProbabilities]:
        """Return the probabilities of all words of each window; windows of similar length are computed together."""
        result: dict[int, WindowProbabilities] = {}
        for batch in self._batches([window.token_count for window in windows]):
            special = self.tokenizer.start, self.tokenizer.end, self.tokenizer.pad
            features = collate([windows[i].words for i in batch], *special)
            if not self.knows_turns:
                features = replace(features, boundaries=turns_as_edges(features.boundaries))
            found = self.backend.probabilities(features)
            for row, i in enumerate(batch):
                words = len(windows[i].words)
                result[i] = WindowProbabilities(found.labels[row, :words], found.cases[row, :words])
        return [result[i] for i in range(len(windows))]

    def _batches(self, tokens: Sequence[int]) -> Iterator[list[int]]:
        """Yield the indices of the windows of each batch, given the number of tokens of each window."""
        batch, unpadded = list[int](), 0
        for i in sorted(range(len(tokens)), key=tokens.__getitem__):
            padded, unpadded = (len(batch) + 1) * tokens[i], unpadded + tokens[i]  # of the batch with window i
            is_full = len(batch) == self.batch_size or padded > self.backend.batch_tokens
            free_padding = max(_FREE_PADDING_TOKENS, _FREE_PADDING_SHARE * padded)
            if batch and (is_full or padded - unpadded > free_padding):
                yield batch
                batch, unpadded = [], tokens[i]
            batch.append(i)
        if batch:
            yield batch


def _join(computed: Sequence[Computed], end: bool) -> Prediction:
    tokens = tuple(token for window, _ in computed for token in window.kept)
    labels = np.concatenate([found.labels for _, found in computed])
    cases = np.concatenate([found.cases for _, found in computed])
    return Prediction(tokens, labels, cases, end)


def _keep(window: Window[Token], found: WindowProbabilities) -> WindowProbabilities:
    kept = slice(*window.kept_range)
    return WindowProbabilities(found.labels[kept], found.cases[kept])
