"""The XML of ELAN files, parsed, with the places of the texts of annotations.

https://www.mpi.nl/tools/elan/EAFv3.0.xsd is the schema; files of all versions since 2.0 are read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple
from xml.parsers import expat

from asr_punct.errors import InputError
from asr_punct.formats.time_sources import KEY
from asr_punct.formats.times import NotATime, time_of
from asr_punct.formats.values import Object
from asr_punct.words import Seconds

TIMES_PROPERTY = "asr-punct-times"
"""Property of the header that names the source of the word times."""
_MILLISECONDS = "milliseconds"
_START_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_EXPECTED = "an ELAN file (ANNOTATION_DOCUMENT)"

Span = tuple[int, int]
"""First and last byte of a text in its file, the last one excluded."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation that has times; a time is None if ELAN interpolates it. `span` is the place of its text."""

    text: str
    start: Seconds | None
    end: Seconds | None
    span: Span


@dataclass(slots=True)
class EafTier:
    """A tier.

    `type` is its linguistic type, `participant` the speaker or "", `parent` the tier that it depends on or "". It
    `inherits` times if its annotations refer to others instead of having times of their own: one annotation has those
    of the other, of several the first one has its start, and the last one its end.
    """

    id: str
    type: str
    participant: str
    parent: str
    annotations: list[Annotation] = field(default_factory=list)
    inherits: bool = False


@dataclass(slots=True)
class EafFile:
    """An ELAN file: its content in UTF-8, and its tiers in order.

    `times` is an object for `time_sources`, `{"times": value of TIMES_PROPERTY}`, empty if the file lacks the property.
    `times_span` is the place of the value; without one, the end of the header, where the property can be inserted.
    """

    content: bytes
    tiers: list[EafTier] = field(default_factory=list)
    times: Object = field(default_factory=dict)
    times_span: Span | None = None


def parse_eaf(content: bytes, place: str) -> EafFile:
    """Parse a file in UTF-8.

    Raises InputError if it is not well-formed XML or not an ELAN file, has a document type, which could make a parser
    expand entities or read other files, or has times in frames.
    """
    return _Parser(content, place).parse()


class _Reference(NamedTuple):
    """An annotation `id` of a tier that has the times of the annotation `of`, or some of them."""

    tier: EafTier
    id: str
    of: str
    text: str
    span: Span


class _Parser:
    """Collects the tiers of a document."""

    def __init__(self, content: bytes, place: str) -> None:
        self._file, self._place = EafFile(content), place
        self._is_eaf = False
        self._open: EafTier | None = None
        self._slots: dict[str, Seconds | None] = {}
        self._slot_names: tuple[str, str] | None = None
        self._property = ""
        self._text: list[str] = []
        self._first = 0
        self._id = self._reference = ""
        self._times: dict[str, tuple[Seconds | None, Seconds | None]] = {}
        self._references: list[_Reference] = []
        self._expat = expat.ParserCreate(encoding="utf-8")
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._text_part

    def parse(self) -> EafFile:
        try:
            self._expat.Parse(self._file.content, True)
        except expat.ExpatError as error:
            place = f"{self._place}:{error.lineno}"
            raise InputError(place, expat.ErrorString(error.code), "well-formed XML") from None
        self._inherit()
        return self._file

    def _inherit(self) -> None:
        """Give the annotations that refer to others their times; those of one other are in the order of the file."""
        for _, group in groupby(self._references, key=lambda each: (id(each.tier), each.of)):
            references = list(group)
            start, end = self._times.get(references[0].of, (None, None))
            for i, (tier, name, _, text, span) in enumerate(references):
                times = start if i == 0 else None, end if i == len(references) - 1 else None
                self._times[name] = times
                tier.annotations.append(Annotation(text, *times, span))
                tier.inherits = True

    def _doctype(self, *_: object) -> None:
        raise self._error("a document type declaration", "XML without one (entities are not read)")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self._is_eaf and name != "ANNOTATION_DOCUMENT":
            raise self._error(f"the element {name[:40]}", _EXPECTED)
        self._is_eaf = True
        if name == "HEADER" and attributes.get("TIME_UNITS", _MILLISECONDS) != _MILLISECONDS:
            raise self._error(f"TIME_UNITS {attributes['TIME_UNITS'][:40]!r}", repr(_MILLISECONDS))
        if name == "TIME_SLOT":
            self._slots[attributes.get("TIME_SLOT_ID", "")] = self._time(attributes.get("TIME_VALUE"))
        elif name == "TIER":
            names = ("TIER_ID", "LINGUISTIC_TYPE_REF", "PARTICIPANT", "PARENT_REF")
            tier, kind, participant, parent = (attributes.get(each, "").strip() for each in names)
            self._open = self._opened(EafTier(tier, kind, participant, parent))
        elif name == "ALIGNABLE_ANNOTATION":
            self._slot_names = attributes.get("TIME_SLOT_REF1", ""), attributes.get("TIME_SLOT_REF2", "")
            self._id = attributes.get("ANNOTATION_ID", "")
        elif name == "REF_ANNOTATION":
            self._reference, self._id = attributes.get("ANNOTATION_REF", ""), attributes.get("ANNOTATION_ID", "")
        elif name in ("ANNOTATION_VALUE", "PROPERTY"):
            position = self._expat.CurrentByteIndex
            tag = _START_TAG.match(self._file.content, position)
            self._first = tag.end() if tag else position
            self._property, self._text = attributes.get("NAME", ""), []

    def _text_part(self, text: str) -> None:
        self._text.append(text)

    def _end(self, name: str) -> None:
        position, file = self._expat.CurrentByteIndex, self._file
        span = self._first, max(self._first, position)
        if name == "ANNOTATION_VALUE" and self._slot_names is not None:
            self._add_annotation(*self._slot_names, span)
        elif name == "ANNOTATION_VALUE" and self._reference:
            self._references.append(_Reference(self._tier(), self._id, self._reference, "".join(self._text), span))
        elif name == "ALIGNABLE_ANNOTATION":
            self._slot_names = None
        elif name == "REF_ANNOTATION":
            self._reference = ""
        elif name == "PROPERTY" and self._property == TIMES_PROPERTY:
            file.times, file.times_span = {KEY: "".join(self._text).strip()}, span
        elif name == "HEADER" and file.times_span is None and file.content.startswith(b"</", position):
            file.times_span = position, position

    def _add_annotation(self, first: str, last: str, span: Span) -> None:
        self._times[self._id] = times = self._slot(first), self._slot(last)
        self._tier().annotations.append(Annotation("".join(self._text), *times, span))

    def _opened(self, tier: EafTier) -> EafTier:
        """Return the tier of this name and participant, which may be in several parts, or add this one."""
        for each in self._file.tiers:
            if (each.id, each.participant) == (tier.id, tier.participant):
                return each
        self._file.tiers.append(tier)
        return tier

    def _tier(self) -> EafTier:
        if self._open is None:
            raise self._error("an annotation outside a tier", _EXPECTED)
        return self._open

    def _slot(self, name: str) -> Seconds | None:
        return self._slots[name] if name in self._slots else NotATime(name)

    def _time(self, milliseconds: str | None) -> Seconds | None:
        if milliseconds is None:
            return None
        time = time_of(milliseconds)
        return time if isinstance(time, NotATime) else time / 1000

    def _error(self, found: str, expected: str) -> InputError:
        return InputError(f"{self._place}:{self._expat.CurrentLineNumber}", found, expected)
