"""A casing list learnt from written text: the forms that case labels alone cannot give."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asr_punct.casing import STEM, Casing, stems_of
from asr_punct.corpora.cleaning import mended
from asr_punct.corpora.sources import Source, read_blocks
from asr_punct.marks import LEFT, SENTENCE_ENDS, Case, Labels, Mark, apply_case, case_of
from asr_punct.text import parse
from asr_punct.text.characters import shape_of

_LEFT = frozenset(LEFT)
_CAPITAL_MAY_FOLLOW = SENTENCE_ENDS | {Mark.ELLIPSIS, Mark.COLON}
_FORM = re.compile(r"(?:[^\W_]|[.'’&+/-])+")
"""What is learnt: no addresses, nor names of machines."""
_PART = re.compile("A+[am]*|[am]+")
_GLUED_RATIO = 100
_PER = 1e6


@dataclass(frozen=True)
class Evidence:
    """What a form has to show to be learnt.

    Attributes:
        count: how often it is written at least.
        share: share of the places of its word where it is written so.
        forms: most forms of a list; the most frequent ones stay.
    """

    count: int = 5
    share: float = 0.9
    forms: int = 3000


def count_forms(lines: Iterable[str], language: str) -> Counter[str]:
    """How often each form is written where its capitals are its own.

    Words at the beginning of a sentence or quotation do not count, nor words before a colon (speakers) and lines
    mostly in capitals (headings).

    Args:
        lines: written text, a sentence or paragraph a line.
        language: whose conventions it follows.
    """
    counts: Counter[str] = Counter()
    for line in lines:
        parsed = parse(line, language)
        if 2 * sum(label.case is Case.ALL_CAPS for label in parsed.labels) <= len(parsed.words):
            counts.update(_inside_sentences(parsed.forms, parsed.labels))
    return counts


def _inside_sentences(forms: Iterable[str], labels: Iterable[Labels]) -> Iterator[str]:
    begins = True
    for form, label in zip(forms, labels, strict=True):
        if not begins and _LEFT.isdisjoint(label.marks) and Mark.COLON not in label.marks:
            yield form
        begins = not _CAPITAL_MAY_FOLLOW.isdisjoint(label.marks)


def learn_from_sources(corpus: Path, sources: Iterable[Source], evidence: Evidence) -> tuple[str, ...]:
    """Lines of the casing list that the texts of a table of sources give.

    Args:
        corpus: folder of the texts.
        sources: rows of the table.
        evidence: what a form has to show.

    Raises:
        InputError: a text is missing or cannot be read.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for source in sources:
        lines = (mended(line, source.language) for block in read_blocks(corpus, source) for line in block)
        counts[source.language].update(count_forms(lines, source.language))
    return learn(counts, evidence)


def learn(counts: Mapping[str, Counter[str]], evidence: Evidence) -> tuple[str, ...]:
    """Lines of a casing list (`asr_punct.casing`), the most frequent first.

    A form is learnt whole where nearly all places of its word have it, and as a stem where that is so of its word with
    endings, of those that have a capital. Languages count alike, per million words of each, so that a common word of
    a language with little text is not taken for the acronym of another. Exceptions are the common words and names
    that the list would otherwise read as a stem with an ending.

    Args:
        counts: what `count_forms` gives, by language.
        evidence: what a form has to show.
    """
    whole, endings = _Tally(), _Tally()
    for language, forms in counts.items():
        weight = _PER / max(1, forms.total())
        for form, count in forms.items():
            whole.add(form.lower(), form, count, weight)
            for stem, ending in stems_of(form.lower(), language) if form != form.lower() else ():
                bare = stem.removesuffix(STEM)
                endings.add(bare, form[: len(bare)] if form.endswith(ending) else bare, count, weight)
    chosen = {form: whole.counts[form] for form in whole.learnt(evidence) if not _glued(form, whole)}
    for form in endings.learnt(evidence):
        if form[-1] == form[-1].lower():  # `ETAr`, of `ETAren` and `ETAri`
            continue
        own = whole.shares(form.lower()).get(form, 0.0) >= evidence.share or form.lower() not in whole.weights
        chosen.setdefault(form if own else form + STEM, endings.counts[form])
    kept = sorted(chosen, key=lambda form: (-chosen[form], form))[: evidence.forms]
    return (*kept, *_exceptions(Casing.of(kept, "+".join(counts)), whole, evidence))


def _exceptions(casing: Casing, whole: _Tally, evidence: Evidence) -> list[str]:
    """Frequent words that the list reads as a stem with an ending and that are mostly written otherwise."""
    found: Counter[str] = Counter()
    for word in whole.weights:
        count = sum(whole.counts[form] for form in whole.weights[word])
        form = casing.write(word, Case.FIRST_CAP)
        common = word in casing.forms or form == apply_case(word, Case.FIRST_CAP)
        if count >= evidence.count and not common and whole.shares(word).get(form, 0.0) < 1 / 2:
            found[word] = count
    return [word for word, _ in found.most_common()]


class _Tally:
    """Written forms of words.

    Attributes:
        weights: of each form of a word per million words of a language, by the word in lower case.
        counts: how often each form is written.
    """

    def __init__(self) -> None:
        self.weights: dict[str, dict[str, float]] = defaultdict(dict)
        self.counts: Counter[str] = Counter()

    def add(self, word: str, form: str, count: int, weight: float) -> None:
        """A form that is written `count` times, each worth `weight`."""
        forms = self.weights[word]
        forms[form] = forms.get(form, 0.0) + count * weight
        self.counts[form] += count

    def weight(self, word: str) -> float:
        """Weight of a word in all its forms."""
        return sum(self.weights.get(word, {}).values())

    def shares(self, word: str) -> dict[str, float]:
        """Share of each form of a word; nothing for a word that was not seen."""
        return {form: weight / self.weight(word) for form, weight in self.weights.get(word, {}).items()}

    def learnt(self, evidence: Evidence) -> list[str]:
        """Forms with enough evidence that labels cannot give, or that labels give as capitals alone."""
        return [
            form
            for word in self.weights
            for form, share in self.shares(word).items()
            if share >= evidence.share
            and self.counts[form] >= evidence.count
            and form not in (word, apply_case(word, Case.FIRST_CAP))
            and form.lower() == word
            and _FORM.fullmatch(form)
            and sum(char.isalpha() for char in word) > 1
        ]


def _glued(form: str, whole: _Tally) -> bool:
    """Whether a form is two common words whose space was lost (`elEstado`)."""
    if case_of(form) is Case.ALL_CAPS:
        return False
    shape = shape_of(form)
    parts = [form[match.start() : match.end()].lower() for match in _PART.finditer(shape)]
    if len(parts) < 2 or "".join(parts) != form.lower() or min(map(len, parts)) < 2:
        return False
    return all(whole.weight(part) >= _GLUED_RATIO * whole.weight(form.lower()) for part in parts)
