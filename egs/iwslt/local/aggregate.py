"""Average the predictions of several windows for each word (Courtland et al. 2020, section 3 and Table 2).

The paper sums activations. Averages choose the same class, and thresholds and class weights stay valid. It also tried
sums of probabilities, which are normalised again: `of="probabilities"`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from asr_punct.config import WindowConfig
from asr_punct.decode.inputs import Float64Array, FloatArray, log_probabilities, logits, sigmoid
from asr_punct.errors import ArgumentError
from asr_punct.features import DOCUMENT_END, WindowProbabilities, WordInput
from asr_punct.inference.predictor import Computed, Predictor
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import W, Window


@dataclass(frozen=True)
class Aggregation:
    """Averages logits of marks, and log-probabilities of classes and cases, which are normalised again.

    `windows`, 1 or more, is the number of windows that contain each word; fewer do at a document's edges.
    """

    windows: int
    of: Literal["activations", "probabilities"] = "activations"

    def __post_init__(self) -> None:
        if self.windows < 1:
            raise ArgumentError("aggregate", str(self.windows), "1 or more")

    def plan(self, words: Iterable[W], config: WindowConfig, max_tokens: int) -> Iterator[Window[W]]:
        """Cut documents into windows that each decide the words that no later window contains.

        A window has as many words as its limits allow, and the next one starts 1/`windows` of them later (rounded up).
        The arguments are those of `plan_windows`; the margin is not used.
        """
        buffer: list[W] = []
        for word in words:
            while buffer and (len(buffer) == config.words or _subwords([*buffer, word]) > max_tokens - 2):
                step = -(-len(buffer) // self.windows)
                yield Window(tuple(buffer), (0, step))
                del buffer[:step]
            buffer.append(word)
            if word.boundary & DOCUMENT_END:
                yield Window(tuple(buffer), (0, len(buffer)))
                buffer = []
        if buffer:
            yield Window(tuple(buffer), (0, len(buffer)))

    def combine(
        self, computed: Iterable[tuple[Window[W], WindowProbabilities]], classes: bool
    ) -> Iterator[tuple[Window[W], WindowProbabilities]]:
        """Yield each window of `plan` with the averages for the words that it decides.

        `computed` has windows with the probabilities of all their words, (words, labels) and (words, cases); the labels
        are classes or marks.
        """
        if self.of == "probabilities":
            cases, labels = (_RunningMean(_as_float64, _unchanged) for _ in range(2))
        else:
            cases = _RunningMean(log_probabilities, _softmax)
            labels = _RunningMean(log_probabilities, _softmax) if classes else _RunningMean(logits, sigmoid)
        for window, probabilities in computed:
            labels.add(probabilities.labels)
            cases.add(probabilities.cases)
            yield window, WindowProbabilities(labels.take(window.kept_range[1]), cases.take(window.kept_range[1]))


@dataclass(frozen=True, eq=False, kw_only=True)
class AveragingPredictor(Predictor):
    """Decides each word with several windows. `classes` is whether the labels are classes, not marks."""

    aggregation: Aggregation
    classes: bool

    def decided(self, tokens: Iterable[Token]) -> Iterator[Computed]:
        """Yield windows with the averages for the words that each decides."""
        planned = self.aggregation.plan(tokens, self.window, self.max_tokens)
        return self.aggregation.combine(self.compute(planned), self.classes)


def averaging(
    restorer: Restorer, windows: int, of: Literal["activations", "probabilities"] = "activations"
) -> Restorer:
    """Return a restorer that decides each word with this number of windows. Raises ArgumentError if it is below 1."""
    plain, classes = restorer.predictor, bool(restorer.classes)
    predictor = AveragingPredictor(**vars(plain), aggregation=Aggregation(windows, of), classes=classes)
    return replace(restorer, predictor=predictor)


def _subwords(words: Iterable[WordInput]) -> int:
    return sum(len(word.subwords) for word in words)


def _as_float64(values: FloatArray) -> Float64Array:
    return np.asarray(values, np.float64)


def _unchanged(values: Float64Array) -> Float64Array:
    return values


def _softmax(values: Float64Array) -> Float64Array:
    weights = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


class _RunningMean:
    """Mean over windows of the words that the newest window contains.

    `transform` converts probabilities to the values that are averaged, and `inverse` converts them back.
    """

    def __init__(
        self, transform: Callable[[FloatArray], Float64Array], inverse: Callable[[Float64Array], Float64Array]
    ) -> None:
        self._transform, self._inverse = transform, inverse
        self._sums: Float64Array = np.zeros((0, 1))
        self._counts: Float64Array = np.zeros((0, 1))

    def add(self, probabilities: FloatArray) -> None:
        """Add the next window, (words, values); it starts at the first word that was not taken."""
        sums, counts = self._transform(probabilities), np.ones((len(probabilities), 1))
        sums[: len(self._sums)] += self._sums
        counts[: len(self._sums)] += self._counts
        self._sums, self._counts = sums, counts

    def take(self, words: int) -> FloatArray:
        """Remove the first words and return their mean probabilities, (words, values)."""
        mean = self._sums[:words] / self._counts[:words]
        self._sums, self._counts = self._sums[words:], self._counts[words:]
        return self._inverse(mean).astype(np.float32)
