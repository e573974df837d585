"""Shell completion of values. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from asr_punct.hub import shipped_configurations, shipped_models

Completion = Callable[[str], list[str]]
"""Maps the typed beginning to the values it can become; without any the shell offers files."""


def one_of(values: Iterable[str]) -> Completion:
    """Complete one of the values."""
    known = list(values)

    def complete(incomplete: str) -> list[str]:
        return [value for value in known if value.startswith(incomplete)]

    return complete


def some_of(values: Iterable[str]) -> Completion:
    """Complete a comma-separated list of values, each once."""
    known = list(values)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [before + comma + value for value in known if value not in given and value.startswith(last)]

    return complete


def models(incomplete: str) -> list[str]:
    """Complete the name of a shipped model."""
    return one_of(shipped_models())(incomplete)


def configurations(incomplete: str) -> list[str]:
    """Complete the name of a shipped configuration."""
    return one_of(shipped_configurations())(incomplete)
