"""Praat TextGrid: words in interval tiers, and a tier `punctuated` with the same intervals after each.

With several speakers each has a tier of words (`ana - words`, as the Montreal Forced Aligner writes it) and a tier of
its words with marks (`ana - punctuated`). A tier `times` with one interval names the source of the times, unless it is
an aligner. The package textgrid is not used, because it keeps neither the rest of a file nor its own errors' places;
tests compare with it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from asr_punct.formats.time_sources import KEY, get_time_source, set_first_time_source
from asr_punct.formats.times import time_of
from asr_punct.glyphs import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word

PUNCTUATED = "punctuated"
"""Name of the tier of words with marks and capitals; after a speaker and `-` if there are several."""
_DEFAULT: TimeSource = "aligner"
_SHORTEST: Seconds = 0.001
"""Length of the interval of words of which only one time is known."""
_WORD_TIER_NAMES = ("words", "word", "ort", "ort-mau")
_SPEAKER_TIERS = re.compile(r"(.+?)[\s_:@-]+words?", re.IGNORECASE), re.compile(r"words?[\s_:@-]+(.+)", re.IGNORECASE)
"""Names of tiers of words with a speaker."""


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

    `tiers` are the names of the tiers of words. Else one is named `words`, `word`, `ORT` or `ORT-MAU`, or has such a
    name and a speaker's, or is the only interval tier. If an interval has several words, the first has its start and
    the last its end.
    """
    place, name = display_name(path), recording_name(path)
    yield from grid_utterances(parse_grid(read_text_file(path), place), place, name, tiers)


def grid_utterances(grid: Grid, place: str, name: str, tiers: Sequence[str] = ()) -> Iterator[Utterance]:
    """Yield the utterances of a grid of the recording `name`, as `read_textgrid`."""
    grid = replace(grid, words=_word_tiers(grid.tiers, place, tiers))
    found = list[Utterance]()
    for index in grid.words:
        words = tuple(_words(grid.tiers[index], f"{place}: tier {grid.tiers[index].name!r}"))
        source, origin = get_time_source(grid.times, words, _DEFAULT), GridOrigin(grid, index)
        whole = Utterance(words, name, recording=name, time_source=source, origin=origin)
        if len(grid.words) == 1:
            yield whole
            return
        speaker = _speaker(grid.tiers[index].name)
        found += [replace(whole, words=tuple(turn), speaker=speaker) for turn in cut_at_pauses(words)]
    numbered = enumerate(chronological(found, attrgetter("start")), start=1)
    yield from (replace(utterance, id=f"{name}-{number}") for number, utterance in numbered)


def _word_tiers(tiers: Sequence[GridTier], place: str, names: Sequence[str]) -> tuple[int, ...]:
    intervals = [i for i, tier in enumerate(tiers) if tier.kind == INTERVALS]
    if missing := [name for name in names if name not in {tiers[i].name for i in intervals}]:
        shown = " ".join(repr(tiers[i].name) for i in intervals)
        raise InputError(place, f"no interval tier {missing[0]!r}", f"one of {shown}")
    if names:
        return tuple(i for i in intervals if tiers[i].name in names)
    intervals = [i for i in intervals if tiers[i].name not in (PUNCTUATED, KEY)] or intervals
    named = [i for i in intervals if tiers[i].name.strip().lower() in _WORD_TIER_NAMES]
    if named or len(intervals) == 1:
        return ((named or intervals)[0],)
    if of_speakers := tuple(i for i in intervals if any(each.fullmatch(tiers[i].name) for each in _SPEAKER_TIERS)):
        return of_speakers
    found = ", ".join(repr(tier.name) for tier in tiers) or "none"
    raise InputError(place, f"tiers {found}", "an interval tier named 'words', or its name", Setting("tiers"))


def _speaker(tier: str) -> str:
    return next((match[1].strip() for each in _SPEAKER_TIERS if (match := each.fullmatch(tier))), tier)


def _words(tier: GridTier, place: str) -> Iterator[Word]:
    for *times, text in tier.rows:
        if spoken_tokens(text):
            start, end = map(time_of, times)
            yield from entry_words(text, start, end, None, place)


def write_textgrid(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the words of one recording as tier `words` and, if they have labels, with marks in tier `punctuated`.

    Words that were read from a TextGrid keep all its tiers; `punctuated` follows the words or replaces an older one.
    A tier `times` names the first source of times that is not an aligner. Intervals do not overlap: a word that ends
    after the start of the next one is cut there, and words without times between them share an interval. Raises
    InputError if no word has times, or they belong to several recordings or channels.
    """
    out.writelines(written_grid(list(utterances), glyphs).lines())


def written_grid(listed: Sequence[Utterance], glyphs: Glyphs) -> Grid:
    """Return the grid that is written, as `write_textgrid`."""
    unchanged = unchanged_grid(listed)
    listed = listed if unchanged else chronological(listed, attrgetter("start"))
    grid = unchanged or _new_grid(listed)
    if any(utterance.is_labelled for utterance in listed):
        for index in reversed(grid.words):  # a tier is inserted after each
            spoken = _of_tier(listed, index) if unchanged else listed
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
    name = PUNCTUATED if len(grid.words) == 1 else f"{_speaker(tier.name)} - {PUNCTUATED}"
    return grid.with_tier(replace(tier, name=name, rows=rows), index + 1)


def _new_grid(utterances: Sequence[Utterance]) -> Grid:
    names = {(utterance.recording, utterance.channel) for utterance in utterances if utterance.words}
    if len(names) > 1:
        found = f"{len(names)} recordings or channels"
        raise InputError(utterances[0].id or "utterance 1", found, "one, for a TextGrid has one line of time")
    rows, last = list[tuple[str, ...]](), 0.0
    for start, end, text in _intervals(word for utterance in utterances for word in utterance.words):
        if start > last:
            rows.append((repr(last), repr(start), ""))
        rows.append((repr(start), repr(end), text))
        last = end
    return Grid("0.0", repr(last), (GridTier(INTERVALS, "words", "0.0", repr(last), tuple(rows)),), (0,))


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
