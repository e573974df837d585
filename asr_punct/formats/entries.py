"""What the JSON of recognisers has in common: checked values, the words of an entry, and texts with new words in them.

An entry is an object that stands for a word. Its text mostly is one token, with white space around it or not; where it
holds several (` - sí`), each is a word, the first with the entry's start and the last with its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from asr_punct.errors import TIMES, InputError
from asr_punct.formats.files import MAX_TIME, Pathlike, display_name, parse_seconds, uncompressed_name
from asr_punct.formats.json_text import shown
from asr_punct.marks import Glyphs, Labels, write_text, write_word
from asr_punct.words import Seconds, Utterance, Word, bounds, has_times

Object = Mapping[str, Any]
SLACK: Seconds = 1.0
"""So far a recogniser may place a word outside its segment, or a segment before the one that it comes after."""


def recording_name(path: Pathlike) -> str:
    """Name of the recording that a file without one is about: its own without suffixes, `?` for what is no UTF-8."""
    return Path(uncompressed_name(path)).stem.encode(errors="replace").decode()


def object_at(value: Any, place: str) -> Object:
    """The value, an object. Raises InputError else."""
    if not isinstance(value, dict):
        raise InputError(place, shown(value), "an object")
    return value


def objects(item: Object, key: str, place: str) -> list[Object]:
    """The objects of the list `item[key]`, none where it is missing or null. Raises InputError else."""
    values = list_at(item, key, place)
    return [object_at(value, f"{place}: {key} {number}") for number, value in enumerate(values, start=1)]


def list_at(item: Object, key: str, place: str) -> list[Any]:
    """The list `item[key]`, empty where it is missing or null. Raises InputError else."""
    value = item.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(place, f"{key} {shown(value)}", "a list")
    return value


def text_at(item: Object, key: str, place: str) -> str:
    """The string `item[key]`, empty where it is missing or null. Raises InputError else."""
    value = item.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(place, f"{key} {shown(value)}", "a string")
    return value


def number_or_none(item: Object, key: str, place: str) -> float | None:
    """`item[key]` as a float from 0 to `MAX_TIME`, or None where it is missing or null. Raises InputError else."""
    value = item.get(key)
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an integer that no float holds
        number = math.inf
    if not 0 <= number <= MAX_TIME:
        raise InputError(place, f"{key} {shown(value)}", f"a number, 0 or more and at most {MAX_TIME}")
    return number


def speaker_of(item: Object) -> str:
    """The speaker that an object names by a string or a number, empty where it does not."""
    value = item.get("speaker")
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def confidence_at(item: Object, key: str, place: str) -> float | None:
    """`item[key]` as `number_or_none` gives it; what a recogniser could not compute, NaN, is not known either."""
    value = item.get(key)
    return None if isinstance(value, float) and math.isnan(value) else number_or_none(item, key, place)


def mean_confidence(values: Iterable[float | None]) -> float | None:
    """The mean of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def seconds_at(item: Object, key: str, place: str) -> Seconds | None:
    """The seconds `item[key]`, a number or one in a string; None where missing or null. Raises InputError else."""
    value = item.get(key)
    return parse_seconds(value, place, key) if isinstance(value, str) else number_or_none(item, key, place)


def entry_words(
    text: Any, start: Seconds | None, end: Seconds | None, confidence: float | None, place: str
) -> list[Word]:
    """The words of an entry. Raises InputError where its text is none or it ends before it starts."""
    if not isinstance(text, str):
        raise InputError(place, f"the word {shown(text)}", "a string")
    if start is not None and end is not None and end < start:
        raise InputError(place, f"end {end} before start {start}", "an end at or after the start")
    tokens = text.split()
    last = len(tokens) - 1
    return [Word(token, None if i else start, end if i == last else None, confidence) for i, token in enumerate(tokens)]


def timed_words(
    entry: Object, place: str, *, key: str = "word", confidence: Sequence[str] = ("confidence",)
) -> list[Word]:
    """The words of an entry with `start` and `end`; `confidence` is the first of these keys that it has."""
    start, end = seconds_at(entry, "start", place), seconds_at(entry, "end", place)
    known = next((confidence_at(entry, name, place) for name in confidence if name in entry), None)
    return entry_words(entry.get(key), start, end, known, place)


def in_order(words: Iterable[Word], place: str) -> tuple[Word, ...]:
    """The words as they come. Raises InputError where one starts before another that comes earlier."""
    found, last = tuple(words), 0.0
    for number, word in enumerate(found, start=1):
        if word.start is not None:
            if word.start < last:
                raise InputError(f"{place}: word {number}", f"start {word.start} after {last}", "the order of time")
            last = word.start
    return found


