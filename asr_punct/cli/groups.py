"""Groups of options that several commands have. A parameter with one of these types has its fields as options.

An option that is added to a group is one of all its commands. Groups with the options of a Python class are this class
itself, such as `OutputOptions`: its fields say all (`options.field_options`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from asr_punct.cli import options
from asr_punct.errors import AsrPunctError
from asr_punct.inference.options import ALL_OUTPUT, Computing, ModelOptions, OutputOptions
from asr_punct.restoring import PipelineOptions, Preparing, Reading, Writing


@dataclass(frozen=True)
class ModelChoice:
    """Which model restores the words."""

    model: options.Model = None
    language: options.TextLanguage = None


NO_CHOICE, USUAL_COMPUTING = ModelChoice(), Computing()


def model_options(
    choice: ModelChoice = NO_CHOICE,
    output: OutputOptions = ALL_OUTPUT,
    computing: Computing = USUAL_COMPUTING,
    threads: int = 1,
) -> ModelOptions:
    """Return the options of a model. Raises AsrPunctError for a casing list without case."""
    if output.casing and not output.case:
        raise AsrPunctError("", "--casing and --no-case", "one of them")
    return ModelOptions(choice.model, choice.language, threads, **vars(output), **vars(computing))


def pipeline_options(*groups: Reading | Preparing | Writing, **others: Any) -> PipelineOptions:
    """Return how files are read, prepared and written, from groups of options and further fields.

    Raises AsrPunctError for options that exclude each other.
    """
    given = {name: value for group in groups for name, value in vars(group).items()} | others
    for name in ("ignore_labels", "lowercase"):
        if given.get("fill") and given.get(name):
            raise AsrPunctError("", f"--fill and --{name.replace('_', '-')}", "one of them")
    return PipelineOptions(**given)
