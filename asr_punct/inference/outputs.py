"""The output of a model for a batch of windows, and the interface of backends."""

from dataclasses import dataclass
from typing import Protocol

from asr_punct.decode.settings import FloatArray
from asr_punct.features import Features

MARKS_OUTPUT, CLASSES_OUTPUT, CASES_OUTPUT = "marks", "classes", "cases"
"""Names of an ONNX graph's outputs: probabilities of marks or of classes, and of cases."""


@dataclass(frozen=True)
class WindowProbabilities:
    """Probabilities for a batch of windows; for one window without the dimension `batch`.

    `labels` are those of marks or of classes, (batch, words, labels), `cases` those of cases, (batch, words, cases).
    """

    labels: FloatArray
    cases: FloatArray


class Backend(Protocol):
    """Runs a model."""

    @property
    def runtime(self) -> str:
        """`onnxruntime` or `torch`."""

    @property
    def batch_tokens(self) -> int:
        """Number of tokens in a batch, padding included, that is computed fastest."""

    def probabilities(self, features: Features) -> WindowProbabilities:
        """Return the probabilities of a batch; those at padding are meaningless."""
