"""What is known of the words before those that are decoded: of a document nothing, of a stream some words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from asr_punct.decode.inputs import NO_WORDS, FlagArray


class OpenQuotation(NamedTuple):
    """A quotation or bracket of the input that is open.

    `is_inner` is whether the clause before it says who speaks, and introduces it alone (`dijo "ven"`), `is_asked`
    whether this clause says who asks it.
    """

    is_inner: bool
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Earlier:
    """The words before those that are decoded next.

    Attributes:
        begins: whether these begin a document.
        starts: whether they may begin a sentence.
        flags: flags of the last words before them, (words before,).
        texts: some words before them.
        is_bare: whether the last one got no mark.
        quotation: the quotation that is open before them, if any.
        is_asking: whether a ¿ or ¡ is open before them, which is in no quotation.
    """

    begins: bool = True
    starts: bool = True
    flags: FlagArray = field(default_factory=lambda: NO_WORDS.flags)
    texts: tuple[str, ...] = ()
    is_bare: bool = False
    quotation: OpenQuotation | None = None
    is_asking: bool = False
