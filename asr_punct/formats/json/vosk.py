"""JSON of Vosk: `{"result": [{"word", "start", "end", "conf"}], "text"}`.

A file has one result, a list of results, or several results one after the other. `result` is missing if there was no
speech or word times were not requested. With alternatives a result is `{"alternatives": [{"confidence", "text",
"result"}]}`; the first alternative is read and written.
"""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, TextIO

from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import replace_tokens, sorted_by_start, written_words
from asr_punct.formats.json import nodes
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import KEY, set_time_source
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance, Word, has_times

_FORMAT = "vosk"
_KEYS = {"text", "result", "alternatives", "partial", "partial_result", "spk", "spk_frames", KEY}


def is_vosk(content: Any) -> bool:
    """Whether a JSON value looks like Vosk's results."""
    items = nodes.results_of(content)
    return bool(items) and all(isinstance(item, dict) and {*item} - {KEY} and {*item} <= _KEYS for item in items)


def read_vosk(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each result; a partial result has no words."""
    segments = (
        (node, Utterance(_words(node.first("alternatives")), origin=JsonOrigin(_FORMAT, node.item, content)))
        for node in nodes.result_nodes(content, display_name(path))
    )
    return nodes.segment_utterances(segments, path)


def _words(node: nodes.Node) -> tuple[Word, ...]:
    entries, _ = node.nodes("result", "word"), node.text("text")  # which is checked
    return nodes.entries_or_text(entries, partial(nodes.timed_words, confidence_keys=("conf",)), node, "text")


def message_words(value: Any, place: str) -> tuple[Word, ...]:
    """Return the words of a message of the recogniser, `{"text", "result"}`; a partial one (`{"partial"}`) has none."""
    return _words(nodes.Node.of(value, place).first("alternatives"))


def write_vosk(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write results in the layout of their file; utterances of other formats as a list in the order of time.

    Marks are attached to the words, also in `text`. In a text without word entries, dashes have a space on both sides.
    Raises InputError for utterances of other formats with times of several recordings.
    """
    utterances = list(values)
    origins = [json_origin(utterance.origin, _FORMAT) for utterance in utterances]
    if not any(origins):
        utterances = sorted_by_start(utterances)
    results = list[Object]()
    for utterance, origin in zip(utterances, origins, strict=True):
        result = _changed_result(origin.item, utterance, glyphs) if origin else None
        results.append(set_time_source(result or _new_result(utterance, glyphs), utterance, "asr"))
    layouts = {type(origin.document) if origin else list for origin in origins}
    # `Values`: several results one after the other; dict: a file of one result
    one_after_the_other = layouts == {nodes.Values} or (layouts == {dict} and len(results) == 1)
    for value in results if one_after_the_other else [results]:
        out.write(json.dumps(value, ensure_ascii=False) + "\n")


def _changed_result(item: Object, utterance: Utterance, glyphs: Glyphs) -> Object | None:
    """Return the file's result with the written words; None if the utterance has another number of words."""
    best = nodes.Node(item, "").first("alternatives").item
    entries, text = best.get("result") or [], best.get("text") or ""
    old = nodes.tokens_of(entries, "word") or text.split()
    words = written_words(utterance, glyphs, running=not entries)
    if len(words) != len(old):
        return None
    changed = dict(best)
    if entries:
        changed["result"] = nodes.replace_entries(entries, "word", words)
    if "text" in best:
        changed["text"] = replace_tokens(text, old, words)
    return changed if best is item else {**item, "alternatives": [changed, *item["alternatives"][1:]]}


def _new_result(utterance: Utterance, glyphs: Glyphs) -> Object:
    timed = has_times(utterance.words)
    words = written_words(utterance, glyphs, running=not timed)
    entries = {"result": nodes.new_entries(utterance.words, words, "conf")} if timed else {}
    return {**entries, "text": " ".join(words)}
