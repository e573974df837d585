"""The marks and capitals of written words as labels, so that they can be edited as those of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asr_punct.glyphs import Glyphs, write_word
from asr_punct.letter_case import case_of
from asr_punct.marks import Labels, Mark
from asr_punct.text.bare import bare_words
from asr_punct.text.edges import read_marks, split_token
from asr_punct.words import Utterance, Word

_QUOTES = frozenset({Mark.OPEN_QUOTE, Mark.QUOTE})


def with_given_labels(utterance: Utterance, glyphs: Glyphs) -> Utterance:
    """Return the utterance with the marks and capitals of its words as labels; it is written the same.

    `glyphs` are those of its language. A word that has labels stays, and one that would be written otherwise keeps its
    marks or its capitals.
    """
    texts = bare_words(utterance, glyphs.name)
    words = zip(utterance.words, texts, strict=True)
    return replace(utterance, words=tuple(_labelled(word, text, glyphs) for word, text in words))


def _labelled(word: Word, bare: str, glyphs: Glyphs) -> Word:
    if word.labels is not None:
        return word
    before, core, after = split_token(word.text, glyphs.name)
    marks = read_marks(before, after)
    at = bare.find(core.lower())
    cased = bare[:at] + core + bare[at + len(core) :]
    ways = [(bare, Labels(marks, case_of(core))), (cased, Labels(marks))] if at >= 0 else []
    ways += _in_quotes(before, core, after, marks - _QUOTES, glyphs)
    for text, labels in ways:
        if write_word(text, labels, glyphs) == word.text:
            return replace(word, text=text, labels=labels)
    return replace(word, labels=Labels())


def _in_quotes(
    before: str, core: str, after: str, marks: frozenset[Mark], glyphs: Glyphs
) -> Iterator[tuple[str, Labels]]:
    """Yield ways to write a word whose quotation marks and brackets are no marks, with the marks outside or inside."""
    written = {glyphs.glyph[mark] for mark in marks}
    left, right = ("".join(each for each in side if each not in written) for side in (before, after))
    for inside in (False, True):
        yield left + core.lower() + right, Labels(marks, case_of(core), inside=inside)
        yield left + core + right, Labels(marks, inside=inside)
