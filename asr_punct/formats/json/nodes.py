"""The values of parsed JSON: a wrong value raises an InputError with place, found, expected.

An entry is a JSON object for a word or a part of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name, read_lines, recording_name
from asr_punct.formats.entries import entry_words, in_order, replace_words
from asr_punct.formats.json.parse import parse_json, results_of
from asr_punct.formats.origins import JsonOrigin
from asr_punct.formats.time_sources import get_time_source
from asr_punct.formats.values import MAX_TIME, Object, parse_seconds, short_repr
from asr_punct.words import Seconds, TimeSource, Utterance, Word


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON object to read, and its place in error messages (`talk.json: segment 2`).

    The methods return the value of a key. They raise InputError for a value of another type; null counts as missing.
    """

    item: Object
    place: str

    @classmethod
    def of(cls, value: Any, place: str) -> Node:
        """Return the node of a value, which must be an object."""
        if not isinstance(value, dict):
            raise InputError(place, short_repr(value), "an object")
        return cls(value, place)

    def __contains__(self, key: str) -> bool:
        return key in self.item

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value of any type."""
        return self.item.get(key, default)

    def inner(self, key: str, *, optional: bool = False) -> Node:
        """Return an object, with the place of this node; if it is `optional` and missing, an empty one."""
        value = self.item.get(key) or {} if optional else self.item.get(key)
        return Node(Node.of(value, f"{self.place}: {key}").item, self.place)

    def values(self, key: str) -> list[Any]:
        """Return a list, empty if it is missing."""
        value = self.item.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise InputError(self.place, f"{key} {short_repr(value)}", "a list")
        return value

    def nodes(self, key: str, noun: str = "") -> list[Node]:
        """Return the objects of a list, empty if it is missing; their places are `noun` (default: key) and number."""
        places = (f"{self.place}: {noun or key} {number}" for number in count(1))
        return [Node.of(value, place) for place, value in zip(places, self.values(key), strict=False)]

    def first(self, *keys: str) -> Node:
        """Return the first object of the first list that is not empty, with the place of this node, else this node."""
        return Node(next((node.item for key in keys for node in self.nodes(key)), self.item), self.place)

    def text(self, key: str) -> str:
        """Return a string, empty if it is missing."""
        value = self.item.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise InputError(self.place, f"{key} {short_repr(value)}", "a string")
        return value

    def number(self, key: str) -> float | None:
        """Return a number from 0 to `MAX_TIME`, or None."""
        value = self.item.get(key)
        if value is None:
            return None
        try:
            number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        except OverflowError:  # an integer larger than any float
            number = math.inf
        if not 0 <= number <= MAX_TIME:
            raise InputError(self.place, f"{key} {short_repr(value)}", f"a number, 0 or more and at most {MAX_TIME}")
        return number

    def seconds(self, key: str) -> Seconds | None:
        """Return seconds, given as a number or a string with a number, or None."""
        value = self.item.get(key)
        return parse_seconds(value, self.place, key) if isinstance(value, str) else self.number(key)

    def confidence(self, key: str) -> float | None:
        """Return a number as `number`; NaN, which recognisers write for an unknown confidence, is None."""
        value = self.item.get(key)
        return None if isinstance(value, float) and math.isnan(value) else self.number(key)

    @property
    def speaker(self) -> str:
        """The value of `speaker`, a string or a number, or "" if there is none."""
        value = self.item.get("speaker")
        return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def read_json_lines(path: Pathlike) -> Iterator[tuple[int, Node]]:
    """Yield the JSON object of each line that is not empty, after its line number; its place is `a.jsonl:3`."""
    for number, line in read_lines(path):
        if line.strip():
            place = f"{display_name(path)}:{number}"
            yield number, Node.of(parse_json(line, place), place)


def result_nodes(content: Any, place: str) -> list[Node]:
    """Return the nodes of `results_of`. Raises InputError if one is not an object."""
    return Node({"results": [*results_of(content)]}, place).nodes("results", "result")


def timed_words(entry: Node, *, key: str = "word", confidence_keys: Sequence[str] = ("confidence",)) -> list[Word]:
    """Return the words of an entry: its text `key`, `start`, `end` and the first of the `confidence_keys` that it has.

    Raises InputError if it has no `key`, or a value is wrong.
    """
    if key not in entry:
        raise InputError(entry.place, f"no key {key!r}", f"an object with {key!r}")
    confidence = next((entry.confidence(name) for name in confidence_keys if name in entry), None)
    return entry_words(entry.get(key), entry.seconds("start"), entry.seconds("end"), confidence, entry.place)


def new_entries(words: Iterable[Word], texts: Iterable[str], confidence_key: str) -> list[Object]:
    """Return the entries of words, without keys whose value is None."""
    rows = (
        {"word": text, "start": word.start, "end": word.end, confidence_key: word.confidence}
        for word, text in zip(words, texts, strict=True)
    )
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def tokens_of(entries: Iterable[Object], key: str) -> list[str]:
    """Return all tokens of the texts `entry[key]`."""
    return [token for entry in entries for token in entry[key].split()]


def replace_entries(entries: Sequence[Object], key: str, words: Sequence[str]) -> list[Object]:
    """Return the entries with the tokens of all `entry[key]` replaced, in order, by `words`."""
    texts = replace_words([entry[key] for entry in entries], words)
    return [{**entry, key: text} for entry, text in zip(entries, texts, strict=True)]


class JsonSegment(NamedTuple):
    """A segment, result, turn or channel of a recording.

    `node` is its JSON object and its place in error messages. `time_source` is used if the object names none, and
    always if it is `segment`: only the first start and the last end are known.
    """

    node: Node
    words: Iterable[Word]
    channel: str = "1"
    speaker: str = ""
    language: str = ""
    time_source: TimeSource = "asr"
    origin: JsonOrigin | None = None


def segment_utterances(
    segments: Iterable[JsonSegment], path: Pathlike, *, numbered: bool = True
) -> Iterator[Utterance]:
    """Yield an utterance for each segment: the loop that all readers of recognisers' JSON documents share.

    Its id is the name of the recording, with its number if `numbered`.
    """
    recording = recording_name(path)
    for number, (node, words, channel, speaker, language, source, origin) in enumerate(segments, start=1):
        found = in_order(words, node.place)
        yield Utterance(
            found,
            f"{recording}-{number}" if numbered else recording,
            recording=recording,
            channel=channel,
            speaker=speaker,
            time_source=source if source == "segment" else get_time_source(node.item, found, source),
            language=language,
            origin=origin,
        )
