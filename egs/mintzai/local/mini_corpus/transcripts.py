"""The committed text, as recordings cut into segments.

`LANGUAGE/PART.txt` has one recording per block, with an empty line between blocks, and one paragraph or turn per line.
Braces enclose words in the other language: `{Eskerrik asko}, presidente.`
A line that begins with a dash is a turn of another speaker than the line before.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from asr_punct.files import read_text_file

_OTHER = {"es": "eu", "eu": "es"}
_DASH = "–"
_SHORTEST, _LONGEST, _CUT_ANYWHERE = 4, 34, 0.2
"""Bounds of the number of words of a segment, and the share of segments that may end anywhere."""


@dataclass(frozen=True, slots=True)
class Token:
    """White-space token of the written text, and the language in which it is spoken."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Segment:
    """One transcription file and one audio file; `speaker` is 0 or 1."""

    name: str
    tokens: tuple[Token, ...]
    speaker: int = 0

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)


@dataclass(frozen=True, slots=True)
class Recording:
    """Consecutive segments of one speech or interview."""

    language: str
    part: str
    name: str
    segments: tuple[Segment, ...]


def read_recordings(language: str, part: str, share: float = 1.0) -> Iterator[Recording]:
    """Read recordings until they have `share` (0 to 1) of the words of the part."""
    text = read_text_file(Path(__file__).parent / language / f"{part}.txt")
    remaining = share * len(text.split())
    for number, block in enumerate(text.strip().split("\n\n"), 1):
        if remaining > 0:
            name = f"mini-{language}-{part}-{number:03d}"
            yield Recording(language, part, name, tuple(_cut_block(block, language, name)))
        remaining -= len(block.split())


def _cut_block(block: str, language: str, name: str) -> Iterator[Segment]:
    rng = random.Random(name)
    speaker = number = 0
    for line in block.splitlines():
        speaker = 1 - speaker if line.startswith(_DASH) else 0
        for tokens in _cut_line(list(_tokens(line, language)), rng):
            number += 1
            yield Segment(f"{name}_{number:03d}", tuple(tokens), speaker)


def _tokens(line: str, language: str) -> Iterator[Token]:
    in_braces = False
    for text in line.split():
        in_braces |= "{" in text
        yield Token(text.replace("{", "").replace("}", ""), _OTHER[language] if in_braces else language)
        in_braces &= "}" not in text


def _cut_line(tokens: Sequence[Token], rng: random.Random) -> Iterator[list[Token]]:
    """Cut mostly after sentences, but not always: the end of a segment must not imply a period."""
    segment = list[Token]()
    size, anywhere = 0, False
    for i, token in enumerate(tokens):
        if not segment:
            size, anywhere = max(_SHORTEST, round(rng.lognormvariate(2.5, 0.5))), rng.random() < _CUT_ANYWHERE
        segment.append(token)
        ends = anywhere or token.text.rstrip("»").endswith((".", "?", "!", "…"))
        ends |= len(segment) >= _LONGEST and token.text.endswith((",", ";", ":"))
        if i + 1 == len(tokens) or (ends and len(segment) >= size and tokens[i + 1].text != _DASH):
            yield segment
            segment = []
