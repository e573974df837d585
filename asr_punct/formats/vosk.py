"""JSON of Vosk: results, `{"result": [{"word", "start", "end", "conf"}], "text"}`: one, a list, or one after the other.

Where alternatives were asked for, a result is `{"alternatives": [{"confidence", "text", "result"}]}`, of which the
first is read and written. Results have no `result` where word times were not asked for or nothing was said. `times` is
ours: where the times come from, if that is not Vosk.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from asr_punct.formats.entries import (
    Object,
    by_time,
    in_order,
    new_entry,
    object_at,
    objects,
    recording_name,
    replaced,
    replaced_entries,
    text_at,
    timed_words,
    tokens_of,
    written_words,
)
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_text import Values
from asr_punct.formats.sources import SOURCE, USUAL, telling_source, told_source
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance, Word, has_times

_KEYS = {"text", "result", "alternatives", "partial", "partial_result", "spk", "spk_frames"}


Form = Literal["one", "list", "stream"]


@dataclass(frozen=True, slots=True)
class VoskResult:
    """A result as it stands in its file; `Utterance.origin`.

    Attributes:
        item: the result.
        form: what its file is: the result itself, a list of results, or results one after the other.
    """

    item: Object
    form: Form


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like results of Vosk's."""
    _, items = _results(content)
    return bool(items) and all(isinstance(item, dict) and _is_result(item.keys() - {SOURCE}) for item in items)


def _is_result(keys: Collection[str]) -> bool:
    return bool(keys) and _KEYS.issuperset(keys)


def _results(content: Any) -> tuple[Form, Sequence[Any]]:
    if isinstance(content, Values):
        return "stream", content.items
    return ("list", content) if isinstance(content, list) else ("one", [content])


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Utterances of results, one each; what is only partial has no words.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording, (form, items) = display_name(path), recording_name(path), _results(content)
    for number, value in enumerate(items, start=1):
        place = f"{name}: result {number}"
        item = object_at(value, place)
        words = in_order(_words(_best(item, place), place), place)
        yield Utterance(
            words,
            id=f"{recording}-{number}",
            recording=recording,
            time_source=told_source(item, words, USUAL["vosk"]),
            origin=VoskResult(item, form),
        )


def _best(item: Object, place: str) -> Object:
    """What holds the words of a result."""
    return next(iter(objects(item, "alternatives", place)), item)


def _words(item: Object, place: str) -> Iterator[Word]:
    entries = objects(item, "result", place)
    if not entries:
        yield from (Word(token) for token in text_at(item, "text", place).split())
    for number, entry in enumerate(entries, start=1):
        yield from timed_words(entry, f"{place}: word {number}", confidence=("conf",))


def write_vosk(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a list of results, or in the form of the file that they come from. Those of Vosk's have all back.

    Marks stand on the words, also in the text of a result; one without words is running text. Other utterances become
    results in the order of time.

    Raises:
        InputError: utterances of other formats that have times and are of several recordings.
    """
    utterances = list(values)
    if not any(isinstance(utterance.origin, VoskResult) for utterance in utterances):
        utterances = by_time(utterances)
    results = [telling_source(_result(each, glyphs), each, USUAL["vosk"]) for each in utterances]
    forms = {utterance.origin.form if isinstance(utterance.origin, VoskResult) else "list" for utterance in utterances}
    streamed = forms == {"stream"} or (forms == {"one"} and len(results) == 1)
    for value in results if streamed else [results]:
        out.write(json.dumps(value, ensure_ascii=False) + "\n")


def _result(utterance: Utterance, glyphs: Glyphs) -> Object:
    rest = utterance.origin
    if not isinstance(rest, VoskResult):
        return _new_result(utterance, glyphs)
    best = _best(rest.item, "")
    entries, text = best.get("result") or [], best.get("text") or ""
    old = tokens_of(entries, "word") or text.split()
    words = written_words(utterance, glyphs, running=not entries)
    if len(words) != len(old):
        return _new_result(utterance, glyphs)
    changed = dict(best)
    if entries:
        changed["result"] = replaced_entries(entries, "word", words)
    if "text" in best:
        changed["text"] = replaced(text, old, words)
    if best is rest.item:
        return changed
    return {**rest.item, "alternatives": [changed, *rest.item["alternatives"][1:]]}


def _new_result(utterance: Utterance, glyphs: Glyphs) -> Object:
    timed = has_times(utterance.words)
    words = written_words(utterance, glyphs, running=not timed)
    entries = [new_entry(word, text, "conf") for word, text in zip(utterance.words, words, strict=True)]
    return {"result": entries, "text": " ".join(words)} if timed else {"text": " ".join(words)}
