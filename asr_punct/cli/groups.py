"""Groups of options that several commands have. A parameter with one of these types has its fields as options.

An option that is added to a group is one of all its commands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asr_punct.cli import options
from asr_punct.errors import AsrPunctError
from asr_punct.restoring import PipelineOptions

if TYPE_CHECKING:
    from asr_punct.inference.options import ModelOptions


@dataclass(frozen=True)
class ModelChoice:
    """Which model restores the words."""

    model: options.Model = None
    language: options.TextLanguage = None


@dataclass(frozen=True)
class Reading:
    """How a file is read, and on which audio its pauses are refined."""

    source_format: options.From = None
    encoding: options.Encoding = None
    wav_scp: options.WavScp = None
    times: options.Times = None
    strict: options.Strict = False
    tiers: options.Tiers = None


@dataclass(frozen=True)
class Preparing:
    """What happens to words before they are restored."""

    ignore_labels: options.IgnoreLabels = False
    lowercase: options.Lowercase = False
    fill: options.Fill = False


@dataclass(frozen=True)
class Writing:
    """How a file is written."""

    target_format: options.To = None
    subtitles: options.Subtitles = None
    paragraphs: options.Paragraphs = "auto"
    fillers: options.Fillers = "keep"


@dataclass(frozen=True)
class Labelling:
    """Which marks and capitals are added."""

    marks: options.MarkNames = None
    no_case: options.NoCase = False
    casing: options.CasingList = None
    sensitivity: options.Sensitivity = 0.0


@dataclass(frozen=True)
class Computing:
    """How a model is run, and how its probabilities are decoded."""

    device: options.Device = None
    int8: options.Int8 = False
    class_weights: options.ClassWeights = None
    plain: options.Plain = False


def model_options(
    choice: ModelChoice | None = None,
    labelling: Labelling | None = None,
    computing: Computing | None = None,
    threads: int = 1,
) -> ModelOptions:
    """Return the options of a model; a group that a command lacks has its defaults.

    Raises AsrPunctError for malformed marks or class weights, and for a casing list without case.
    """
    from asr_punct.decode.settings import parse_class_weights
    from asr_punct.inference.options import ModelOptions
    from asr_punct.marks import named_marks

    choice, labelling, computing = choice or ModelChoice(), labelling or Labelling(), computing or Computing()
    marks, weights = labelling.marks, computing.class_weights
    if labelling.casing and labelling.no_case:
        raise AsrPunctError("", "--casing and --no-case", "one of them")
    return ModelOptions(
        choice.model,
        choice.language,
        computing.device,
        threads,
        graph="int8" if computing.int8 else None,
        marks=None if marks is None else named_marks(marks.split(",")),
        case=not labelling.no_case,
        casing=labelling.casing,
        class_weights=None if weights is None else parse_class_weights(weights),
        plain=computing.plain,
        sensitivity=labelling.sensitivity,
    )


def pipeline_options(*groups: Reading | Preparing | Writing, **others: Any) -> PipelineOptions:
    """Return how files are read, prepared and written, from groups of options and further fields.

    Raises AsrPunctError for options that exclude each other.
    """
    given = {name: value for group in groups for name, value in vars(group).items()} | others
    for name in ("ignore_labels", "lowercase"):
        if given.get("fill") and given.get(name):
            raise AsrPunctError("", f"--fill and --{name.replace('_', '-')}", "one of them")
    return PipelineOptions(**given | {"tiers": tuple(given.get("tiers") or ())})
