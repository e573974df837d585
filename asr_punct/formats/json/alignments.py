"""JSON of the aligners aeneas (`aeneas`) and Gentle (`gentle`).

aeneas: `{"fragments": [{"begin": "0.000", "end": "1.520", "id", "language", "lines": ["hola ana"], "children": []}]}`.
Children are parts of their fragment, down to words; the lowest ones are read.

Gentle: `{"transcript": "Hola, Ana.", "words": [{"word": "Hola", "start", "end", "case": "success", "startOffset": 0,
"endOffset": 4}]}`. Words are those of the transcript, with its marks; offsets are characters of it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TextIO

from asr_punct.errors import InputError, Setting
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import replace_tokens, with_edge_times, written_words
from asr_punct.formats.json.nodes import Node, find, segment_utterances
from asr_punct.formats.json.places import Place, placed_words, write_placed
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.words import TimeSource, Utterance, Word

_AENEAS, _GENTLE = "aeneas", "gentle"


def is_aeneas(content: Any) -> bool:
    """Whether a JSON value is a sync map of aeneas."""
    fragments = find(content, "fragments")
    return isinstance(fragments, list) and all(isinstance(find(each, "lines"), list) for each in fragments)


def read_aeneas(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each fragment."""
    file, origin = Node.of(content, display_name(path)), JsonOrigin(_AENEAS, None, content)
    return segment_utterances(
        ((fragment, _fragment(fragment, origin)) for fragment in file.nodes("fragments", "fragment")), path
    )


def _fragment(fragment: Node, origin: JsonOrigin) -> Utterance:
    leaves = list(_leaves(fragment))
    words, counts = list[Word](), list[int]()
    for leaf in leaves:
        lines = leaf.values("lines")
        own = [word for i in range(len(lines)) for word in placed_words(lines, i, None, None, None, leaf.place)]
        words += _with_edges(own, leaf)
        counts.append(len(own))
    are_words = max(counts, default=0) <= 1
    language = parse_language(fragment.get("language"))
    source: TimeSource = "aligner" if are_words else "segment"
    return Utterance(tuple(words), language=language, time_source=source, origin=origin)


def _with_edges(words: Sequence[Word], leaf: Node) -> Sequence[Word]:
    return with_edge_times(words, leaf.seconds("begin"), leaf.seconds("end")) if words else words


def _leaves(fragment: Node) -> Iterator[Node]:
    children = fragment.nodes("children", "child")
    for child in children:
        yield from _leaves(child)
    if not children:
        yield fragment


def _lines_of_parents(document: Any) -> Iterable[Iterable[Place]]:
    for level in _levels(document["fragments"]):
        yield [(lines, i) for lines in level for i in range(len(lines))]


def _levels(fragments: Sequence[Any]) -> Iterator[list[list[str]]]:
    parents = [each for each in fragments if each.get("children")]
    if parents:
        yield [each.get("lines") or [] for each in fragments]
        yield from _levels([child for each in parents for child in each["children"]])


write_aeneas = partial(write_placed, format_name=_AENEAS, copies=_lines_of_parents)


def is_gentle(content: Any) -> bool:
    """Whether a JSON value is an alignment of Gentle."""
    words, is_text = find(content, "words"), isinstance(find(content, "transcript"), str)
    is_list = is_text and isinstance(words, list) and all(isinstance(each, dict) for each in words)
    return is_list and all({"word", "startOffset"} <= {*each} or "case" in each for each in words)


def read_gentle(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line of the transcript; words that were not found in the audio have no times."""
    file, origin = Node.of(content, display_name(path)), JsonOrigin(_GENTLE, None, content)
    text, entries = file.text("transcript"), file.nodes("words", "word")
    places = [(place, entry) for place, entry in ((_offsets(entry.item), entry) for entry in entries) if place]
    found, position, first = list[tuple[Node, Utterance]](), 0, 0
    for line in text.splitlines():
        words = list[Word]()
        for token in line.split():
            position = text.index(token, position) + len(token)
            following = next((i for i in range(first, len(places)) if places[i][0][0] >= position), len(places))
            inside = [entry for _, entry in places[first:following]]
            first = following
            edges = (inside[0].seconds("start"), inside[-1].seconds("end")) if inside else (None, None)
            words.append(Word(token, *edges))
        if words:
            found.append((file, Utterance(tuple(words), time_source="aligner", origin=origin)))
    return segment_utterances(found, path)


def _offsets(entry: Object) -> tuple[int, int] | None:
    first, last = entry.get("startOffset"), entry.get("endOffset")
    return (first, last) if isinstance(first, int) and isinstance(last, int) and 0 <= first <= last else None


def write_gentle(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the alignment with the written words in its transcript, and the new offsets and letters of its entries.

    Raises InputError for words that are not all those of one file.
    """
    listed = list(utterances)
    origin = json_origin(listed[0].origin, _GENTLE) if listed else None
    old = origin.document["transcript"] if origin else ""
    tokens, written = old.split(), [text for each in listed for text in written_words(each, glyphs)]
    if origin is None or len(tokens) != len(written):
        expected = f"those of a file of this format: {_GENTLE} is only written back"
        raise InputError("the words", "words of another file", expected, Setting("target_format", "json"))
    new = replace_tokens(old, tokens, written)
    moved = _moved_offsets(old, new, tokens, written)
    entries = [_moved(entry, moved, new) for entry in origin.document["words"]]
    out.write(json.dumps({**origin.document, "transcript": new, "words": entries}, ensure_ascii=False) + "\n")


def _moved_offsets(old: str, new: str, tokens: Sequence[str], written: Sequence[str]) -> dict[int, int]:
    """Return where each character of the old tokens is in the new text."""
    moved, before, after = dict[int, int](), 0, 0
    for token, text in zip(tokens, written, strict=True):
        before, after = old.index(token, before), new.index(text, after)
        inside = max(text.lower().find(token.lower()), 0)
        moved |= {before + i: after + inside + i for i in range(len(token) + 1)}
        before, after = before + len(token), after + len(text)
    return moved


def _moved(entry: Object, moved: dict[int, int], text: str) -> Object:
    place = _offsets(entry)
    if place is None or any(offset not in moved for offset in place):
        return entry
    first, last = (moved[offset] for offset in place)
    word = entry.get("word")
    same = isinstance(word, str) and text[first:last].lower() == word.lower()
    return {**entry, "startOffset": first, "endOffset": last} | ({"word": text[first:last]} if same else {})
