"""Make a training mixture: texts cleaned, freed of duplicates, divided, balanced and labelled.

Every text is cut into *sections* of consecutive lines. Some sections are held out for development, and a share below 1
uses only some of them. Lines that repeat others are dropped. Sections become *documents*: some consecutive turns of
running text, else 1 to 12 lines in random order. In half of the documents numbers are written in words. The result
depends on the seed and the sources alone.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from asr_punct.errors import InputError
from asr_punct.files import write_file
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.partial import make_directory
from asr_punct.text import parse
from asr_punct.words import TimeSource, Utterance, Word
from training_text.cleaning import join_broken_lines, reason_to_drop, repaired
from training_text.documents import (
    Block,
    LabelledLine,
    Section,
    SpokenLine,
    joined_documents,
    mix_languages,
    running_documents,
    sections,
    short_documents,
    shuffled_lines,
    with_answers,
    with_speakers,
    word_count,
)
from training_text.duplicates import find_duplicates
from training_text.sources import Source, read_blocks
from training_text.speech import find_recordings, read_recordings
from training_text.spoken_numbers import spelled_out

PARTS = ("train", "dev")
_SPELLED_SHARE = 0.5
"""Share of the documents with numbers in words."""
_TIMED_SHARE = 0.5
"""Share of the documents of timed speech that keep their pauses; for the others training draws pauses."""
_MIXED_SHARE = 0.05
"""Share of the documents of independent lines that mix two languages, if the mixture has two."""
_SECTION_WORDS = (200, 5000)
"""Words of the smallest and the largest section."""
_DEV_SECTIONS = 20
"""Number of sections to hold out, if they are neither too small nor too large."""
_MAX_LINES_TO_MIX = 20000
_MAX_WORDS_TO_MIX = 30
"""Longest line, in words, that is inserted into a document of another language."""


@dataclass
class MixtureSummary:
    """The words of each part by source, with repetitions, and the lines of each source by the reason to drop them."""

    words: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in PARTS})
    dropped: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def lines(self) -> list[str]:
        dropped = sum(self.dropped.values(), Counter[str]())
        counts = {**{f"{part} words": words for part, words in self.words.items()}, "dropped lines": dropped}
        return [
            f"{title}: " + ", ".join([f"{found.total()}", *(f"{name} {count}" for name, count in found.most_common())])
            for title, found in counts.items()
        ]


@dataclass
class _Text:
    source: Source
    parts: dict[str, list[Section]]


def prepare_mixture(corpus: Path, sources: Sequence[Source], output: Path, *, seed: int = 1) -> MixtureSummary:
    """Write `train.tsv` and `dev.tsv` into `output`; all lines are held in memory.

    Raises InputError if a text is missing from the folder `corpus` or cannot be read, all lines are dropped, or
    `output` cannot be written; MissingExtraError if a package of the extra "train" is not installed.
    """
    summary = MixtureSummary()
    written = [source for source in sources if not source.is_speech]
    speech = [source for source in sources if source.is_speech]
    texts = [_divide(corpus, source, random.Random(f"{seed} take {source.file}"), summary) for source in written]
    if not speech and not any(text.parts["train"] for text in texts):
        raise InputError(corpus, "no line that is fit", "text to train on")
    _drop_duplicates(texts, summary)
    make_directory(output)
    for part in PARTS:
        with write_file(output / f"{part}.tsv") as file:
            write_tsv(_utterances(texts, part, seed, summary), file)
            if part == "train":
                write_tsv(chain.from_iterable(_spoken(corpus, source, seed, summary) for source in speech), file)
    return summary


def _divide(corpus: Path, source: Source, rng: random.Random, summary: MixtureSummary) -> _Text:
    """Draw the sections of a source for each part."""
    smallest, largest = _SECTION_WORDS
    size = min(largest, max(smallest, source.dev // _DEV_SECTIONS)) if source.dev else largest
    found = list(sections(_cleaned(read_blocks(corpus, source), source, summary), size))
    if source.share < 1:
        found = [section for section in found if rng.random() < source.share]
    held_out, words = set[int](), 0
    for index in rng.sample(range(len(found)), len(found)):
        if words >= source.dev or len(held_out) >= len(found) // 2:
            break
        held_out.add(index)
        words += word_count(chain.from_iterable(found[index]))
    train = [section for index, section in enumerate(found) if index not in held_out]
    return _Text(source, {"train": train, "dev": [found[index] for index in sorted(held_out)]})


def _cleaned(blocks: Iterable[Block], source: Source, summary: MixtureSummary) -> Iterator[Block]:
    """Yield the repaired lines of each block that are fit for training; skip blocks without such lines."""
    for block in blocks:
        lines: Iterable[str] = (repaired(line, source.language) for line in block)
        kept = []
        for line in join_broken_lines(lines) if source.order in ("yes", "speakers") else lines:
            if reason := reason_to_drop(line, source.ordered):
                summary.dropped[source.name][reason] += 1
            else:
                kept.append(line)
        if kept:
            yield kept


def _drop_duplicates(texts: Sequence[_Text], summary: MixtureSummary) -> None:
    """Delete lines that repeat others, in place; of a line in both parts, the one for development stays."""
    in_order = [(text, section) for part in ("dev", "train") for text in texts for section in text.parts[part]]
    blocks = [(text.source.name, block) for text, section in in_order for block in section]
    kinds = iter(list(find_duplicates(line for _, block in blocks for line in block)))
    for name, block in blocks:
        found = [next(kinds) for _ in block]
        if any(found):
            summary.dropped[name].update(f"{kind} duplicate" for kind in found if kind)
            block[:] = [line for line, kind in zip(block, found, strict=True) if not kind]


def _utterances(texts: Sequence[_Text], part: str, seed: int, summary: MixtureSummary) -> Iterator[Utterance]:
    """Yield the labelled lines of a part, document by document."""
    languages = sorted({text.source.language for text in texts})
    short_lines: dict[str, list[LabelledLine]] = {}
    if len(languages) > 1:
        short_lines = {language: _short_lines(texts, part, language, seed) for language in languages}
    for text in texts:
        source = text.source
        rng = random.Random(f"{seed} {part} {source.file}")
        others = [line for language, lines in short_lines.items() if language != source.language for line in lines]
        repetitions = round(source.share) if part == "train" and source.share > 1 else 1
        repeated = chain.from_iterable(_documents(text.parts[part], source, rng) for _ in range(repetitions))
        for number, lines in enumerate(repeated, start=1):
            spell = rng.random() < _SPELLED_SHARE
            document = [
                (words, speaker) for line, speaker in lines for words in _labelled([line], source.language, spell)
            ]
            if others and not source.ordered and rng.random() < _MIXED_SHARE:
                document = [(words, "") for words in mix_languages([words for words, _ in document], others, rng)]
            for words, speaker in document:
                summary.words[part][source.name] += len(words)
                yield Utterance(words, document=f"{source.name}-{number}", speaker=speaker)


def _spoken(corpus: Path, source: Source, seed: int, summary: MixtureSummary) -> Iterator[Utterance]:
    """Yield the sentences of a source of speech, document by document: consecutive turns of one recording."""
    rng = random.Random(f"{seed} train {source.file}")
    recordings = [turns for _, turns in read_recordings(find_recordings(corpus, source))]
    repetitions = max(1, round(source.share))
    repeated = chain.from_iterable(running_documents(turns, rng) for _ in range(repetitions) for turns in recordings)
    for number, sentences in enumerate(repeated, start=1):
        spell, timed = rng.random() < _SPELLED_SHARE, source.order == "timed" and rng.random() < _TIMED_SHARE
        for sentence in sentences:
            words = spelled_out(sentence.words, source.language) if spell else sentence.words
            words = words if timed else tuple(replace(word, pause=None) for word in words)
            summary.words["train"][source.name] += len(words)
            times: TimeSource = "aligner" if timed else "none"
            name, speaker = f"{source.name}-{number}", sentence.speaker
            yield Utterance(words, document=name, speaker=speaker, time_source=times)


def _documents(parts: Sequence[Section], source: Source, rng: random.Random) -> Iterator[list[SpokenLine]]:
    if source.has_turns:
        return chain.from_iterable(running_documents(with_speakers(blocks), rng) for blocks in parts)
    if source.ordered:
        documents = chain.from_iterable(running_documents(blocks, rng) for blocks in parts)
        return ([(line, "") for line in document] for document in documents)
    divide = short_documents if source.order == "alone" else joined_documents
    return map(with_answers, divide(shuffled_lines(parts, rng), rng))


def _labelled(lines: Iterable[str], language: str, spell: bool) -> list[LabelledLine]:
    """Return the labelled words of each line; with `spell` numbers are in words."""
    document = []
    for line in lines:
        parsed = parse(line, language)
        words = tuple(Word(text, labels=label) for text, label in zip(parsed.words, parsed.labels, strict=True))
        if words:
            document.append(spelled_out(words, language) if spell else words)
    return document


def _short_lines(texts: Sequence[_Text], part: str, language: str, seed: int) -> list[LabelledLine]:
    """Draw lines of a language to insert into documents of another language."""
    rng = random.Random(f"{seed} {part} pool {language}")
    found = (section for text in texts if text.source.language == language for section in text.parts[part])
    lines = [line for section in found for block in section for line in block]
    lines = [line for line in lines if 2 < word_count((line,)) <= _MAX_WORDS_TO_MIX]
    return _labelled(rng.sample(lines, min(_MAX_LINES_TO_MIX, len(lines))), language, spell=True)
