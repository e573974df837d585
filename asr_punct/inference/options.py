"""How a model is opened, what it may add, and how a live stream decides words. Each option is declared here, once."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Literal

from asr_punct.casing import parse_casing
from asr_punct.declared import Checked, NonNegativeInt, PositiveInt, Range
from asr_punct.marks import named_marks
from asr_punct.words import Seconds

Graph = Literal["fp32", "int8"]


@dataclass(frozen=True, kw_only=True)
class OutputOptions(Checked):
    """What a model may add: options of `punctuate`, `stream`, `batch` and `serve`, and keys of the service's messages.

    A string or path as `casing` names the file of the list. The sensitivity is added to the logit of each mark.
    The value of each field can be hashed: the service keeps models and streams with equal options together.

    Attributes:
        marks: marks that may be added; default: all. QUESTION and EXCLAMATION also add ¿ and ¡.
        case: whether capitals may be added.
        casing: words in mixed case, such as EiTB: the lines of a casing list (`asr_punct.casing`), which override
            entries of the model's own list.
        sensitivity: how readily marks are added: above 0 more of them, below 0 only surer ones; usually -2 to 2.

    Raises:
        AsrPunctError: an unknown mark, a malformed line of a casing list, or a number outside its range.
    """

    marks: Collection[str] | None = None
    case: bool = True
    casing: str | PathLike[str] | Iterable[str] | None = ()
    sensitivity: Annotated[float, Range(-10, 10)] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.marks is not None:
            object.__setattr__(self, "marks", named_marks(self.marks))
        if not isinstance(self.casing, str | PathLike):
            object.__setattr__(self, "casing", parse_casing(self.casing or ()))


@dataclass(frozen=True, kw_only=True)
class Computing(Checked):
    """How a model is run, and how its probabilities are decoded: options of `punctuate`, `stream` and `batch`.

    Attributes:
        device: a device of torch (`cpu`, `cuda`, `cuda:1`, `mps`); by default the CPU.
        graph: the ONNX graph to run; by default fp32, or int8 if that is the only one.
        class_weights: further factors on the probabilities of classes, or for a model without classes on the odds of
            marks, by name.
        plain: decide each word on its own, as papers do: a mark where its probability is over a half, or the likeliest
            class, without the rules and fitted settings of the decoder.
    """

    device: str | None = None
    graph: Graph | None = None
    class_weights: Mapping[str, float] | None = None
    plain: bool = False


@dataclass(frozen=True)
class ModelOptions(Computing, OutputOptions):
    """A model, where it runs, and what it may add. Another process can open the same model with them.

    Attributes:
        name: directory, shipped name, or `org/name` of the Hugging Face hub; None for `auto`.
        language: code of the language of all texts (`en`, `en-US`, `eng`); None if it is not known.
        threads: threads on the CPU; 0 for OMP_NUM_THREADS, or if it is not set, one per core.
    """

    name: str | PathLike[str] | None = None
    language: str | None = None
    threads: int = 0


ALL_OUTPUT, ANY_MODEL = OutputOptions(), ModelOptions()


@dataclass(frozen=True)
class StreamSettings(Checked):
    """When a live stream decides words, and with how much context. Counts are numbers of words.

    Attributes:
        left: maximum number of words before those that are decided, as context.
        right: words that must follow a word before it is decided: the look-ahead.
        hop: smallest number of words that are decided together; more are cheaper, but later.
        flush_after: pause in seconds, by the times or the clock, after which all words are decided.
        patience: further words for which a word waits while one of its marks is unsure.

    Raises:
        ArgumentError: a value is too small.
    """

    left: NonNegativeInt = 24
    """The shipped models gain nothing from more (docs/measurements.md)."""
    right: PositiveInt = 3
    hop: PositiveInt = 1
    flush_after: Annotated[Seconds, Range(0, is_finite=False)] = 0.8
    patience: NonNegativeInt = 6


USUAL_STREAM = StreamSettings()
