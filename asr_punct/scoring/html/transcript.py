"""Transcript of the score page: recognised words with their errors, pauses and times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from asr_punct.marks import LEFT, Glyphs, Mark
from asr_punct.scoring.evaluate import PairedTexts
from asr_punct.scoring.pairing import PairedUtterances
from asr_punct.words import Seconds, Word

SHOWN_WORDS = 10_000
"""Number of aligned words that are shown, about 2 MB."""


@dataclass(frozen=True)
class ShownMark:
    """A mark of the transcript.

    Attributes:
        mark: the mark.
        glyph: how it is written.
        kind: `missing`, `extra`, `wrong` (one mark instead of another), or empty for a right mark.
        element: HTML element, `del` for a mark of the reference, `ins` for one of the hypothesis.
    """

    mark: Mark
    glyph: str
    kind: str = ""
    element: str = ""


@dataclass(frozen=True)
class WordPair:
    """A pair of aligned words.

    Attributes:
        unit: index of the reference utterance.
        reference: word of the reference; None for an inserted word.
        hypothesis: word of the hypothesis; None for a deleted word.
        wanted: written form that the hypothesis should have.
        written: written form that it has.
        left: marks before the word.
        right: marks after the word.
        equal: whether the words are the same.
        pause: pause after the word.
    """

    unit: int
    reference: Word | None
    hypothesis: Word | None
    wanted: str
    written: str
    left: Sequence[ShownMark]
    right: Sequence[ShownMark]
    equal: bool
    pause: Seconds | None

    @property
    def start(self) -> Seconds | None:
        """Start in the hypothesis if it has times, else in the reference."""
        return next((word.start for word in (self.hypothesis, self.reference) if word and word.start is not None), None)


@dataclass(frozen=True)
class Transcript:
    """Shown and total number of aligned words, and the name and words of each utterance."""

    shown: int
    total: int
    paragraphs: Sequence[tuple[object, Sequence[WordPair]]]


def make_transcript(paired: PairedTexts, glyphs: Glyphs, most: int = SHOWN_WORDS) -> Transcript:
    """Return the first `most` words of the transcript by utterance."""
    total = sum(len(pair.alignment.equal) for pair in paired.pairs)
    has_pauses = any(word.pause is not None for pair in paired.pairs for word in pair.hypothesis_words)
    shown = list(islice((p for pair in paired.pairs for p in _word_pairs(pair, glyphs, has_pauses)), most))
    paragraphs = [
        (paired.references[unit].id or unit + 1, list(group)) for unit, group in groupby(shown, lambda pair: pair.unit)
    ]
    return Transcript(len(shown), total, paragraphs)


def _word_pairs(pair: PairedUtterances, glyphs: Glyphs, has_pauses: bool) -> Iterator[WordPair]:
    """Yield the aligned words, with pauses of the hypothesis if it `has_pauses`, else of the reference."""
    lost = defaultdict[int, set[Mark]](set)
    for i, mark in pair.lost:
        lost[i].add(mark)
    alignment, labels, forms = pair.alignment, pair.hypothesis, pair.hypothesis_forms
    rows = zip(
        pair.pair_units,
        *(a.tolist() for a in (alignment.reference, alignment.hypothesis, alignment.equal)),
        strict=True,
    )
    for unit, i, j, equal in rows:
        reference = pair.reference_words[i] if i >= 0 else None
        hypothesis = pair.hypothesis_words[j] if j >= 0 else None
        paused = hypothesis if has_pauses else reference
        wanted = (pair.reference[j].marks if j >= 0 else frozenset()) | lost.get(i, frozenset())
        found = labels[j].marks if j >= 0 else frozenset()
        yield WordPair(
            unit,
            reference,
            hypothesis,
            pair.reference_forms[j] if j >= 0 else "",
            forms[j] if j >= 0 else "",
            _shown_marks(wanted, found, LEFT, glyphs),
            _shown_marks(wanted, found, glyphs.right, glyphs),
            equal,
            paused.pause if paused else None,
        )


def _shown_marks(
    wanted: frozenset[Mark], found: frozenset[Mark], order: Sequence[Mark], glyphs: Glyphs
) -> list[ShownMark]:
    """Return the marks on one side: right and missing ones in order, then extra ones."""
    extra = [mark for mark in order if mark in found - wanted]
    has_missing = any(mark in wanted - found for mark in order)
    shown = []
    for mark in (mark for mark in order if mark in wanted):
        kind = "" if mark in found else "wrong" if extra else "missing"
        shown.append(ShownMark(mark, glyphs.glyph[mark], kind, "del"))
    return shown + [ShownMark(mark, glyphs.glyph[mark], "wrong" if has_missing else "extra", "ins") for mark in extra]
