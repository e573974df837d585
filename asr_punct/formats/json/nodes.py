"""Parse JSON with limits, and read its values: a wrong value raises an InputError with place, found, expected.

An entry is a JSON object for a word or a part of one.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, TypeVar

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name, read_lines, recording_name
from asr_punct.formats.entries import entry_words, replace_words
from asr_punct.formats.time_sources import get_time_source
from asr_punct.formats.times import confidence_of, time_of
from asr_punct.formats.values import MAX_TIME, Object, short_repr
from asr_punct.words import Seconds, Utterance, Word, split_words

_Entry = TypeVar("_Entry")
MAX_DEPTH = 100
"""Maximum nesting of lists and objects; the formats need less than ten levels."""
_NON_SPACE = re.compile(r"[^ \t\n\r]")
_ESCAPED_SURROGATE = re.compile(r"\\ud", re.IGNORECASE)
_LONE_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Half of a pair, which is no byte that could not be decoded (`encoding`)."""


class Values(tuple[Any, ...]):
    """The JSON values of a file that has several, one after the other."""


def parse_json(text: str, place: str) -> Any:
    """Return the value of one line. Raises InputError as `parse_json_values`, and for a second value."""
    values = parse_json_values(text, place, is_line=True)
    if len(values) > 1:
        raise InputError(place, "no JSON (extra data after the first value)", "JSON")
    return values[0]


def parse_json_values(text: str, place: str, *, is_line: bool = False) -> Values:
    """Return the one or more values of a JSON text. NaN and Infinity, which some recognisers write, are accepted.

    `place` is a file, or with `is_line` a line of it, in error messages. Raises InputError for other text than JSON,
    nesting deeper than `MAX_DEPTH`, a repeated key, a number too large (1e999), or half of a surrogate pair, which
    UTF-8 cannot encode.
    """
    try:
        values = _decode_all(text, place)
        if _depth(values) > MAX_DEPTH + 1:  # one more: the list of values
            raise RecursionError
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise _syntax_error(error, place if is_line else f"{place}:{error.lineno}") from None
    except RecursionError:
        raise InputError(place, f"values nested more than {MAX_DEPTH} deep", "at most that many") from None
    except ValueError:  # _finite_float, or an integer with more digits than Python converts
        raise InputError(place, "a number that is too large", "numbers that 64 bits hold") from None
    if _ESCAPED_SURROGATE.search(text) and _LONE_SURROGATE.search(json.dumps(values, ensure_ascii=False)):
        raise InputError(place, "half of a surrogate pair", "whole characters")
    return Values(values)


def _syntax_error(error: json.JSONDecodeError, place: str) -> InputError:
    text = error.doc.rstrip()
    if not text:
        return InputError(place, "nothing", "JSON")
    if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
        return InputError(place, "JSON that ends too early", "complete JSON")
    return InputError(place, f"malformed JSON at column {error.colno} ({error.msg})", "JSON")


def _decode_all(text: str, place: str) -> list[Any]:
    decoder = json.JSONDecoder(parse_float=_finite_float, object_pairs_hook=partial(_object_of_unique_keys, place))
    values, position = list[Any](), _skip_space(text, 0)
    while position < len(text) or not values:
        value, end = decoder.raw_decode(text, position)
        values.append(value)
        position = _skip_space(text, end)
    return values


def _object_of_unique_keys(place: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise InputError(place, f"the key {short_repr(key)} again in an object", "each key once")
    return value


def _finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError
    return value


def _skip_space(text: str, position: int) -> int:
    following = _NON_SPACE.search(text, position)
    return following.start() if following else len(text)


def _depth(value: Any) -> int:
    """Return how deep lists and objects are nested."""
    children = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(child) for child in children if isinstance(child, dict | list)), default=0)


def first_json_value(lines: Iterable[str], key: str) -> Any:
    """Return the JSON value of the first line with text; None if it is not JSON or lacks `key`."""
    first = next(filter(str.strip, lines), "")
    try:
        return parse_json(first, "") if key in first else None
    except InputError:
        return None


def results_of(content: Any) -> Sequence[Any]:
    """Return the values of a file that has several, a list of them, or one."""
    return content if isinstance(content, Values | list) else [content]


def find(value: Any, *keys: str) -> Any:
    """Return the value under these keys of objects inside each other; None if one is missing or not an object."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


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
        return self._typed(key, list, "a list") or []

    def nodes(self, key: str, noun: str = "") -> list[Node]:
        """Return the objects of a list, empty if it is missing; their places are `noun` (default: key) and number."""
        places = (f"{self.place}: {noun or key} {number}" for number in count(1))
        return [Node.of(value, place) for place, value in zip(places, self.values(key), strict=False)]

    def first(self, *keys: str) -> Node:
        """Return the first object of the first list that is not empty, with the place of this node, else this node."""
        return Node(next((node.item for key in keys for node in self.nodes(key)), self.item), self.place)

    def text(self, key: str) -> str:
        """Return a string, empty if it is missing."""
        return self._typed(key, str, "a string") or ""

    def _typed(self, key: str, kind: type, expected: str) -> Any:
        value = self.item.get(key)
        if value is not None and not isinstance(value, kind):
            raise InputError(self.place, f"{key} {short_repr(value)}", expected)
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
        """Return a time, given as a number or a string with a number, or None. It is not checked (`times.checked`)."""
        value = self.item.get(key)
        return None if value is None else time_of(value)

    def confidence(self, key: str) -> float | None:
        """Return a confidence, None if it is unknown (`times.confidence_of`)."""
        return confidence_of(self.item.get(key))

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


def entries_or_text(
    entries: Sequence[_Entry], words_of: Callable[[_Entry], Iterable[Word]], node: Node, key: str
) -> tuple[Word, ...]:
    """Return the words of the entries; without entries those of the text `node[key]`, which have no times."""
    return tuple(word for entry in entries for word in words_of(entry)) if entries else split_words(node.text(key))


def segment_utterances(
    segments: Iterable[tuple[Node, Utterance]], path: Pathlike, *, numbered: bool = True
) -> Iterator[Utterance]:
    """Yield the utterances of a recording with names, each given with its JSON object, its place in error messages.

    The id is the name of the recording, with a number if `numbered`. The source of times is the one that the object
    names, else that of the utterance, else `asr`; but `segment` stays.
    """
    name = recording_name(path)
    for number, (node, utterance) in enumerate(segments, start=1):
        words, source = utterance.words, utterance.time_source
        if source != "segment":
            source = get_time_source(node.item, words, "asr" if source == "none" else source)
        own_id = f"{name}-{number}" if numbered else name
        yield replace(utterance, id=own_id, recording=name, time_source=source)
