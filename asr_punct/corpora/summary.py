"""The summary that a preparation reports at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asr_punct import progress
from asr_punct.words import Utterance, word_count


@dataclass
class Summary:
    """Words of the parts of a corpus, and problems in it.

    Attributes:
        words: words by part (`train`, `es/dev`, …).
        dropped: characters that belong to no word and are no mark, by character.
        problems: lines that name what is missing or odd.
    """

    words: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def counted(self, utterances: Iterable[Utterance], part: str, source: Path) -> Iterator[Utterance]:
        """Pass utterances on and count their words for a part; `source` is the file that they are read from."""
        for utterance in progress.counted(utterances, "words", size=word_count, source=source):
            self.words[part] += len(utterance.words)
            yield utterance

    def lines(self) -> list[str]:
        """Return the summary as text."""
        sizes = ", ".join(f"{part} {count}" for part, count in self.words.items())
        lines = [f"words: {sizes or 'none'}"]
        if self.dropped:
            lines.append("dropped: " + ", ".join(f"{name} {count}" for name, count in self.dropped.most_common(20)))
        return [*lines, *self.problems]
