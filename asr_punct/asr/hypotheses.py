"""Words of NeMo's transcription results.

A `Hypothesis` of NeMo has `text` and, with `timestamps=True`, a dictionary `timestamp`, whose `word` is a list of
`{"word", "start_offset", "end_offset", "start", "end"}`: offsets in output frames of the model, `start` and `end` in
seconds. This module accepts any object with these two attributes and does not import NeMo.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asr_punct.errors import InputError, plural
from asr_punct.formats.json_values import Node, Object
from asr_punct.formats.tokens import entry_words
from asr_punct.words import Word


@dataclass(frozen=True, slots=True)
class HypothesisWords:
    """The words of a hypothesis, with times if it has any.

    `entries` are those of `timestamp["word"]`, unchanged; None without word times. An entry usually has one word, but
    may have several or none.
    """

    words: tuple[Word, ...]
    entries: list[Object] | None


def read_hypothesis(hypothesis: Any, place: str) -> HypothesisWords:
    """Read the words of a hypothesis. `place` names it in error messages.

    Raises InputError without `text`, for invalid times, or if `text` and `timestamp` differ in their number of words.
    """
    text, timestamp = getattr(hypothesis, "text", None), getattr(hypothesis, "timestamp", None)
    if not isinstance(text, str):
        raise InputError(
            place, f"{type(hypothesis).__name__} with text {text!r}", "a Hypothesis whose text is a string"
        )
    if not isinstance(timestamp, Mapping) or "word" not in timestamp:
        return HypothesisWords(tuple(map(Word, text.split())), None)
    entries = Node(timestamp, place).nodes("word")
    words = tuple(word for entry in entries for word in _words(entry))
    if len(words) != len(text.split()):
        found = f"{plural(len(words), 'word')} with times and {len(text.split())} in text"
        raise InputError(place, found, "equal numbers")
    return HypothesisWords(words, [entry.item for entry in entries])


def _words(entry: Node) -> list[Word]:
    """Return the words in the text of an entry. Its times may be scalars of numpy or torch."""
    times = Node({key: _python_number(entry.get(key)) for key in ("start", "end")}, entry.place)
    return entry_words(entry.get("word"), times.number("start"), times.number("end"), None, entry.place)


def _python_number(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
