"""Cut words into cues, by exact dynamic programming over the places where they can break.

A cue is consecutive words of one channel of a recording. It is allowed if its lines keep `characters` and `lines` of
the limits, and its words last at most `max_seconds`; a single word is always allowed. It has one speaker, or two turns
of speakers with names, each on one line after a dash. Of all ways to cut the channel into allowed cues, the one with
the lowest sum of these costs is chosen:

* each cue: `CUE`;
* the break after it: break_cost(last word) · max(0, 1 - pause / `LONG_PAUSE`); 0 at the end of the channel. The
  break_cost (`unit`) is 0 after `. ? !`, 2 after `; : … –`, 3 after a comma, 8 without a mark, but 6 before an article,
  preposition or conjunction; at most 3 at the end of an utterance;
* `BINDING` if its last word belongs to the next one (`binding`) of the same speaker, whatever the pause;
* inside it: `SENTENCE_INSIDE` for each end of a sentence or speaker's turn, `PAUSE_INSIDE` for each second of a pause
  above `SHORT_PAUSE`;
* its display time (`display.display_cost`), if it and the next one are shown when their first words start;
* its lines (`_break_lines`).

That depends only on its words and the start of the next cue, so the result is exact. The computation time is linear in
the number of words.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from operator import attrgetter

from asr_punct.characters import characters_of
from asr_punct.glyphs import Glyphs
from asr_punct.marks import Mark
from asr_punct.subtitles.display import Spoken, display_cost, display_times, end_time
from asr_punct.subtitles.limits import Limits
from asr_punct.subtitles.unit import Unit
from asr_punct.subtitles.units import make_units
from asr_punct.words import Seconds, Utterance

CUE = 2.0
LONG_PAUSE: Seconds = 1.0
BINDING = 20.0
SENTENCE_INSIDE = 3.0
SHORT_PAUSE: Seconds = 0.5
PAUSE_INSIDE = 4.0
LINE = 1.0
"""Cost of each line after the first."""
BREAK_SHARE = 0.25
"""Cost of a line break, as a share of the cost of a cue break at the same place without a pause."""
LINE_BINDING = 10.0
"""Cost of a line break after a word that belongs to the next one."""
UNBALANCE = 4.0
"""Cost of the squared differences between the lines' lengths and their mean, in units of the longest line."""
_SHORTEST: Seconds = 0.001
"""A cue of less would never be shown."""
_DASHES = tuple(characters_of([Mark.DASH]))
_Lines = tuple[float, tuple[int, ...]]
"""Cost, and the number of units before each break."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle, shown from `start` to `end`, in seconds.

    `speakers` are the speaker of the cue, or of each line if there are several; `""` if unknown. The first `repeated`
    lines are those of the cue before, as in rolling captions.
    """

    start: Seconds
    end: Seconds
    lines: tuple[str, ...]
    recording: str = ""
    speakers: tuple[str, ...] = ("",)
    repeated: int = 0


def make_cues(utterances: Iterable[Utterance], limits: Limits, glyphs: Glyphs) -> Iterator[Cue]:
    """Yield the cues of utterances with labels, recording by recording and channel by channel, in order of time.

    The utterances are grouped by recording, those of each channel in order of time. Cues of one channel do not overlap.
    Times of words without times are interpolated. Of `limits` those of the language of the glyphs are used. Raises
    InputError for a channel without any times.
    """
    limits = limits.of_language(glyphs.name)
    for recording, group in groupby(utterances, key=attrgetter("recording")):
        channels: dict[str, list[Utterance]] = defaultdict(list)
        for utterance in group:
            channels[utterance.channel].append(utterance)
        for channel in channels.values():
            yield from cut_units(make_units(channel, glyphs, limits.characters), limits, recording)


def cut_units(units: Sequence[Unit], limits: Limits, recording: str = "") -> Iterator[Cue]:
    """Return the cheapest cues of the units of one channel."""
    costs, starts = [0.0], [0]
    for end in range(1, len(units) + 1):
        cost, start = _cheapest(units, end, costs, limits)
        costs.append(cost)
        starts.append(start)
    cuts = [len(units)]
    while cuts[-1]:
        cuts.append(starts[cuts[-1]])
    chosen = [units[start:end] for start, end in pairwise(reversed(cuts))]
    for cue, (shown, until) in zip(chosen, display_times(list(map(_spoken, chosen)), limits), strict=True):
        yield _cue(cue, shown, until, limits, recording)


def _cheapest(units: Sequence[Unit], end: int, costs: Sequence[float], limits: Limits) -> tuple[float, int]:
    """Return the cost of the cheapest cues of `units[:end]`, and the first unit of the last of them.

    No cost is negative, so costs that take longer to compute are added only while the sum is below the best one.
    """
    best, best_start = math.inf, 0
    for cost, start, length in sorted(_candidates(units, end, costs, limits)):
        if cost >= best:
            break
        cue = Spoken(units[start].start, units[end - 1].end, length, 0.0)
        following = units[end].start if end < len(units) else math.inf
        cost += display_cost(end_time(cue, following, limits) - cue.start, length, limits)
        if cost < best:
            cost += _break_lines(units[start:end], limits)[0]
        if cost < best:
            best, best_start = cost, start
    return best, best_start


