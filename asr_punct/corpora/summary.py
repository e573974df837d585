"""Sizes of what a preparation made, told at its end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Summary:
    """What came out of a corpus, and what was odd in it.

    Attributes:
        words: words by part (`train`, `es/dev`, …).
        dropped: characters that are no part of a word and no mark, by character.
        problems: what is missing or odd, a line each, by name.
    """

    words: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The summary for people."""
        sizes = ", ".join(f"{part} {count}" for part, count in self.words.items())
        lines = [f"words: {sizes or 'none'}"]
        if self.dropped:
            lines.append("dropped: " + ", ".join(f"{name} {count}" for name, count in self.dropped.most_common(20)))
        return [*lines, *self.problems]
