"""Make a training mixture: texts cleaned, freed of duplicates, divided, balanced and labelled.

Every text is cut into *sections* of consecutive lines. Some sections are held out for development, and a share below 1
takes only some of them. Lines that repeat others are dropped. Sections become *documents*: some consecutive turns of
running text, else 1 to 12 lines in random order. In half of the documents numbers are written in words. The result
depends on the seed and the sources alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from asr_punct.corpora.cleaning import joined, reason_to_drop, repaired, without_fragment
from asr_punct.corpora.documents import Block, Section, count_words, documents, sections
from asr_punct.corpora.duplicates import find_duplicates
from asr_punct.corpora.sources import Source, read_blocks
from asr_punct.corpora.spoken_numbers import spelled_out
from asr_punct.corpora.switching import Line, mixed
from asr_punct.errors import InputError
from asr_punct.formats.files import make_directory, write_file
from asr_punct.formats.tsv import write_tsv
from asr_punct.text import parse
from asr_punct.words import Utterance, Word

PARTS = ("train", "dev")
SPELLED = 0.5
"""Share of the documents with numbers in words."""
SWITCHED = 0.05
"""Share of the documents of unordered lines that mix two languages, if the mixture has two."""
_SECTION_WORDS = (200, 5000)
_SECTIONS_HELD = 20
_POOL = 20000
_POOL_WORDS = 30


@dataclass
class MixtureSummary:
    """Numbers of words and lines.

    Attributes:
        words: words of each part by source, with repetitions.
        read: words of each source in its file.
        dropped: lines by source and reason.
        duplicates: lines by source and kind.
        marks: words of each part by mark.
    """

    words: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in PARTS})
    read: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    duplicates: dict[str, Counter[str]] = field(default_factory=dict)
    marks: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in PARTS})

    def lines(self) -> list[str]:
        """Return the summary as text."""
        dropped, duplicates = (sum(counts.values(), Counter[str]()) for counts in (self.dropped, self.duplicates))
        return [
            *(f"{part} words: {_listed(counts)}" for part, counts in self.words.items()),
            f"dropped lines: {_listed(dropped)}",
            f"duplicate lines: {_listed(duplicates)}",
        ]


def _listed(counts: Counter[str]) -> str:
    return ", ".join([f"{counts.total()}", *(f"{name} {count}" for name, count in counts.most_common())])


@dataclass
class _Text:
    """The sections of a source by part."""

    source: Source
    parts: dict[str, list[Section]]


def prepare_mixture(corpus: Path, sources: Sequence[Source], output: Path, *, seed: int = 1) -> MixtureSummary:
    """Write `train.tsv` and `dev.tsv`; all lines are held in memory.

    Args:
        corpus: folder of the texts.
        sources: the mixture.
        output: directory of the two files.
        seed: of the random generators.

    Raises:
        InputError: a text is missing or cannot be read, no line is fit for training, or `output` cannot be written.
        MissingExtraError: a package of the extra "train" is not installed.
    """
    summary = MixtureSummary()
    texts = [_take(corpus, source, random.Random(f"{seed} take {source.file}"), summary) for source in sources]
    if not any(text.parts["train"] for text in texts):
        raise InputError(corpus, "no line that is fit", "text to train on")
    _drop_duplicates(texts, summary)
    make_directory(output)
    for part in PARTS:
        with write_file(output / f"{part}.tsv") as file:
            write_tsv(_utterances(texts, part, seed, summary), file)
    return summary


def _take(corpus: Path, source: Source, rng: random.Random, summary: MixtureSummary) -> _Text:
    """Draw the sections of a source for each part."""
    smallest, largest = _SECTION_WORDS
    size = min(largest, max(smallest, source.dev // _SECTIONS_HELD)) if source.dev else largest
    found = list(sections(_cleaned(read_blocks(corpus, source), source, summary), size))
    if source.share < 1:
        found = [section for section in found if rng.random() < source.share]
    held, words = set[int](), 0
    for index in rng.sample(range(len(found)), len(found)):
        if words >= source.dev or len(held) >= len(found) // 2:
            break
        held.add(index)
        words += count_words(chain.from_iterable(found[index]))
    train = [section for index, section in enumerate(found) if index not in held]
    return _Text(source, {"train": train, "dev": [found[index] for index in sorted(held)]})


def _cleaned(blocks: Iterable[Block], source: Source, summary: MixtureSummary) -> Iterator[Block]:
    """Yield the repaired lines of each block that are fit for training; skip blocks without such lines."""
    dropped = summary.dropped.setdefault(source.name, Counter())
    for block in blocks:
        summary.read[source.name] += count_words(block)
        lines: Iterable[str] = (repaired(line, source.language) for line in block)
        complete = (without_fragment(line, source.ordered) for line in (joined(lines) if source.ordered else lines))
        kept = []
        for line in complete:
            if reason := reason_to_drop(line, source.ordered):
                dropped[reason] += 1
            else:
                kept.append(line)
        if kept:
            yield kept


def _drop_duplicates(texts: Sequence[_Text], summary: MixtureSummary) -> None:
    """Delete lines that repeat others, in place; development comes first, so that its lines stay."""
    blocks = [
        (text.source.name, block)
        for part in reversed(PARTS)
        for text in texts
        for section in text.parts[part]
        for block in section
    ]
    kinds = find_duplicates(line for _, block in blocks for line in list(block))
    for name, block in blocks:
        found = [next(kinds) for _ in block]
        if any(found):
            summary.duplicates.setdefault(name, Counter(exact=0, near=0)).update(filter(None, found))
            block[:] = [line for line, kind in zip(block, found, strict=True) if not kind]


def _utterances(texts: Sequence[_Text], part: str, seed: int, summary: MixtureSummary) -> Iterator[Utterance]:
    """Yield the labelled lines of a part, document by document."""
    languages = sorted({text.source.language for text in texts})
    pools = {language: _pool(texts, part, language, seed) for language in languages} if len(languages) > 1 else {}
    for text in texts:
        source = text.source
        rng = random.Random(f"{seed} {part} {source.file}")
        others = [line for language, pool in pools.items() if language != source.language for line in pool]
        repeated = chain.from_iterable(
            documents(text.parts[part], source.ordered, rng) for _ in range(source.repeats if part == "train" else 1)
        )
        for number, lines in enumerate(repeated, start=1):
            document = _labelled(lines, source.language, spell=rng.random() < SPELLED)
            if others and not source.ordered and rng.random() < SWITCHED:
                document = mixed(document, others, rng)
            for words in document:
                summary.words[part][source.name] += len(words)
                summary.marks[part].update(mark for word in words if word.labels for mark in word.labels.marks)
                yield Utterance(words, document=f"{source.name}-{number}")


def _labelled(lines: Iterable[str], language: str, spell: bool) -> list[Line]:
    """Return the labelled words of each line; with `spell` numbers are in words."""
    document = []
    for line in lines:
        parsed = parse(line, language)
        words = tuple(Word(text, labels=label) for text, label in zip(parsed.words, parsed.labels, strict=True))
        if words:
            document.append(spelled_out(words, language) if spell else words)
    return document


def _pool(texts: Sequence[_Text], part: str, language: str, seed: int) -> list[Line]:
    """Draw short lines of a language for documents of another language."""
    rng = random.Random(f"{seed} {part} pool {language}")
    lines = [
        line
        for text in texts
        if text.source.language == language
        for section in text.parts[part]
        for block in section
        for line in block
        if 2 < count_words((line,)) <= _POOL_WORDS
    ]
    return _labelled(rng.sample(lines, min(_POOL, len(lines))), language, spell=True)
