"""Options that several commands share, and the completion of their values. This module must import nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from asr_punct.errors import AsrPunctError
from asr_punct.formats.registry import READABLE, WRITABLE
from asr_punct.hub import shipped_models
from asr_punct.languages import EXPECTED_CODE, is_language_code, parse_language
from asr_punct.marks import MARKS
from asr_punct.subtitles import LIMIT_NAMES, PRESETS
from asr_punct.words import TIME_SOURCES, parse_time_source

if TYPE_CHECKING:
    from asr_punct.inference.punctuator import Punctuator


Completion = Callable[[str], list[str]]
"""Maps the text typed so far to the values that begin with it. If there are none, the shell completes file names."""


def complete_from(values: Iterable[str] | Callable[[], Iterable[str]]) -> Completion:
    """Return a completion from these values, or from those that a function returns."""
    return lambda incomplete: [
        value for value in (values() if callable(values) else values) if value.startswith(incomplete)
    ]


complete_model = complete_from(shipped_models)


def _complete_marks(incomplete: str) -> list[str]:
    """Complete the last of several marks, which are separated by commas, by one that is not yet listed."""
    before, comma, last = incomplete.rpartition(",")
    listed = before.split(",")
    return [before + comma + mark for mark in MARKS if mark not in listed and mark.startswith(last)]


def check_language(context: typer.Context, language: str | None) -> str | None:
    """Return the code, such as `es` or `es+eu`; for `align` the value as given, for espeak-ng's voices of regions.

    Raises AsrPunctError if the value names no language.
    """
    if language is None:
        return None
    code = parse_language(language)
    if not is_language_code(code):
        raise AsrPunctError(f"--lang: found {language!r}, expected {EXPECTED_CODE}")
    return language if context.info_name == "align" else code


def _check_times(times: str | None) -> str | None:
    return None if times is None else parse_time_source(times)


def _check_format(parameter: typer.CallbackParam, name: str | None) -> str | None:
    option = parameter.opts[0]
    names = WRITABLE if option == "--to" else READABLE
    if name is not None and name not in names:
        raise AsrPunctError(f"{option}: found {name!r}, expected one of {' '.join(names)}")
    return name


def completed_option(
    help_text: str, values: Iterable[str], *names: str, callback: Callable[..., Any] | None = None
) -> Any:
    """Return an option with shell completion of `values`. Only `callback` checks the value that the user gives."""
    return typer.Option(*names, help=help_text, autocompletion=complete_from(values), callback=callback)


_READABLE_NAMES, _WRITABLE_NAMES = " ".join(READABLE), " ".join(WRITABLE)
COMPLETED_LANGUAGES = ("es", "eu", "en", "bn", "es+eu")

Output = Annotated[str, typer.Option("-o", "--output", help="File to write; - is standard output.")]
OutputFile = Annotated[Path, typer.Option("-o", "--output", help="File to write.")]
From = Annotated[
    str | None, completed_option(f"Format of the input: {_READABLE_NAMES}.", READABLE, "--from", callback=_check_format)
]
ReferenceFrom = Annotated[
    str | None, completed_option(f"Format of REF: {_READABLE_NAMES}.", READABLE, "--ref-from", callback=_check_format)
]
HypothesisFrom = Annotated[
    str | None, completed_option("Format of HYP and HYP2.", READABLE, "--hyp-from", callback=_check_format)
]
To = Annotated[
    str | None, completed_option(f"Format of the output: {_WRITABLE_NAMES}.", WRITABLE, "--to", callback=_check_format)
]
_SUBTITLES_HELP = (
    "Limits of subtitles: netflix (default), bbc or une, or with changes: bbc,characters=32,lines=1. "
    f"Limits that can be changed: {', '.join(LIMIT_NAMES)}."
)
Subtitles = Annotated[str | None, completed_option(_SUBTITLES_HELP, PRESETS)]
Report = Annotated[
    Path | None,
    typer.Option(
        help="Write a list of the cues that break the limits of subtitles to this file, one problem per line."
    ),
]
Language = Annotated[
    str,
    completed_option(
        "Language of the text: es, eu, en, or joined as es+eu.", COMPLETED_LANGUAGES, "--lang", callback=check_language
    ),
]
TextLanguage = Annotated[
    str | None,
    completed_option(
        "Language of the text; default: the one that the input names, else identified from its words.",
        COMPLETED_LANGUAGES,
        "--lang",
        callback=check_language,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print only errors to standard error: no progress, no summary.")]
Device = Annotated[str | None, completed_option("cpu, cuda, cuda:1 …", ["cpu", "cuda"])]
Audio = Annotated[Path | None, typer.Option(help="Audio of the input, to refine its pauses.")]
_TIMES_HELP = f"Source of the times: {' '.join(TIME_SOURCES)}; default: the one that IN names, else that of its format."
Times = Annotated[str | None, completed_option(_TIMES_HELP, TIME_SOURCES, callback=_check_times)]
WavScp = Annotated[Path | None, typer.Option(help="Kaldi wav.scp: audio of each recording.")]
IgnoreLabels = Annotated[
    bool,
    typer.Option(
        "--ignore-labels",
        help="First remove the marks and capitals of the input, both in the words and in columns of labels.",
    ),
]
Probabilities = Annotated[
    bool, typer.Option("--probabilities", help="With --to json: write the probabilities of marks and capitals.")
]
Model = Annotated[
    str | None,
    typer.Option(
        help="Directory, shipped name, or org/name of the hub; default: the shipped model of the language.",
        autocompletion=complete_model,
    ),
]
MarkNames = Annotated[
    str | None,
    typer.Option(help="Marks to add, such as COMMA,QUESTION; QUESTION also adds ¿.", autocompletion=_complete_marks),
]
Lowercase = Annotated[
    bool,
    typer.Option("--lowercase", help="Convert words to lower case first, for recognisers that write only capitals."),
]
NoCase = Annotated[bool, typer.Option("--no-case", help="Add no capitals.")]
CasingList = Annotated[Path | None, typer.Option(help="Casing list: one word per line, such as EiTB.")]
Threads = Annotated[int, typer.Option(min=0, help="Number of threads; 0: OMP_NUM_THREADS, else one for each core.")]
Int8 = Annotated[
    bool,
    typer.Option(
        "--int8", help="Run the int8 graph, which asr-punct export --int8 writes. Shipped models have no other."
    ),
]
ClassWeights = Annotated[
    str | None, typer.Option(help="Factors on the probabilities of classes or marks, such as QUESTION=2,COMMA=0.8.")
]
_MERGE_HELP = (
    "Number of mark classes to score. 4: COMMA, PERIOD, QUESTION, none; 3: QUESTION counts as PERIOD; "
    "2: any mark, none; default: each mark is a class. See docs/systems.md."
)
Merge = Annotated[int | None, completed_option(_MERGE_HELP, ["4", "3", "2"])]
Page = Annotated[Path | None, typer.Option(help="HTML page to write: scores, and the transcript with its errors.")]
DataDir = Annotated[Path | None, typer.Option(help="Kaldi data directory: wav.scp, text, segments, utt2doc.")]


def punctuator_opener(
    model: str | None,
    marks: str | None = None,
    no_case: bool = False,
    casing: Path | None = None,
    device: str | None = None,
    threads: int = 1,
    int8: bool = False,
    class_weights: str | None = None,
    lang: str | None = None,
) -> Callable[[], Punctuator]:
    """Return a function that loads a punctuator with these options. Processes can pickle it."""
    from asr_punct.decode.settings import parse_class_weights
    from asr_punct.inference.punctuator import Punctuator
    from asr_punct.marks import named_marks

    if casing and no_case:
        raise AsrPunctError("found --casing and --no-case, expected one of them")
    return partial(
        Punctuator.from_pretrained,
        model,
        language=lang,
        marks=None if marks is None else named_marks(marks.split(",")),
        case=not no_case,
        casing=casing,
        device=device,
        threads=threads,
        graph="int8" if int8 else None,
        class_weights=None if class_weights is None else parse_class_weights(class_weights),
    )
