"""Words of NeMo's transcription results.

A `Hypothesis` of NeMo has `text` and, with `timestamps=True`, a dictionary `timestamp`, whose `word` is a list of
`{"word", "start_offset", "end_offset", "start", "end"}`: offsets in output frames of the model, `start` and `end` in
seconds. This module accepts any object with these two attributes and does not import NeMo.
"""

from collections.abc import Mapping
from typing import Any

from asr_punct.errors import InputError, plural
from asr_punct.formats.entries import entry_words
from asr_punct.formats.json.nodes import Node
from asr_punct.formats.values import Object
from asr_punct.words import Word, split_words


def read_hypothesis(hypothesis: Any, place: str) -> tuple[tuple[Word, ...], list[Object] | None]:
    """Return the words of a hypothesis, with times if it has any, and the entries of `timestamp["word"]`, if any.

    An entry usually has one word, but may have several or none. `place` names the hypothesis in errors. Raises
    InputError without `text`, for invalid times, or if `text` and `timestamp` differ in their number of words.
    """
    text, timestamp = getattr(hypothesis, "text", None), getattr(hypothesis, "timestamp", None)
    if not isinstance(text, str):
        found = f"{type(hypothesis).__name__} with text {text!r}"
        raise InputError(place, found, "a Hypothesis whose text is a string")
    if not isinstance(timestamp, Mapping) or "word" not in timestamp:
        return split_words(text), None
    entries = Node(timestamp, place).nodes("word")
    words = tuple(word for entry in entries for word in _words(entry))
    if len(words) != len(text.split()):
        found = f"{plural(len(words), 'word')} with times and {len(text.split())} in text"
        raise InputError(place, found, "equal numbers")
    return words, [entry.item for entry in entries]


def _words(entry: Node) -> list[Word]:
    values = {key: entry.get(key) for key in ("start", "end")}
    # Times may be scalars of numpy or torch.
    times = Node({key: value.item() if hasattr(value, "item") else value for key, value in values.items()}, entry.place)
    return entry_words(entry.get("word"), times.number("start"), times.number("end"), None, entry.place)
