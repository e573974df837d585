"""Paragraphs of restored transcripts: the same words, one utterance a paragraph, for people who read them.

A paragraph ends where the speaker changes, and else only between sentences. Where, is found by the shortest path over
the sentences of a turn (dynamic programming). The cost of a paragraph is

  * its words' cost under the model of Utiyama and Isahara (2001, "A statistical model for domain-independent text
    segmentation", equation 7): paragraphs whose content words repeat are cheap. A word is its first letters, because
    Basque and Spanish words are inflected;
  * that of its length, which is about log-normal in written texts;
  * minus the evidence of the pause before it, against the pauses after other sentences of the turn.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise
from statistics import median

from asr_punct.errors import ArgumentError
from asr_punct.glyphs import Glyphs
from asr_punct.languages import facts_of
from asr_punct.sentences import sentences
from asr_punct.text import comparison_form
from asr_punct.words import Seconds, Utterance, has_times

_STEM = 6
"""Number of letters of a word that count."""
_MAX_WORDS = 400
"""A paragraph of several sentences has at most this many words."""


@dataclass(frozen=True, slots=True)
class ParagraphSettings:
    """Where paragraphs end within a turn.

    Attributes:
        pause: seconds of silence between sentences that end a paragraph; None: cohesion, length and pauses decide.
        by_speaker: whether only a change of speaker ends a paragraph.
        length: typical number of words of a paragraph.
        spread: standard deviation of the logarithm of its number of words.
        cohesion: weight of repeated words.
        silence: weight of pauses.
    """

    pause: Seconds | None = None
    by_speaker: bool = False
    length: float = 60.0
    spread: float = 0.6
    cohesion: float = 0.5
    silence: float = 1.5


def parse_paragraphs(text: str) -> ParagraphSettings | None:
    """Return the settings that `auto`, `speaker` or a number of seconds names; None for `none`.

    Raises ArgumentError for another text.
    """
    if text == "none":
        return None
    if text in ("auto", "speaker"):
        return ParagraphSettings(by_speaker=text == "speaker")
    try:
        pause = float(text)
    except ValueError:
        pause = math.nan
    if not 0 < pause < math.inf:
        raise ArgumentError("paragraphs", repr(text), "auto, none, speaker, or a number of seconds above 0")
    return ParagraphSettings(pause=pause)


def paragraphs(
    utterances: Iterable[Utterance], glyphs: Glyphs, settings: ParagraphSettings | None = None
) -> Iterator[Utterance]:
    """Yield the paragraphs of utterances, those of a document in the order of time."""
    settings = settings or ParagraphSettings()
    found = sentences(utterances, glyphs)
    for _, turn in groupby(found, key=lambda sentence: (sentence.context, sentence.channel, sentence.speaker)):
        spoken = list(turn)
        for first, end in _cuts(spoken, glyphs, settings):
            words = tuple(word for sentence in spoken[first:end] for word in sentence.words)
            yield replace(spoken[first], words=words)


def timed_paragraphs(
    utterances: Iterable[Utterance], glyphs: Glyphs, settings: ParagraphSettings
) -> Iterator[Utterance]:
    """Yield the paragraphs of documents that have times or speakers, and the utterances of others as they are.

    The first utterance of a document decides, so that text without times is written as it comes.
    """
    for _, document in groupby(utterances, key=lambda utterance: utterance.context):
        left = iter(document)
        first = next(left)
        spoken = chain([first], left)
        yield from paragraphs(spoken, glyphs, settings) if has_times(first.words) or first.speaker else spoken


def _cuts(turn: Sequence[Utterance], glyphs: Glyphs, settings: ParagraphSettings) -> list[tuple[int, int]]:
    """Return the first sentence of each paragraph of a turn, and the one after its last."""
    if settings.by_speaker:
        return [(0, len(turn))]
    if settings.pause is None:
        return _shortest_path(turn, glyphs, settings)
    pauses = _pauses(turn)
    starts = [0, *(n for n, pause in enumerate(pauses, start=1) if pause is not None and pause >= settings.pause)]
    return list(zip(starts, [*starts[1:], len(turn)], strict=True))


def _shortest_path(turn: Sequence[Utterance], glyphs: Glyphs, settings: ParagraphSettings) -> list[tuple[int, int]]:
    stems = [_stems(sentence, glyphs.of(sentence.language).name) for sentence in turn]
    vocabulary = len(set(chain.from_iterable(stems)))
    evidence = [0.0, *_evidence(_pauses(turn))]
    best, before = [0.0] + [math.inf] * len(turn), [0] * (len(turn) + 1)
    for first in range(len(turn)):
        base = best[first] - settings.silence * evidence[first]
        paragraph, size = _Cohesion(vocabulary), 0
        for end in range(first + 1, len(turn) + 1):
            size += len(turn[end - 1].words)
            if size > _MAX_WORDS and end > first + 1:
                break
            paragraph.add(stems[end - 1])
            deviation = math.log(size / settings.length) / settings.spread
            cost = base + settings.cohesion * paragraph.cost() + deviation**2 / 2
            if cost < best[end]:
                best[end], before[end] = cost, first
    return _path(before)


class _Cohesion:
    """The cost of a paragraph's content words (equation 7), sentence by sentence; `vocabulary` is the turn's."""

    def __init__(self, vocabulary: int) -> None:
        self._vocabulary, self._counts = vocabulary, Counter[str]()
        self._repeated, self._words = 0.0, 0

    def add(self, stems: Sequence[str]) -> None:
        for stem in stems:
            count = self._counts[stem]
            self._repeated += (count + 1) * math.log(count + 2) - count * math.log(count + 1)
            self._counts[stem] = count + 1
        self._words += len(stems)

    def cost(self) -> float:
        return self._words * math.log(self._words + self._vocabulary) - self._repeated if self._words else 0.0


def _path(before: Sequence[int]) -> list[tuple[int, int]]:
    """Return the steps to the last place, given the place before each."""
    steps, end = list[tuple[int, int]](), len(before) - 1
    while end:
        steps.append((before[end], end))
        end = before[end]
    return steps[::-1]


def _stems(sentence: Utterance, language: str) -> list[str]:
    """Return the beginnings of a sentence's content words."""
    function_words = facts_of(language).function_words
    forms = (comparison_form(word.text) for word in sentence.words)
    return [form[:_STEM] for form in forms if form not in function_words and len(form) > 2]


def _pauses(turn: Sequence[Utterance]) -> list[Seconds | None]:
    """Return the pause after each sentence but the last."""
    from asr_punct.pauses import pause_after  # it imports numpy, which completion in a shell must not wait for

    return [pause_after(sentence.words[-1], after.words[0]) for sentence, after in pairwise(turn)]


def _evidence(pauses: Sequence[Seconds | None]) -> Iterator[float]:
    """Yield the logarithm of each pause over the usual one of the turn, between -1 and 2; 0 where it is unknown."""
    known = [pause for pause in pauses if pause is not None]
    usual = max(median(known), 0.1) if known else 1.0
    for pause in pauses:
        yield 0.0 if pause is None else min(2.0, max(-1.0, math.log(max(pause, 0.01) / usual)))
