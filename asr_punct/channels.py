"""Channels of a recording, such as the two sides of a call: separate documents for a model, one text for a reader."""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, groupby
from operator import itemgetter
from typing import NamedTuple, TypeVar

from asr_punct.glyphs import Glyphs
from asr_punct.text.sentence_ends import ends_sentence
from asr_punct.words import Seconds, Utterance, Word, has_times

_LETTERS = tuple("ABCDEFGH")
_Item = TypeVar("_Item")
Processed = TypeVar("Processed", Utterance, Utterance | None)


def chronological(items: Iterable[_Item], start_of: Callable[[_Item], Seconds | None]) -> list[_Item]:
    """Return the items sorted by start; one without a start, or with NaN, follows its predecessor."""
    last, keyed = 0.0, list[tuple[Seconds, _Item]]()
    for item in items:
        start = start_of(item)
        last = last if start is None or math.isnan(start) else start
        keyed.append((last, item))
    return [item for _, item in sorted(keyed, key=itemgetter(0))]


def by_channel(
    utterances: Iterable[Utterance], process: Callable[[Iterable[Utterance]], Iterable[Processed]]
) -> Iterator[Processed]:
    """Yield what `process` makes of the utterances, in their order; it gets the channels of a document one by one.

    It returns an utterance for each one that it gets, in order; a None between them passes at once. The first channel
    of a document passes as it comes. The utterances of the others wait for the document's end.
    """
    order, done, following = deque[int](), dict[int, Processed](), 0

    def separated() -> Iterator[Utterance]:
        for _, document in groupby(enumerate(utterances), key=lambda numbered: numbered[1].context):
            channels: dict[str, list[tuple[int, Utterance]]] = {}
            for number, utterance in document:
                waiting = channels.setdefault(utterance.channel, [])
                if utterance.channel == next(iter(channels)):
                    order.append(number)
                    yield utterance
                else:
                    waiting.append((number, utterance))
            for number, utterance in chain.from_iterable(channels.values()):
                order.append(number)
                yield utterance

    for utterance in process(separated()):
        if utterance is None:
            yield utterance
            continue
        done[order.popleft()] = utterance
        while following in done:
            yield done.pop(following)
            following += 1


def channel_index(name: str) -> int | None:
    """Return the index, from 0, of a channel that is a number from 1 or a letter from A; None for another name."""
    if name.isdecimal():
        return int(name) - 1 if int(name) else None
    return _LETTERS.index(name) if name in _LETTERS else None


def in_order_of_time(utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the utterances; those of a recording with several channels as its turns, in the order of time.

    A turn is consecutive sentences of one utterance between which no other channel begins a sentence. The utterances of
    a recording with times are held until it ends.
    """
    for (*_, has_clock), recording in groupby(utterances, key=_clock):
        if not has_clock:
            yield from recording
            continue
        held = list(recording)
        yield from _turns(held, glyphs) if len({utterance.channel for utterance in held}) > 1 else held


def _clock(utterance: Utterance) -> tuple[str, str, bool]:
    """Return document, recording, and whether the utterance has times (or no words)."""
    return utterance.context, utterance.recording, not utterance.words or has_times(utterance.words)


class _Sentence(NamedTuple):
    """The words `first` to `last` (exclusive) of an utterance, and their start."""

    start: Seconds
    utterance: int
    first: int
    last: int


def _turns(utterances: Sequence[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    channels = defaultdict[str, list[_Sentence]](list)
    for number, utterance in enumerate(utterances):
        channels[utterance.channel] += _sentences(number, utterance, glyphs.of(utterance.language).name)
    # the order within a channel stays, also where its times go back
    starts = (accumulate((sentence.start for sentence in channel), max) for channel in channels.values())
    sentences = [
        sentence._replace(start=start)
        for channel, latest in zip(channels.values(), starts, strict=True)
        for sentence, start in zip(channel, latest, strict=True)
    ]
    for number, group in groupby(sorted(sentences, key=itemgetter(0)), key=itemgetter(1)):
        turn = list(group)
        utterance = utterances[number]
        yield replace(utterance, words=utterance.words[turn[0].first : turn[-1].last])


def _sentences(number: int, utterance: Utterance, language: str) -> Iterator[_Sentence]:
    words = utterance.words
    ends = [i for i, word in enumerate(words[:-1], start=1) if ends_sentence(word, language)]
    for first, last in zip([0, *ends], [*ends, len(words)], strict=True):
        yield _Sentence(_start(words[first:last]), number, first, last)


def _start(words: Sequence[Word]) -> Seconds:
    """Return the first known start, or 0: the sentence then follows the one before it."""
    return next((word.start for word in words if word.start is not None), 0.0)
