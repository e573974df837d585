"""JSON of Vosk: `{"result": [{"word", "start", "end", "conf"}], "text"}`: one result, a list, or several in a row.

With alternatives a result is `{"alternatives": [{"confidence", "text", "result"}]}`; the first one is read and written.
`result` is missing without word times or speech.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import JsonOrigin, Object, Values, object_at, objects, own_origin, text_at
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, KEY, get_time_source, set_time_source
from asr_punct.formats.tokens import (
    by_time,
    in_order,
    new_entry,
    recording_name,
    replace_entries,
    replace_tokens,
    timed_words,
    tokens_of,
    written_words,
)
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance, Word, has_times

_FORMAT = "vosk"
_KEYS = {"text", "result", "alternatives", "partial", "partial_result", "spk", "spk_frames", KEY}


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like Vosk's results."""
    _, items = _results(content)
    return bool(items) and all(isinstance(item, dict) and _is_result(item) for item in items)


def _is_result(item: Object) -> bool:
    return bool(item.keys() - {KEY}) and item.keys() <= _KEYS


def _results(content: Any) -> tuple[str, Sequence[Any]]:
    """Return the form of the file and its results."""
    if isinstance(content, Values):
        return "stream", content.items
    return ("list", content) if isinstance(content, list) else ("one", [content])


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each result; a partial result has no words.

    Raises:
        InputError: JSON of another form, or invalid times.
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
            time_source=get_time_source(item, words, DEFAULT_TIME_SOURCE[_FORMAT]),
            origin=JsonOrigin(_FORMAT, item, form=form),
        )


def _best(item: Object, place: str) -> Object:
    """Return the object with the words: the first alternative, or the result itself."""
    return next(iter(objects(item, "alternatives", place)), item)


def _words(item: Object, place: str) -> Iterator[Word]:
    entries = objects(item, "result", place)
    if not entries:
        yield from map(Word, text_at(item, "text", place).split())
    for number, entry in enumerate(entries, start=1):
        yield from timed_words(entry, f"{place}: word {number}", confidence=("conf",))


def write_vosk(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write results in the form of their file, others as a list in the order of time.

    Marks are attached to the words, also in `text`; a result without word entries is running text.

    Raises:
        InputError: utterances of other formats with times of several recordings.
    """
    utterances = list(values)
    origins = [own_origin(utterance.origin, _FORMAT) for utterance in utterances]
    if not any(origins):
        utterances = by_time(utterances)
    results = [_result(utterance, glyphs) for utterance in utterances]
    forms = {origin.form if origin else "list" for origin in origins}
    in_a_row = forms == {"stream"} or (forms == {"one"} and len(results) == 1)
    for value in results if in_a_row else [results]:
        out.write(json.dumps(value, ensure_ascii=False) + "\n")


def _result(utterance: Utterance, glyphs: Glyphs) -> Object:
    origin = own_origin(utterance.origin, _FORMAT)
    result = _changed_result(origin.item, utterance, glyphs) if origin else None
    return set_time_source(result or _new_result(utterance, glyphs), utterance, DEFAULT_TIME_SOURCE[_FORMAT])


def _changed_result(item: Object, utterance: Utterance, glyphs: Glyphs) -> Object | None:
    """Return the file's result with the written words; None if the utterance has another number of words."""
    best = _best(item, "")
    entries, text = best.get("result") or [], best.get("text") or ""
    old = tokens_of(entries, "word") or text.split()
    words = written_words(utterance, glyphs, running=not entries)
    if len(words) != len(old):
        return None
    changed = dict(best)
    if entries:
        changed["result"] = replace_entries(entries, "word", words)
    if "text" in best:
        changed["text"] = replace_tokens(text, old, words)
    return changed if best is item else {**item, "alternatives": [changed, *item["alternatives"][1:]]}


def _new_result(utterance: Utterance, glyphs: Glyphs) -> Object:
    timed = has_times(utterance.words)
    words = written_words(utterance, glyphs, running=not timed)
    entries = [new_entry(word, text, "conf") for word, text in zip(utterance.words, words, strict=True)]
    return {"result": entries, "text": " ".join(words)} if timed else {"text": " ".join(words)}
