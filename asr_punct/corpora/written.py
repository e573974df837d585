"""`prepare text`: divide written text into training corpora."""

import io
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from asr_punct import progress
from asr_punct.corpora.summary import Summary
from asr_punct.errors import AsrPunctError, InputError, plural
from asr_punct.formats.files import Pathlike, display_name, make_directory, write_file
from asr_punct.formats.labelled import labelled
from asr_punct.formats.text import read_text
from asr_punct.formats.tsv import write_tsv
from asr_punct.words import Utterance, word_count


@dataclass(frozen=True, slots=True)
class _TsvLine:
    """A line with words: its document, the number of its words, and the line as TSV (smaller than an utterance)."""

    document: str
    words: int
    tsv: str


def prepare_text(
    source: Pathlike, output: Path, *, language: str, dev: float = 0.05, test: float = 0.05, seed: int = 1
) -> Summary:
    """Write `train.tsv`, `dev.tsv` and `test.tsv`, divided by document; only a part with share 0 is empty.

    `source` is text, a sentence or paragraph a line, with an empty line between documents; `-` is standard input. Text
    with fewer documents than parts is divided into consecutive blocks of lines. All lines are held in memory.
    `language` is a code, or several for mixed text (`es+eu`); `dev` and `test` are shares of the documents, and `seed`
    is that of the division.

    Raises AsrPunctError for shares that leave nothing for training, or text without words; InputError if there is no
    such file, it has fewer lines with words than parts, or `output` is a file.
    """
    summary = Summary()
    lines = progress.track(read_text(source), "words", size=word_count, source=source)
    utterances = (labelled(utterance, language, summary.dropped) for utterance in lines)
    divide(utterances, output, summary, place=display_name(source), dev=dev, test=test, seed=seed)
    return summary


def divide(
    utterances: Iterable[Utterance],
    output: Path,
    summary: Summary,
    *,
    place: str,
    dev: float = 0.05,
    test: float = 0.05,
    seed: int = 1,
) -> None:
    """Divide labelled utterances as `prepare_text` does; `place` is the source's name in errors."""
    if not (dev >= 0 and test >= 0 and dev + test < 1):
        raise AsrPunctError(f"--dev {dev} --test {test}: expected shares of 0 or more that leave some for training")
    if output.exists() and not output.is_dir():
        raise InputError(output, "a file", "a directory to write into")
    shares = {name: share for name, share in (("train", 1 - dev - test), ("dev", dev), ("test", test)) if share}
    lines = [_line(utterance) for utterance in utterances if utterance.words]
    if not lines:
        raise AsrPunctError(f"{place}: found no words, expected written text")
    if len(lines) < len(shares):
        found = f"{plural(len(lines), 'line')} with words"
        raise InputError(place, found, f"at least {len(shares)}, for {', '.join(shares)}")
    parts = _draw_parts(lines, shares, random.Random(seed), summary)
    _write(lines, parts, output)
    for name in shares:
        summary.words[name] = sum(line.words for line, part in zip(lines, parts, strict=True) if part == name)


def _line(utterance: Utterance) -> _TsvLine:
    text = io.StringIO()
    write_tsv([utterance], text)
    return _TsvLine(utterance.context, len(utterance.words), text.getvalue())


def _draw_parts(lines: Sequence[_TsvLine], shares: dict[str, float], rng: random.Random, summary: Summary) -> list[str]:
    """Draw the part of each document, and return that of every line."""
    documents = dict.fromkeys(line.document for line in lines)
    if len(documents) < len(shares):
        summary.problems.append(
            f"documents: found {len(documents)}, expected {len(shares)} or more for {', '.join(shares)}: "
            "divided by blocks of lines (an empty line ends a document)"
        )
        sizes = {name: 1 + int((len(lines) - len(shares)) * share) for name, share in shares.items()}
        sizes["train"] += len(lines) - sum(sizes.values())
        return [name for name, size in sizes.items() for _ in range(size)]
    drawn = dict(zip(documents, rng.choices(list(shares), list(shares.values()), k=len(documents)), strict=True))
    for name in shares:
        if name not in drawn.values():
            # No part may be empty: move a document from the part that has the most.
            sizes = Counter(drawn.values())
            largest = max(sizes, key=sizes.__getitem__)
            drawn[rng.choice([document for document, part in drawn.items() if part == largest])] = name
    return [drawn[line.document] for line in lines]


def _write(lines: Sequence[_TsvLine], parts: Sequence[str], output: Path) -> None:
    make_directory(output)
    with ExitStack() as stack:
        files = {name: stack.enter_context(write_file(output / f"{name}.tsv")) for name in ("train", "dev", "test")}
        for line, part in progress.track(zip(lines, parts, strict=True), "lines", total=len(lines)):
            files[part].write(line.tsv)
