"""ELAN (`.eaf`): words or utterances in time-aligned tiers, one or several for each speaker.

The tiers of speech are chosen by `speech_tiers`, or given. Of utterances without words of their own only start and end
are known.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, islice
from operator import attrgetter, itemgetter
from typing import TextIO

from asr_punct.channels import chronological
from asr_punct.encoding import visible
from asr_punct.files import Pathlike, display_name, read_text_file, recording_name
from asr_punct.formats import entries
from asr_punct.formats.tiers.eaf_new import new_eaf, times_property
from asr_punct.formats.tiers.eaf_xml import Annotation, EafFile, EafTier, Span, parse_eaf
from asr_punct.formats.tiers.speech_tiers import speech_tracks
from asr_punct.formats.time_sources import KEY, get_time_source, set_first_time_source
from asr_punct.formats.values import escape_xml
from asr_punct.glyphs import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance

_UNNAMED = ("utterances", "words", "default")
"""Tiers whose names begin like this are not named after a speaker."""
_DEFAULT: TimeSource = "aligner"


@dataclass(frozen=True, slots=True)
class EafOrigin:
    """Place of an utterance in its file; `Utterance.origin`.

    `words` are the annotations whose texts are its words, in order; `utterance` is the annotation of the whole
    utterance, None if there is none or it is the one of `words`.
    """

    file: EafFile
    words: tuple[Annotation, ...]
    utterance: Annotation | None = None


def is_eaf(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like XML."""
    return rows[0][0].startswith(("<?xml", "<ANNOTATION_DOCUMENT"))


def read_eaf(path: Pathlike, tiers: Sequence[str] = ()) -> Iterator[Utterance]:
    """Yield the utterances of all speakers, in the order of time; `tiers` are the names of the tiers to read.

    Each of several tiers of utterances is a channel, numbered from 1. The speaker is the participant of the tier;
    without one, and if there are several, the name of the tier.
    """
    place, recording = display_name(path), recording_name(path)
    file = parse_eaf(visible(read_text_file(path)).encode(), place)
    tracks = speech_tracks(file.tiers, place, tiers)
    several, found = len(tracks) > 1, list[Utterance]()
    for number, (utterance_tier, word_tier) in enumerate(tracks, start=1):
        speaker = _speaker([tier for tier in (utterance_tier, word_tier) if tier is not None], several)
        for utterance, parts in _grouped(_spoken(utterance_tier), _spoken(word_tier), cut=several):
            words = tuple(
                word for each in parts for word in entries.entry_words(each.text, each.start, each.end, None, "")
            )
            from_words = parts[0] is not utterance
            source = get_time_source(file.times, words, _DEFAULT) if from_words else "segment"
            origin = EafOrigin(file, tuple(parts), utterance if from_words else None)
            named = Utterance(words, recording=recording, channel=str(number), speaker=speaker)
            found.append(replace(named, time_source=source, origin=origin))
    yield from entries.sorted_by_start(found)


def _speaker(tiers: Sequence[EafTier], several: bool) -> str:
    named = next((tier.participant for tier in tiers if tier.participant), "")
    return named or (tiers[0].id if several and not tiers[0].id.lower().startswith(_UNNAMED) else "")


def _spoken(tier: EafTier | None) -> list[Annotation]:
    """Return the annotations with words, sorted by start."""
    annotations = chronological(tier.annotations if tier else (), attrgetter("start"))
    return [annotation for annotation in annotations if entries.spoken_tokens(annotation.text)]


def _grouped(
    utterances: Sequence[Annotation], words: Sequence[Annotation], *, cut: bool
) -> Iterator[tuple[Annotation | None, Sequence[Annotation]]]:
    """Yield each utterance, or None, and the annotations that have its words: those in it, or the utterance itself.

    Without utterances, and with `cut`, words are cut at pauses.
    """
    if not utterances:
        yield from ((None, turn) for turn in (entries.cut_at_pauses(words) if cut else [words]))
        return
    starts = list(accumulate((each.start or 0.0 for each in utterances), max, initial=0.0))[1:]  # max drops NaN
    used = set[int]()
    indexed = zip((_index(instant, utterances, starts) for instant in _instants(words)), words, strict=True)
    for index, pairs in groupby(indexed, key=itemgetter(0)):
        group = [word for _, word in pairs]
        if index in used or index is None:
            yield None, group
        else:
            used.add(index)
            yield utterances[index], group
    yield from ((each, [each]) for i, each in enumerate(utterances) if i not in used)


def _instants(words: Iterable[Annotation]) -> Iterator[Seconds]:
    """Yield an instant of each word: its middle, or one beside its known time; without times that of the one before."""
    instant = 0.0
    for word in words:
        known = [time for time in (word.start, word.end) if time is not None and math.isfinite(time)]
        if known:
            instant = (
                sum(known) / len(known) if len(known) == 2 or word.start is not None else math.nextafter(known[0], 0)
            )
        yield instant


def _index(instant: Seconds, utterances: Sequence[Annotation], starts: Sequence[Seconds]) -> int | None:
    """Return the index of the utterance that contains the instant, or None."""
    index = bisect_right(starts, instant) - 1
    end = utterances[index].end if index >= 0 else None
    return index if end is not None and instant <= end else None


def write_eaf(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the utterances of one recording.

    Utterances that were read from an ELAN file keep the file: only the texts of words and of utterances that consist of
    them change. Other utterances make a new file (`new_eaf`). Raises InputError if an utterance has no times or belongs
    to another recording, and for a character that XML cannot contain.
    """
    listed = list(utterances)
    origins = [
        each.origin for each in listed if isinstance(each.origin, EafOrigin) and _has_words_of(each.origin, each)
    ]
    if len(origins) < len(listed) or len({id(origin.file) for origin in origins}) != 1:
        out.write(new_eaf(listed, glyphs))
        return
    file = origins[0].file
    times = set_first_time_source(file.times, listed, _DEFAULT)
    changes = dict[Span, str]()
    if times is not file.times and file.times_span is not None:
        changes[file.times_span] = str(times[KEY]) if file.times else times_property(times[KEY])
    for origin, utterance in zip(origins, listed, strict=True):
        written = entries.written_words(utterance, glyphs)
        changes |= _changes(origin.words, written)
        if origin.utterance is not None and entries.spoken_tokens(origin.utterance.text) == _texts(origin.words):
            changes |= _changes([origin.utterance], written)
    position = 0
    for (first, last), text in sorted(changes.items()):
        out.write(file.content[position:first].decode() + text)
        position = last
    out.write(file.content[position:].decode() + "\n")


def _has_words_of(origin: EafOrigin, utterance: Utterance) -> bool:
    """Whether the utterance has as many words as its annotations; their marks and case may have changed."""
    return len(_texts(origin.words)) == len(utterance.words)


def _texts(annotations: Iterable[Annotation]) -> list[str]:
    return [token for annotation in annotations for token in entries.spoken_tokens(annotation.text)]


def _changes(annotations: Iterable[Annotation], written: Iterable[str]) -> dict[Span, str]:
    """Return the new XML text, by its place, of each annotation whose words change."""
    words, changes = iter(written), dict[Span, str]()
    for annotation in annotations:
        old = entries.spoken_tokens(annotation.text)
        new = list(islice(words, len(old)))
        if new != old:
            changes[annotation.span] = escape_xml(entries.replace_tokens(annotation.text, old, new))
    return changes
