"""Units of cues: written words with times and the cost of a break after each."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby, pairwise

from asr_punct.errors import EXPECTED_TIMES, InputError
from asr_punct.glyphs import Glyphs, write_text
from asr_punct.marks import LEFT, SENTENCE_ENDS, Kind, Mark
from asr_punct.subtitles.binding import binds, opens_phrase
from asr_punct.subtitles.overlaps import interleaved
from asr_punct.subtitles.unit import COMMA, NO_MARK, PHRASE, SENTENCE, STOP, Unit
from asr_punct.text import read_marks, split_token
from asr_punct.text.sentence_ends import marks_after
from asr_punct.text.turns import has_arrow
from asr_punct.words import Seconds, Utterance, has_times, marks_of

_SPEECH_RATE = 15.0
"""Characters per second, for words without a time at the edge of an utterance."""
_LONG_WORD: Seconds = 0.5
"""A word whose end is unknown lasts at most this much longer."""
_UNFINISHED = frozenset({*LEFT, Mark.DASH})
"""Marks of a word that the speaker did not end: the hyphen after it is read as a dash."""
_COSTS = {
    Kind.END: SENTENCE,
    Kind.ELLIPSIS: STOP,
    Kind.STOP: STOP,
    Kind.DASH: STOP,
    Kind.COMMA: COMMA,
    Kind.QUOTE: COMMA,
}


def _without_silence(utterance: Utterance) -> Utterance:
    """Return the utterance; a cue's last word of which the start is known does not last until a late end of the cue."""
    *others, last = utterance.words
    if utterance.time_source != "segment" or not others or last.start is None or last.end is None:
        return utterance
    end = min(last.end, last.start + _LONG_WORD + len(last.text) / _SPEECH_RATE)
    return replace(utterance, words=(*others, replace(last, end=end)))


@dataclass(frozen=True, slots=True)
class _Token:
    """A token. `core` is its word in lower case, "" for a token of marks alone.

    `has_mark` is whether a mark follows the word, `opens` whether its marks belong to the next word (`¿`), `is_cut_off`
    whether the speaker did not end it (`th- the`).
    """

    unit: Unit
    core: str
    has_mark: bool
    opens: bool
    is_dash: bool
    is_cut_off: bool


def make_units(utterances: Iterable[Utterance], glyphs: Glyphs, characters: int) -> list[Unit]:
    """Return the units of consecutive utterances of one channel.

    Utterances are in the order of their starts; those that overlap take turns (`interleaved`). Times are whole
    milliseconds in order: a word that begins before the previous one begins with it. Words without duration that begin
    together share the time until the next one. A token of marks alone stays with its word if both are at most
    `characters` long. Raises InputError if no utterance has times.
    """
    spoken = (_without_silence(utterance) for utterance in with_edges(utterances) if utterance.words)
    texts = [list(_tokens(utterance, glyphs)) for utterance in spoken]
    texts.sort(key=lambda tokens: tokens[0].unit.start)
    neighbours = pairwise(chain.from_iterable(texts))  # also across utterances
    bound = (_with_binding(token, after, glyphs.name) for token, after in neighbours)
    joined = list[list[Unit]]()
    for tokens in texts:
        tokens = [next(bound, token) for token in tokens]  # the last one has no neighbour
        added = list(_join_marks(tokens, characters))
        added[-1] = replace(added[-1], break_cost=min(added[-1].break_cost, COMMA))
        joined.append(added)
    units, instants, latest = list[Unit](), list[bool](), 0.0
    for unit in interleaved(joined):
        latest = max(latest, unit.start)
        instants.append(unit.end <= unit.start)
        units.append(replace(unit, start=latest, end=max(latest, unit.end), late=latest - unit.start))
    return list(_spread(units, instants))


def _with_binding(token: _Token, after: _Token, language: str) -> _Token:
    """Return the token with what depends on the next one: whether it binds to it, or may break before its phrase."""
    if token.is_cut_off:
        return replace(token, unit=replace(token.unit, binds=True))
    if token.has_mark:
        return token
    opens = token.core and opens_phrase(after.core, language)
    cost = min(token.unit.break_cost, PHRASE) if opens else token.unit.break_cost
    return replace(token, unit=replace(token.unit, break_cost=cost, binds=binds(token.core, after.core, language)))


def _spread(units: Sequence[Unit], instants: Sequence[bool]) -> Iterator[Unit]:
    """Yield the units; if several of those that begin together are `instants`, one after the other until the next."""
    groups = [list(group) for _, group in groupby(zip(units, instants, strict=True), key=lambda pair: pair[0].start)]
    starts = [*(group[0][0].start for group in groups), math.inf]
    for group, following in zip(groups, starts[1:], strict=True):
        same = [unit for unit, _ in group]
        if sum(instant for _, instant in group) < 2:
            yield from same
            continue
        passed = list(accumulate((len(unit.text) for unit in same), initial=0))
        begin = same[0].start
        last = min(following, max(begin + passed[-1] / _SPEECH_RATE, *(unit.end for unit in same)))
        edges = [round(begin + (last - begin) * share / passed[-1], 3) for share in passed]
        for unit, (start, end) in zip(same, pairwise(edges), strict=True):
            yield replace(unit, start=start, end=end)


