"""NeMo manifests: JSON lines of a transcription (`pred_text`, `word`) or of an alignment (`words`, `alignments`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from asr_punct.errors import InputError
from asr_punct.io.files import Pathlike, display_name, parse_json, read_lines
from asr_punct.io.json import number_or_none, timed_word
from asr_punct.words import TimeSource, Utterance, Word

_AUDIO = "audio_filepath"


def is_manifest(path: Pathlike) -> bool:
    """Whether a file's first line is a whole JSON object that names an audio file."""
    first = next((line for _, line in read_lines(path) if line.strip()), "")
    if _AUDIO not in first:
        return False
    try:
        item = parse_json(first, display_name(path))
    except InputError:
        return False
    return isinstance(item, dict) and _AUDIO in item


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
        item = parse_json(line, place)
        if not isinstance(item, dict):
            raise InputError(place, type(item).__name__, "a JSON object")
        recording = str(item.get(_AUDIO, ""))
        yield Utterance(
            words=tuple(_words(item, place)),
            id=f"{Path(recording).stem or 'line'}-{number}",
            recording=recording,
            times=_source(item),
        )


def _source(item: Mapping[str, Any]) -> TimeSource:
    if isinstance(item.get("word"), list):
        return "asr"
    return "ctc" if _is_alignment(item) else "none"


def _is_alignment(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("words"), list) and isinstance(item.get("alignments"), list)


def _words(item: Mapping[str, Any], place: str) -> Iterator[Word]:
    offset = number_or_none(item, "offset", place) or 0.0
    if isinstance(item.get("word"), list):
        text = item.get("pred_text")
        if isinstance(text, str) and len(text.split()) != len(item["word"]):
            found = f"{len(item['word'])} words with times and {len(text.split())} in pred_text"
            raise InputError(place, found, "as many")
        yield from (timed_word(entry, f"{place}: word {i}", offset) for i, entry in enumerate(item["word"], 1))
    elif _is_alignment(item):
        yield from _aligned_words(item["words"], item["alignments"], offset, place)
    else:
        yield from (Word(token) for token in _text(item, place).split())


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
