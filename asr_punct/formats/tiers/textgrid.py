"""Praat TextGrid: words in interval tiers, and a tier `punctuated` with the same intervals after each.

With several speakers or channels each has a tier of words (`ana - words`, as the Montreal Forced Aligner writes it;
`channel 2 - words`) and a tier of its words with marks (`ana - punctuated`), and is a channel. A tier `times` with one
interval names the source of the times, unless it is an aligner. The package textgrid is not used, because it keeps
neither the rest of a file nor its own errors' places; tests compare with it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import attrgetter
from typing import TextIO

from asr_punct.channels import chronological
from asr_punct.errors import EXPECTED_TIMES, InputError, Setting
from asr_punct.files import Pathlike, display_name, read_text_file, recording_name
from asr_punct.formats.entries import (
    cut_at_pauses,
    entry_words,
    grouped,
    spoken_tokens,
    written_words,
)
from asr_punct.formats.tiers.grid import INTERVALS, Grid, GridTier, parse_grid
from asr_punct.formats.tiers.speech_tiers import is_named_speech, may_be_speech
from asr_punct.formats.time_sources import KEY, get_time_source, set_first_time_source
from asr_punct.formats.times import time_of
from asr_punct.formats.values import one_token
from asr_punct.glyphs import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word

PUNCTUATED = "punctuated"
"""Name of the tier of words with marks and capitals; after a speaker and `-` if there are several."""
_DEFAULT: TimeSource = "aligner"
_SHORTEST: Seconds = 0.001
"""Length of the interval of words of which only one time is known."""
_WORDS = "words"
_WORD_TIER_NAMES = (_WORDS, "word", "ort", "ort-mau")
_SPEAKER_TIERS = re.compile(r"(.+?)[\s_:@-]+words?", re.IGNORECASE), re.compile(r"words?[\s_:@-]+(.+)", re.IGNORECASE)
"""Names of tiers of words with a speaker."""
_CHANNEL = re.compile(r"channel (\S+)")
"""What stands for the speaker in the name of a channel's tier, if nobody or several people speak in it."""


@dataclass(frozen=True, slots=True)
class GridOrigin:
    """Place of an utterance in its file; `Utterance.origin`. `tier` is the index of its tier of words."""

    grid: Grid
    tier: int


