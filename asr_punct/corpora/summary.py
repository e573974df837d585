"""Sizes of what a preparation made, told at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asr_punct import progress
from asr_punct.words import Utterance, word_count


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

    def counted(self, utterances: Iterable[Utterance], part: str, source: Path) -> Iterator[Utterance]:
        """The same utterances, whose words are counted as the part's; `source` is the file that they are read from."""
        for utterance in progress.counted(utterances, "words", size=word_count, source=source):
            self.words[part] += len(utterance.words)
            yield utterance

    def lines(self) -> list[str]:
        """The summary for people."""
        sizes = ", ".join(f"{part} {count}" for part, count in self.words.items())
        lines = [f"words: {sizes or 'none'}"]
        if self.dropped:
            lines.append("dropped: " + ", ".join(f"{name} {count}" for name, count in self.dropped.most_common(20)))
        return [*lines, *self.problems]


@dataclass
class MixtureSummary:
    """What came of the sources.

    Attributes:
        words: words of each part by source, repetitions included.
        read: words of each source as they stand in its file.
        dropped: lines by source and reason.
        duplicates: lines by source and kind.
        marks: words of each part by mark.
    """

    words: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in ("train", "dev")})
    read: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    duplicates: dict[str, Counter[str]] = field(default_factory=dict)
    marks: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in ("train", "dev")})

    def as_json(self) -> dict[str, object]:
        """The summary as `json` can write it."""
        return vars(self)

    def lines(self) -> list[str]:
        """The summary for people, one line for each of its parts."""
        dropped, duplicates = (sum(counts.values(), Counter[str]()) for counts in (self.dropped, self.duplicates))
        return [
            *(f"{part} words: {_listed(counts)}" for part, counts in self.words.items()),
            f"dropped lines: {_listed(dropped)}",
            f"duplicate lines: {_listed(duplicates)}",
        ]


def _listed(counts: Counter[str]) -> str:
    return ", ".join([f"{counts.total()}", *(f"{name} {count}" for name, count in counts.most_common())])
