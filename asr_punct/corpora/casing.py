"""Learn a casing list from written text: the forms that case labels alone cannot give."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asr_punct.casing import STEM_MARKER, Casing, stems_of
from asr_punct.corpora.cleaning import repaired
from asr_punct.corpora.sources import Source, read_blocks
from asr_punct.marks import LEFT, SENTENCE_ENDS, Case, Labels, Mark, apply_case, case_of
from asr_punct.text import parse
from asr_punct.text.characters import shape_of

_LEFT = frozenset(LEFT)
_CAPITAL_MAY_FOLLOW = SENTENCE_ENDS | {Mark.ELLIPSIS, Mark.COLON}
_FORM = re.compile(r"(?:[^\W_]|[.'’&+/-])+")
"""Form that can be learnt: no addresses, nor names of machines."""
_PART = re.compile("A+[am]*|[am]+")
_GLUED_RATIO = 100
_PER = 1e6


@dataclass(frozen=True)
class Evidence:
    """Least evidence for a form.

    Attributes:
        count: fewest occurrences.
        share: least share of the word's occurrences with this form.
        forms: most forms of a list; the most frequent ones are kept.
    """

    count: int = 5
    share: float = 0.9
    forms: int = 3000


def learn_from_sources(corpus: Path, sources: Iterable[Source], evidence: Evidence | None = None) -> tuple[str, ...]:
    """Return the lines of the casing list of a table of sources, whose texts are in the folder `corpus`.

    Raises:
        InputError: a text is missing or cannot be read.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for source in sources:
        lines = (repaired(line, source.language) for block in read_blocks(corpus, source) for line in block)
        counts[source.language].update(count_forms(lines, source.language))
    return learn(counts, evidence or Evidence())


def count_forms(lines: Iterable[str], language: str) -> Counter[str]:
    """Count the written forms of words whose capitals are their own.

    Words at the beginning of a sentence or quotation, words before a colon (speakers) and lines mostly in capitals
    (headings) do not count.

    Args:
        lines: written text, a sentence or paragraph each.
        language: of the text.
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


def learn(counts: Mapping[str, Counter[str]], evidence: Evidence) -> tuple[str, ...]:
    """Return the lines of a casing list (`asr_punct.casing`), the most frequent first.

    A form is learnt if nearly all occurrences of its word have it; a stem if nearly all capitalised occurrences of its
    word with endings have it. Occurrences count per million words of each language, so that a common word of a language
    with little text does not become the acronym of another language. Exceptions follow: common words that the list
    would otherwise read as a stem with an ending.

    Args:
        counts: results of `count_forms`, by language.
        evidence: least evidence for a form.
    """
    words, stems = _Forms(), _Forms()
    for language, forms in counts.items():
        weight = _PER / max(1, forms.total())
        for form, count in forms.items():
            words.add(form.lower(), form, count, weight)
            for stem, ending in stems_of(form.lower(), language) if form != form.lower() else ():
                bare = stem.removesuffix(STEM_MARKER)
                stems.add(bare, form[: len(bare)] if form.endswith(ending) else bare, count, weight)
    chosen = {form: words.counts[form] for form in words.learnt(evidence) if not _glued(form, words)}
    for form in stems.learnt(evidence):
        if form[-1] == form[-1].lower():  # `ETAr`, of `ETAren` and `ETAri`
            continue
        own = words.shares(form.lower()).get(form, 0.0) >= evidence.share or form.lower() not in words.weights
        chosen.setdefault(form if own else form + STEM_MARKER, stems.counts[form])
    kept = sorted(chosen, key=lambda form: (-chosen[form], form))[: evidence.forms]
    return (*kept, *_exceptions(Casing.of(kept, "+".join(counts)), words, evidence))


def _exceptions(casing: Casing, words: _Forms, evidence: Evidence) -> list[str]:
    """Return frequent words that the list reads as a stem with an ending but that are mostly written otherwise."""
    found: Counter[str] = Counter()
    for word, forms in words.weights.items():
        count = sum(words.counts[form] for form in forms)
        form = casing.apply(word, Case.FIRST_CAP)
        common = word in casing.forms or form == apply_case(word, Case.FIRST_CAP)
        if count >= evidence.count and not common and words.shares(word).get(form, 0.0) < 1 / 2:
            found[word] = count
    return [word for word, _ in found.most_common()]


class _Forms:
    """Written forms of words.

    Attributes:
        weights: occurrences of each form per million words, by the word in lower case.
        counts: occurrences of each form.
    """

    def __init__(self) -> None:
        self.weights: dict[str, dict[str, float]] = defaultdict(dict)
        self.counts: Counter[str] = Counter()

    def add(self, word: str, form: str, count: int, weight: float) -> None:
        """Add `count` occurrences of a form, each with this weight."""
        forms = self.weights[word]
        forms[form] = forms.get(form, 0.0) + count * weight
        self.counts[form] += count

    def weight(self, word: str) -> float:
        """Return the weight of all forms of a word."""
        return sum(self.weights.get(word, {}).values())

    def shares(self, word: str) -> dict[str, float]:
        """Return the share of each form of a word; nothing for an unknown word."""
        return {form: weight / self.weight(word) for form, weight in self.weights.get(word, {}).items()}

    def learnt(self, evidence: Evidence) -> list[str]:
        """Return forms with enough evidence that case labels cannot give, or give as capitals alone."""
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


def _glued(form: str, words: _Forms) -> bool:
    """Whether a form is two common words whose space was lost (`elEstado`)."""
    if case_of(form) is Case.ALL_CAPS:
        return False
    parts = [form[match.start() : match.end()].lower() for match in _PART.finditer(shape_of(form))]
    if len(parts) < 2 or "".join(parts) != form.lower() or min(map(len, parts)) < 2:
        return False
    return all(words.weight(part) >= _GLUED_RATIO * words.weight(form.lower()) for part in parts)
