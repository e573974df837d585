"""Lhotse cuts, one JSON object per line: parts of recordings with `supervisions`, read as those of `lhotse`.

The times of a supervision count from the beginning of its cut, those of the words from the beginning of the recording.
A cut of several tracks (`MixedCut`) has the supervisions of all of them.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, TextIO

from asr_punct.errors import InputError, Setting
from asr_punct.files import Pathlike
from asr_punct.formats.json.lhotse import changed_supervision, supervision_utterance
from asr_punct.formats.json.nodes import Node, find, first_json_value, read_json_lines
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance, shift

_FORMAT = "lhotse-cuts"
_KEYS = ("supervisions", "tracks")


def is_cuts(lines: Iterable[str]) -> bool:
    """Whether the first line of a file is a cut."""
    lines = list(lines)
    for key in _KEYS:
        item = first_json_value(lines, key)
        if isinstance(find(item, key), list):
            return "id" in item
    return False


def read_cuts(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each supervision; a cut without one is an utterance without words."""
    for _, node in read_json_lines(path):
        if not any(key in node for key in _KEYS):
            raise InputError(node.place, f"no {_KEYS[0]!r}", "a cut with supervisions")
        found = list(_cut_utterances(node, node.item))
        yield from found or [Utterance((), origin=JsonOrigin(_FORMAT, None, node.item))]


def _cut_utterances(cut: Node, line: Object) -> Iterator[Utterance]:
    for track in cut.nodes("tracks", "track"):
        yield from _cut_utterances(track.inner("cut"), line)  # its times stay those of its own recording
    start = cut.seconds("start") or 0.0
    recording = find(cut.item, "recording", "id")
    for supervision in cut.nodes("supervisions", "supervision"):
        utterance = supervision_utterance(supervision)
        words = tuple(shift(word, start, decimals=6) for word in utterance.words)
        name = utterance.recording or str(recording or "")
        yield replace(utterance, words=words, recording=name, origin=JsonOrigin(_FORMAT, supervision.item, line))


def write_cuts(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the cuts with the written words, lazily. Raises InputError for utterances of another format."""
    for _, group in groupby(utterances, key=_line_identity):
        own = list(group)
        origins = [json_origin(each.origin, _FORMAT) for each in own]
        changed = {
            id(origin.item): changed_supervision(origin.item, each, glyphs)
            for each, origin in zip(own, origins, strict=True)
            if origin and origin.item is not None
        }
        document = origins[0].document if origins[0] else None
        out.write(json.dumps(_with_supervisions(document, changed), ensure_ascii=False) + "\n")


def _line_identity(utterance: Utterance) -> int:
    origin = json_origin(utterance.origin, _FORMAT)
    if origin is None:
        expected = f"those of a file of this format: {_FORMAT} is only written back"
        raise InputError("the words", "words of another file", expected, Setting("target_format", "lhotse"))
    return id(origin.document)


def _with_supervisions(value: Any, changed: dict[int, Object]) -> Any:
    if id(value) in changed:
        return changed[id(value)]
    if isinstance(value, dict):
        return {key: _with_supervisions(each, changed) for key, each in value.items()}
    return [_with_supervisions(each, changed) for each in value] if isinstance(value, list) else value
