"""The project's own JSON, with every field of a word.

`{"utterances": [{"id", "document", "recording", "channel", "speaker", "language", "times", "pause_before", "text",
"words": [{"word", "start", "end", "confidence", "pause", "speaker", "marks", "case", "inside", "written",
"probabilities", "filler"}]}]}`. Times are seconds, and fields without a value are left out. `written` and `text`
are not read. `probabilities` maps marks and cases to their probability; unlikely ones are left out.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TextIO

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.json.nodes import Node, timed_words
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import check_time_source
from asr_punct.formats.times import time_of
from asr_punct.formats.values import Object, short_repr
from asr_punct.glyphs import Glyphs, write_text, write_word
from asr_punct.languages import parse_language
from asr_punct.marks import MARKS, Case, Labels, Mark, parse_case, parse_marks
from asr_punct.words import PROBABLE_LABELS, Probabilities, Utterance, Word

_WORD_KEYS = frozenset(
    {"word", "start", "end", "confidence", "pause", "marks", "case", "inside", "written", "probabilities", "filler"}
)
_UTTERANCE_KEYS = frozenset({"id", "document", "recording", "channel", "times", "pause_before", "text", "words"})
_TIMES, _NUMBERS = ("start", "end"), ("confidence", "pause", "pause_before")
_LABEL_OF_NAME = {str(label): label for label in PROBABLE_LABELS}
_FORMAT, _UTTERANCES = "json", "utterances"


def is_json(content: Any) -> bool:
    """Whether a JSON value looks like this format."""
    return isinstance(content, dict) and _UTTERANCES in content and "words" not in content  # AssemblyAI has both


def read_json(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield the utterances of a document. Raises InputError for JSON of another form."""
    name = display_name(path)
    items = content.get(_UTTERANCES) if isinstance(content, dict) else None
    if not isinstance(items, list):
        raise InputError(name, "no list 'utterances'", '{"utterances": [{"words": [{"word": …}]}]}')
    for number, item in enumerate(items, start=1):
        place = f"{name}: utterance {number}"
        if not isinstance(item, dict) or not isinstance(item.get("words"), list):
            raise InputError(place, "no list 'words'", '{"words": [{"word": …}]}')
        yield _utterance(Node(item, place), content)


def _utterance(node: Node, document: Object) -> Utterance:
    item, place = node.item, node.place
    words = [_word(value, f"{place}: word {number}") for number, value in enumerate(item["words"], start=1)]
    if not any("marks" in value for value in item["words"]):
        words = [replace(word, labels=None) for word in words]
    return Utterance(
        tuple(words),
        id=_name(node, "id"),
        document=_name(node, "document"),
        recording=_name(node, "recording"),
        channel=_name(node, "channel") or "1",
        speaker=node.speaker,
        pause_before=node.seconds("pause_before"),
        language=parse_language(item.get("language")),
        time_source=check_time_source(item.get("times") or "none", place),
        origin=JsonOrigin(_FORMAT, item, document),
    )


def _name(node: Node, key: str) -> str:
    """Return a string or integer as a string; empty if it is missing or null."""
    value = node.get(key)
    return str(value) if isinstance(value, int) else node.text(key)


def _word(value: Any, place: str) -> Word:
    word = timed_word(value, place)
    marks = value.get("marks")
    if marks is not None and not (isinstance(marks, list) and all(isinstance(mark, str) for mark in marks)):
        raise InputError(place, f"marks {marks!r}", "a list of marks by name")
    try:
        names, case = parse_marks("+".join(marks or ["O"])), parse_case(value.get("case", "O"))
    except AsrPunctError as error:
        raise InputError(place, error.found, error.expected) from None
    node = Node(value, place)
    labels, filler = Labels(names, case, inside=_truth(node, "inside")), _truth(node, "filler")
    pause, probabilities = node.seconds("pause"), _probabilities(node)
    return replace(word, labels=labels, pause=pause, probabilities=probabilities, filler=filler)


def _truth(node: Node, key: str) -> bool:
    value = node.get(key)
    if not isinstance(value, bool | None):
        raise InputError(node.place, f"{key} {short_repr(value)}", "true or false")
    return bool(value)


