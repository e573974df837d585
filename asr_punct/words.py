"""Words with times, and utterances of them: the values that every other module passes on.

They are frozen: change one with `dataclasses.replace`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

from asr_punct.errors import AsrPunctError
from asr_punct.marks import CASES, MARKS, Case, Labels, Mark

Seconds = float
TimeSource = Literal["asr", "aligner", "ctc", "whisper", "none"]
"""Where word times come from: each source is coarse in a way of its own."""
TIME_SOURCES = tuple(source for source in get_args(TimeSource) if source != "none")
"""Those of words that have times."""
Probabilities = Mapping[Mark | Case, float]
"""How likely a word bears marks and capitals, as `decode.probabilities` lists them."""
PROBABLE: tuple[Mark | Case, ...] = (*MARKS, *CASES[1:])
"""Labels that probabilities can be of."""


@dataclass(frozen=True, slots=True)
class Word:
    """One token as it stood in the input.

    Attributes:
        text: the token, without white space; it may carry marks or capitals of its own.
        start: beginning in seconds, or None.
        end: end in seconds, or None.
        confidence: as the recogniser gave it, or None.
        rest: what else its file has of it, for the writer of the same format; nothing else reads it.
    """

    text: str
    start: Seconds | None = None
    end: Seconds | None = None
    confidence: float | None = None
    rest: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Utterance:
    """Consecutive words of one recording.

    Attributes:
        words: the words, in order.
        id: the utterance's name (`""`: none).
        recording: recording or document; context ends where it changes.
        channel: as in CTM.
        speaker: who says it, as the file names them (`""`: not told).
        labels: marks and case a word, or None where nothing was labelled.
        pauses: seconds of silence after each word, None where unknown; or None as a whole where none were computed.
        pause_before: seconds of silence before the first word, or None.
        times: where the times come from.
        continues: whether it is the next part of the utterance before it: a long one may come in parts (see `whole`).
        probabilities: of the labels of each word, None where there are none for it; or None as a whole.
        audio: path of the recording's audio file (`""`: not told).
        rest: what else its file has of it, for the writer of the same format; nothing else reads it.
    """

    words: tuple[Word, ...]
    id: str = ""
    recording: str = ""
    channel: str = "1"
    speaker: str = ""
    labels: tuple[Labels, ...] | None = None
    pauses: tuple[Seconds | None, ...] | None = None
    pause_before: Seconds | None = None
    times: TimeSource = "none"
    continues: bool = False
    probabilities: tuple[Probabilities | None, ...] | None = None
    audio: str = ""
    rest: object = field(default=None, compare=False, repr=False)

    @property
    def all_labels(self) -> tuple[Labels, ...]:
        """A label for every word; without marks and case where nothing was labelled."""
        return self.labels or (Labels(),) * len(self.words)

    def __post_init__(self) -> None:
        for name in ("labels", "pauses", "probabilities"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.words):
                raise AsrPunctError(f"utterance {self.id!r}: {len(values)} {name} for {len(self.words)} words")


def word_count(utterance: Utterance) -> int:
    """How many words an utterance has."""
    return len(utterance.words)


def time_source(name: str) -> TimeSource:
    """The source of that name. Raises AsrPunctError where there is none that times can have."""
    if name not in TIME_SOURCES:
        raise AsrPunctError(f"--times: found {name!r}, expected one of {' '.join(TIME_SOURCES)}")
    return cast(TimeSource, name)


def with_source(utterance: Utterance, source: TimeSource) -> Utterance:
    """The utterance with times from this source; one whose words have no times stays."""
    return replace(utterance, times=source) if has_times(utterance.words) else utterance


def later(word: Word, seconds: Seconds, *, decimals: int) -> Word:
    """The word so many seconds later; its times, where it has any, are rounded."""
    start, end = (None if time is None else round(time + seconds, decimals) for time in (word.start, word.end))
    return replace(word, start=start, end=end)


def has_times(words: Iterable[Word]) -> bool:
    """Whether any of the words has a time."""
    return any(word.start is not None or word.end is not None for word in words)


def bounds(words: Iterable[Word]) -> tuple[Seconds, Seconds] | None:
    """First start and last end that are known, None where no start or no end is."""
    words = tuple(words)
    starts = [word.start for word in words if word.start is not None]
    ends = [word.end for word in words if word.end is not None]
    return (min(starts), max(ends)) if starts and ends else None


def whole(utterances: Iterable[Utterance]) -> Iterator[Utterance]:
    """The utterances with those that come in parts put together again, lazily; what `rest` the last part has is kept.

    Raises:
        AsrPunctError: labels of one part and none of another.
    """
    parts: list[Utterance] = []
    for utterance in utterances:
        if parts and not utterance.continues:
            yield _joined(parts)
            parts = []
        parts.append(utterance)
    if parts:
        yield _joined(parts)


def _joined(parts: Sequence[Utterance]) -> Utterance:
    first = parts[0]
    if len(parts) == 1:
        return replace(first, continues=False) if first.continues else first
    words = tuple(word for part in parts for word in part.words)
    labels = tuple(label for part in parts for label in part.labels or ())
    pauses = tuple(pause for part in parts for pause in part.pauses or (None,) * len(part.words))
    known = tuple(each for part in parts for each in part.probabilities or (None,) * len(part.words))
    return replace(
        first,
        words=words,
        labels=labels if any(part.labels is not None for part in parts) else None,
        pauses=pauses if any(part.pauses is not None for part in parts) else None,
        probabilities=known if any(part.probabilities is not None for part in parts) else None,
        continues=False,
        rest=parts[-1].rest,
    )
