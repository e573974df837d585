"""Tables of sources: the texts of a training mixture, how much of each is used, and their licences.

A row is `file TAB language TAB ordered TAB share TAB dev TAB licence`; lines that begin with `#` are comments.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, read_lines

_ROW = (
    "file TAB language (es, eu, en) TAB ordered (yes, no) TAB share (below 1, or a whole number) TAB dev (words) TAB "
    "licence, as docs/formats.md describes"
)


@dataclass(frozen=True)
class Source:
    """A text of a mixture.

    Attributes:
        file: path in the corpus folder, without suffix.
        language: language code.
        ordered: whether the text is running text; else the lines are unrelated.
        share: below 1 the part of the text that is used, else a whole number of repetitions.
        dev: number of words held out for development.
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


def read_sources(table: Pathlike) -> list[Source]:
    """Read a table. Raises InputError if it has no rows, or a malformed one."""
    rows = [(number, line) for number, line in read_lines(table) if line.strip() and not line.startswith("#")]
    if not rows:
        raise InputError(table, "no rows", "a table of sources")
    return [_source(line, f"{table}:{number}") for number, line in rows]


def _source(line: str, place: str) -> Source:
    try:
        file, language, ordered, share, dev, licence = line.split("\t")
        source = Source(file, language, {"yes": True, "no": False}[ordered], float(share), int(dev), licence)
    except (ValueError, KeyError):
        raise InputError(place, repr(line), _ROW) from None
    good_share = 0 < source.share < 1 or (source.share >= 1 and source.share.is_integer())
    if language not in ("es", "eu", "en") or not good_share or source.dev < 0:
        raise InputError(place, repr(line), _ROW)
    return source


def read_blocks(corpus: Path, source: Source) -> Iterator[list[str]]:
    """Read the blocks of a text: consecutive lines, with empty lines between blocks.

    Raises InputError if there is no such `.txt` or `.txt.xz` in the folder `corpus`, or it cannot be read.
    """
    text = corpus / f"{source.file}.txt"
    packed = text.with_name(f"{text.name}.xz")
    lines = (line for _, line in read_lines(packed if packed.exists() else text))
    for has_text, block in groupby(lines, key=lambda line: bool(line.strip())):
        if has_text:
            yield list(block)
