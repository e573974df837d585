"""The project's own JSON: everything that is known of each word.

`{"utterances": [{"id", "recording", "channel", "times", "pause_before", "text",
"words": [{"word", "start", "end", "confidence", "pause", "marks", "case", "written"}]}]}`; times in seconds, keys
without a value left out, `written` and `text` for reading alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.io.files import Pathlike, display_name, parse_time_source
from asr_punct.marks import MARKS, Glyphs, Labels, parse_case, parse_marks, write_text, write_word
from asr_punct.words import Seconds, Utterance, Word

_SHOWN = 80
"""Characters of a value that an error shows."""


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a file of this format."""
    return isinstance(content, dict) and "utterances" in content


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Utterances of the value of a JSON file as `write_json` writes it.

    Raises:
        InputError: JSON of another form.
    """
    name = display_name(path)
    items = content.get("utterances") if isinstance(content, dict) else None
    if not isinstance(items, list):
        raise InputError(name, "no list 'utterances'", '{"utterances": [{"words": [{"word": …}]}]}')
    for number, item in enumerate(items, start=1):
        place = f"{name}: utterance {number}"
        if not isinstance(item, dict) or not isinstance(item.get("words"), list):
            raise InputError(place, "no list 'words'", '{"words": [{"word": …}]}')
        yield _utterance(item, place)


def _utterance(item: Mapping[str, Any], place: str) -> Utterance:
    rows = [_word(value, f"{place}: word {number}") for number, value in enumerate(item["words"], start=1)]
    known = any("marks" in value for value in item["words"])
    paused = any("pause" in value for value in item["words"])
    return Utterance(
        words=tuple(word for word, _, _ in rows),
        id=str(item.get("id", "")),
        recording=str(item.get("recording", "")),
        channel=str(item.get("channel", "1")),
        labels=tuple(labels for _, labels, _ in rows) if known else None,
        pauses=tuple(pause for _, _, pause in rows) if paused else None,
        pause_before=number_or_none(item, "pause_before", place),
        times=parse_time_source(item.get("times", "none"), place),
    )


def _word(value: Any, place: str) -> tuple[Word, Labels, float | None]:
    word = timed_word(value, place)
    marks = value.get("marks")
    if marks is not None and not (isinstance(marks, list) and all(isinstance(mark, str) for mark in marks)):
        raise InputError(place, f"marks {marks!r}", "a list of marks by name")
    try:
        labels = Labels(parse_marks("+".join(marks or ["O"])), parse_case(value.get("case", "O")))
    except (AsrPunctError, TypeError) as error:
        raise InputError(place, str(error), "marks and case by name") from None
    return word, labels, number_or_none(value, "pause", place)


def timed_word(value: Any, place: str) -> Word:
    """A word of `{"word", "start", "end", "confidence"}`. Raises InputError else."""
    if not isinstance(value, dict) or not isinstance(value.get("word"), str) or len(value["word"].split()) != 1:
        raise InputError(place, shown(value), 'an object with "word", a string without white space')
    start, end = number_or_none(value, "start", place), number_or_none(value, "end", place)
    if start is not None and end is not None and end < start:
        raise InputError(place, f"end {end} before start {start}", "an end at or after the start")
    return Word(value["word"].strip(), start, end, number_or_none(value, "confidence", place))


def number_or_none(item: Mapping[str, Any], key: str, place: str) -> float | None:
    """`item[key]` as a finite float of 0 or more, or None where it is missing or null. Raises InputError else."""
    value = item.get(key)
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an integer that no float holds
        number = math.inf
    if not (math.isfinite(number) and number >= 0):
        raise InputError(place, f"{key} {shown(value)}", "a number, 0 or more")
    return number


def shown(value: object) -> str:
    """A value as an error shows it: the beginning of what is long."""
    return repr(value)[:_SHOWN]


def write_json(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON object, an utterance a line."""
    out.write('{"utterances": [')
    for number, utterance in enumerate(values):
        out.write(",\n" if number else "\n")
        json.dump(_utterance_object(utterance, glyphs), out, ensure_ascii=False)
    out.write("\n]}\n")


def _utterance_object(utterance: Utterance, glyphs: Glyphs) -> dict[str, Any]:
    labels = utterance.labels or (Labels(),) * len(utterance.words)
    item = {
        "id": utterance.id,
        "recording": utterance.recording,
        "channel": utterance.channel,
        "times": utterance.times,
        "pause_before": utterance.pause_before,
        "text": write_text([word.text for word in utterance.words], labels, glyphs),
        "words": [
            word_object(word, label if utterance.labels else None, pause, glyphs)
            for word, label, pause in zip(
                utterance.words, labels, utterance.pauses or (None,) * len(labels), strict=True
            )
        ],
    }
    return {key: value for key, value in item.items() if value is not None}


def word_object(word: Word, labels: Labels | None, pause: Seconds | None, glyphs: Glyphs) -> dict[str, Any]:
    """A word as JSON has it, keys without a value left out."""
    item: dict[str, Any] = {
        "word": word.text,
        "start": word.start,
        "end": word.end,
        "confidence": word.confidence,
        "pause": pause,
    }
    if labels:
        item["marks"] = [str(mark) for mark in MARKS if mark in labels.marks]
        item["case"] = str(labels.case)
        item["written"] = write_word(word.text, labels, glyphs)
    return {key: value for key, value in item.items() if value is not None}
