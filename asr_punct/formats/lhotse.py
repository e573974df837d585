"""Lhotse supervisions: JSON lines of segments with `text`, and word times in `alignment.word`.

JSON lines are read and written here; Lhotse's other files (JSON, YAML, …) are read through the package `lhotse`. Times
are seconds of the recording.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from asr_punct.errors import InputError, MissingPackageError
from asr_punct.formats.files import Pathlike, display_name, read_lines
from asr_punct.formats.json_values import (
    JsonOrigin,
    Object,
    first_json_line,
    list_at,
    number_or_none,
    object_at,
    own_origin,
    parse_json,
    shown,
    speaker_of,
    text_at,
)
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, get_time_source, set_time_source
from asr_punct.formats.tokens import entry_words, replace_tokens, segment_times, written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_OTHERS = (".json", ".json.gz", ".yaml", ".yaml.gz", ".yml", ".arrow", ".parquet")
"""File names that Lhotse reads as something other than JSON lines."""
_REQUIRED = ("id", "recording_id", "start", "duration")
_FORMAT = "lhotse"
_SILENCE = frozenset({"", "<eps>", "sil", "<sil>", "sp"})
_DIGITS = 6
_CHANNELS = {"1": 0, "A": 0, "2": 1, "B": 1}
"""Lhotse counts channels from 0."""


def is_supervisions(path: Pathlike) -> bool:
    """Whether a file's first line is a supervision."""
    item = first_json_line(path, _REQUIRED[1])
    return isinstance(item, dict) and all(key in item for key in _REQUIRED)


