"""Tables of sources: the texts of a training mixture, how much of each is used, and their licences.

A row is `file TAB language TAB ordered TAB share TAB dev TAB licence`; lines that begin with `#` are comments. A share
below 1 is the part of the text that is used, a share above 1 a whole number of repetitions; `dev` is the number of
words to hold out for development.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.files import Pathlike, read_lines

COLUMNS = ("file", "language", "ordered", "share", "dev", "licence")


@dataclass(frozen=True)
class Source:
    """A text of a mixture.

    Attributes:
        file: path in the corpus folder, without suffix.
        language: language code.
        ordered: whether the text is running text; else each line stands alone.
        share: part of the text that is used, or number of repetitions.
        dev: words held out for development.
        licence: of the text.
    """

    file: str
    language: str
    ordered: bool
    share: float
    dev: int
    licence: str

    @property
    def name(self) -> str:
        """The file without its folder."""
        return self.file.rpartition("/")[2]

    @property
    def repeats(self) -> int:
        """Number of repetitions, at least 1."""
        return max(1, round(self.share))


def read_sources(table: Pathlike) -> list[Source]:
    """Read a table. Raises InputError if a row has other columns or wrong values."""
    rows = [(f"{table}:{number}", line) for number, line in read_lines(table)]
    sources = [_source(line.split("\t"), place) for place, line in rows if line.strip() and not line.startswith("#")]
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
    """Read the blocks of a text's lines, which empty lines separate. Raises InputError if the text cannot be read."""
    text = corpus / f"{source.file}.txt"
    packed = text.with_name(f"{text.name}.xz")
    block: list[str] = []
    for _, line in read_lines(packed if packed.exists() else text):
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block
