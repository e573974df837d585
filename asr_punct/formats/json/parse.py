"""Parse JSON with limits, and look into its values."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.values import short_repr

MAX_DEPTH = 100
"""Maximum nesting of lists and objects; the formats need less than ten levels."""
_NON_SPACE = re.compile(r"[^ \t\n\r]")
_ESCAPED_SURROGATE, _LONE_SURROGATE = re.compile(r"\\ud", re.IGNORECASE), re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Values:
    """The JSON values of a file that has several, one after the other."""

    items: tuple[Any, ...]


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


def first_json_value(lines: Iterable[str], key: str) -> Any:
    """Return the JSON value of the first line with text; None if it is not JSON or lacks `key`."""
    first = next(filter(str.strip, lines), "")
    try:
        return parse_json(first, "") if key in first else None
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
