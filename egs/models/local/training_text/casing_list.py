"""Learn a casing list (`asr_punct.casing`) from written text: the forms that case labels alone cannot give.

`egs/models/run.sh --corpus DIR --stage 1 --stop-stage 1` writes the lists of all shipped models, with their training
text, to `egs/models/work/MODEL/data/casing.txt`; stage 3 puts them beside the weights, stage 5 into the package.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from asr_punct.casing import STEM_MARKER, Casing, stems_of
from asr_punct.letter_case import apply_case
from asr_punct.marks import LEFT, MAY_END_SENTENCE, Case, Mark
from asr_punct.text import parse
from training_text.cleaning import repaired
from training_text.sources import Source, read_blocks

_LEFT = frozenset(LEFT)
_FORM = re.compile(r"(?:[^\W_]|[.'’&+/-])+")
"""Form that can be learnt: no addresses, nor names of machines."""
_MIN_SHARE = 0.9
"""Least share of a word's occurrences with a form that is learnt."""
_MAX_FORMS = 3000
"""Most forms of a list; the most frequent ones are kept."""


def learn_casing(corpus: Path, sources: Iterable[Source], min_count: int = 5) -> tuple[str, ...]:
    """Return the lines of a casing list, the most frequent first.

    A form with `min_count` occurrences is learnt if nearly all occurrences of its word have it; a stem if nearly all
    capitalised occurrences of its word with endings have it. The share of a form is computed from rates within each
    language, so that a common word of a language with little text does not become the acronym of another language.
    Exceptions follow: common words that the list would otherwise read as a stem with an ending.

    Raises InputError if a text is missing from the folder `corpus` or cannot be read.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for source in (each for each in sources if not each.is_speech):
        lines = (repaired(line, source.language) for block in read_blocks(corpus, source) for line in block)
        counts[source.language].update(_forms_inside_sentences(lines, source.language))
    return _learn(counts, min_count)


def _forms_inside_sentences(lines: Iterable[str], language: str) -> Iterator[str]:
    """Yield the written forms of words whose capitals are their own.

    Words at the beginning of a sentence or quotation, words before a colon (speakers) and lines mostly in capitals
    (headings) are skipped.
    """
    for line in lines:
        parsed = parse(line, language)
        if 2 * sum(label.case is Case.ALL_CAPS for label in parsed.labels) > len(parsed.words):
            continue
        starts_sentence = True
        for form, label in zip(parsed.forms, parsed.labels, strict=True):
            if not starts_sentence and _LEFT.isdisjoint(label.marks) and Mark.COLON not in label.marks:
                yield form
            starts_sentence = not MAY_END_SENTENCE.isdisjoint(label.marks)


def _learn(counts: Mapping[str, Counter[str]], min_count: int) -> tuple[str, ...]:
    """Return the lines of a casing list, from the counts of written forms by language."""
    words, stems = _Forms(), _Forms()
    for language, forms in counts.items():
        total = forms.total()
        for form, count in forms.items():
            words.add(form.lower(), form, count, total)
            for stem, ending in stems_of(form.lower(), language) if form != form.lower() else ():
                bare = stem.removesuffix(STEM_MARKER)
                stems.add(bare, form[: len(bare)] if form.endswith(ending) else bare, count, total)
    chosen = {form: words.counts[form] for form in words.learnt(min_count)}
    for form in stems.learnt(min_count):
        if form[-1].isupper():  # not `ETAr`, of `ETAren` and `ETAri`
            is_word = form.lower() in words.rates
            alone = not is_word or words.shares(form.lower()).get(form, 0.0) >= _MIN_SHARE
            chosen.setdefault(form if alone else form + STEM_MARKER, stems.counts[form])
    kept = sorted(chosen, key=lambda form: (-chosen[form], form))[:_MAX_FORMS]
    return (*kept, *_exceptions(Casing.of(kept, "+".join(counts)), words, min_count))


def _exceptions(casing: Casing, words: _Forms, min_count: int) -> list[str]:
    """Return frequent words that the list reads as a stem with an ending but that are mostly written otherwise."""
    found: Counter[str] = Counter()
    for word, forms in words.rates.items():
        count = sum(words.counts[form] for form in forms)
        form = casing.apply(word, Case.FIRST_CAP)
        is_stem = word not in casing.forms and form != apply_case(word, Case.FIRST_CAP)
        if count >= min_count and is_stem and words.shares(word).get(form, 0.0) < 1 / 2:
            found[word] = count
    return [word for word, _ in found.most_common()]


class _Forms:
    """Written forms of words.

    `rates` has, by the word in lower case, the rate of each form: its share of all words of a language, added up over
    the languages. `counts` has the occurrences of each form.
    """

    def __init__(self) -> None:
        self.rates: dict[str, dict[str, float]] = defaultdict(dict)
        self.counts: Counter[str] = Counter()

    def add(self, word: str, form: str, count: int, total: int) -> None:
        """Add `count` occurrences of a form among the `total` words of a language."""
        self.rates[word][form] = self.rates[word].get(form, 0.0) + count / total
        self.counts[form] += count

    def shares(self, word: str) -> dict[str, float]:
        """Return the share of each form of a word."""
        forms = self.rates[word]
        return {form: rate / sum(forms.values()) for form, rate in forms.items()}

    def learnt(self, min_count: int) -> list[str]:
        """Return frequent forms that case labels cannot give, or give as capitals alone."""
        return [
            form
            for word in self.rates
            for form, share in self.shares(word).items()
            if share >= _MIN_SHARE
            and self.counts[form] >= min_count
            and form not in (word, apply_case(word, Case.FIRST_CAP))
            and form.lower() == word
            and _FORM.fullmatch(form)
            and sum(char.isalpha() for char in word) > 1
        ]
