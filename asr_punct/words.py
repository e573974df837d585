"""`Word` and `Utterance`, the values that all other modules exchange.

Both are frozen: change a field with `dataclasses.replace`, or the labels, pauses and probabilities with `annotate`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, get_args

from asr_punct.errors import ArgumentError, AsrPunctError
from asr_punct.glyphs import Glyphs, write_text
from asr_punct.marks import CASES, MARKS, Case, Labels, Mark

Seconds = float
TimeSource = Literal["asr", "aligner", "ctc", "whisper", "segment", "none"]
"""Program that word times are from; each program makes different errors. `aligner`: exact times. `ctc`: the peaks of a
CTC model. `whisper`: Whisper. `asr`: any other recogniser. `segment`: only the start and end of a segment or cue are
known, so that pauses between its words cannot be computed. `none`: no times."""
TIME_SOURCES = tuple(source for source in get_args(TimeSource) if source not in ("segment", "none"))
"""Time sources that a user can name."""
Probabilities = Mapping[Mark | Case, float]
"""Probabilities of a word's likely marks and cases (`decode.inputs`)."""
PROBABLE_LABELS: tuple[Mark | Case, ...] = (*MARKS, *CASES[1:])
"""All labels that can have a probability: that of the case O is what those of the other cases leave."""


@dataclass(frozen=True, slots=True, init=False)
class Word:
    """One token of the input.

    Attributes:
        text: the token without white space. It may already have punctuation and capitals.
        start: start time in seconds, or None.
        end: end time in seconds, or None.
        confidence: the recogniser's confidence, or None.
        pause: seconds of silence after the word, None if unknown.
        labels: marks and case, None if the word is not labelled.
        probabilities: probabilities of the labels, or None.
        origin: where the reader found the word; used only by the writer of the same format.
        speaker: who says it, or `""`: the speaker of the utterance.
        filler: whether it is a hesitation or immediate repeat (`asr_punct.fillers`).
    """

    text: str
    start: Seconds | None = None
    end: Seconds | None = None
    confidence: float | None = None
    pause: Seconds | None = None
    labels: Labels | None = None
    probabilities: Probabilities | None = None
    origin: object = field(default=None, compare=False, repr=False)
    speaker: str = ""
    filler: bool = False

    def __init__(
        self,
        text: str,
        start: Seconds | None = None,
        end: Seconds | None = None,
        confidence: float | None = None,
        pause: Seconds | None = None,
        labels: Labels | None = None,
        probabilities: Probabilities | None = None,
        origin: object = None,
        speaker: str = "",
        filler: bool = False,
    ) -> None:
        # what dataclass makes calls `object.__setattr__` and takes twice the time; every word of a text comes here
        _set_text(self, text)
        _set_start(self, start)
        _set_end(self, end)
        _set_confidence(self, confidence)
        _set_pause(self, pause)
        _set_labels(self, labels)
        _set_probabilities(self, probabilities)
        _set_origin(self, origin)
        _set_speaker(self, speaker)
        _set_filler(self, filler)


_set_text, _set_start, _set_end, _set_confidence, _set_pause, _set_labels, _set_probabilities, *_set_others = (
    Word.__dict__[each.name].__set__ for each in fields(Word)
)
_set_origin, _set_speaker, _set_filler = _set_others


def check_times(word: Word) -> None:
    """Raise AsrPunctError unless 0 <= start <= end and pause >= 0, all finite; unknown times are not checked."""
    start = 0.0 if word.start is None else word.start
    end = start if word.end is None else word.end
    pause = 0.0 if word.pause is None else word.pause
    if not (0 <= start <= end < math.inf and 0 <= pause < math.inf):
        times = f"start {word.start}, end {word.end}, pause {word.pause}"
        raise AsrPunctError(f"word {word.text!r}", times, "0 <= start <= end, pause >= 0")


def split_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text, which are separated by white space."""
    return tuple(map(Word, text.split()))


@dataclass(frozen=True, slots=True)
class Utterance:
    """Consecutive words of one recording.

    Attributes:
        words: the words, in order.
        id: name of the utterance, or `""`.
        document: name of the document, whose utterances are context for each other; `""` if it is the recording.
        recording: name of the recording; the times of its utterances count from the same instant.
        channel: channel of the recording, as in CTM.
        speaker: name of the speaker, or `""`.
        audio: path of the recording's audio file, or `""`.
        time_source: where the words' times come from.
        pause_before: seconds of silence before the first word, or None.
        language: code of the language (`es`), or "" if it is unknown.
        origin: where the reader found the utterance; used only by the writer of the same format.
    """

    words: tuple[Word, ...]
    id: str = ""
    document: str = ""
    recording: str = ""
    channel: str = "1"
    speaker: str = ""
    audio: str = ""
    time_source: TimeSource = "none"
    pause_before: Seconds | None = None
    language: str = ""
    origin: object = field(default=None, compare=False, repr=False)

    @property
    def context(self) -> str:
        """Name of the document, else of the recording. A model's context ends where it or the channel changes."""
        return self.document or self.recording

    @property
    def side(self) -> tuple[str, str]:
        """The context and the channel: only utterances with the same ones are context for each other."""
        return self.context, self.channel

    @property
    def start(self) -> Seconds | None:
        """The first known start of its words, or None."""
        return next((word.start for word in self.words if word.start is not None), None)

    @property
    def recording_name(self) -> str:
        """Name of the recording, else of the document, which text files have instead."""
        return self.recording or self.document

    @property
    def is_labelled(self) -> bool:
        """Whether any word has labels."""
        return any(word.labels is not None for word in self.words)

    @property
    def labels(self) -> tuple[Labels, ...]:
        """Labels of every word: `Labels()` (no marks, case O) for a word without labels."""
        return tuple([word.labels or _NO_LABELS for word in self.words])

    @property
    def pauses(self) -> tuple[Seconds | None, ...]:
        """Pause after every word."""
        return tuple(word.pause for word in self.words)

    @property
    def probabilities(self) -> tuple[Probabilities | None, ...]:
        """Probabilities of the labels of every word."""
        return tuple(word.probabilities for word in self.words)


