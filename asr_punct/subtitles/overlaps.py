"""Utterances that overlap, as of people who speak at once: their phrases in the order of time.

One whole utterance after the other would show the later one's words when the earlier one has ended, seconds late.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from asr_punct.subtitles.unit import COMMA, Unit
from asr_punct.words import Seconds

MAX_DELAY: Seconds = 1.5
"""An utterance goes on if its next phrase delays none that waits by more."""
MAX_PHRASE: Seconds = 2.0
"""Words that begin this long after the start of a phrase begin another one, also without a mark."""


def interleaved(utterances: Sequence[Sequence[Unit]]) -> Iterator[Unit]:
    """Yield the units of utterances, which are in the order of their starts; those of each keep their order.

    An utterance goes on to its end, unless its next phrase would delay one of another utterance by more than
    `MAX_DELAY`; then the phrase that begins first is next. A phrase ends at a mark, or after `MAX_PHRASE`.
    """
    waiting = [(units[0].start, number, deque(_phrases(units))) for number, units in enumerate(utterances)]
    while waiting:
        _, number, phrases = heappop(waiting)
        yield from phrases.popleft()
        while phrases and not (waiting and phrases[0][-1].start - waiting[0][0] > MAX_DELAY):
            yield from phrases.popleft()
        if phrases:
            heappush(waiting, (phrases[0][0].start, number, phrases))


def _phrases(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    phrase = list[Unit]()
    for unit in units:
        if phrase and (phrase[-1].break_cost <= COMMA or unit.start - phrase[0].start >= MAX_PHRASE):
            yield phrase
            phrase = []
        phrase.append(unit)
    yield phrase
