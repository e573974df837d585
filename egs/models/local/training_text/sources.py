"""Tables of sources: the texts of a training mixture, how much of each is used, and their licences.

A row is `file TAB language TAB order TAB share TAB dev TAB licence`; lines that begin with `#` are comments.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, read_lines

Order = Literal["yes", "no", "alone", "turns", "speakers", "named", "speech", "timed"]
_ORDERS: dict[str, Order] = {order: order for order in get_args(Order)}
_OWN_TEXTS = Path(__file__).parents[2]
_ROW = (
    f"file TAB language (es, eu, en) TAB order ({', '.join(_ORDERS)}) TAB share (below 1, or a whole number) "
    "TAB dev (words) TAB licence, as docs/formats.md describes"
)


@dataclass(frozen=True)
class Source:
    """A text of a mixture.

    Attributes:
        file: path in the corpus folder, without suffix; our own texts are in `egs/models`.
        language: language code.
        order: `yes` for running text, `turns` if each of its lines is a speaker's turn, `speakers` if each block is,
            `named` if each line is `Name: turn` and blocks are conversations (lines with `#` are comments); `no` for
            unrelated lines, `alone` if most of them become documents of their own; `speech` for words with speakers,
            `timed` for those with times that may be trained on (`training_text.speech`).
        share: below 1 the part of the text that is used, else a whole number of repetitions.
        dev: number of words held out for development.
        licence: of the text.
    """

    file: str
    language: str
    order: Order
    share: float
    dev: int
    licence: str

    @property
    def ordered(self) -> bool:
        """Whether the lines continue each other."""
        return self.order == "yes" or self.has_turns

    @property
    def has_turns(self) -> bool:
        """Whether another person speaks in each block of the text."""
        return self.order in ("turns", "speakers", "named")

    @property
    def is_speech(self) -> bool:
        """Whether the source has words with speakers, not lines of text."""
        return self.order in ("speech", "timed")

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
        file, language, order, share, dev, licence = line.split("\t")
        source = Source(file, language, _ORDERS[order], float(share), int(dev), licence)
    except (ValueError, KeyError):
        raise InputError(place, repr(line), _ROW) from None
    good_share = 0 < source.share < 1 or (source.share >= 1 and source.share.is_integer())
    if language not in ("es", "eu", "en") or not good_share or source.dev < 0:
        raise InputError(place, repr(line), _ROW)
    return source


def read_blocks(corpus: Path, source: Source) -> Iterator[list[str]]:
    """Read the blocks of a text: consecutive lines, with empty lines between blocks; where lines are turns, a turn.

    Raises InputError if there is no such `.txt` or `.txt.xz` in the folder `corpus` or among our own texts, or it
    cannot be read.
    """
    text = corpus / f"{source.file}.txt"
    places = (text, text.with_name(f"{text.name}.xz"), _OWN_TEXTS / f"{source.file}.txt")
    lines = (line for _, line in read_lines(next(filter(Path.exists, places), text)))
    if source.order == "named":
        lines = (line.partition(": ")[2] for line in lines if not line.startswith("#"))
    for has_text, block in groupby(lines, key=lambda line: bool(line.strip())):
        if has_text and source.order in ("turns", "named"):
            yield from ([line] for line in block)
        elif has_text:
            yield list(block)
