"""The text of JSON files: values that are checked, one or several."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, display_name, read_lines

_Result = TypeVar("_Result")
MAX_DEPTH = 100
"""Lists and objects inside each other in a JSON value: the formats that are read need less than ten."""
_TOO_DEEP = f"values nested more than {MAX_DEPTH} deep", "at most so many"
_SHOWN = 80
"""Characters of a value that an error shows."""
_NO_SPACE = re.compile(r"[^ \t\n\r]")
_SURROGATE, _LONE = re.compile(r"\\ud", re.IGNORECASE), re.compile("[\ud800-\udfff]")
"""A surrogate as JSON escapes it, and one that is left of a pair."""


@dataclass(frozen=True, slots=True)
class Values:
    """JSON values that stand one after the other."""

    items: tuple[Any, ...]


def parse_json(text: str, place: str) -> Any:
    """The value that a JSON text holds; NaN and Infinity, which some recognisers write, are numbers.

    Raises:
        InputError: no JSON, nested deeper than `MAX_DEPTH`, a key twice in an object, of which one value would be lost,
            a number too large to be kept (1e999), or half a character (`\\ud800` alone), which no file could be written
            with.
    """
    value = _parsed(_decoder(place).decode, text, place)
    _check([value], text, place)
    return value


def parse_json_values(text: str, place: str) -> Values:
    """The values, one or more, that stand in a JSON text with nothing but white space between them.

    Raises:
        InputError: as `parse_json`.
    """
    values = _parsed(partial(_values, _decoder(place)), text, place)
    _check(values, text, place)
    return Values(tuple(values))


def _decoder(place: str) -> json.JSONDecoder:
    return json.JSONDecoder(parse_float=_kept_float, object_pairs_hook=partial(_object, place))


def _object(place: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise InputError(place, f"the key {shown(key)} again in an object", "each key once")
    return value


def _values(decoder: json.JSONDecoder, text: str) -> list[Any]:
    found, place = list[Any](), _after_space(text, 0)
    while place < len(text) or not found:
        value, end = decoder.raw_decode(text, place)
        found.append(value)
        place = _after_space(text, end)
    return found


def _after_space(text: str, place: int) -> int:
    following = _NO_SPACE.search(text, place)
    return following.start() if following else len(text)


def _parsed(parse: Callable[[str], _Result], text: str, place: str) -> _Result:
    try:
        return parse(text)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(place, f"no JSON ({error})", "JSON") from None
    except RecursionError:
        raise InputError(place, *_TOO_DEEP) from None
    except ValueError:  # a float of ours, or an integer of more digits than Python takes
        raise InputError(place, "a number that is too large", "numbers that 64 bits hold") from None


def _check(values: list[Any], text: str, place: str) -> None:
    if any(map(_is_deep, values)):
        raise InputError(place, *_TOO_DEEP)
    if _SURROGATE.search(text) and _LONE.search(json.dumps(values, ensure_ascii=False)):
        raise InputError(place, "half of a surrogate pair", "whole characters")


def shown(value: object) -> str:
    """A value as an error shows it: the beginning of what is long."""
    return repr(value)[:_SHOWN]


def first_json_line(path: Pathlike, key: str) -> Any:
    """Value of a file's first line that is not empty, None where that cannot be read, is no JSON or lacks `key`."""
    try:
        first = next((line for _, line in read_lines(path) if line.strip()), "")
        return parse_json(first, display_name(path)) if key in first else None
    except InputError:
        return None


def _kept_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError
    return value


def _is_deep(value: Any) -> bool:
    """Whether more than `MAX_DEPTH` lists and objects are inside each other."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inside = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list))
        level = [child for children in inside for child in children if isinstance(child, dict | list)]
        if not level:
            return False
    return True
