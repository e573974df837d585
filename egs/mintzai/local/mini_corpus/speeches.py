"""Speeches of the grammars, cut into segments as a transcriber would cut them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mini_corpus import basque, spanish
from mini_corpus.grammar import Grammar, Writer

SIZES = {
    ("es", "train"): 10_000,
    ("es", "dev"): 1_200,
    ("es", "test"): 3_000,
    ("eu", "train"): 8_500,
    ("eu", "dev"): 1_100,
    ("eu", "test"): 2_700,
}
"""Words of each part at scale 1: two and a half hours of speech in all."""
_WORDS_OF_A_SPEECH = (220, 380)
_OTHER = {"es": "eu", "eu": "es"}
_BREAK, _FOREIGN_BEGIN, _FOREIGN_END = "//", "⟦", "⟧"
_TIE = "~"
_DASH = "–"
_SPEECH_FEATURES = "tcku"
_KINDS_OF_CUT = ("sentence", "comma", "anywhere")
_SHARE_OF_CUTS = (72, 16, 12)
_SHORTEST, _LONGEST = 4, 34
_QUOTES = (("«", "»"), ("«", "»"), ("“", "”"), ('"', '"'))
_DASHES = ("–", "–", "—", "-")
_ELLIPSES = ("…", "...")


@dataclass(frozen=True, slots=True)
class Token:
    """White-space token of written text.

    Attributes:
        text: a word with its marks, or a dash.
        language: in which it is said.
        tied: the next one belongs to it (`EE. UU.`): no segment ends between them.
    """

    text: str
    language: str
    tied: bool = False


@dataclass(frozen=True)
class Segment:
    """What one transcription file holds, and one audio file."""

    name: str
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """The line of written text."""
        return " ".join(token.text for token in self.tokens)


@dataclass(frozen=True)
class Recording:
    """A speech: consecutive segments of one speaker."""

    name: str
    language: str
    split: str
    segments: tuple[Segment, ...]


def write_recordings(language: str, split: str, words: int, seed: int) -> Iterator[Recording]:
    """Speeches with about that many words in all.

    Train draws on fewer family names than dev and test.
    """
    rng = random.Random(f"{seed} {language} {split}")
    grammar = read_grammar(language)
    writer = Writer(grammar, rng)
    topics: list[str] = []
    number = 0
    while words > 0:
        if not topics:
            topics = rng.sample(grammar.domains["t"], len(grammar.domains["t"]))
        number += 1
        given = {name: rng.choice(grammar.domains[name]) for name in _SPEECH_FEATURES}
        given |= {"t": topics.pop(), "u": "seen" if split == "train" else "held"}
        tokens = list(_speech(writer, given, language, min(words, rng.randint(*_WORDS_OF_A_SPEECH)), rng))
        words -= sum(token.text != _BREAK for token in tokens)
        name = f"mini-{language}-{split}-{number:03d}"
        cuts = enumerate(_cut(tokens, rng), 1)
        yield Recording(name, language, split, tuple(Segment(f"{name}_{i:03d}", tuple(cut)) for i, cut in cuts))


def read_grammar(language: str) -> Grammar:
    """The grammar of es or eu."""
    place, module = Path(__file__).parent, {"es": spanish, "eu": basque}[language]
    paths = [place / f"{language}{part}.grammar" for part in ("_topics", "", "_moves")]
    return Grammar.read(paths, module.FUNCTIONS, module.SOURCES)


def _speech(writer: Writer, given: Mapping[str, str], language: str, words: int, rng: random.Random) -> Iterator[Token]:
    """Tokens of opening, moves and closing, in one typographic habit."""
    style = {_DASH: rng.choice(_DASHES), "…": rng.choice(_ELLIPSES)}
    style |= dict(zip("«»", rng.choice(_QUOTES), strict=True))
    said, parts = 0, iter(["opening"])
    while said < words:
        for token in _tokens(writer.write(next(parts, "move"), given), language, style):
            said += 1
            yield token
    yield from _tokens(writer.write("closing", given), language, style)


def _tokens(text: str, language: str, style: Mapping[str, str]) -> Iterator[Token]:
    """The tokens of an expansion: its signs resolved, its typography that of the speech."""
    text = re.sub(r"\^([^\w^]*)(\w)", lambda found: found[1] + found[2].upper(), text.replace("^^", "^"))
    if language == "es":
        text = spanish.tidy(text)
    foreign = False
    for piece in text.split():
        foreign |= _FOREIGN_BEGIN in piece
        bare = piece.replace(_FOREIGN_BEGIN, "").replace(_FOREIGN_END, "")
        styled = "".join(style.get(char, char) for char in bare)
        *tied, last = styled.split(_TIE)
        spoken = _OTHER[language] if foreign else language
        yield from (Token(part, spoken, tied=True) for part in tied)
        yield Token(last, spoken)
        foreign &= _FOREIGN_END not in piece


def _cut(tokens: Sequence[Token], rng: random.Random) -> Iterator[list[Token]]:
    """Segments: mostly whole sentences, but an end of segment must not stand for a period."""
    segment: list[Token] = []
    kind, size = _draw_cut(rng)
    for token, following in zip(tokens, [*tokens[1:], Token(_BREAK, "")], strict=True):
        if token.text != _BREAK:
            segment.append(token)
        if segment and (_BREAK in (token.text, following.text) or _ends(segment, kind, size, following)):
            yield segment
            segment, (kind, size) = [], _draw_cut(rng)


def _draw_cut(rng: random.Random) -> tuple[str, int]:
    return rng.choices(_KINDS_OF_CUT, _SHARE_OF_CUTS)[0], round(rng.lognormvariate(2.5, 0.5))


def _ends(segment: Sequence[Token], kind: str, size: int, following: Token) -> bool:
    """Whether a segment may end here; never between words that belong together, nor before a dash."""
    last = segment[-1].text
    if len(segment) < max(size, _SHORTEST) or segment[-1].tied or following.text[0] in "".join(_DASHES):
        return False
    if kind == "anywhere":
        return True
    sentence = last.rstrip('»”"')[-1:] in (".", "?", "!", "…")
    return sentence or ((kind == "comma" or len(segment) >= _LONGEST) and last.endswith((",", ";", ":")))
