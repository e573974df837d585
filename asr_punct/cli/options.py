"""Options that several commands share, and the completion of their values. This module must import nothing heavy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from asr_punct.declared import declarations
from asr_punct.encoding import Encoding as _Encoding
from asr_punct.errors import AsrPunctError
from asr_punct.files import InputFile, Pathlike
from asr_punct.formats.registry import READABLE, WRITABLE, WRITTEN_BACK
from asr_punct.hub import named_models
from asr_punct.languages import DESCRIBED, EXPECTED_CODE, is_language_code, parse_language
from asr_punct.marks import MARKS
from asr_punct.restoring import PipelineOptions
from asr_punct.subtitles import LIMIT_NAMES, PRESETS
from asr_punct.words import TIME_SOURCES

Values = Iterable[str] | Callable[[], Iterable[str]]
"""Values of an option, or a function that returns them."""


def complete_from(values: Values) -> Callable[[str], list[str]]:
    """Return a function that maps the text typed so far to the values that begin with it.

    If there are none, the shell completes file names.
    """
    return lambda incomplete: [
        value for value in (values() if callable(values) else values) if value.startswith(incomplete)
    ]


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
        raise AsrPunctError("--lang", repr(language), EXPECTED_CODE)
    return language if context.info_name == "align" else code


def completed_option(help_text: str, values: Values, *names: str, **details: Any) -> Any:
    """Return an option with shell completion of `values`, which are not checked; `details` are those of Typer."""
    return typer.Option(*names, help=help_text, autocompletion=complete_from(values), **details)


def model_argument(help_text: str) -> Any:
    """Return an argument with shell completion of the models that have a name."""
    return typer.Argument(metavar="MODEL", help=help_text, autocompletion=complete_from(named_models))


def _choice(help_text: str, values: Sequence[str], *names: str) -> Any:
    """Return an option with only these values."""

    def check(parameter: typer.CallbackParam, value: str | None) -> str | None:
        if value is not None and value not in values:
            raise AsrPunctError(parameter.opts[0], repr(value), f"one of {' '.join(values)}")
        return value

    return completed_option(help_text, values, *names, callback=check)


def _declared(cls: type, name: str) -> Any:
    """Return the option of a field, all from its declaration."""
    _, kind, allowed, _, meaning = next(each for each in declarations(cls) if each.name == name)
    names = [f"--{name.replace('_', '-')}"] if kind is bool else []  # else Typer makes --no-NAME too
    low, high = (allowed.low, allowed.high) if allowed else (None, math.inf)
    return typer.Option(*names, min=low, max=None if high == math.inf else high, help=meaning)


_READABLE_NAMES = " ".join(READABLE)

Output = Annotated[str, typer.Option("-o", "--output", help="File to write; - is standard output.")]
OutputFile = Annotated[Path, typer.Option("-o", "--output", help="File to write.")]
From = Annotated[str | None, _choice(f"Format of the input: {_READABLE_NAMES}.", READABLE, "--from")]
ReferenceFrom = Annotated[str | None, _choice(f"Format of REF: {_READABLE_NAMES}.", READABLE, "--ref-from")]
HypothesisFrom = Annotated[str | None, _choice("Format of HYP and HYP2.", READABLE, "--hyp-from")]
_ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16", "utf-16-le")
Encoding = Annotated[
    str | None,
    completed_option("Encoding of the input; default: by the byte order mark, else UTF-8.", _ENCODINGS),
]
To = Annotated[str | None, _choice(f"Format of the output: {' '.join(WRITABLE)}.", WRITABLE + WRITTEN_BACK, "--to")]
_SUBTITLES_HELP = (
    f"Limits of subtitles: {', '.join(PRESETS)} (the first by default), or with changes: bbc,characters=32,lines=1. "
    f"Limits that can be changed: {', '.join(LIMIT_NAMES)}."
)
Subtitles = Annotated[str | None, completed_option(_SUBTITLES_HELP, PRESETS)]
Paragraphs = Annotated[
    str,
    typer.Option(
        metavar="auto|none|speaker|SECONDS",
        help="Where paragraphs of text, Markdown and .docx end, if the input has times or speakers: by words, lengths, "
        "pauses and speakers; nowhere (a line an utterance); at speakers; also at pauses of this length.",
    ),
]
Fillers = Annotated[
    str,
    typer.Option(
        metavar="keep|drop",
        help="drop: leave hesitations (um, eh) and immediate repeats out of text, documents and subtitles; JSON keeps "
        "them with a key filler, other formats keep all words.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        help="Write a list of the cues that break the limits of subtitles to this file, one problem per line."
    ),
]
Language = Annotated[
    str,
    completed_option(
        "Language of the text: es, eu, en, or joined as es+eu.", DESCRIBED, "--lang", callback=check_language
    ),
]
TextLanguage = Annotated[
    str | None,
    completed_option(
        "Language of the text; default: the one that the input names, else identified from its words.",
        DESCRIBED,
        "--lang",
        callback=check_language,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print only errors to standard error: no progress, no summary.")]
Device = Annotated[str | None, completed_option("cpu, cuda, cuda:1 …", ["cpu", "cuda"])]
Audio = Annotated[Path | None, typer.Option(help="Audio of the input, to refine its pauses.")]
_TIMES_HELP = f"Source of the times: {' '.join(TIME_SOURCES)}; default: the one that IN names, else that of its format."
Times = Annotated[str | None, _choice(_TIMES_HELP, TIME_SOURCES)]
Tiers = Annotated[
    list[str] | None,
    typer.Option("--tier", help="Tier to read of an ELAN file or a TextGrid, also several times; default: of speech."),
]
Strict = Annotated[bool, _declared(PipelineOptions, "strict")]
WavScp = Annotated[Path | None, typer.Option(help="Kaldi wav.scp: audio of each recording.")]
IgnoreLabels = Annotated[bool, _declared(PipelineOptions, "ignore_labels")]
Probabilities = Annotated[bool, _declared(PipelineOptions, "probabilities")]
Model = Annotated[
    str | None,
    completed_option(
        "Directory, shipped name, or org/name of the hub; default: the shipped model of the language.", named_models
    ),
]
Lowercase = Annotated[bool, _declared(PipelineOptions, "lowercase")]
Threads = Annotated[int, typer.Option(min=0, help="Number of threads; 0: OMP_NUM_THREADS, else one for each core.")]
Int8 = Annotated[
    bool,
    typer.Option(
        "--int8", help="Run the int8 graph, which asr-punct export --int8 writes. Shipped models have no other."
    ),
]
_MERGE_HELP = (
    "Number of mark classes to score. 4: COMMA, PERIOD, QUESTION, none; 3: QUESTION counts as PERIOD; "
    "2: any mark, none; default: each mark is a class. See docs/systems.md."
)
Merge = Annotated[int | None, completed_option(_MERGE_HELP, ["4", "3", "2"])]
Page = Annotated[Path | None, typer.Option(help="HTML page to write: scores, and the transcript with its errors.")]
DataDir = Annotated[Path | None, typer.Option(help="Kaldi data directory: wav.scp, text, segments, utt2doc.")]


def _parsed_class_weights(weights: str) -> Mapping[str, float]:
    from asr_punct.decode.settings import parse_class_weights

    return parse_class_weights(weights)


_FORMS: Mapping[str, Any] = {
    "source_format": From,
    "encoding": Encoding,
    "wav_scp": WavScp,
    "times": Times,
    "tiers": Annotated[Tiers, tuple],
    "target_format": To,
    "subtitles": Subtitles,
    "paragraphs": Paragraphs,
    "fillers": Fillers,
    "marks": Annotated[
        str | None,
        typer.Option(
            help="Marks to add, such as COMMA,QUESTION; QUESTION also adds ¿.", autocompletion=_complete_marks
        ),
        lambda names: names.split(","),
    ],
    "case": Annotated[bool, typer.Option("--no-case", help="Add no capitals."), operator.not_],
    "casing": Annotated[Path | None, typer.Option(help="Casing list: one word per line, such as EiTB.")],
    "device": Device,
    "graph": Annotated[Int8, lambda is_int8: "int8" if is_int8 else None],
    "class_weights": Annotated[
        str | None,
        typer.Option(help="Factors on the probabilities of classes or marks, such as QUESTION=2,COMMA=0.8."),
        _parsed_class_weights,
    ],
}
"""Options with a form, values or help of their own on the command line, by the name of their field in Python.