def in_time(utterances: Iterable[Utterance], path: Pathlike) -> Iterator[Utterance]:
    """The segments of a recording's transcript as they come; those of speakers and channels may overlap.

    Raises:
        InputError: one starts more than `SLACK` before another of its channel and speaker that comes earlier.
    """
    latest: dict[tuple[str, str], Seconds] = {}
    for utterance in utterances:
        start = _start(utterance)
        if start is not None:
            voice = utterance.channel, utterance.speaker
            last = latest.get(voice, 0.0)
            if start < last - SLACK:
                place = f"{display_name(path)}: utterance {utterance.id!r}"
                raise InputError(place, f"start {start:g} after {last:g}", "segments in the order of time")
            latest[voice] = max(start, last)
        yield utterance


def by_time(utterances: Iterable[Utterance]) -> list[Utterance]:
    """The utterances as a transcript of one recording has them, by their starts; one without follows the one before it.

    Raises:
        InputError: they have times, and are of several recordings.
    """
    held = list(utterances)
    recordings = {utterance.recording for utterance in held if has_times(utterance.words)}
    if len(recordings) > 1:
        found = f"the times of {len(recordings)} recordings"
        raise InputError(f"recording {min(recordings)!r}", found, "those of one, for the format has one line of time")
    starts = list[Seconds]()
    for utterance in held:
        start = _start(utterance)
        starts.append(start if start is not None else starts[-1] if starts else 0.0)
    return [held[i] for i in sorted(range(len(held)), key=starts.__getitem__)]


def _start(utterance: Utterance) -> Seconds | None:
    return next((word.start for word in utterance.words if word.start is not None), None)


def segment_times(words: Iterable[Word], place: str) -> tuple[Seconds, Seconds]:
    """Where the words begin and end. Raises InputError where that is not known."""
    times = bounds(words)
    if times is None:
        raise InputError(place, "words without times", TIMES)
    return times


def new_entry(word: Word, text: str, confidence: str) -> Object:
    """An entry for a word, `confidence` the key of it, keys without a value left out."""
    entry = {"word": text, "start": word.start, "end": word.end, confidence: word.confidence}
    return {key: value for key, value in entry.items() if value is not None}


def written_words(utterance: Utterance, glyphs: Glyphs, *, running: bool = False) -> list[str]:
    """The words with their marks and case, each a token; in `running` text a dash stands alone after its word."""
    if not utterance.is_labelled:
        return [word.text for word in utterance.words]
    pairs: Iterable[tuple[Word, Labels]] = zip(utterance.words, utterance.labels, strict=True)
    if running:
        return [write_text([word.text], [labels], glyphs) for word, labels in pairs]
    return [write_word(word.text, labels, glyphs) for word, labels in pairs]


def replaced(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    """The text with each old token, in their order, as the new one, and the white space between them as it was.

    Where the text is not the old tokens, the new ones joined by a space.
    """
    if old == new:
        return text
    pieces, position = list[str](), 0
    for before, after in zip(old, new, strict=True):
        place = _after_space(text, position)
        if not text.startswith(before, place):
            break
        pieces += [text[position:place], after]
        position = place + len(before)
    else:
        if not text[position:].strip():
            return "".join([*pieces, text[position:]])
    return text[: _after_space(text, 0)] + " ".join(filter(None, new))


def _after_space(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


def subsequence(part: Sequence[str], whole: Sequence[str]) -> list[int] | None:
    """Where the tokens of a part stand in the whole, in order and as early as they can; None where not all do."""
    places, first = list[int](), 0
    for token in part:
        try:
            places.append(whole.index(token, first))
        except ValueError:
            return None
        first = places[-1] + 1
    return places


def tokens_of(entries: Iterable[Object], key: str) -> list[str]:
    """The tokens of the entries' texts, which stand under `key`."""
    return [token for entry in entries for token in entry[key].split()]


def replaced_entries(entries: Iterable[Object], key: str, words: Sequence[str]) -> list[Object]:
    """The entries with their texts, under `key`, made of as many new words as they hold, in order."""
    left = iter(words)
    return [{**entry, key: _replaced_all(str(entry[key]), left)} for entry in entries]


def _replaced_all(text: str, words: Iterator[str]) -> str:
    old = text.split()
    return replaced(text, old, list(islice(words, len(old))))
