"""New ELAN files: for each speaker a tier of utterances, and a tier of their words if their times are known."""

import mimetypes
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from asr_punct.formats.entries import sorted_by_start, written_words
from asr_punct.formats.tiers.eaf_xml import TIMES_PROPERTY
from asr_punct.formats.time_sources import KEY, set_first_time_source
from asr_punct.formats.values import escape_xml, xml_attributes
from asr_punct.glyphs import Glyphs
from asr_punct.subtitles.units import filled_times, with_edges
from asr_punct.words import Seconds, Utterance

UTTERANCES, _WORDS = "utterances", "words"
"""Linguistic types, and names of the tiers of an unnamed speaker."""
_ROOT = {
    "AUTHOR": "",
    "DATE": "1970-01-01T00:00:00+00:00",
    "FORMAT": "3.0",
    "VERSION": "3.0",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:noNamespaceSchemaLocation": "http://www.mpi.nl/tools/elan/EAFv3.0.xsd",
}
"""Attributes of the root. The date is fixed, so that equal input gives equal files."""
_TYPES = """    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="utterances" TIME_ALIGNABLE="true"/>
    <LINGUISTIC_TYPE CONSTRAINTS="Included_In" GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="words"
        TIME_ALIGNABLE="true"/>
    <CONSTRAINT DESCRIPTION="Annotations within the time of their parent, with gaps" STEREOTYPE="Included_In"/>
</ANNOTATION_DOCUMENT>
"""
_Annotation = tuple[int, int, str]
"""Start and end in milliseconds, and text."""


@dataclass(frozen=True, slots=True)
class _Tier:
    """A tier; `parent` is the name of the tier of utterances, "" for such a tier itself."""

    id: str
    speaker: str
    parent: str
    annotations: Sequence[_Annotation]


def new_eaf(utterances: Sequence[Utterance], glyphs: Glyphs) -> str:
    """Return a file with the utterances of one recording.

    Annotations last at least 1 ms and do not overlap: a word that ends after the start of the next one of its tier is
    cut there. Missing times of words are interpolated. Raises InputError if an utterance has no times, or the
    utterances belong to several recordings.
    """
    spoken = [utterance for utterance in with_edges(utterances) if utterance.words]
    tiers = list(_tiers(spoken, glyphs))
    times = [time for tier in tiers for start, end, _ in tier.annotations for time in (start, end)]
    by_time = sorted(range(len(times)), key=times.__getitem__)
    slots = {i: f"ts{number}" for number, i in enumerate(by_time, start=1)}
    numbered = enumerate(((slots[i], slots[i + 1]) for i in range(0, len(times), 2)), start=1)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n', f"<ANNOTATION_DOCUMENT{xml_attributes(_ROOT)}>\n"]
    lines += [*_header(spoken, len(times) // 2), "    <TIME_ORDER>\n"]
    lines += [f'        <TIME_SLOT TIME_SLOT_ID="{name}" TIME_VALUE="{times[i]}"/>\n' for i, name in slots.items()]
    lines.append("    </TIME_ORDER>\n")
    for tier in tiers:
        lines += _tier_lines(tier, numbered)
    return "".join([*lines, _TYPES])


def times_property(source: object) -> str:
    """Return the element of the header that names the source of the word times."""
    return f'    <PROPERTY NAME="{TIMES_PROPERTY}">{escape_xml(str(source))}</PROPERTY>\n    '


def _header(utterances: Sequence[Utterance], annotations: int) -> Iterator[str]:
    yield '    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">\n'
    if audio := next((utterance.audio for utterance in utterances if utterance.audio), ""):
        kind = mimetypes.guess_type(audio)[0] or "audio/x-wav"
        path = Path(audio)
        media = {"MEDIA_URL": path.absolute().as_uri(), "MIME_TYPE": kind, "RELATIVE_MEDIA_URL": f"./{path.name}"}
        yield f"        <MEDIA_DESCRIPTOR{xml_attributes(media)}/>\n"
    if source := set_first_time_source({}, utterances, "aligner").get(KEY):
        yield f"    {times_property(source).rstrip()}\n"
    yield f'        <PROPERTY NAME="lastUsedAnnotationId">{annotations}</PROPERTY>\n    </HEADER>\n'


def _tiers(utterances: Sequence[Utterance], glyphs: Glyphs) -> Iterator[_Tier]:
    """Yield the tiers of each speaker of each channel."""
    tracks: dict[tuple[str, str], list[Utterance]] = defaultdict(list)
    for utterance in sorted_by_start(utterances):
        tracks[utterance.speaker, utterance.channel].append(utterance)
    used = set[str]()
    for (speaker, channel), track in tracks.items():
        name = speaker or UTTERANCES
        name = name if name not in used else f"{name} {channel}"
        used.add(name)
        whole, words = _annotations(track, glyphs)
        yield _Tier(name, speaker, "", whole)
        if words:
            yield _Tier(f"{_WORDS}@{name}" if speaker else name.replace(UTTERANCES, _WORDS), speaker, name, words)


def _annotations(track: Sequence[Utterance], glyphs: Glyphs) -> tuple[list[_Annotation], list[_Annotation]]:
    """Return the annotations of utterances and of words."""
    times = _apart([time for utterance in track for time in filled_times(utterance)])
    whole, words = list[_Annotation](), list[_Annotation]()
    for utterance in track:
        written = written_words(utterance, glyphs)
        bounds = list(islice(times, len(written)))
        whole.append((bounds[0][0], bounds[-1][1], " ".join(written)))
        if utterance.time_source != "segment":
            words += ((*time, text) for time, text in zip(bounds, written, strict=True))
    return whole, words


def _apart(times: Sequence[tuple[Seconds, Seconds]]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each word in milliseconds, at least 1 ms apart and without overlaps."""
    starts = [round(start * 1000) for start, _ in times]
    last = 0
    for i, (_, until) in enumerate(times):
        start = max(starts[i], last)
        end = min([round(until * 1000), *starts[i + 1 : i + 2]])
        last = max(end, start + 1)
        yield start, last


def _tier_lines(tier: _Tier, numbered: Iterator[tuple[int, tuple[str, str]]]) -> Iterator[str]:
    """Yield the lines of a tier; `numbered` has the number and the time slots of each annotation."""
    names = {"LINGUISTIC_TYPE_REF": _WORDS if tier.parent else UTTERANCES, "TIER_ID": tier.id}
    names |= {"PARENT_REF": tier.parent} if tier.parent else {}
    names |= {"PARTICIPANT": tier.speaker} if tier.speaker else {}
    yield f"    <TIER{xml_attributes(names)}>\n"
    for (_, _, text), (number, (first, last)) in zip(tier.annotations, numbered, strict=False):
        yield f"""        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="{first}" TIME_SLOT_REF2="{last}">
                <ANNOTATION_VALUE>{escape_xml(text)}</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
"""
    yield "    </TIER>\n"
