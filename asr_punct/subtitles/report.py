"""Check subtitles against limits, and report the cues that break them."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from asr_punct.errors import plural
from asr_punct.subtitles.binding import binds
from asr_punct.subtitles.cues import Cue
from asr_punct.subtitles.limits import Limits
from asr_punct.text import split_token
from asr_punct.words import Seconds

TOLERANCE: Seconds = 0.0015
"""Times of files are rounded to milliseconds."""
HEADER = "cue\tstart\tend\tproblem\tfound\tlimit\ttext\n"
"""First line of a report; times are seconds."""
_KINDS: Mapping[str, tuple[str, Callable[[Limits], str]]] = {
    "fast": ("read faster than {} characters a second", lambda limits: f"{limits.speed:g}"),
    "short": ("shorter than {} s", lambda limits: f"{limits.min_seconds:.3g}"),
    "long": ("longer than {} s", lambda limits: f"{limits.max_seconds:g}"),
    "line": ("with a line over {} characters", lambda limits: str(limits.characters)),
    "lines": ("with more than {} lines", lambda limits: str(limits.lines)),
    "overlap": ("that overlap the one before", lambda _: "-"),
    "gap": ("with a gap under {} s after the one before", lambda limits: f"{limits.min_gap:.3g}"),
    "binding": ("that end on a word bound to the next cue", lambda _: "-"),
}
"""For each kind of problem its text in the summary, in which {} is the limit, and the limit."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a cue, whose number counts from 1; `kind` is a key of `_KINDS`, `found` the value or word found."""

    number: int
    cue: Cue
    kind: str
    found: str


def check_cues(cues: Sequence[Cue], limits: Limits, language: str) -> list[Problem]:
    """Return the problems of all cues of a file, which are sorted by start, under the limits of the language.

    The reading speed counts the characters of all lines, with spaces, per second. A cue overlaps if it begins before
    the end of any earlier one, and has a gap if it begins less than `min_gap` after it. Lines that repeat those of the
    cue before have been read: of rolling captions only cues with new lines are checked, and have no gap between them.
    """
    limits = limits.of_language(language)
    found = list[Problem]()
    latest_end: Seconds = -math.inf
    new = [
        (number, cue) for number, cue in enumerate(cues, start=1) if not cue.repeated or cue.repeated < len(cue.lines)
    ]
    following_cues = [*(cue for _, cue in new[1:]), None]
    for (number, cue), following in zip(new, following_cues, strict=False):  # there may be no cue
        kinds = {**_own_problems(cue, limits), **_timing(cue, latest_end, limits)}
        if following and (word := _bound_word(cue, following, language)):
            kinds["binding"] = word
        found += (Problem(number, cue, kind, value) for kind, value in kinds.items())
        latest_end = max(cue.end, latest_end)
    return found


def _own_problems(cue: Cue, limits: Limits) -> dict[str, str]:
    """Return the problems of a cue that do not depend on other cues, with their values."""
    seconds, longest = cue.end - cue.start, max(map(len, cue.lines), default=0)
    speed = len(" ".join(cue.lines[cue.repeated :])) / seconds if seconds > 0 else math.inf
    problems = {
        "fast": (round(speed, 1) > limits.speed, f"{speed:.1f}"),
        "short": (seconds < limits.min_seconds - TOLERANCE, f"{seconds:.3f}"),
        "long": (seconds > limits.max_seconds + TOLERANCE, f"{seconds:.3f}"),
        "line": (longest > limits.characters, str(longest)),
        "lines": (len(cue.lines) > limits.lines, str(len(cue.lines))),
    }
    return {kind: value for kind, (is_broken, value) in problems.items() if is_broken}


def _timing(cue: Cue, latest_end: Seconds, limits: Limits) -> dict[str, str]:
    """Return the problems between a cue and the latest end of those before it, with their values in seconds."""
    gap = cue.start - latest_end
    if gap < -TOLERANCE:
        return {"overlap": f"{-gap:.3f}"}
    return {"gap": f"{max(0.0, gap):.3f}"} if not cue.repeated and gap < limits.min_gap - TOLERANCE else {}


def _bound_word(cue: Cue, following: Cue, language: str) -> str:
    """Return the last word of a cue if it belongs to the first one of the next cue of the same speaker, else ""."""
    words, next_words = " ".join(cue.lines).split(), " ".join(following.lines[following.repeated :]).split()
    if not words or not next_words or cue.speakers[-1] != following.speakers[0]:
        return ""
    _, core, after = split_token(words[-1], language)
    _, next_core, _ = split_token(next_words[0], language)
    return core if not after and binds(core.lower(), next_core.lower(), language) else ""


def report_lines(problems: Sequence[Problem], limits: Limits, language: str) -> Iterator[str]:
    """Yield the lines of a report, one problem per line in columns separated by tabs."""
    limits = limits.of_language(language)
    yield HEADER
    for problem in problems:
        cue, (_, limit_of) = problem.cue, _KINDS[problem.kind]
        columns = (problem.number, f"{cue.start:.3f}", f"{cue.end:.3f}", problem.kind, problem.found, limit_of(limits))
        yield "\t".join(map(str, (*columns, " | ".join(cue.lines).replace("\t", " ")))) + "\n"


def summarise(problems: Sequence[Problem], cues: int, limits: Limits, language: str) -> str:
    """Return one line with the number of cues with each problem."""
    limits = limits.of_language(language)
    counts = Counter(problem.kind for problem in problems)
    parts = [
        f"{counts[kind]} {text.format(limit_of(limits))}" for kind, (text, limit_of) in _KINDS.items() if counts[kind]
    ]
    return f"{plural(cues, 'cue')}: {', '.join(parts) or 'no problems'}"
