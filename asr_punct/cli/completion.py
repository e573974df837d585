"""What a shell offers where an option or argument takes one of several values. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from asr_punct.shipped import shipped_configurations, shipped_models

Completion = Callable[[str], list[str]]
"""The values that may be meant by what is typed of one; where there are none the shell offers files."""


def one_of(values: Iterable[str]) -> Completion:
    """Completion to one of the values."""
    known = list(values)

    def complete(incomplete: str) -> list[str]:
        return [value for value in known if value.startswith(incomplete)]

    return complete


def some_of(values: Iterable[str]) -> Completion:
    """Completion to values that stand with commas between them, each once."""
    known = list(values)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [before + comma + value for value in known if value not in given and value.startswith(last)]

    return complete


def models(incomplete: str) -> list[str]:
    """Completion to the name of a shipped model."""
    return one_of(shipped_models())(incomplete)


def configurations(incomplete: str) -> list[str]:
    """Completion to the name of a shipped configuration."""
    return one_of(shipped_configurations())(incomplete)