def read_lhotse(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each supervision; one without text has no words.

    If `alignment.word` has as many words as the text, they get its times; else the first word gets the segment's start
    and the last its end.

    Raises:
        InputError: a line that is no supervision, or invalid times.
        MissingPackageError: the file needs the package `lhotse`, which is not installed.
    """
    for place, item in _through_lhotse(path) if str(path).endswith(_OTHERS) else _lines(path):
        missing = [key for key in _REQUIRED if key not in object_at(item, place)]
        if missing:
            raise InputError(place, f"no {missing[0]!r}", f"a supervision with {', '.join(_REQUIRED)}")
        yield _utterance(item, place)


def _lines(path: Pathlike) -> Iterator[tuple[str, Any]]:
    for number, line in read_lines(path):
        if line.strip():
            place = f"{display_name(path)}:{number}"
            yield place, parse_json(line, place)


def _through_lhotse(path: Pathlike) -> Iterator[tuple[str, Any]]:
    if not Path(path).exists():
        raise InputError(path, "no such file", "a supervision manifest")
    try:
        from lhotse import SupervisionSet
    except ModuleNotFoundError:
        what = f"reading {path}, which is neither .jsonl nor .jsonl.gz,"
        raise MissingPackageError(what, "lhotse", "pip install lhotse") from None
    try:
        items = [supervision.to_dict() for supervision in SupervisionSet.from_file(path)]
    except Exception as error:  # its readers of other formats raise anything
        raise InputError(path, f"no supervisions ({error})", "a supervision manifest of Lhotse") from None
    yield from ((f"{path}: supervision {number}", item) for number, item in enumerate(items, start=1))


def _utterance(item: Object, place: str) -> Utterance:
    start, duration = _seconds(item.get("start"), "start", place), _seconds(item.get("duration"), "duration", place)
    words = [Word(text) for text in text_at(item, "text", place).split()]
    timed = [word for entry in _entries(item, place) for word in _timed(entry, place)]
    source: TimeSource = "none"
    if timed and len(words) in (0, len(timed)):
        texts = [word.text for word in words] or [word.text for word in timed]
        words = [replace(word, text=text) for word, text in zip(timed, texts, strict=True)]
        source = get_time_source(_custom(item) or {}, words, DEFAULT_TIME_SOURCE["lhotse"])
    elif words:
        words[0] = replace(words[0], start=start)
        words[-1] = replace(words[-1], end=round(start + duration, _DIGITS))
        source = "segment"
    channel = item.get("channel")
    return Utterance(
        tuple(words),
        id=str(item["id"]),
        recording=str(item["recording_id"]),
        channel=str(channel + 1) if isinstance(channel, int) else "1",
        speaker=speaker_of(item),
        time_source=source,
        origin=JsonOrigin(_FORMAT, item),
    )


def _custom(item: Object) -> Object | None:
    """Return the object `custom`, empty if missing; None if it is no object."""
    custom = item.get("custom") or {}
    return custom if isinstance(custom, dict) else None


def _entries(item: Object, place: str) -> list[Any]:
    """Return the word entries: `[symbol, start, duration, score]`, or objects with these keys."""
    alignment = item.get("alignment")
    return [] if alignment is None else list_at(object_at(alignment, f"{place}: alignment"), "word", place)


def _values(entry: Any) -> list[Any]:
    return list(entry.values() if isinstance(entry, dict) else entry) if isinstance(entry, dict | list) else []


def _timed(entry: Any, place: str) -> list[Word]:
    values = _values(entry)
    if len(values) not in (3, 4) or not isinstance(values[0], str):
        raise InputError(place, f"the alignment {shown(entry)}", "[symbol, start, duration, score]")
    if values[0].strip().lower() in _SILENCE:
        return []
    start, duration = _seconds(values[1], "start", place), _seconds(values[2], "duration", place)
    return entry_words(values[0], start, round(start + duration, _DIGITS), _score(values[3:]), place)


def _score(values: Sequence[Any]) -> float | None:
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    return None


def _seconds(value: Any, what: str, place: str) -> Seconds:
    seconds = number_or_none({what: value}, what, place)
    if seconds is None:
        raise InputError(place, f"{what} null", "a number of seconds")
    return seconds


def write_lhotse(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write supervisions as JSON lines, lazily.

    Supervisions of a manifest keep everything; marks are attached to the words of `text`, and of `alignment.word` if it
    has as many. Other utterances get a supervision from their first word's start to their last word's end.

    Raises:
        InputError: an utterance of another format without times.
    """
    for number, utterance in enumerate(utterances, start=1):
        if origin := own_origin(utterance.origin, _FORMAT):
            item = _written(utterance, origin.item, written_words(utterance, glyphs), glyphs)
        elif utterance.words:
            item = _new(utterance, number, written_words(utterance, glyphs))
        else:
            continue
        out.write(json.dumps(_telling_source(item, utterance), ensure_ascii=False) + "\n")


def _telling_source(item: Object, utterance: Utterance) -> Object:
    """Return the supervision; `custom` names the source of its times if it is not an aligner."""
    custom = _custom(item)
    if custom is None or not _entries(item, utterance.id):
        return item
    changed = set_time_source(custom, utterance, DEFAULT_TIME_SOURCE[_FORMAT])
    return item if changed is custom else {**item, "custom": changed}


def _written(utterance: Utterance, item: Object, words: Sequence[str], glyphs: Glyphs) -> Object:
    """Return the supervision with the written words, if it has as many."""
    new = dict(item)
    old = (item.get("text") or "").split()
    if len(old) == len(words) and "text" in item and item["text"] is not None:
        new["text"] = replace_tokens(item["text"], old, words)
    entries = _entries(item, utterance.id)
    timed = [_timed(entry, utterance.id) for entry in entries]
    symbols = tuple(chain.from_iterable(timed))
    if entries and len(symbols) == len(words):
        labelled = (replace(symbol, labels=word.labels) for symbol, word in zip(symbols, utterance.words, strict=True))
        marked = iter(written_words(replace(utterance, words=tuple(labelled)), glyphs))
        replaced_ = [_renamed(entry, list(islice(marked, len(own)))) for entry, own in zip(entries, timed, strict=True)]
        new["alignment"] = {**item["alignment"], "word": replaced_}
    return new


def _renamed(entry: Any, words: Sequence[str]) -> Any:
    symbol, *rest = _values(entry)
    text = replace_tokens(symbol, symbol.split(), words) if words else symbol
    return dict(zip(entry, (text, *rest), strict=True)) if isinstance(entry, dict) else [text, *rest]


def _new(utterance: Utterance, number: int, words: Sequence[str]) -> Object:
    name = utterance.id or f"{utterance.recording_name or 'utterance'}-{number}"
    times = segment_times(utterance.words, f"utterance {name!r}")
    item: dict[str, Any] = {
        "id": name,
        "recording_id": utterance.recording_name or name,
        "start": times[0],
        "duration": round(times[1] - times[0], _DIGITS),
        "channel": _CHANNELS.get(utterance.channel, 0),
        "text": " ".join(words),
    }
    if utterance.speaker:
        item["speaker"] = utterance.speaker
    entries = [
        [text, word.start, round(word.end - word.start, _DIGITS), *([word.confidence] * (word.confidence is not None))]
        for word, text in zip(utterance.words, words, strict=True)
        if word.start is not None and word.end is not None
    ]
    if len(entries) == len(words):
        item["alignment"] = {"word": entries}
    return item
