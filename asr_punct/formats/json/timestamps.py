"""JSON of FunASR (`funasr`) and sherpa-onnx (`sherpa-onnx`), whose times are lists beside the text.

FunASR: `[{"key", "text": "hola ana", "timestamp": [[0, 300], [300, 700]], "sentence_info": [{"text", "start", "end",
"timestamp", "spk"}]}]`, in milliseconds. With as many times as words, these are their times; else only those of the
text or sentence are known.

sherpa-onnx: `{"text": " hola ana", "timestamps": [0.0, 0.32], "durations": [], "tokens": [" hola", " ana"]}`, one or
several values. Tokens are pieces of words, which begin with a space or `▁`; they are not written.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import grouped, part_sizes, with_edge_times
from asr_punct.formats.json.nodes import Node, find, result_nodes, results_of, segment_utterances
from asr_punct.formats.json.places import Piece, Place, node_words, write_placed
from asr_punct.formats.origins import JsonOrigin
from asr_punct.formats.times import time_of
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_FUNASR, _SHERPA = "funasr", "sherpa-onnx"
_WORD_START = "▁"


def is_funasr(content: Any) -> bool:
    """Whether a JSON value is a result of FunASR."""
    results = results_of(content)
    return bool(results) and all(
        isinstance(find(each, "text"), str) and bool({"timestamp", "sentence_info"} & each.keys()) for each in results
    )


def read_funasr(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each sentence of `sentence_info`, else for each result."""
    origin = JsonOrigin(_FUNASR, None, content)
    parts = (
        part for node in result_nodes(content, display_name(path)) for part in node.nodes("sentence_info") or [node]
    )
    return segment_utterances(((part, _funasr_utterance(part, origin)) for part in parts), path)


def _funasr_utterance(node: Node, origin: JsonOrigin) -> Utterance:
    words, times = node_words(node, "text", None, None), [_pair(value) for value in node.values("timestamp")]
    spoken = [i for i, word in enumerate(words) if any(map(str.isalnum, word.text))]
    source: TimeSource = "asr"
    if words and len(times) == len(spoken):
        for i, (start, end) in zip(spoken, times, strict=True):
            words[i] = replace(words[i], start=start, end=end)
    elif words:
        edges = [_ms(node.get("start")), _ms(node.get("end"))] if "start" in node else [None, None]
        if times:
            edges = [times[0][0], times[-1][1]]
        words, source = list(with_edge_times(words, edges[0], edges[1])), "segment"
    speaker = node.get("spk")
    return Utterance(tuple(words), speaker="" if speaker is None else str(speaker), time_source=source, origin=origin)


def _pair(value: Any) -> tuple[Seconds | None, Seconds | None]:
    pair = value if isinstance(value, list) and len(value) == 2 else [value, value]
    return _ms(pair[0]), _ms(pair[1])


def _ms(value: Any) -> Seconds | None:
    return None if value is None else time_of(value) / 1000


def _funasr_texts(document: Any) -> Iterable[Iterable[Place]]:
    return [[(result, "text") for result in results_of(document)]]


def is_sherpa(content: Any) -> bool:
    """Whether a JSON value is a result of sherpa-onnx, or several."""
    results = results_of(content)
    return bool(results) and all(
        isinstance(find(each, "tokens"), list) and isinstance(find(each, "timestamps"), list) and "text" in each
        for each in results
    )


def read_sherpa(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each result; the end of a word is known if tokens have durations."""
    origin = JsonOrigin(_SHERPA, None, content)
    results = result_nodes(content, display_name(path))
    return segment_utterances(((node, _sherpa_utterance(node, origin)) for node in results), path)


def _sherpa_utterance(node: Node, origin: JsonOrigin) -> Utterance:
    words, language = node_words(node, "text", None, None), parse_language(node.get("lang"))
    tokens = node.values("tokens")
    texts = [str(token).replace(_WORD_START, " ") for token in tokens]
    pieces = [Piece(tokens, i, part) for i, text in enumerate(texts) for part in text.split()]
    groups = list(grouped(pieces, part_sizes(texts)))
    if [_letters("".join(piece.text for piece in group)) for group in groups] == [_letters(w.text) for w in words]:
        starts, durations = (list(map(time_of, node.values(key))) for key in ("timestamps", "durations"))
        words = [_with_times(word, group, starts, durations) for word, group in zip(words, groups, strict=True)]
    return Utterance(tuple(words), language=language, time_source="ctc", origin=origin)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _with_times(word: Word, pieces: Sequence[Piece], starts: Sequence[Seconds], durations: Sequence[Seconds]) -> Word:
    first, last = int(pieces[0].key), int(pieces[-1].key)
    start = starts[first] if first < len(starts) else None
    end = starts[last] + durations[last] if last < min(len(starts), len(durations)) else None
    return replace(word, start=start, end=end)


def _no_copies(_: Any) -> list[list[Place]]:
    return []


write_funasr = partial(write_placed, format_name=_FUNASR, copies=_funasr_texts)
write_sherpa = partial(write_placed, format_name=_SHERPA, copies=_no_copies)