def is_textgrid(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like a TextGrid."""
    return rows[0][:2] == ["File", "type"] and "ooTextFile" in rows[0][-1]


def read_textgrid(path: Pathlike, tiers: Sequence[str] = ()) -> Iterator[Utterance]:
    """Yield the intervals that are not silence: one utterance, or with several tiers of words the turns of each.

    Each of several tiers is a channel, numbered from 1 if its name has no `channel 2`. Without words there are none.

    `tiers` are the names of the tiers of words. Else one is named `words`, `word`, `ORT` or `ORT-MAU` (others of the
    same name are speech at other times), or has such a
    name and a speaker's, or is the only interval tier; or they are those that may be speech by their names and texts,
    of which those named like `utterance` come first, unless two have the same intervals, as transcript and translation
    do. If an interval has several words, the first has its start and the last its end.
    """
    place, name = display_name(path), recording_name(path)
    yield from grid_utterances(parse_grid(read_text_file(path), place), place, name, tiers)


def grid_utterances(grid: Grid, place: str, name: str, tiers: Sequence[str] = ()) -> Iterator[Utterance]:
    """Yield the utterances of a grid of the recording `name`, as `read_textgrid`."""
    grid = replace(grid, words=_word_tiers(grid.tiers, place, tiers))
    found = list[Utterance]()
    for number, index in enumerate(grid.words, start=1):
        words = tuple(_words(grid.tiers[index], f"{place}: tier {grid.tiers[index].name!r}"))
        source, origin = get_time_source(grid.times, words, _DEFAULT), GridOrigin(grid, index)
        whole = Utterance(words, name, recording=name, time_source=source, origin=origin)
        if len(grid.words) == 1:
            yield whole
            return
        speaker, channel = _voice(grid.tiers[index].name, number)
        found += [replace(whole, words=tuple(turn), speaker=speaker, channel=channel) for turn in cut_at_pauses(words)]
    numbered = enumerate(chronological(found, attrgetter("start")), start=1)
    yield from (replace(utterance, id=f"{name}-{number}") for number, utterance in numbered)


def _word_tiers(tiers: Sequence[GridTier], place: str, names: Sequence[str]) -> tuple[int, ...]:
    intervals = [i for i, tier in enumerate(tiers) if tier.kind == INTERVALS]
    if missing := [name for name in names if name not in {tiers[i].name for i in intervals}]:
        shown = " ".join(repr(tiers[i].name) for i in intervals)
        raise InputError(place, f"no interval tier {missing[0]!r}", f"one of {shown}")
    if names:
        return tuple(i for i in intervals if tiers[i].name in names)
    if intervals and not any(spoken_tokens(row[-1]) for i in intervals for row in tiers[i].rows):
        return tuple(intervals)  # silence
    written = {PUNCTUATED, KEY, *(_punctuated_name(tiers[i].name) for i in intervals)}
    intervals = [i for i in intervals if tiers[i].name not in written] or intervals
    named = [i for i in intervals if tiers[i].name.strip().lower() in _WORD_TIER_NAMES]
    if named or len(intervals) == 1:
        first, *others = named or intervals
        alike = (i for i in others if tiers[i].name == tiers[first].name)
        return (first, *(i for i in alike if not _share_intervals(tiers[first], tiers[i])))
    if of_speakers := tuple(i for i in intervals if any(each.fullmatch(tiers[i].name) for each in _SPEAKER_TIERS)):
        return of_speakers
    speech = tuple(i for i in intervals if may_be_speech(tiers[i].name, (text for *_, text in tiers[i].rows)))
    speech = tuple(i for i in speech if is_named_speech(tiers[i].name)) or speech
    if speech and not any(_share_intervals(tiers[a], tiers[b]) for a, b in combinations(speech, 2)):
        return speech
    found = ", ".join(repr(tier.name) for tier in tiers) or "none"
    raise InputError(place, f"tiers {found}", "an interval tier named 'words', or its name", Setting("tiers"))


def _share_intervals(first: GridTier, second: GridTier) -> bool:
    """Whether at least half of the intervals with text of one tier are intervals of the other, too."""
    one, other = ({tuple(times) for *times, text in tier.rows if spoken_tokens(text)} for tier in (first, second))
    return 2 * len(one & other) >= min(len(one), len(other))


def _speaker(tier: str) -> str:
    """Return the speaker in the name of a tier of words, "" if the name has none."""
    if tier.strip().lower() in _WORD_TIER_NAMES:
        return ""
    return next((match[1].strip() for each in _SPEAKER_TIERS if (match := each.fullmatch(tier))), tier)


def _punctuated_name(tier: str) -> str:
    """Return the name of the tier of marks for one of several tiers of words."""
    speaker = _speaker(tier)
    return f"{speaker} - {PUNCTUATED}" if speaker else PUNCTUATED


def _voice(tier: str, number: int) -> tuple[str, str]:
    """Return speaker and channel of a tier of words, the one of this number."""
    speaker = _speaker(tier)
    channel = _CHANNEL.fullmatch(speaker)
    return ("", channel[1]) if channel else (speaker, str(number))


def _words(tier: GridTier, place: str) -> Iterator[Word]:
    for *times, text in tier.rows:
        if spoken_tokens(text):
            start, end = map(time_of, times)
            yield from entry_words(text, start, end, None, place)


def write_textgrid(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the words of one recording as tier `words` and, if they have labels, with marks in tier `punctuated`.

    Each of several channels has such tiers, named by its speaker if only one speaks in it, else `channel 2`.

    Words that were read from a TextGrid keep all its tiers; `punctuated` follows the words or replaces an older one.
    A tier `times` names the first source of times that is not an aligner. Intervals do not overlap: a word that ends
    after the start of the next one is cut there, and words without times between them share an interval. Raises
    InputError if no word of a channel has times, or they belong to several recordings.
    """
    out.writelines(written_grid(list(utterances), glyphs).lines())


def written_grid(listed: Sequence[Utterance], glyphs: Glyphs) -> Grid:
    """Return the grid that is written, as `write_textgrid`."""
    unchanged = unchanged_grid(listed)
    listed = listed if unchanged else chronological(listed, attrgetter("start"))
    channels = {} if unchanged else _channels(listed)
    grid = unchanged or _new_grid(channels)
    if any(utterance.is_labelled for utterance in listed):
        for index in reversed(grid.words):  # a tier is inserted after each
            spoken = _of_tier(listed, index) if unchanged else list(channels.values())[index]
            texts = [text for _, _, text in grid.tiers[index].rows]
            # in a new grid a word "sp" of another format is not silence
            counts = [len(spoken_tokens(text) if unchanged else text.split()) for text in texts]
            written = (text for utterance in spoken for text in written_words(utterance, glyphs))
            grid = _punctuated(grid, index, written, counts)
    times = set_first_time_source(grid.times, listed, _DEFAULT)
    if times.get(KEY) != grid.times.get(KEY):
        row = grid.start, grid.end, str(times[KEY])
        grid = grid.with_tier(GridTier(INTERVALS, KEY, grid.start, grid.end, (row,)), len(grid.tiers))
    return grid


def unchanged_grid(utterances: Sequence[Utterance]) -> Grid | None:
    """Return the grid that the words were read from, or None; their marks and case may have changed."""
    origins = [each.origin for each in utterances if isinstance(each.origin, GridOrigin)]
    if len(origins) < len(utterances) or len({id(origin.grid) for origin in origins}) != 1:
        return None
    grid = origins[0].grid
    for index in grid.words:
        count = sum(len(utterance.words) for utterance in _of_tier(utterances, index))
        if count != sum(len(spoken_tokens(row[-1])) for row in grid.tiers[index].rows):
            return None
    return grid


def _of_tier(utterances: Iterable[Utterance], index: int) -> list[Utterance]:
    return [each for each in utterances if isinstance(each.origin, GridOrigin) and each.origin.tier == index]


def _punctuated(grid: Grid, index: int, written: Iterable[str], counts: Sequence[int]) -> Grid:
    """Add the tier `punctuated` of a tier of words; `counts` are the numbers of written words in each interval."""
    tier = grid.tiers[index]
    groups = grouped(written, counts)
    rows = tuple((*row[:2], " ".join(group) or row[2]) for row, group in zip(tier.rows, groups, strict=True))
    name = _punctuated_name(tier.name) if len(grid.words) > 1 else PUNCTUATED
    alike = [i for i in grid.words if grid.tiers[i].name == tier.name]
    place = alike.index(index)  # an older tier of the same name may belong to the words before or after
    between = range(index if place else 0, [*alike, len(grid.tiers)][place + 1])
    return grid.with_tier(replace(tier, name=name, rows=rows), index + 1, between)


def _channels(utterances: Sequence[Utterance]) -> dict[str, list[Utterance]]:
    """Return utterances with words by the name of their channel's tier. Raises InputError if not of one recording."""
    spoken = [utterance for utterance in utterances if utterance.words]
    if not spoken:
        raise InputError("TextGrid", "no words", "at least one, for silence has no length")
    recordings = {utterance.recording for utterance in spoken}
    if len(recordings) > 1:
        found = f"{len(recordings)} recordings"
        raise InputError(spoken[0].id or "utterance 1", found, "one, for a TextGrid has one line of time")
    channels = defaultdict[str, list[Utterance]](list)
    for utterance in spoken:
        channels[utterance.channel].append(utterance)
    if len(channels) < 2:
        return {_WORDS: spoken}
    voices = [{" ".join(each.speaker.split()) for each in channel} for channel in channels.values()]
    speakers = [next(iter(names)) for names in voices if len(names) == 1 and not _CHANNEL.fullmatch(next(iter(names)))]
    are_named = len(set(filter(None, speakers))) == len(channels)
    names = speakers if are_named else [f"channel {one_token(name)}" for name in channels]
    if len(set(names)) < len(channels):  # such as of the channels `a b` and `a_b`
        names = [f"channel {number}" for number in range(1, len(channels) + 1)]
    return {f"{name} - {_WORDS}": channel for name, channel in zip(names, channels.values(), strict=True)}


def _new_grid(channels: Mapping[str, Sequence[Utterance]]) -> Grid:
    """Return a grid with a tier for each channel, whose key is the name of the tier."""
    intervals = {
        name: _intervals(word for utterance in utterances for word in utterance.words)
        for name, utterances in channels.items()
    }
    end = max(found[-1][1] for found in intervals.values())
    tiers = (GridTier(INTERVALS, name, "0.0", repr(end), tuple(_rows(found, end))) for name, found in intervals.items())
    return Grid("0.0", repr(end), tuple(tiers), tuple(range(len(intervals))))


def _rows(intervals: Iterable[tuple[Seconds, Seconds, str]], end: Seconds) -> Iterator[tuple[str, ...]]:
    """Yield the intervals, and the silence between and after them until `end`, as rows of a tier."""
    last = 0.0
    for start, until, text in (*intervals, (end, end, "")):
        if start > last:
            yield repr(last), repr(start), ""
        if text:
            yield repr(start), repr(until), text
        last = until


def _intervals(words: Iterable[Word]) -> list[tuple[Seconds, Seconds, str]]:
    """Return start, end and words of intervals that do not overlap."""
    intervals: list[tuple[Seconds, Seconds, str]] = []
    texts: list[str] = []
    start: Seconds | None = None
    end: Seconds | None = None
    for word in words:
        if word.start is not None and start is not None and end is not None and start < min(end, word.start):
            intervals.append((start, min(end, word.start), " ".join(texts)))
            texts, start, end = [], None, None
        texts.append(word.text)
        start = word.start if start is None else start
        end = max((time for time in (end, word.end) if time is not None), default=None)
    if start is not None and end is not None and start < end:
        return [*intervals, (start, end, " ".join(texts))]
    if not intervals:
        known = [time for time in (start, end) if time is not None]
        if not known:
            raise InputError("TextGrid", "words without times", EXPECTED_TIMES)
        return [(known[0], known[0] + _SHORTEST, " ".join(texts))]
    first, last, text = intervals[-1]  # the words after it have no times of their own
    return [*intervals[:-1], (first, max(last, end or last), " ".join([text, *texts]))]
