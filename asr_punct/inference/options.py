"""How a model is opened, and how a live stream decides words."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Literal

from asr_punct.errors import ArgumentError
from asr_punct.marks import Mark
from asr_punct.words import Seconds

Graph = Literal["fp32", "int8"]


@dataclass(frozen=True)
class ModelOptions:
    """A model, where it runs, and what it may add. Another process can open the same model with them.

    Attributes:
        name: directory, shipped name, or `org/name` of the Hugging Face hub; None for `auto`.
        language: code of the language of all texts (`en`, `en-US`, `eng`); None if it is not known.
        device: a device of torch (`cpu`, `cuda`, `cuda:1`, `mps`); by default the CPU.
        threads: threads on the CPU; 0 for OMP_NUM_THREADS, or if it is not set, one per core.
        graph: the ONNX graph to run; by default fp32, or int8 if that is the only one.
        marks: marks that may be added, all by default; a closing mark includes its opening one (QUESTION, OPEN_QUES).
        case: whether capitals may be added.
        casing: path of a casing list, or its lines (see `asr_punct.casing`); overrides entries of the model's own list.
        class_weights: further factors on the probabilities of classes, or for a model without classes on the odds of
            marks, by name.
        plain: decide each word on its own, as papers do: a mark where its probability is over a half, or the likeliest
            class, without the rules and fitted settings of the decoder.
        sensitivity: added to the logit of each mark: above 0 more marks are added, below 0 fewer; from -10 to 10.
    """

    name: str | PathLike[str] | None = None
    language: str | None = None
    device: str | None = None
    threads: int = 0
    graph: Graph | None = None
    marks: Collection[str] | None = None
    case: bool = True
    casing: str | PathLike[str] | Iterable[str] | None = None
    class_weights: Mapping[str, float] | None = None
    plain: bool = False
    sensitivity: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.casing, str | PathLike | None):  # an iterator could be read only once
            object.__setattr__(self, "casing", tuple(self.casing))


ANY_MODEL = ModelOptions()


@dataclass(frozen=True)
class OutputOptions:
    """What an open model may add, within what it was opened for (see `ModelOptions`).

    Attributes:
        marks: marks that may be added; None: all.
        case: whether capitals may be added.
        casing: further forms of the casing list.
        sensitivity: added to the logit of each mark.
    """

    marks: frozenset[Mark] | None = None
    case: bool = True
    casing: tuple[str, ...] = ()
    sensitivity: float = 0.0


ALL_OUTPUT = OutputOptions()


@dataclass(frozen=True)
class StreamSettings:
    """When a live stream decides words, and with how much context. Counts are numbers of words.

    Attributes:
        left: maximum context, before the words that a window decides; 0 or more.
        right: the look-ahead: words that must follow a word before it is decided; 1 or more.
        hop: words that are decided together; 1 or more.
        flush_after: pause in seconds after which words are decided without look-ahead; 0 or more.
        patience: further words for which a word waits while one of its marks is unsure; 0 or more.

    Raises:
        ArgumentError: a value is too small.
    """

    left: int = 24
    """The shipped models gain nothing from more (docs/measurements.md)."""
    right: int = 3
    hop: int = 1
    flush_after: Seconds = 0.8
    patience: int = 6

    def __post_init__(self) -> None:
        for name, minimum in {"left": 0, "right": 1, "hop": 1, "flush_after": 0, "patience": 0}.items():
            if not (value := getattr(self, name)) >= minimum:
                raise ArgumentError(name, str(value), f"{minimum} or more")


USUAL_STREAM = StreamSettings()