_NO_LABELS = Labels()
_UNCHANGED: Any = object()


def check_utterances(utterances: Iterable[Utterance], parameter: str, hint: str) -> Iterator[Utterance]:
    """Yield the utterances. Raises ArgumentError at the parameter for a single utterance or another value."""
    if isinstance(utterances, Utterance):
        raise ArgumentError(parameter, "a single Utterance", "several, such as [utterance]")
    for utterance in utterances:
        if not isinstance(utterance, Utterance):
            raise ArgumentError(parameter, type(utterance).__name__, f"Utterance ({hint})")
        yield utterance


def utterances_of_text(text: str, language: str = "") -> Iterator[Utterance]:
    """Yield the utterances of a text (see `utterances_of_lines`)."""
    return utterances_of_lines(text.split("\n"), language)


def utterances_of_lines(lines: Iterable[str], language: str = "") -> Iterator[Utterance]:
    """Yield an utterance for each line; an empty line, an utterance without words, ends the document.

    The ids of utterances and documents are numbers from 1.
    """
    document = 1
    for number, line in enumerate(lines, start=1):
        words = split_words(line)
        yield Utterance(words, id=str(number), document=str(document), language=language)
        document += not words


def text_of_utterance(utterance: Utterance, glyphs: Glyphs) -> str:
    """Return the words with their marks and capitals as a line of text, in the glyphs of the utterance's language."""
    return write_text([word.text for word in utterance.words], utterance.labels, glyphs.of(utterance.language))


def annotate(
    utterance: Utterance,
    *,
    labels: Sequence[Labels | None] | None = _UNCHANGED,
    pauses: Sequence[Seconds | None] | None = _UNCHANGED,
    probabilities: Sequence[Probabilities | None] | None = _UNCHANGED,
) -> Utterance:
    """Return the utterance with new values, one per word, in each given field. None clears a field of all words.

    Raises:
        AsrPunctError: the number of values differs from the number of words.
    """
    count = len(utterance.words)

    def column(name: str, values: Sequence[Any] | None) -> Sequence[Any]:
        if values is _UNCHANGED:
            return list(map(attrgetter(name), utterance.words))
        if values is not None and len(values) != count:
            raise AsrPunctError(f"utterance {utterance.id!r}", f"{len(values)} {name}", f"{count}, one for each word")
        return (None,) * count if values is None else values

    columns = column("pause", pauses), column("labels", labels), column("probabilities", probabilities)
    words = tuple(
        Word(
            *(word.text, word.start, word.end, word.confidence, pause, label, probability),
            *(word.origin, word.speaker, word.filler),
        )
        for word, pause, label, probability in zip(utterance.words, *columns, strict=True)
    )
    return replace(utterance, words=words)


def without_labels(utterance: Utterance) -> Utterance:
    """Return the utterance without labels and probabilities."""
    return annotate(utterance, labels=None, probabilities=None)


def marks_of(word: Word) -> frozenset[Mark]:
    """Return the marks of a word, an empty set if it is not labelled."""
    return word.labels.marks if word.labels else frozenset()


def by_speaker(words: Iterable[Word], speaker: str) -> Iterator[tuple[str, int]]:
    """Yield the name and the number of consecutive words of each speaker; words that name nobody are of `speaker`."""
    for name, group in groupby(word.speaker or speaker for word in words):
        yield name, len(list(group))


def changes_speaker(before: str, after: str) -> bool:
    """Whether another person speaks; an unknown speaker, `""`, may be the same one."""
    return bool(before and after and before != after)


def word_count(utterance: Utterance) -> int:
    """Return the number of words."""
    return len(utterance.words)


def with_time_source(utterance: Utterance, source: TimeSource) -> Utterance:
    """Set the time source of the utterance if any of its words has times."""
    return replace(utterance, time_source=source) if has_times(utterance.words) else utterance


def shift(word: Word, seconds: Seconds, *, decimals: int) -> Word:
    """Return the word with its times moved by `seconds` and rounded."""
    start, end = (None if time is None else round(time + seconds, decimals) for time in (word.start, word.end))
    return replace(word, start=start, end=end)


def is_one_word(text: str) -> bool:
    """Whether a text is one word, without white space also at its ends."""
    return text.split() == [text]


def has_times(words: Iterable[Word]) -> bool:
    """Whether any word has a start or end time."""
    return any(word.start is not None or word.end is not None for word in words)


def bounds(words: Iterable[Word]) -> tuple[Seconds, Seconds] | None:
    """Return the earliest known start and the latest known end, or None if no start or no end is known."""
    words = tuple(words)
    starts = [word.start for word in words if word.start is not None]
    ends = [word.end for word in words if word.end is not None]
    return (min(starts), max(ends)) if starts and ends else None
