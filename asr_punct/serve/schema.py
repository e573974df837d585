"""JSON of requests and answers, as pydantic models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Json, model_validator
from pydantic_core import PydanticCustomError

from asr_punct.formats.registry import BINARY_FILES, READABLE_FILES, WRITABLE_FILES
from asr_punct.formats.values import MAX_TIME
from asr_punct.inference.options import OutputOptions
from asr_punct.languages import EXPECTED_CODE, is_language_code, parse_language
from asr_punct.marks import Case, Labels, Mark
from asr_punct.restoring import PipelineOptions
from asr_punct.serve.keys import keys_of
from asr_punct.words import Seconds, Word, is_one_word

MAX_CASING = 1000
"""Maximum number of forms of a casing list that a client sends."""
JsonSeconds = Annotated[Seconds, Field(ge=0, le=MAX_TIME, allow_inf_nan=False)]


def _language_code(name: str) -> str | None:
    """Return the code of a language, None for `auto` and other names of no language."""
    code = parse_language(name)
    if code and not is_language_code(code):
        raise PydanticCustomError("unknown_language", EXPECTED_CODE)
    return code or None


Language = Annotated[str, AfterValidator(_language_code)] | None
"""Code of a language, or several joined by `+`."""


class StrictModel(BaseModel):
    """A JSON object without other keys than its fields; an error names the unknown key and the known ones."""

    model_config = ConfigDict(extra="forbid")
    hint: ClassVar[str] = ""
    """Added to these errors."""

    @classmethod
    def names(cls) -> list[str]:
        """Return the keys of the object."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        if not isinstance(value, (Mapping, cls)):
            raise PydanticCustomError("no_object", "{expected}", {"expected": f"an object{cls.hint}"})
        unknown = [key for key in value if key not in cls.names()] if isinstance(value, Mapping) else []
        if unknown:
            expected = f"one of {' '.join(cls.names())}{cls.hint}"
            raise PydanticCustomError("unknown_key", "{expected}", {"expected": expected, "key": unknown[0]})
        return value


def _one_word(text: str) -> str:
    if not is_one_word(text):
        raise ValueError("one word without white space")
    return text


