"""Shell completion of option values. Imports nothing heavy, so that completion is fast."""

from collections.abc import Callable, Iterable

from asr_punct.hub import shipped_configurations, shipped_models

Completion = Callable[[str], list[str]]
"""Maps the text typed so far to the values that begin with it. If there are none, the shell completes file names."""


def one_of(values: Iterable[str]) -> Completion:
    """Complete one value."""
    choices = list(values)
    return lambda incomplete: [value for value in choices if value.startswith(incomplete)]


def some_of(values: Iterable[str]) -> Completion:
    """Complete a comma-separated list of different values."""
    choices = list(values)

    def complete(incomplete: str) -> list[str]:
        """Return the completions of the last value, each after the values before it."""
        before, comma, last = incomplete.rpartition(",")
        listed = before.split(",")
        return [before + comma + value for value in choices if value not in listed and value.startswith(last)]

    return complete


def models(incomplete: str) -> list[str]:
    """Complete the name of a shipped model."""
    return one_of(shipped_models())(incomplete)


def configurations(incomplete: str) -> list[str]:
    """Complete the name of a shipped configuration."""
    return one_of(shipped_configurations())(incomplete)
