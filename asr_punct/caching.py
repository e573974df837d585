"""Caches of functions of words, in bounded memory."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])
LONGEST_CACHED = 64
"""Longer words are rare, and not cached: a word may be as long as its file."""


def cached_by_word(entries: int) -> Callable[[Function], Function]:
    """Cache up to `entries` results of a function whose first argument is a word."""

    def decorate(function: Function) -> Function:
        cached = lru_cache(entries)(function)

        @wraps(function)
        def call(word: str, *others: Any) -> Any:
            return (cached if len(word) <= LONGEST_CACHED else function)(word, *others)

        return cast(Function, call)

    return decorate
