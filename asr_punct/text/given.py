"""The marks and capitals of written words as labels, so that they can be edited as those of a model."""

from __future__ import annotations

from dataclasses import replace

from asr_punct.glyphs import Glyphs, write_word
from asr_punct.letter_case import case_of
from asr_punct.marks import Labels
from asr_punct.text.bare import bare_words
from asr_punct.text.edges import read_marks, split_token
from asr_punct.words import Utterance, Word


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
    for text, labels in ((bare, Labels(marks, case_of(core))), (cased, Labels(marks))):
        if at >= 0 and write_word(text, labels, glyphs) == word.text:
            return replace(word, text=text, labels=labels)
    return replace(word, labels=Labels())
