"""The sources of word times that files name by the key `times`, if it is not the default of their format.

Other programs ignore JSON keys that they do not know. The key is written only if the file would otherwise be read with
a wrong source.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any, cast, get_args

from asr_punct.errors import ArgumentError, InputError
from asr_punct.formats.values import Object
from asr_punct.words import TIME_SOURCES, TimeSource, Utterance, Word, has_times

KEY = "times"
"""Key of the time source; also the name of a TextGrid's tier."""
_UNNAMED = ("none", "segment")
"""Sources that follow from the times."""


def check_time_source(value: Any, place: str) -> TimeSource:
    """Return a time source that a file must name. Raises InputError with `place` for other values."""
    if value not in get_args(TimeSource):
        raise InputError(place, f"times {value!r}", f"one of {' '.join(get_args(TimeSource))}")
    return cast(TimeSource, value)


def named_time_source(name: str) -> TimeSource:
    """Return the time source that a user names. Raises ArgumentError unless it is one of `TIME_SOURCES`."""
    if name not in TIME_SOURCES:
        raise ArgumentError("times", repr(name), f"one of {' '.join(TIME_SOURCES)}")
    return cast(TimeSource, name)


def time_source_of(words: Iterable[Word], source: TimeSource) -> TimeSource:
    """Return the source, or "none" if no word has a time."""
    return source if has_times(words) else "none"


def get_time_source(item: Object, words: Iterable[Word], default: TimeSource) -> TimeSource:
    """Return the source that an object names, else the default; "none" if no word has a time."""
    named: TimeSource = item[KEY] if item.get(KEY) in TIME_SOURCES else default
    return time_source_of(words, named)


def set_time_source(item: Object, utterance: Utterance, default: TimeSource) -> Object:
    """Return the object with the utterance's time source if it would otherwise be read with another one.

    A value of the key `times` that is not a time source is data of another program and is kept.
    """
    source = time_source_of(utterance.words, utterance.time_source)
    has_other_meaning = item.get(KEY, default) not in TIME_SOURCES
    if has_other_meaning or source in (*_UNNAMED, get_time_source(item, utterance.words, default)):
        return item
    return {**item, KEY: source}


def set_first_time_source(item: Object, utterances: Iterable[Utterance], default: TimeSource) -> Object:
    """Return the object as `set_time_source`, with the first source of the utterances that is not the default."""
    listed = list(utterances)
    others = (u for u in listed if time_source_of(u.words, u.time_source) not in (*_UNNAMED, default))
    first = next(chain(others, listed[:1]), None)
    return item if first is None else set_time_source(item, first, default)