A function after the form makes the field's value of what is given, where they differ.
"""


class FieldOption(NamedTuple):
    """The option of a field: its name, annotated type and default."""

    name: str
    type: Any
    default: Any

    def value(self, given: Any) -> Any:
        """Return the field's value."""
        convert = next(filter(callable, self.type.__metadata__), None)
        return given if convert is None or given is None else convert(given)


def field_options(cls: type) -> Iterator[FieldOption]:
    """Yield the options of a dataclass: those that its fields are annotated with, else those of its declarations."""
    hints = get_type_hints(cls, include_extras=True)
    for name, kind, _, default, _ in declarations(cls):
        if any(isinstance(extra, OptionInfo) for extra in getattr(hints[name], "__metadata__", ())):
            yield FieldOption(name, hints[name], default)
        elif name in _FORMS:
            is_flag = get_args(_FORMS[name])[0] is bool
            yield FieldOption(name, _FORMS[name], False if is_flag else default or None)
        else:
            yield FieldOption(name, Annotated[kind, _declared(cls, name)], default)


def input_file(path: Pathlike, encoding: str | None, *, strict: bool = False) -> InputFile:
    """Return a file to read in this encoding; `strict` refuses bytes that are not UTF-8.

    Raises ArgumentError if there is no encoding of that name.
    """
    return InputFile(path, _Encoding(encoding, keeps_bytes=not strict))
