"""Words of NeMo's transcription results.

A `Hypothesis` has `text` and, with `timestamps=True`, a dictionary `timestamp`, whose `word` is a list of
`{"word", "start_offset", "end_offset", "start", "end"}`. Nothing here imports NeMo: any object with these two
attributes will do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.json_values import Object, number_or_none, numbered_objects
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, time_source_of
from asr_punct.formats.tokens import entry_words
from asr_punct.words import Utterance, Word


@dataclass(frozen=True, slots=True)
class HypothesisWords:
    """The words of a hypothesis.

    Attributes:
        words: with times if the hypothesis has any.
        entries: of `timestamp["word"]`; None without word times.
    """

    words: tuple[Word, ...]
    entries: list[Object] | None

    def utterance(self, recording: str, document: str) -> Utterance:
        """Return the words as an utterance."""
        source = time_source_of(self.words, DEFAULT_TIME_SOURCE["nemo"])
        return Utterance(self.words, document=document, recording=recording, time_source=source)


def read_hypothesis(hypothesis: Any, place: str) -> HypothesisWords:
    """Read the words of a hypothesis.

    Raises:
        InputError: no `text`, invalid times, or another number of words with times than in `text`.
    """
    text, timestamp = getattr(hypothesis, "text", None), getattr(hypothesis, "timestamp", None)
    if not isinstance(text, str):
        raise InputError(place, f"{type(hypothesis).__name__} with text {text!r}", "a Hypothesis of decoded text")
    if not isinstance(timestamp, Mapping) or "word" not in timestamp:
        return HypothesisWords(tuple(map(Word, text.split())), None)
    entries = numbered_objects(timestamp, "word", place)
    words = tuple(word for where, entry in entries for word in _words(entry, where))
    if len(words) != len(text.split()):
        found = f"{counted_as(len(words), 'word')} with times and {len(text.split())} in text"
        raise InputError(place, found, "equal numbers")
    return HypothesisWords(words, [entry for _, entry in entries])


def _words(entry: Object, place: str) -> list[Word]:
    """The words of an entry, usually one; its numbers may be numpy's or torch's."""
    plain = {key: _plain(entry.get(key)) for key in ("start", "end")}
    start, end = (number_or_none(plain, key, place) for key in plain)
    return entry_words(entry.get("word"), start, end, None, place)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
