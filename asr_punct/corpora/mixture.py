"""A training mixture: sources cleaned, freed of duplicates, split by document, balanced and labelled.

Every text is cut into *sections* of consecutive lines. Some sections are held out for development, of a text with a
share below 1 only a part is taken; lines that repeat others, of any section, are left out. Sections become
*documents*: of running text some turns in a row, of unordered lines 1 to 12 of them in random order. In half of the
documents numbers are written in words. Every step is a function of the seed and the sources alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from asr_punct.corpora.cleaning import finished, joined, mended, unfit
from asr_punct.corpora.documents import Block, Section, count_words, documents, sections
from asr_punct.corpora.duplicates import find_duplicates
from asr_punct.corpora.sources import Source, read_blocks
from asr_punct.corpora.spelling import LabelledLine, spelled_out
from asr_punct.corpora.summary import MixtureSummary
from asr_punct.corpora.switching import mixed
from asr_punct.errors import InputError
from asr_punct.formats.files import make_directory, write_file
from asr_punct.formats.tsv import write_tsv
from asr_punct.text import parse
from asr_punct.words import Utterance, Word, annotate

PARTS = ("train", "dev")
SPELLED = 0.5
"""Part of the documents in which numbers are written in words."""
SWITCHED = 0.05
"""Part of the documents of unordered lines that mix two languages, where a mixture has two."""
_SECTION_WORDS = (200, 5000)
_SECTIONS_HELD = 20
_POOL = 20000
_POOL_WORDS = 30


@dataclass
class _Text:
    """The sections of a source that a mixture takes, by part."""

    source: Source
    parts: dict[str, list[Section]]


def prepare_mixture(corpus: Path, sources: Sequence[Source], output: Path, *, seed: int = 1) -> MixtureSummary:
    """Write `train.tsv` and `dev.tsv`.

    All lines that are taken are held in memory.

    Args:
        corpus: folder of the sources' texts.
        sources: the mixture.
        output: directory of the two files.
        seed: of everything that is drawn.

    Raises:
        InputError: a text is missing or cannot be read, all of them have no fit line, or `output` cannot be written.
        MissingExtraError: the package num2words is not installed.
    """
    summary = MixtureSummary()
    texts = [_take(corpus, source, random.Random(f"{seed} take {source.file}"), summary) for source in sources]
    if not any(text.parts["train"] for text in texts):
        raise InputError(corpus, "no line that is fit", "text to train on")
    _leave_out_duplicates(texts, summary)
    make_directory(output)
    for part in PARTS:
        with write_file(output / f"{part}.tsv") as file:
            write_tsv(_utterances(texts, part, seed, summary), file)
    return summary


def _take(corpus: Path, source: Source, rng: random.Random, summary: MixtureSummary) -> _Text:
    """The sections of a source for each part, drawn at random, in their order."""
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
    return _Text(
        source,
        {
            "train": [section for index, section in enumerate(found) if index not in held],
            "dev": [section for index, section in enumerate(found) if index in held],
        },
    )


def _cleaned(blocks: Iterable[Block], source: Source, summary: MixtureSummary) -> Iterator[Block]:
    """The blocks' lines that are fit, mended; blocks that keep none are left out."""
    dropped = summary.dropped.setdefault(source.name, Counter())
    for block in blocks:
        summary.read[source.name] += count_words(block)
        lines: Iterable[str] = (mended(line, source.language) for line in block)
        kept = []
        for line in joined(lines) if source.ordered else lines:
            line = finished(line, source.ordered)
            reason = unfit(line, source.ordered)
            if reason:
                dropped[reason] += 1
            else:
                kept.append(line)
        if kept:
            yield kept


def _leave_out_duplicates(texts: Sequence[_Text], summary: MixtureSummary) -> None:
    """Take lines that repeat others out of the sections, in place; what is held out is compared first and so stays."""
    blocks = [
        (text.source.name, block)
        for part in reversed(PARTS)
        for text in texts
        for section in text.parts[part]
        for block in section
    ]
    found = find_duplicates(line for _, block in blocks for line in block)
    first = 0
    for name, block in blocks:
        last = first + len(block)
        exact, near = found.exact[first:last], found.near[first:last]
        if exact.any() or near.any():
            counts = summary.duplicates.setdefault(name, Counter())
            counts.update(exact=int(exact.sum()), near=int(near.sum()))
            block[:] = [line for line, twice in zip(block, exact | near, strict=True) if not twice]
        first = last


def _utterances(texts: Sequence[_Text], part: str, seed: int, summary: MixtureSummary) -> Iterator[Utterance]:
    """The labelled lines of all documents of a part, one document after the other."""
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
            yield from _counted(document, f"{source.name}-{number}", source.name, part, summary)


def _counted(
    lines: Iterable[LabelledLine], document: str, name: str, part: str, summary: MixtureSummary
) -> Iterator[Utterance]:
    for line in lines:
        summary.words[part][name] += len(line.words)
        summary.marks[part].update(mark for label in line.labels for mark in label.marks)
        yield annotate(Utterance(tuple(map(Word, line.words)), document=document), labels=line.labels)


def _labelled(lines: Iterable[str], language: str, spell: bool) -> list[LabelledLine]:
    """Lines with words, labelled; with `spell` their numbers in words."""
    parsed = (parse(line, language) for line in lines)
    document = [LabelledLine(line.words, line.labels) for line in parsed if line.words]
    return [spelled_out(line, language) for line in document] if spell else document


def _lines(parts: Iterable[Section]) -> Iterator[str]:
    return (line for section in parts for block in section for line in block)


def _pool(texts: Sequence[_Text], part: str, language: str, seed: int) -> list[LabelledLine]:
    """Short lines of a language for documents of another one."""
    rng = random.Random(f"{seed} {part} pool {language}")
    lines = [
        line
        for text in texts
        if text.source.language == language
        for line in _lines(text.parts[part])
        if 2 < count_words((line,)) <= _POOL_WORDS
    ]
    return _labelled(rng.sample(lines, min(_POOL, len(lines))), language, spell=True)