def with_edges(utterances: Iterable[Utterance]) -> Iterator[Utterance]:
    """Yield the utterances; one without any time gets the time between its neighbours in the recording, if known."""
    previous: Utterance | None = None
    waiting = list[Utterance]()
    for utterance in utterances:
        if has_times(utterance.words):
            yield from (_between(previous, each, utterance) for each in waiting)
            yield utterance
            previous, waiting = utterance, []
        elif waiting or utterance.words:
            waiting.append(utterance)
        else:
            yield utterance
    yield from (_between(previous, each, None) for each in waiting)


def _between(before: Utterance | None, utterance: Utterance, after: Utterance | None) -> Utterance:
    """Return the utterance from the last time of the one before it to the first time of the one after it."""
    neighbours = (before, max), (after, min)
    times = [
        choose(time for word in each.words for time in (word.start, word.end) if time is not None)
        for each, choose in neighbours
        if each and each.recording == utterance.recording
    ]
    if not (times and utterance.words):
        return utterance
    words = (replace(utterance.words[0], start=times[0]), *utterance.words[1:])
    words = (*words[:-1], replace(words[-1], end=max(times)))
    source = "segment" if utterance.time_source == "none" else utterance.time_source
    return replace(utterance, words=words, time_source=source)


def _tokens(utterance: Utterance, glyphs: Glyphs) -> Iterator[_Token]:
    glyphs = glyphs.of(utterance.language)
    for word, label, (start, end) in zip(utterance.words, utterance.labels, filled_times(utterance), strict=True):
        before, core, after = split_token(word.text, glyphs.name)
        is_cut_off = bool(core) and after == "-" == word.text[-1:] and marks_of(word) <= _UNFINISHED
        marks = frozenset() if is_cut_off else marks_after(word, glyphs.name)
        cost = min((_COSTS[mark.kind] for mark in marks), default=NO_MARK)
        text = write_text([word.text], [label], glyphs)
        unit = Unit(
            text, round(start, 3), round(end, 3), cost, bool(marks & SENTENCE_ENDS), word.speaker or utterance.speaker
        )
        is_dash = not core and read_marks(before, after) == {Mark.DASH}
        opens = (bool(before) and not after) or has_arrow(word.text)
        yield _Token(unit, core.lower(), bool(marks), opens, is_dash, is_cut_off)


def _join_marks(tokens: Iterable[_Token], characters: int) -> Iterator[Unit]:
    """Join tokens of marks to their words; a dash after a sentence belongs to the next word."""
    unit: Unit | None = None
    awaits_word = False  # `unit` has only marks that belong to the next word
    for token in tokens:
        opens = token.opens or (token.is_dash and unit is not None and unit.ends_sentence)
        joins = awaits_word or (not token.core and not opens)
        if unit is None:
            unit, awaits_word = token.unit, not token.core
        elif joins and len(unit.text) + len(token.unit.text) < characters:
            unit, awaits_word = _join(unit, token), awaits_word and not token.core
        else:
            yield unit
            unit, awaits_word = token.unit, not token.core and opens
    if unit is not None:
        yield unit


def _join(unit: Unit, token: _Token) -> Unit:
    other, text = token.unit, f"{unit.text} {token.unit.text}"
    if token.core:
        return replace(other, text=text, start=unit.start)
    cost, ends_sentence = min(unit.break_cost, other.break_cost), unit.ends_sentence or other.ends_sentence
    return replace(unit, text=text, end=other.end, break_cost=cost, ends_sentence=ends_sentence, binds=False)


def filled_times(utterance: Utterance) -> Iterator[tuple[Seconds, Seconds]]:
    """Return start and end of each word; unknown times are interpolated or predicted by the lengths of the words.

    Raises InputError if no time is known.
    """
    words = utterance.words
    times = [time for word in words for time in (word.start, word.end)]
    known = [i for i, time in enumerate(times) if time is not None]
    if not known:
        raise InputError(f"utterance {utterance.id!r}", "words without times", EXPECTED_TIMES)
    characters = [count for word in words for count in (len(word.text), 0)]
    filled = _interpolate(times, known, characters)
    return zip(filled[::2], filled[1::2], strict=True)


def _interpolate(times: Sequence[Seconds | None], known: Sequence[int], characters: Sequence[int]) -> list[Seconds]:
    """Return all times; `known` has the indices of those given, `characters` the number between a time and the next."""
    filled = [0.0 if time is None else time for time in times]
    for i in range(known[0] - 1, -1, -1):
        filled[i] = max(0.0, filled[i + 1] - characters[i] / _SPEECH_RATE)
    for i in range(known[-1] + 1, len(times)):
        filled[i] = filled[i - 1] + characters[i - 1] / _SPEECH_RATE
    for left, right in pairwise(known):
        passed, total = 0, sum(characters[left:right])
        for i in range(left + 1, right):
            passed += characters[i - 1]
            filled[i] = filled[left] + (filled[right] - filled[left]) * passed / total
    return filled
