"""The summary that a preparation reports at its end."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asr_punct import progress
from asr_punct.words import Utterance, word_count


@dataclass
class Summary:
    """Word counts of a prepared corpus by part (`train`, `es/dev`, …), and problems in its source, each a line.

    `dropped` counts the characters that were neither part of a word nor a mark.
    """

    words: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def count_words(self, utterances: Iterable[Utterance], part: str, source: Path) -> Iterator[Utterance]:
        """Yield the utterances and add their words to those of `part`; `source` is their file, for the progress bar."""
        for utterance in progress.track(utterances, "words", size=word_count, source=source):
            self.words[part] += len(utterance.words)
            yield utterance

    def lines(self) -> list[str]:
        """Return the summary as text."""
        sizes = ", ".join(f"{part} {count}" for part, count in self.words.items())
        lines = [f"words: {sizes or 'none'}"]
        if self.dropped:
            counts = (f"{name} {count} times" for name, count in self.dropped.most_common(20))
            lines.append(f"dropped characters: {', '.join(counts)}")
        return [*lines, *self.problems]
