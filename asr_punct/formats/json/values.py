"""Parse JSON with limits, and read its values: a wrong value raises an InputError with place, found, expected."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name, read_lines
from asr_punct.formats.values import MAX_TIME, parse_seconds
from asr_punct.words import Seconds

Object = Mapping[str, Any]
MAX_DEPTH = 100
"""Maximum nesting of lists and objects; the formats need less than ten levels."""
_SHORT = 80
"""Maximum number of characters of a value in an error message."""
_NON_SPACE = re.compile(r"[^ \t\n\r]")
_ESCAPED_SURROGATE, _LONE_SURROGATE = re.compile(r"\\ud", re.IGNORECASE), re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class JsonOrigin:
    """Where in a parsed JSON document an utterance or a word was read: the `origin` of all JSON formats.

    `format` is the name of the format or of its variant, `item` the JSON object of the utterance or word, and
    `document` the value of the file; None if each line of the file is a JSON value.
    """

    format: str
    item: Any
    document: Any = None


@dataclass(frozen=True, slots=True)
class Values:
    """The JSON values of a file that has several, one after the other."""

    items: tuple[Any, ...]


def json_origin(origin: object, format_name: str) -> JsonOrigin | None:
    """Return the origin if it is of that format, else None."""
    return origin if isinstance(origin, JsonOrigin) and origin.format == format_name else None


def parse_json(text: str, place: str) -> Any:
    """Return the value of one line. Raises InputError as `parse_json_values`, and for a second value."""
    values = parse_json_values(text, place, is_line=True).items
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
    return Values(tuple(values))


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


def read_json_lines(path: Pathlike) -> Iterator[tuple[int, Node]]:
    """Yield the JSON object of each line that is not empty, after its line number; its place is `a.jsonl:3`."""
    for number, line in read_lines(path):
        if line.strip():
            place = f"{display_name(path)}:{number}"
            yield number, Node.of(parse_json(line, place), place)


def first_json_line(path: Pathlike, key: str) -> Any:
    """Return the JSON value of the first line with text; None if it cannot be read, is not JSON or lacks `key`."""
    try:
        first = next((line for _, line in read_lines(path) if line.strip()), "")
        return parse_json(first, display_name(path)) if key in first else None
    except InputError:
        return None


def results_of(content: Any) -> Sequence[Any]:
    """Return the values of a file that has several, a list of them, or one."""
    if isinstance(content, Values):
        return content.items
    return content if isinstance(content, list) else [content]


def find(value: Any, *keys: str) -> Any:
    """Return the value under these keys of objects inside each other; None if one is missing or not an object."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def short_repr(value: object) -> str:
    """Return the value as errors show it, cut to 80 characters, with `…` if it is longer."""
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


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


def result_nodes(content: Any, place: str) -> list[Node]:
    """Return the nodes of `results_of`. Raises InputError if one is not an object."""
    return Node({"results": [*results_of(content)]}, place).nodes("results", "result")