def _probabilities(node: Node) -> Probabilities | None:
    given, place = node.get("probabilities"), node.place
    if given is None:
        return None
    if not isinstance(given, dict) or not given.keys() <= _LABEL_OF_NAME.keys():
        raise InputError(place, f"probabilities {short_repr(given)}", f"an object with {' '.join(_LABEL_OF_NAME)}")
    probabilities: dict[Mark | Case, float] = {}
    for name in given:
        probability = Node(given, place).number(name)
        if probability is None or probability > 1:
            raise InputError(place, f"{name} {short_repr(given[name])}", "a probability, from 0 to 1")
        probabilities[_LABEL_OF_NAME[name]] = probability
    return probabilities


def timed_word(value: Any, place: str) -> Word:
    """Return the word of an object `{"word", "start", "end", "confidence"}`."""
    words = timed_words(Node.of(value, place))
    if len(words) != 1:
        raise InputError(place, f"word {value['word']!r}", "a word without white space")
    return replace(words[0], speaker=Node(value, place).speaker, origin=JsonOrigin(_FORMAT, value))


def write_json(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON object, one utterance per line, lazily. Unknown keys of a file of this format are kept."""
    remaining = iter(values)
    first = list(islice(remaining, 1))
    origin = json_origin(first[0].origin, _FORMAT) if first else None
    before, after = _text_around_utterances(origin.document if origin else {})
    out.write(before)
    for number, utterance in enumerate(chain(first, remaining)):
        out.write((",\n" if number else "\n") + _dumped(_utterance_object(utterance, glyphs)))
    out.write(after)


def _text_around_utterances(document: Object) -> tuple[str, str]:
    """Return the JSON text before the first utterance and after the last, with the document's other keys."""
    keys = list(document)
    position = keys.index(_UTTERANCES) if _UTTERANCES in document else 0
    fields = [f"{_dumped(key)}: {_dumped(document[key])}" for key in keys if key != _UTTERANCES]
    before = "".join(f"{field}, " for field in fields[:position])
    after = "".join(f", {field}" for field in fields[position:])
    return f'{{{before}"{_UTTERANCES}": [', f"\n]{after}}}\n"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _utterance_object(utterance: Utterance, glyphs: Glyphs) -> Object:
    glyphs = glyphs.of(utterance.language)
    item = {
        "id": utterance.id,
        "document": utterance.document or None,
        "recording": utterance.recording,
        "channel": utterance.channel,
        "speaker": utterance.speaker or None,
        "language": utterance.language or None,
        "times": utterance.time_source,
        "pause_before": utterance.pause_before,
        "text": write_text([word.text for word in utterance.words], utterance.labels, glyphs),
        "words": [word_object(word, glyphs) for word in utterance.words],
    }
    origin = json_origin(utterance.origin, _FORMAT)
    old = origin.item if origin else {}
    is_same_speaker = Node(old, "").speaker == utterance.speaker  # keeps its form then, such as a number
    known = {*_UTTERANCE_KEYS}
    if not is_same_speaker:
        known.add("speaker")
    if utterance.language and not parse_language(old.get("language")):
        known.add("language")
    return _merged(item, old, known)


def word_object(word: Word, glyphs: Glyphs) -> Object:
    """Return the JSON object of a word. Unknown keys of the object that it was read from are kept."""
    item: dict[str, Any] = {
        "word": word.text,
        "start": word.start,
        "end": word.end,
        "confidence": word.confidence,
        "pause": word.pause,
        "speaker": word.speaker or None,
    }
    if word.labels:
        item["marks"] = [str(mark) for mark in MARKS if mark in word.labels.marks]
        item["case"] = str(word.labels.case)
        if word.labels.inside and word.labels.marks:
            item["inside"] = True
        item["written"] = write_word(word.text, word.labels, glyphs)
    if word.probabilities is not None:
        item["probabilities"] = {str(label): value for label, value in word.probabilities.items()}
    if word.filler:
        item["filler"] = True
    origin = json_origin(word.origin, _FORMAT)
    return _merged(item, origin.item if origin else {}, _WORD_KEYS)


def _merged(new: Object, old: Object, known: Collection[str]) -> Object:
    """Return the new object with the old one's order of keys, and its values of keys that are not `known`.

    Equal values keep their old form: 1 does not become 1.0, and a time or number that makes no sense, which is read as
    None, is not dropped.
    """
    item: dict[str, Any] = {}
    for key, value in old.items():
        is_unknown = new.get(key) is None and (key in _TIMES or (key in _NUMBERS and not time_of(value) >= 0))
        if key not in known or is_unknown or new.get(key) in (value, str(value)):
            item[key] = value
        elif new.get(key) is not None:
            item[key] = new[key]
    return item | {key: value for key, value in new.items() if value is not None and key not in item}