def _speaker_name(value: object) -> str:
    """Return a name or number as text; a value of another kind names nobody."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


Speaker = Annotated[str, BeforeValidator(_speaker_name, json_schema_input_type=str | int | None)]


class TimedWord(BaseModel):
    """A word of a recogniser. Keys that are not listed are ignored."""

    model_config = ConfigDict(strict=False, extra="ignore")

    word: Annotated[str, AfterValidator(_one_word)] = Field(description="The word, without white space.")
    start: JsonSeconds | None = Field(default=None, description="Start time in seconds.")
    end: JsonSeconds | None = Field(default=None, description="End time in seconds.")
    confidence: float | None = Field(default=None, ge=0, le=1, description="The recogniser's confidence.")
    pause: JsonSeconds | None = Field(default=None, description="Silence after it in seconds; default: from the times.")
    marks: list[Mark] | None = Field(default=None, description="Marks of the input, which stay.")
    case: Case | None = Field(default=None, description="Case of the input, which stays.")
    speaker: Speaker = Field(default="", description="Name or number of the person who says it; default: unknown.")

    @model_validator(mode="after")
    def _ends_after_start(self) -> TimedWord:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"an end at or after the start {self.start:g}")
        return self

    def to_word(self) -> Word:
        """Return the word; it has labels if the client sent marks or a case."""
        labels = None
        if self.marks is not None or self.case is not None:
            labels = Labels(frozenset(self.marks or ()), self.case or Case.O)
        return Word(self.word, self.start, self.end, self.confidence, self.pause, labels, speaker=self.speaker)


def _word_object(value: object) -> object:
    return {"word": value} if isinstance(value, str) else value


GivenWord = Annotated[TimedWord, BeforeValidator(_word_object, json_schema_input_type=str | TimedWord)]
"""A word as a string or an object."""


def _in_order(words: list[TimedWord]) -> list[TimedWord]:
    """Return the words. Raises ValueError if one starts before an earlier one."""
    try:
        latest_start(words)
    except ValueError as error:
        raise ValueError(f"words in the order of time: {error}") from None
    return words


def latest_start(words: Iterable[TimedWord], after: Seconds = 0.0) -> Seconds:
    """Return the start of the last word that has one, else `after`.

    Raises ValueError if a word starts before an earlier one or before `after`, as in `0.5 after 1`.
    """
    for word in words:
        if word.start is not None:
            if word.start < after:
                raise ValueError(f"{word.start:g} after {after:g}")
            after = word.start
    return after


def _split(value: object) -> object:
    """Return the parts of a text that are separated by commas or white space, as forms and addresses have lists."""
    return value.replace(",", " ").split() if isinstance(value, str) else value


_List = BeforeValidator(_split)
_OUTPUT_TYPES = {
    "marks": Annotated[list[Mark], _List] | None,
    "casing": Annotated[list[str], _List, Field(max_length=MAX_CASING)],
}
_OutputKeys: Any = keys_of(OutputOptions, StrictModel, types=_OUTPUT_TYPES)


class OutputKeys(_OutputKeys, StrictModel):  # type: ignore[misc]
    """The model, and what may be added within what the service was started with: the fields of `OutputOptions`."""

    language: Language = Field(
        default=None,
        description="Code of the language, such as es or es+eu; default: that of the file, else of the words.",
    )
    model: str | None = Field(default=None, description="Name of a model of /v1/models; default: that of the language.")

    def output(self) -> OutputOptions:
        """Return what may be added. Raises InputError for a malformed form of the casing list."""
        return OutputOptions(**{each.name: getattr(self, each.name) for each in fields(OutputOptions)})


class WordLabels(StrictModel):
    """Marks and case of a word."""

    marks: list[Mark] = Field(default=[], description="Names of its marks.")
    case: Case = Case.O
    inside: bool = Field(
        default=False, description="Whether marks are inside the quotation marks and brackets at the word's edges."
    )

    def to_labels(self) -> Labels:
        """Return the marks and the case."""
        return Labels(frozenset(self.marks), self.case, inside=self.inside)


_TextKeys: Any = keys_of(PipelineOptions, OutputKeys, ("fill", "probabilities"))
_FILE_OPTIONS = "fill", "probabilities", "ignore_labels", "subtitles", "strict", "encoding", "tiers"
_FileKeys: Any = keys_of(PipelineOptions, OutputKeys, _FILE_OPTIONS, {"tiers": Json[list[str]]})


class PunctuateRequest(_TextKeys, OutputKeys):  # type: ignore[misc]
    """A text, or words with or without times."""

    hint = " (for a file of a recogniser: ?from=FORMAT, or -F file=@…)"

    text: str | None = Field(default=None, description="A line is an utterance, an empty line ends a document.")
    words: Annotated[list[GivenWord], AfterValidator(_in_order)] | None = Field(
        default=None, description="Words of one document, in the order of time."
    )
    to: Literal[(*WRITABLE_FILES, *BINARY_FILES)] | None = Field(  # type: ignore[valid-type]
        default=None, description="Format of the answer; default: this JSON."
    )
    labels: list[WordLabels] | None = Field(
        default=None, description="Marks and case of all words, in order; the model adds none."
    )

    @model_validator(mode="after")
    def _has_one_input(self) -> PunctuateRequest:
        if (self.text is None) == (self.words is None):
            raise ValueError("either 'text' or 'words'")
        if self.fill and self.labels is not None:
            raise ValueError("either 'fill' or 'labels'")
        return self


class UploadOptions(_FileKeys, OutputKeys):  # type: ignore[misc]
    """Options of a file, in the query or in fields of a form."""

    from_: Literal[READABLE_FILES] | None = Field(  # type: ignore[valid-type]
        default=None, alias="from", description="Format of the file; default: detected."
    )
    to: Literal[(*WRITABLE_FILES, *BINARY_FILES)] | None = Field(  # type: ignore[valid-type]
        default=None, description="Format of the answer; default: that of the file."
    )
    name: str | None = Field(default=None, description="Name of the file, from which its format is detected.")
    labels: Json[list[WordLabels]] | None = Field(
        default=None, description="Marks and case of all words, as in the JSON key `labels`; the model adds none."
    )
    as_is: bool = Field(
        default=False, description="Add nothing; in JSON, the marks and capitals of the file are labels of its words."
    )

    @model_validator(mode="after")
    def _treats_marks_in_one_way(self) -> UploadOptions:
        if self.fill and (self.ignore_labels or self.labels is not None):
            raise ValueError("one of 'fill', 'labels' and 'ignore_labels'")
        if self.as_is and (self.fill or self.ignore_labels):
            raise ValueError("one of 'as_is', 'fill' and 'ignore_labels'")
        return self


class PunctuatedWord(BaseModel):
    """A word with its marks and case."""

    word: str
    start: float | None = None
    end: float | None = None
    confidence: float | None = None
    pause: float | None = None
    speaker: str | None = None
    marks: list[Mark] = Field(description="Names of its marks.")
    case: Case
    inside: bool = Field(default=False, description="Whether marks are inside the word's quotation marks and brackets.")
    written: str = Field(description="The word with its marks and case, as one token.")
    probabilities: dict[str, float] | None = None


class PunctuateAnswer(BaseModel):
    """The input with marks and capitals."""

    language: str = Field(description='Language of the first document; "" if it is not known.')
    text: str
    words: list[PunctuatedWord] | None = Field(default=None, description="The words, if the request has words.")
    warnings: list[str] = Field(
        default=[],
        description="Why the language has no model, or seems to be another one, and how many times make no sense.",
    )


class ModelDescription(BaseModel):
    """A model that the service offers."""

    name: str
    languages: list[str]
    default: bool = Field(description="Whether it is the default, which is used for texts in other languages.")


class ErrorParts(BaseModel):
    """Place, found and expected."""

    place: str
    found: str
    expected: str


class ErrorAnswer(BaseModel):
    """Answer to a bad request."""

    error: ErrorParts
