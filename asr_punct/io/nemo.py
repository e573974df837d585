"""NeMo manifests: JSON lines of a transcription (`pred_text`, `word`) or of an alignment (`words`, `alignments`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from asr_punct.errors import InputError
from asr_punct.io.files import Pathlike, display_name, read_lines
from asr_punct.io.json import number_or_none
from asr_punct.words import Utterance, Word


def read_nemo(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a manifest, lazily, a line each; a line without word times gives words without times.

    Word times are relative to the line's `offset` in its audio file; here they are seconds of the file.

    Raises:
        InputError: a line that is no JSON object, has no words, or has times that are none.
    """
    for number, line in read_lines(path):
        if not line.strip():
            continue
        place = f"{display_name(path)}:{number}"
        try:
            item = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(place, f"no JSON ({error})", "a JSON object") from None
        if not isinstance(item, dict):
            raise InputError(place, type(item).__name__, "a JSON object")
        recording = str(item.get("audio_filepath", ""))
        yield Utterance(
            words=tuple(_words(item, place)),
            id=f"{Path(recording).stem or 'line'}-{number}",
            recording=recording,
            times="ctc" if "alignments" in item else "asr" if "word" in item else "none",
        )


def _words(item: Mapping[str, Any], place: str) -> Iterator[Word]:
    offset = number_or_none(item, "offset", place) or 0.0
    if isinstance(item.get("word"), list):
        yield from (_timed_word(entry, offset, f"{place}: word {i}") for i, entry in enumerate(item["word"], 1))
    elif isinstance(item.get("words"), list) and isinstance(item.get("alignments"), list):
        yield from _aligned_words(item["words"], item["alignments"], offset, place)
    else:
        yield from (Word(token) for token in _text(item, place).split())


def _timed_word(entry: Any, offset: float, place: str) -> Word:
    if not isinstance(entry, dict) or not isinstance(entry.get("word"), str) or len(entry["word"].split()) != 1:
        raise InputError(place, repr(entry)[:80], '{"word": …, "start": …, "end": …}')
    start, end = number_or_none(entry, "start", place), number_or_none(entry, "end", place)
    if start is not None and end is not None and end < start:
        raise InputError(place, f"end {end} before start {start}", "an end at or after the start")
    shifted = [None if time is None else offset + time for time in (start, end)]
    return Word(entry["word"].strip(), shifted[0], shifted[1], number_or_none(entry, "confidence", place))


def _aligned_words(words: list[Any], ends: list[Any], offset: float, place: str) -> Iterator[Word]:
    """Words with their end times; an empty word is silence, so a word starts where the entry before it ends."""
    if len(words) != len(ends):
        raise InputError(place, f"{len(words)} words and {len(ends)} alignments", "one end time a word")
    start = offset
    for position, (text, _) in enumerate(zip(words, ends, strict=True)):
        end = number_or_none({"alignment": ends[position]}, "alignment", place)
        if end is None or offset + end < start:
            raise InputError(place, f"alignment {ends[position]!r}", "end times that do not go back")
        if text:
            yield Word(str(text), start, offset + end)
        start = offset + end


def _text(item: Mapping[str, Any], place: str) -> str:
    keys = ["pred_text", *sorted(key for key in item if key.startswith("pred_text_")), "text"]
    for key in keys:
        if isinstance(item.get(key), str):
            return str(item[key])
    raise InputError(place, f"keys {', '.join(item)}", "pred_text, text or word")
