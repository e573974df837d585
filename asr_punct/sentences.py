"""Sentences of restored transcripts: the same words, one utterance a sentence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import attrgetter

from asr_punct.channels import chronological
from asr_punct.glyphs import Glyphs
from asr_punct.marks import Mark
from asr_punct.text import read_marks, split_token
from asr_punct.text.sentence_ends import ends_sentence
from asr_punct.text.turns import has_arrow
from asr_punct.words import Utterance, Word, by_speaker


def sentences(utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the sentences of utterances, those of a document in the order of time.

    A sentence may span utterances. It also ends with its speaker's turn, its channel and its document. A token of marks
    that close something belongs to the sentence before it.
    """
    for _, document in groupby(utterances, key=lambda utterance: utterance.context):
        found = list[Utterance]()
        by_channel = sorted(chain.from_iterable(map(_turns, document)), key=lambda utterance: utterance.channel)
        for _, turn in groupby(by_channel, key=lambda utterance: (utterance.channel, utterance.speaker)):
            found += _sentences_of_turn(list(turn), glyphs)
        yield from chronological(found, attrgetter("start"))


def _turns(utterance: Utterance) -> Iterator[Utterance]:
    """Yield the words of each speaker of an utterance; those of an unknown one belong to the speaker before them."""
    left, speaker = iter(utterance.words), utterance.speaker
    for name, count in by_speaker(utterance.words, speaker):
        speaker = name or speaker
        yield replace(utterance, speaker=speaker, words=tuple(islice(left, count)))


def _sentences_of_turn(turn: Sequence[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the sentences of consecutive utterances of one speaker."""
    words, first = list[Word](), turn[0]
    has_ended = False
    for utterance in turn:
        language = glyphs.of(utterance.language).name
        for word in utterance.words:
            if has_ended and not _only_closes(word, language):
                yield replace(first, words=tuple(words), origin=None)
                words, has_ended = [], False
            if not words:
                first = utterance
            words.append(word)
            has_ended = has_ended or ends_sentence(word, language)
    if words:
        yield replace(first, words=tuple(words), origin=None)


def _only_closes(word: Word, language: str) -> bool:
    """Whether a token consists of marks that belong to the word before it.

    A dash, and `>>`, which begins a turn in captions, belong to the word after them.
    """
    before, core, after = split_token(word.text, language)
    return not (core or before or has_arrow(word.text)) and read_marks(before, after) != {Mark.DASH}
