"""Several windows of context for each word (Courtland et al. 2020, section 3 and Table 2).

Windows start so close to each other that each word stands in about as many as are asked for, fewer at a document's
edges, and what they give for it is averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from asr_punct.config import WindowConfig
from asr_punct.decode.settings import FloatArray, ScoreArray, log_probabilities, logits, sigmoid
from asr_punct.errors import AsrPunctError
from asr_punct.features import DOCUMENT_END, WordInput
from asr_punct.inference.backend import WindowScores
from asr_punct.inference.windows import Window

AggregateBy = Literal["logits", "probabilities"]


@dataclass(frozen=True)
class Aggregation:
    """How several windows decide one word.

    Attributes:
        windows: that a word stands in, 1 or more; with 1 they do not overlap.
        by: `logits`, the paper's activations: logits of marks, log-probabilities of classes and of cases are averaged,
            those of classes and cases normalised again; or `probabilities`, whose average is taken as it is. The paper
            sums: the likeliest class is that of the mean too, and thresholds and weights, which are for what one window
            gives, keep their meaning.
    """

    windows: int
    by: AggregateBy = "logits"

    def __post_init__(self) -> None:
        if self.windows < 1:
            raise AsrPunctError(f"--aggregate: found {self.windows}, expected 1 or more")
        if self.by not in ("logits", "probabilities"):
            raise AsrPunctError(f"--aggregate-by: found {self.by!r}, expected logits or probabilities")

    def plan(self, words: Iterable[WordInput], config: WindowConfig, max_tokens: int) -> Iterator[Window]:
        """Windows of documents, lazily; each keeps the words that no later one holds.

        A window has as many words as its limits allow, and the next one starts 1/`windows` of them later (rounded up).
        A document's last window is the first that reaches its end.

        Args:
            words: the words of any number of documents; each document's last one has the flag DOCUMENT_END.
            config: words of a window.
            max_tokens: sub-words of a window at most, both special tokens included.
        """
        buffer: list[WordInput] = []
        tokens = 0
        for word in words:
            while buffer and (len(buffer) == config.words or tokens + len(word.subwords) > max_tokens - 2):
                step = -(-len(buffer) // self.windows)
                yield Window(tuple(buffer), (0, step))
                tokens -= sum(len(left.subwords) for left in buffer[:step])
                del buffer[:step]
            buffer.append(word)
            tokens += len(word.subwords)
            if word.boundary & DOCUMENT_END:
                yield Window(tuple(buffer), (0, len(buffer)))
                buffer, tokens = [], 0
        if buffer:
            yield Window(tuple(buffer), (0, len(buffer)))

    def combine(
        self, computed: Iterable[tuple[Window, WindowScores]], classes: bool
    ) -> Iterator[tuple[Window, WindowScores]]:
        """Each window of `plan`, in order, with the averages of the words that it keeps.

        Args:
            computed: the windows and the probabilities of all their words, (words, labels) and (words, cases).
            classes: whether the labels are classes, and not marks.
        """
        labels, cases = _Mean(self._scale(classes)), _Mean(self._scale(True))
        for window, scores in computed:
            labels.add(scores.labels)
            cases.add(scores.cases)
            yield window, WindowScores(labels.take(window.keep[1]), cases.take(window.keep[1]))

    def _scale(self, exclusive: bool) -> _Scale:
        if self.by == "probabilities":
            return _PROBABILITIES
        return _LOG_PROBABILITIES if exclusive else _LOGITS


@dataclass(frozen=True)
class _Scale:
    """What is averaged instead of probabilities, and how those come back."""

    to: Callable[[FloatArray], ScoreArray]
    back: Callable[[ScoreArray], ScoreArray]


def _softmax(scores: ScoreArray) -> ScoreArray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


_PROBABILITIES = _Scale(lambda values: values.astype(np.float64), lambda values: values)
_LOG_PROBABILITIES = _Scale(log_probabilities, _softmax)
_LOGITS = _Scale(logits, sigmoid)


class _Mean:
    """Mean of what the windows give for each word from the newest window's first one on."""

    def __init__(self, scale: _Scale) -> None:
        self._scale = scale
        self._sums: ScoreArray = np.zeros((0, 1))
        self._counts: ScoreArray = np.zeros((0, 1))

    def add(self, probabilities: FloatArray) -> None:
        """Count a window, (words, values), that holds all words that are waiting."""
        sums, counts = self._scale.to(probabilities), np.ones((len(probabilities), 1))
        waiting = len(self._sums)
        sums[:waiting] += self._sums
        counts[:waiting] += self._counts
        self._sums, self._counts = sums, counts

    def take(self, words: int) -> FloatArray:
        """Probabilities of the first words, (words, values), which no later window holds."""
        mean = self._sums[:words] / self._counts[:words]
        self._sums, self._counts = self._sums[words:], self._counts[words:]
        return self._scale.back(mean).astype(np.float32)
