"""Lhotse supervisions, one JSON object per line: segments with `text`, and word times in `alignment.word`.

Times are seconds from the beginning of the recording.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TextIO

from asr_punct.errors import InputError
from asr_punct.files import Pathlike
from asr_punct.formats.entries import (
    entry_words,
    grouped,
    replace_tokens,
    segment_times,
    spoken_tokens,
    with_edge_times,
    written_words,
)
from asr_punct.formats.json.nodes import Node, first_json_value, read_json_lines
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import get_time_source, set_time_source
from asr_punct.formats.times import confidence_of, end_after, time_of
from asr_punct.formats.values import Object, short_repr
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.subtitles.units import with_edges
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_REQUIRED = ("id", "recording_id", "start", "duration")
_FORMAT = "lhotse"
_DECIMALS = 6


def is_supervisions(lines: Iterable[str]) -> bool:
    """Whether the first line of a file is a supervision."""
    item = first_json_value(lines, _REQUIRED[1])
    return isinstance(item, dict) and all(key in item for key in _REQUIRED)


def read_lhotse(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each supervision; one without text has no words.

    If `alignment.word` has as many words as the text, they get its times; else the first word gets the segment's start
    and the last word its end. Raises InputError for a line that is not a supervision, or invalid times.
    """
    for _, node in read_json_lines(path):
        missing = [key for key in _REQUIRED if key not in node]
        if missing:
            raise InputError(node.place, f"no {missing[0]!r}", f"a supervision with {', '.join(_REQUIRED)}")
        yield supervision_utterance(node)


def supervision_utterance(node: Node) -> Utterance:
    """Return the utterance of a supervision."""
    item = node.item
    start, duration = _seconds(node, "start"), _seconds(node, "duration")
    words = [Word(text) for text in node.text("text").split()]
    timed = [word for entry in _entries(node) for word in _entry_words(entry, node.place)]
    source: TimeSource = "none"
    if timed and len(words) in (0, len(timed)):
        texts = [word.text for word in words] or [word.text for word in timed]
        words = [replace(word, text=text) for word, text in zip(timed, texts, strict=True)]
        source = get_time_source(_custom(item) or {}, words, "aligner")
    elif words:
        words, source = [*with_edge_times(words, start, end_after(start, duration))], "segment"
    channel = item.get("channel")
    return Utterance(
        tuple(words),
        id=str(item.get("id", "")),
        recording=str(item.get("recording_id", "")),
        channel=str(channel + 1) if isinstance(channel, int) else "1",
        speaker=node.speaker,
        language=parse_language(item.get("language")),
        time_source=source,
        origin=JsonOrigin(_FORMAT, item),
    )


def _custom(item: Object) -> Object | None:
    """Return the object `custom`, empty if it is missing or null; None if it is another value."""
    custom = item.get("custom") or {}
    return custom if isinstance(custom, dict) else None


def _entries(node: Node) -> list[Any]:
    """Return the entries of words, `[symbol, start, duration, score]` or, in older files, objects with these keys."""
    return node.inner("alignment", optional=True).values("word")


def _entry_words(entry: Any, place: str) -> list[Word]:
    """Return the words of an entry; none if its symbol means silence."""
    values = list(entry.values()) if isinstance(entry, dict) else entry
    if not isinstance(values, list) or len(values) not in (3, 4) or not isinstance(values[0], str):
        raise InputError(place, f"the alignment {short_repr(entry)}", "[symbol, start, duration, score]")
    if not spoken_tokens(values[0]):
        return []
    times = Node({"start": values[1], "duration": values[2]}, place)
    start, duration = _seconds(times, "start"), _seconds(times, "duration")
    end = end_after(start, duration)
    return entry_words(values[0], start, end, confidence_of(values[3]) if len(values) == 4 else None, place)


def _seconds(node: Node, key: str) -> Seconds:
    return time_of(node.get(key))


def write_lhotse(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write supervisions as JSON lines, lazily.

    Supervisions of a manifest keep everything else; marks are attached to the words of `text`, and of `alignment.word`
    if it has as many. Utterances of other formats get a supervision from their first word's start to their last word's
    end; those without words are left out. Raises InputError for an utterance of another format without times.
    """
    for number, utterance in enumerate(with_edges(utterances), start=1):
        origin = json_origin(utterance.origin, _FORMAT)
        if not origin and not utterance.words:
            continue
        item = changed_supervision(origin.item, utterance, glyphs) if origin else _new(utterance, number, glyphs)
        custom = _custom(item)
        if custom is not None and _entries(Node(item, utterance.id)):
            changed = set_time_source(custom, utterance, "aligner")
            item = item if changed is custom else {**item, "custom": changed}
        out.write(json.dumps(item, ensure_ascii=False) + "\n")


def changed_supervision(item: Object, utterance: Utterance, glyphs: Glyphs) -> Object:
    """Return the supervision with the written words in `text` and `alignment.word`, in each if it has as many words."""
    new, words, node = dict(item), written_words(utterance, glyphs), Node(item, utterance.id)
    text = node.text("text")
    if len(text.split()) == len(words) > 0:
        new["text"] = replace_tokens(text, text.split(), words)
    entries = _entries(node)
    timed = [_entry_words(entry, utterance.id) for entry in entries]
    symbols = tuple(chain.from_iterable(timed))
    if entries and len(symbols) == len(words):
        read = text.split() or [symbol.text for symbol in symbols]
        labelled = tuple(map(_labelled, symbols, read, utterance.words))
        written = grouped(written_words(replace(utterance, words=labelled), glyphs), map(len, timed))
        changed = [_with_symbol(entry, group) for entry, group in zip(entries, written, strict=True)]
        new["alignment"] = {**item["alignment"], "word": changed}
    return new


def _labelled(symbol: Word, read: str, word: Word) -> Word:
    """Return a symbol with the labels of a word, and its text if it has changed after it was `read`.

    Symbols of other words than those of the text stay.
    """
    is_changed = word.text != read and symbol.text.lower() == read.lower()
    return replace(symbol, text=word.text if is_changed else symbol.text, labels=word.labels)


def _with_symbol(entry: Any, words: Sequence[str]) -> Any:
    """Return the entry with these words as its symbol; unchanged if there are none (silence)."""
    if not words:
        return entry
    symbol, *values = entry.values() if isinstance(entry, dict) else entry
    new = [replace_tokens(symbol, symbol.split(), words), *values]
    return dict(zip(entry, new, strict=True)) if isinstance(entry, dict) else new


def _new(utterance: Utterance, number: int, glyphs: Glyphs) -> Object:
    name, channel = utterance.id or f"{utterance.recording_name or 'utterance'}-{number}", utterance.channel
    (start, end), words = segment_times(utterance.words, f"utterance {name!r}"), written_words(utterance, glyphs)
    entries = [
        [text, word.start, round(word.end - word.start, _DECIMALS)]
        + ([] if word.confidence is None else [word.confidence])
        for word, text in zip(utterance.words, words, strict=True)
        if word.start is not None and word.end is not None
    ]
    item = {
        "id": name,
        "recording_id": utterance.recording_name or name,
        "start": start,
        "duration": round(end - start, _DECIMALS),
        "channel": max(0, int(channel) - 1 if channel.isdecimal() else "AB".find(channel)),  # from 0; 1, 2, … or A, B
        "text": " ".join(words),
        "speaker": utterance.speaker or None,
        "alignment": {"word": entries} if len(entries) == len(words) else None,
    }
    return {key: value for key, value in item.items() if value is not None}
