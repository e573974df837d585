"""Transcript of the score page: recognised words with their errors, pauses, times and certainty."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from asr_punct.glyphs import Glyphs
from asr_punct.marks import CASES, LEFT, Case, Labels, Mark
from asr_punct.scoring.markdown import CASE_NAMES, mark_name, percent
from asr_punct.scoring.paired_texts import PairedTexts
from asr_punct.scoring.pairing import WordPair
from asr_punct.words import Seconds, Word

SHOWN_WORDS = 10_000
"""Number of aligned words that are shown, of all hypotheses together, about 2 MB."""
_MIN_DOUBT = 0.2
"""Words with less doubt are not shaded."""


@dataclass(frozen=True)
class ShownMark:
    """A mark of the transcript.

    `kind` is `missing`, `extra`, `wrong` (one mark instead of another), or empty for a right mark. `element` of HTML is
    `del` for a mark of the reference, `ins` for one of the hypothesis.
    """

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
class ShownWord:
    """A pair of aligned words, with the marks on both sides and the pause after it.

    `doubt` is one minus the probability of the least certain label, or of the word; 0 if it is unknown or too small to
    be shown. `certainty` is the tooltip: the probabilities of the labels, or the confidence.
    """

    pair: WordPair
    left: Sequence[ShownMark]
    right: Sequence[ShownMark]
    pause: Seconds | None
    doubt: float
    certainty: str | None

    @property
    def start(self) -> Seconds | None:
        """Start in the hypothesis if it has times, else in the reference."""
        words = (self.pair.hypothesis, self.pair.reference)
        return next((word.start for word in words if word and word.start is not None), None)


@dataclass(frozen=True)
class Paragraph:
    """An utterance of the reference: its id, else its number from 1, and its words in each hypothesis."""

    name: str | int
    texts: Sequence[Sequence[ShownWord]]

    @property
    def is_same(self) -> bool:
        """Whether the hypotheses are written alike."""
        written = [[(word.pair.form, word.left, word.right) for word in text] for text in self.texts]
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


def make_transcript(texts: Sequence[PairedTexts], glyphs: Glyphs, max_words: int = SHOWN_WORDS) -> Transcript:
    """Return the first words of hypotheses of one reference, by utterance; up to `max_words` of all together."""
    unit = _certainty_unit(pair.hypothesis for text in texts for pair in text.pairs if pair.hypothesis)
    columns: list[Mapping[int, Sequence[ShownWord]]] = []
    for text in texts:
        shown = islice(_shown_words(text.pairs, glyphs, unit), max_words // len(texts))
        columns.append({number: list(group) for number, group in groupby(shown, lambda word: word.pair.unit)})
    paragraphs = [
        Paragraph(texts[0].references[number].id or number + 1, [column.get(number, ()) for column in columns])
        for number in sorted(set().union(*columns))
    ]
    count = sum(len(words) for column in columns for words in column.values())
    return Transcript(count, sum(len(text.pairs) for text in texts), paragraphs, unit)


def _shown_words(pairs: Sequence[WordPair], glyphs: Glyphs, certainty_unit: str | None) -> Iterator[ShownWord]:
    """Yield the aligned words, with pauses of the hypothesis if it has any, else of the reference."""
    has_pauses = any(pair.hypothesis and pair.hypothesis.pause is not None for pair in pairs)
    for pair in pairs:
        marks = pair.expected.marks | pair.lost, pair.labels.marks
        paused = pair.hypothesis if has_pauses else pair.reference
        doubt, certainty = _certainty(pair.hypothesis, glyphs, certainty_unit) if pair.hypothesis else (0.0, None)
        left, right = (_shown_marks(*marks, order, glyphs) for order in (LEFT, glyphs.right))
        shade = doubt if doubt >= _MIN_DOUBT else 0.0
        yield ShownWord(pair, left, right, paused.pause if paused else None, shade, certainty)


def _shown_marks(
    wanted: frozenset[Mark], found: frozenset[Mark], order: Sequence[Mark], glyphs: Glyphs
) -> list[ShownMark]:
    """Return the marks on one side: right and missing ones in order, then extra ones."""
    extra = [mark for mark in order if mark in found - wanted]
    has_missing = any(mark in wanted - found for mark in order)
    shown = []
    for mark in (mark for mark in order if mark in wanted):
        kind = "" if mark in found else "wrong" if extra else "missing"
        shown.append(ShownMark(glyphs.glyph[mark], kind, "del"))
    return shown + [ShownMark(glyphs.glyph[mark], "wrong" if has_missing else "extra", "ins") for mark in extra]


def _certainty_unit(words: Iterable[Word]) -> str | None:
    """Return `labels` if any word has probabilities, else `words` if confidences are between 0 and 1, else None."""
    confidences = []
    for word in words:
        if word.probabilities:
            return "labels"
        if word.confidence is not None:
            confidences.append(word.confidence)
    return "words" if confidences and 0 <= min(confidences) <= max(confidences) <= 1 else None


def _certainty(word: Word, glyphs: Glyphs, unit: str | None) -> tuple[float, str | None]:
    """Return the doubt about the word or its labels, by the unit, and a tooltip; 0 and None if it is unknown."""
    if unit == "words" and word.confidence is not None:
        return 1 - word.confidence, f"confidence {percent(word.confidence)} %"
    if unit != "labels" or word.probabilities is None:
        return 0.0, None
    labels = word.labels or Labels()
    marks = {mark: p for mark, p in word.probabilities.items() if isinstance(mark, Mark)}
    cases = {case: p for case, p in word.probabilities.items() if isinstance(case, Case)}
    chosen = [p if mark in labels.marks else 1 - p for mark, p in marks.items()]
    chosen.append(1 - sum(cases.values()) if labels.case is Case.O else cases.get(labels.case, 1.0))
    names = [f"{mark_name(mark, glyphs)} {percent(p)} %" for mark, p in marks.items()]
    names += [f"{CASE_NAMES[case]} {percent(cases[case])} %" for case in CASES if case in cases]
    return 1 - min(chosen), ", ".join(names)
