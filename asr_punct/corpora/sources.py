"""Tables of sources: which texts a model is trained on, how much of each, under which licence.

A table has the columns `file TAB language TAB ordered TAB share TAB dev TAB licence`, a row a text; lines that begin
with `#` are comments. Shares below 1 are a part of the text, above 1 whole numbers of repetitions; `dev` is the
number of words to hold out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.files import Pathlike, read_lines

COLUMNS = ("file", "language", "ordered", "share", "dev", "licence")
_SUFFIXES = (".txt.xz", ".txt")


@dataclass(frozen=True)
class Source:
    """A text of a mixture.

    Attributes:
        file: its place in the corpus folder, without suffix.
        language: language code.
        ordered: whether lines follow each other as they were said or written; else each stands alone.
        share: how often its words are seen; below 1 the part of it that is taken.
        dev: words held out for development.
        licence: under which it may be used.
    """

    file: str
    language: str
    ordered: bool
    share: float
    dev: int
    licence: str

    @property
    def name(self) -> str:
        """The text's name without its folder."""
        return self.file.rpartition("/")[2]

    @property
    def repeats(self) -> int:
        """How often the text is repeated."""
        return max(1, round(self.share))


def read_sources(table: Pathlike) -> list[Source]:
    """The rows of a table.

    Raises:
        InputError: a row with other columns, or values that are none.
    """
    sources = []
    for number, line in read_lines(table):
        if line.strip() and not line.startswith("#"):
            sources.append(_source(line.split("\t"), f"{table}:{number}"))
    if not sources:
        raise InputError(table, "no rows", "a table of sources")
    return sources


def _source(cells: list[str], place: str) -> Source:
    if len(cells) != len(COLUMNS):
        raise InputError(place, counted_as(len(cells), "column"), " TAB ".join(COLUMNS))
    file, language, ordered, share, dev, licence = cells
    if language not in ("es", "eu", "en"):
        raise InputError(place, f"language {language!r}", "es, eu or en")
    if ordered not in ("yes", "no"):
        raise InputError(place, f"ordered {ordered!r}", "yes or no")
    try:
        part, held = float(share), int(dev)
    except ValueError:
        raise InputError(place, f"share {share!r}, dev {dev!r}", "a number and a whole number") from None
    if not (0 < part < 1 or (part >= 1 and part.is_integer())):
        raise InputError(place, f"share {share!r}", "a number between 0 and 1, or a whole number")
    if held < 0:
        raise InputError(place, f"dev {dev!r}", "0 or more words")
    return Source(file, language, ordered == "yes", part, held, licence)


def read_blocks(corpus: Path, source: Source) -> Iterator[list[str]]:
    """Blocks of a text's lines (a speaker's turn, a chapter) that empty lines divide, lazily.

    Raises:
        InputError: the text is missing or cannot be read.
    """
    places = [corpus / (source.file + suffix) for suffix in _SUFFIXES]
    block: list[str] = []
    for _, line in read_lines(next((place for place in places if place.exists()), places[-1])):
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block
