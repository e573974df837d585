"""`prepare text` and `prepare nemo-labels`: convert written text, or the training files of NeMo's punctuation models.

NeMo has a file of words and a file of labels (`formats.lines.nemo_labels`) for each part: `text_train.txt` and
`labels_train.txt`, or `train/text.txt` and `train/labels.txt`; likewise `dev` and `test`. A single pair, `text.txt` and
`labels.txt`, is divided like written text.
"""

import io
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from asr_punct import progress
from asr_punct.corpora import PARTS, Summary
from asr_punct.errors import ArgumentError, InputError, plural
from asr_punct.files import InputFile, Pathlike, display_name, write_file
from asr_punct.formats.labelled import labelled
from asr_punct.formats.lines.nemo_labels import read_nemo_labels
from asr_punct.formats.lines.text import read_text
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.partial import make_directory
from asr_punct.words import Utterance, word_count

_NEMO_FILES = "text_train.txt and labels_train.txt, train/text.txt and train/labels.txt, or text.txt and labels.txt"


class _TsvLine(NamedTuple):
    """A line with words: its document, the number of its words, and the line as TSV (smaller than an utterance)."""

    document: str
    words: int
    tsv: str


def prepare_text(
    source: Pathlike, output: Path, *, language: str, dev: float = 0.05, test: float = 0.05, seed: int = 1
) -> Summary:
    """Write `train.tsv`, `dev.tsv` and `test.tsv`, divided by document; only a part with share 0 is empty.

    `source` (`-`: standard input) is text, one sentence or paragraph per line, with an empty line between documents. If
    there are fewer documents than parts, it is divided into consecutive blocks of lines. All lines are held in memory.
    `language` may be several codes (`es+eu`).

    Raises AsrPunctError for shares that leave nothing for training, or text without words; InputError for a missing
    file, fewer lines with words than parts, or an `output` that is a file.
    """
    summary = Summary()
    file = InputFile.of(source)
    utterances = (labelled(utterance, language, summary.dropped) for utterance in read_text(file))
    _divide(utterances, file, output, summary, dev, test, seed)
    return summary


def prepare_nemo_labels(source: Path, output: Path, *, dev: float = 0.05, test: float = 0.05, seed: int = 1) -> Summary:
    """Write `train.tsv`, `dev.tsv` and `test.tsv`. An empty line of the input ends a document.

    A single pair of files is divided as by `prepare_text`. Raises InputError if there are no such files, or one is
    malformed; AsrPunctError for shares that leave nothing for training.
    """
    pairs = {part: pair for part in PARTS if (pair := _pair(source, part))}
    summary = Summary()
    if pairs:
        make_directory(output)
        summary.problems += [f"{source}: no files of {part}" for part in PARTS if part not in pairs]
        for part, (text, labels) in pairs.items():
            file = InputFile(text)
            summary.write_part(_with_words(read_nemo_labels(file, labels)), output, part, file)
        return summary
    text, labels = source / "text.txt", source / "labels.txt"
    if not (text.is_file() and labels.is_file()):
        raise InputError(source, "none of NeMo's training files", _NEMO_FILES)
    file = InputFile(text)
    _divide(read_nemo_labels(file, labels), file, output, summary, dev, test, seed)
    return summary


def _pair(source: Path, part: str) -> tuple[Path, Path] | None:
    flat = source / f"text_{part}.txt", source / f"labels_{part}.txt"
    nested = source / part / "text.txt", source / part / "labels.txt"
    return next((pair for pair in (flat, nested) if all(path.is_file() for path in pair)), None)


def _with_words(utterances: Iterable[Utterance]) -> Iterator[Utterance]:
    return (utterance for utterance in utterances if utterance.words)


def _divide(
    corpus: Iterable[Utterance], source: InputFile, output: Path, summary: Summary, dev: float, test: float, seed: int
) -> None:
    if not (dev >= 0 and test >= 0 and dev + test < 1):
        found = f"a share of {dev} beside a test share of {test}"
        raise ArgumentError("dev", found, "shares of 0 or more that leave some for training")
    if output.exists() and not output.is_dir():
        raise InputError(output, "a file", "a directory to write into")
    shares = {name: share for name, share in zip(PARTS, (1 - dev - test, dev, test), strict=True) if share}
    tracked = progress.track(corpus, "words", size=word_count, position=source.position)
    lines, place = [_line(utterance) for utterance in _with_words(tracked)], display_name(source)
    if not lines:
        raise InputError(place, "no words", "written text")
    if len(lines) < len(shares):
        found = f"{plural(len(lines), 'line')} with words"
        raise InputError(place, found, f"at least {len(shares)}, for {', '.join(shares)}")
    parts = _draw_parts(lines, shares, random.Random(seed), summary)
    make_directory(output)
    summary.words.update(dict.fromkeys(shares, 0))
    documents = {(line.document, part) for line, part in zip(lines, parts, strict=True)}
    summary.documents.update(part for _, part in documents)
    with ExitStack() as stack:
        files = {name: stack.enter_context(write_file(output / f"{name}.tsv")) for name in PARTS}
        for line, part in progress.track(zip(lines, parts, strict=True), "lines", total=len(lines)):
            files[part].write(line.tsv)
            summary.words[part] += line.words


def _line(utterance: Utterance) -> _TsvLine:
    text = io.StringIO()
    write_tsv([utterance], text)
    return _TsvLine(utterance.context, len(utterance.words), text.getvalue())


def _draw_parts(lines: Sequence[_TsvLine], shares: dict[str, float], rng: random.Random, summary: Summary) -> list[str]:
    """Draw the part of each document, and return that of every line."""
    documents = list(dict.fromkeys(line.document for line in lines))
    by_line = len(documents) < len(shares)
    if by_line:
        summary.problems.append(
            f"documents: found {len(documents)}, expected {len(shares)} or more for {', '.join(shares)}: "
            "divided by blocks of lines (an empty line ends a document)"
        )
    units = len(lines) if by_line else len(documents)
    sizes = {name: 1 + int((units - len(shares)) * share) for name, share in shares.items()}  # none is empty
    sizes["train"] += units - sum(sizes.values())
    parts = [name for name, size in sizes.items() for _ in range(size)]
    if by_line:
        return parts
    rng.shuffle(parts)
    drawn = dict(zip(documents, parts, strict=True))
    return [drawn[line.document] for line in lines]