def _candidates(
    units: Sequence[Unit], end: int, costs: Sequence[float], limits: Limits
) -> Iterator[tuple[float, int, int]]:
    """Yield cost, start and length in characters of each cue `units[start:end]` that may be allowed.

    Cues whose lines do not fit are included; `_break_lines` gives them an infinite cost. The cost includes that of all
    cues before it, but not yet those of its display time and lines.
    """
    last = after = units[end - 1]
    fixed = CUE
    if end < len(units):
        fixed += last.break_cost * max(0.0, 1 - (units[end].start - last.end) / LONG_PAUSE)
        fixed += BINDING * (last.binds and units[end].speaker == last.speaker)
    length, max_length = -1, limits.lines * (limits.characters + 1) - 1  # no space after the last unit
    turns, turn_length, longest_turn, has_names = 1, -1, 0, True
    for start in range(end - 1, -1, -1):
        unit = units[start]
        length += len(unit.text) + 1
        if unit.speaker != after.speaker:
            turns, turn_length = turns + 1, -1
        turn_length += len(unit.text) + 1
        longest_turn, has_names = max(longest_turn, turn_length), has_names and bool(unit.speaker)
        fits = has_names and turns <= min(limits.lines, 2) and longest_turn + len(limits.dash) <= limits.characters
        if turns > 1 and not fits:
            break
        if unit is not last:
            if length > max_length or last.end - unit.start > limits.max_seconds:
                break
            pause = after.start - unit.end
            is_end = unit.ends_sentence or unit.speaker != after.speaker
            fixed += SENTENCE_INSIDE * is_end + PAUSE_INSIDE * max(0.0, pause - SHORT_PAUSE)
        yield costs[start] + fixed, start, length
        after = unit


def _break_lines(units: Sequence[Unit], limits: Limits) -> _Lines:
    """Return the cheapest lines of a cue: several turns have a line each, else by dynamic programming over its units.

    The cost of n lines of lengths l_1 … l_n is (n - 1) LINE + Σ (BREAK_SHARE break_cost + LINE_BINDING binds) at the
    breaks + UNBALANCE Σ ((l_i - mean) / characters)². It is infinite if no lines keep the limits. One line that is
    short enough costs nothing, and neither does a single unit, however long.
    """
    turns = [i for i, (unit, after) in enumerate(pairwise(units), start=1) if unit.speaker != after.speaker]
    if turns:
        return LINE * len(turns), tuple(turns)
    ends = list(accumulate((len(unit.text) + 1 for unit in units), initial=0))
    if len(units) == 1 or ends[-1] - 1 <= limits.characters:
        return 0.0, ()
    costs = [BREAK_SHARE * unit.break_cost + LINE_BINDING * unit.binds for unit in units]
    found = (_break_into(count, ends, costs, limits) for count in range(2, limits.lines + 1))
    return min(found, default=(math.inf, ()))


def _break_into(count: int, ends: Sequence[int], costs: Sequence[float], limits: Limits) -> _Lines:
    """Return the cheapest `count` lines; `ends` are the characters up to each unit, with a space after each."""
    units = len(costs)
    mean = (ends[-1] - count) / count
    best: dict[int, _Lines] = {0: (0.0, ())}  # the cheapest lines of the first units, by their number
    for line in range(1, count + 1):
        longer: dict[int, _Lines] = {}
        for first, (cost, breaks) in best.items():
            for end in (units,) if line == count else range(first + 1, units):
                length = ends[end] - ends[first] - 1
                if length > limits.characters:
                    break
                total = cost + UNBALANCE * ((length - mean) / limits.characters) ** 2
                if end < units:
                    total += LINE + costs[end - 1]
                if end not in longer or total < longer[end][0]:
                    longer[end] = (total, (*breaks, end) if end < units else breaks)
        best = longer
    return best.get(units, (math.inf, ()))


def _spoken(units: Sequence[Unit]) -> Spoken:
    length = sum(len(unit.text) + 1 for unit in units) - 1
    return Spoken(units[0].start, units[-1].end, length, max(unit.late + units[0].start - unit.start for unit in units))


def _cue(units: Sequence[Unit], shown: Seconds, until: Seconds, limits: Limits, recording: str) -> Cue:
    breaks = (0, *_break_lines(units, limits)[1], len(units))
    lines = [" ".join(unit.text for unit in units[a:b]) for a, b in pairwise(breaks)]
    speakers = tuple(units[a].speaker for a in breaks[:-1])
    if len(set(speakers)) > 1:
        lines = [line if line.startswith(_DASHES) else limits.dash + line for line in lines]
    else:
        speakers = speakers[:1]
    until = max(round(until, 3), round(shown + _SHORTEST, 3))
    return Cue(shown, until, tuple(lines), recording, speakers)
