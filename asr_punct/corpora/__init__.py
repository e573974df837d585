"""Corpora that become training data. Here: the summary that a preparation reports, and the writing of its parts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asr_punct import progress
from asr_punct.errors import plural
from asr_punct.files import InputFile, write_file
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.words import Utterance, word_count

PARTS = ("train", "dev", "test")


@dataclass
class Summary:
    """Words and documents of a prepared corpus by part (`train`, `es/dev`, …), and problems in its source, one a line.

    `dropped` counts the characters that were neither part of a word nor a mark.
    """

    words: Counter[str] = field(default_factory=Counter)
    documents: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def write_part(self, utterances: Iterable[Utterance], output: Path, part: str, source: InputFile) -> None:
        """Write `output/PART.tsv` and count its words; `source` is the file that they are read from."""
        document = None

        def counted() -> Iterator[Utterance]:
            nonlocal document
            for utterance in progress.track(utterances, "words", size=word_count, position=source.position):
                self.words[part] += len(utterance.words)
                self.documents[part] += utterance.context != document
                document = utterance.context
                yield utterance

        with write_file(output / f"{part}.tsv") as out:
            write_tsv(counted(), out)

    def lines(self) -> list[str]:
        """Return the summary as text."""
        sizes = ", ".join(f"{part} {count}{_in_documents(self.documents[part])}" for part, count in self.words.items())
        lines = [f"words: {sizes or 'none'}"]
        if self.dropped:
            counts = (f"{_shown(name)} {plural(count, 'time')}" for name, count in self.dropped.most_common(20))
            lines.append(f"dropped characters: {', '.join(counts)}")
        return [*lines, *self.problems]


def _shown(characters: str) -> str:
    """Return characters as they are; those that cannot be seen as their code (`U+200B`)."""
    return "".join(each if each.isprintable() and each != " " else f"U+{ord(each):04X}" for each in characters)


def _in_documents(count: int) -> str:
    return f" in {plural(count, 'document')}" if count else ""
