"""Caches of functions of words, in bounded memory, and of values that each process makes for itself."""

import os
import pickle
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


def made_once(call: bytes) -> Any:
    """Return what a pickled call returns; a process calls it once.

    A pool of processes gets an object with every group of inputs, and makes it of the call only for the first one.
    """
    return _made_in(os.getpid(), call)  # a fork must not use the objects of its parent


@lru_cache(maxsize=4)
def _made_in(process: int, call: bytes) -> Any:
    return pickle.loads(call)()
