"""NeMo manifests, one JSON object per line.

A line is a transcription (`pred_text`, and `word` if it has times) or an alignment (`words`, `alignments`).
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike
from asr_punct.formats import entries
from asr_punct.formats.json import nodes
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import get_time_source, set_time_source
from asr_punct.formats.times import time_of
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_FORMAT, _AUDIO, _REFERENCE = "nemo", "audio_filepath", "text"
_LANGUAGE_KEYS = ("target_lang", "lang", "language")
"""Keys with the language of the text; Canary's manifests have `target_lang` and `source_lang`."""
_OFFSET_STEPS_PER_S = 1024
"""Offsets are multiples of 1/1024 s: with a power of two, subtracting and adding them is exact."""


def is_manifest(lines: Iterable[str]) -> bool:
    """Whether the first line of a file is a JSON object that names an audio file."""
    item = nodes.first_json_value(lines, _AUDIO)
    return isinstance(item, dict) and _AUDIO in item


def read_nemo(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line.

    Times in the file count from the line's `offset`, times of words from the beginning of the audio file. Raises
    InputError for a line that is not a JSON object or has no words, or invalid times.
    """
    for number, node in nodes.read_json_lines(path):
        item, recording = node.item, node.text(_AUDIO)
        words = tuple(_words(node))
        yield Utterance(
            words,
            id=f"{Path(recording).stem or 'line'}-{number}",
            recording=recording,
            language=next(filter(None, (parse_language(item.get(key)) for key in _LANGUAGE_KEYS)), ""),
            time_source=get_time_source(item, words, _default_source(item)),
            origin=JsonOrigin(_FORMAT, item),
        )


def reference_of(utterance: Utterance) -> Utterance:
    """Return the utterance with the words of its line's `text`, the reference; other utterances do not change."""
    origin = json_origin(utterance.origin, _FORMAT)
    text = origin.item.get(_REFERENCE) if origin else None
    if not isinstance(text, str) or text.split() == [word.text for word in utterance.words]:
        return utterance
    return replace(utterance, words=tuple(map(Word, text.split())), time_source="none", origin=None)


def _times_key(item: Object) -> str:
    """Return the key of the words with times: `word`, in an alignment `words`, else ""."""
    if isinstance(item.get("word"), list):
        return "word"
    return "words" if all(isinstance(item.get(key), list) for key in ("words", "alignments")) else ""


def _default_source(item: Object) -> TimeSource:
    return "ctc" if _times_key(item) == "words" else "asr"


def _words(node: nodes.Node) -> Iterator[Word]:
    item, place, offset = node.item, node.place, node.number("offset") or 0.0
    times_key = _times_key(item)
    if times_key == "word":
        timed = [word for entry in node.nodes("word") for word in nodes.timed_words(entry)]
        text = item.get("pred_text")
        if isinstance(text, str) and len(text.split()) != len(timed):
            found = f"{plural(len(timed), 'word')} with times and {len(text.split())} in pred_text"
            raise InputError(place, found, "as many")
        yield from (_shift_exactly(word, offset) for word in timed)
    elif times_key:
        yield from _aligned_words(item["words"], item["alignments"], offset, place)
    elif key := _text_key(item):
        yield from map(Word, item[key].split())
    else:
        raise InputError(place, f"keys {', '.join(item)}", "pred_text, text or word")


def _shift_exactly(word: Word, seconds: Seconds) -> Word:
    start, end = (None if time is None else time + seconds for time in (word.start, word.end))
    return replace(word, start=start, end=end)


def _aligned_words(words: list[Any], ends: list[Any], offset: Seconds, place: str) -> Iterator[Word]:
    """Yield the words between the end times: a word starts where the one before ends; silence is an empty word."""
    if len(words) != len(ends):
        found = f"{plural(len(words), 'word')} and {plural(len(ends), 'alignment')}"
        raise InputError(place, found, "one end time per word")
    start = offset
    for position, text in enumerate(words):
        end = offset + time_of(ends[position])
        yield from entries.entry_words(text, start, end, None, f"{place}: word {position + 1}")
        start = end


def _text_key(item: Object) -> str | None:
    """Return the key of the recognised text, else of the reference, or None."""
    keys = ("pred_text", *sorted(key for key in item if key.startswith("pred_text_")), _REFERENCE)
    return next((key for key in keys if isinstance(item.get(key), str)), None)


def write_nemo(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each utterance. Lines of a manifest keep everything but their words.

    Marks are attached to the words in `word` and `pred_text`, and in `segment` and `text` if they have the same words.
    Utterances of other formats become lines of a transcription, with the audio's path or the recording's name.
    """
    for utterance in values:
        origin = json_origin(utterance.origin, _FORMAT)
        item = _changed_line(origin.item, utterance, glyphs) if origin else None
        item = item or _new_line(utterance, glyphs)
        out.write(json.dumps(set_time_source(item, utterance, _default_source(item)), ensure_ascii=False) + "\n")


def _changed_line(item: Object, utterance: Utterance, glyphs: Glyphs) -> Object | None:
    """Return the line with the written words; None if the utterance has another number of words."""
    changed, times_key = dict(item), _times_key(item)
    if times_key == "word":
        old = nodes.tokens_of(item["word"], "word")
    else:
        old = (" ".join(item["words"]) if times_key else item[_text_key(item) or _REFERENCE]).split()
    if len(old) != len(utterance.words):
        return None
    words = entries.written_words(utterance, glyphs, running=not times_key)
    if times_key == "word":
        changed["word"] = nodes.replace_entries(item["word"], "word", words)
    elif times_key:
        changed["words"] = entries.replace_words(item["words"], words)
    if key := _text_key(item):
        tokens = item[key].split()
        if tokens == old or (key != _REFERENCE and len(tokens) == len(old)):
            changed[key] = entries.replace_tokens(item[key], tokens, words)
    if _segments_have(item.get("segment"), len(old)):
        changed["segment"] = nodes.replace_entries(item["segment"], "segment", words)
    return changed


def _segments_have(segments: Any, count: int) -> bool:
    """Whether a line's segments have this many words in all."""
    if not isinstance(segments, list):
        return False
    texts = [nodes.find(entry, "segment") for entry in segments]
    return all(isinstance(text, str) for text in texts) and len(" ".join(texts).split()) == count


def _new_line(utterance: Utterance, glyphs: Glyphs) -> Object:
    times = [time for word in utterance.words for time in (word.start, word.end) if time is not None]
    written = entries.written_words(utterance, glyphs, running=not times)
    item = {_AUDIO: utterance.audio or utterance.recording_name}
    if not times:
        return {**item, "pred_text": " ".join(written)}
    offset = math.floor(min(times) * _OFFSET_STEPS_PER_S) / _OFFSET_STEPS_PER_S
    words = [_shift_exactly(word, -offset) for word in utterance.words]
    span = {"offset": offset, "duration": max(times) - offset}
    return {**item, **span, "pred_text": " ".join(written), "word": nodes.new_entries(words, written, "confidence")}
