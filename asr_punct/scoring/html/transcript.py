"""Transcript of the score page: recognised words with their errors, pauses and times."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from asr_punct.marks import LEFT, Glyphs, Mark
from asr_punct.scoring.evaluate import PairedTexts
from asr_punct.scoring.html.certainty import Certainty, certainties, certainty_unit
from asr_punct.scoring.pairing import PairedUtterances
from asr_punct.words import Seconds, Word

SHOWN_WORDS = 10_000
"""Number of aligned words that are shown, of all hypotheses together, about 2 MB."""


@dataclass(frozen=True)
class ShownMark:
    """A mark of the transcript.

    `kind` is `missing`, `extra`, `wrong` (one mark instead of another), or empty for a right mark. `element` of HTML is
    `del` for a mark of the reference, `ins` for one of the hypothesis.
    """

    mark: Mark
    glyph: str
    kind: str = ""
    element: str = ""

    @property
    def title(self) -> str:
        """Tooltip of a mark that is not right."""
        if self.kind == "wrong":
            return f"mark of the {'reference' if self.element == 'del' else 'hypothesis'}"
        return f"{self.kind} mark"


@dataclass(frozen=True)
class WordPair:
    """A pair of aligned words; None for the missing word of an insertion or deletion.

    `unit` is the index of the reference utterance. `wanted` is the written form that the hypothesis should have,
    `written` the one that it has, with the marks `left` and `right` of it. `pause` is after the word; the certainty is
    None if unknown.
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
    certainty: Certainty | None

    @property
    def start(self) -> Seconds | None:
        """Start in the hypothesis if it has times, else in the reference."""
        return next((word.start for word in (self.hypothesis, self.reference) if word and word.start is not None), None)


@dataclass(frozen=True)
class Paragraph:
    """Name of an utterance of the reference, and its words in each hypothesis."""

    name: object
    texts: Sequence[Sequence[WordPair]]

    @property
    def is_same(self) -> bool:
        """Whether the hypotheses are written alike."""
        written = [[(word.written, word.left, word.right) for word in text] for text in self.texts]
        return all(text == written[0] for text in written)


@dataclass(frozen=True)
class Transcript:
    """Transcript of one or more hypotheses: the numbers of aligned words that are shown and of all, and the utterances.

    `certainty_unit` is `labels` or `words`, whose certainty the shades show; None without shades.
    """

    shown: int
    total: int
    paragraphs: Sequence[Paragraph]
    certainty_unit: str | None


def make_transcript(texts: Sequence[PairedTexts], glyphs: Glyphs, most: int = SHOWN_WORDS) -> Transcript:
    """Return the first words of hypotheses of one reference, by utterance; `most` words together."""
    total = sum(len(pair.alignment.equal) for text in texts for pair in text.pairs)
    unit = certainty_unit(word for text in texts for pair in text.pairs for word in pair.hypothesis_words)
    columns = [_utterances(text, glyphs, unit, most // len(texts)) for text in texts]
    shown = sum(len(words) for column in columns for words in column.values())
    numbers = sorted({number for column in columns for number in column})
    paragraphs = [
        Paragraph(texts[0].references[number].id or number + 1, [column.get(number, ()) for column in columns])
        for number in numbers
    ]
    return Transcript(shown, total, paragraphs, unit)


def _utterances(text: PairedTexts, glyphs: Glyphs, unit: str | None, most: int) -> Mapping[int, Sequence[WordPair]]:
    """Return the first `most` aligned words by index of their reference utterance."""
    has_pauses = any(word.pause is not None for pair in text.pairs for word in pair.hypothesis_words)
    shown = islice((p for pair in text.pairs for p in _word_pairs(pair, glyphs, has_pauses, unit)), most)
    return {number: list(group) for number, group in groupby(shown, lambda pair: pair.unit)}


def _word_pairs(pair: PairedUtterances, glyphs: Glyphs, has_pauses: bool, certainty: str | None) -> Iterator[WordPair]:
    """Yield the aligned words, with pauses of the hypothesis if it `has_pauses`, else of the reference."""
    certain = list(certainties(pair.hypothesis_words, glyphs, certainty))
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
            certain[j] if j >= 0 else None,
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
