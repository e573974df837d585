"""Whole sentences with times, a JSON object a line, for translation and alignment.

`{"text", "start", "end", "speaker", "recording", "channel", "language", "words": [first, end]}`. Times are seconds;
those between known ones are estimated by the words' lengths, and fields without a value are left out. `words` are the
places of the sentence's words among all of its document, in the order of the lines; `end` is one more than the last.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, TextIO

from asr_punct.glyphs import Glyphs
from asr_punct.sentences import sentences
from asr_punct.subtitles.units import filled_times, with_edges
from asr_punct.words import Utterance, bounds, has_times, text_of_utterance


def write_sentences(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each sentence."""
    for _, document in groupby(timed_sentences(utterances, glyphs), key=lambda sentence: sentence.context):
        first = 0
        for sentence in document:
            end = first + len(sentence.words)
            item = dict(_fields(sentence, glyphs), words=[first, end])
            out.write(json.dumps(item, ensure_ascii=False) + "\n")
            first = end


def timed_sentences(utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the sentences of utterances; all words have times if one of their recording has."""
    return sentences(map(_filled, with_edges(utterances)), glyphs)


def _filled(utterance: Utterance) -> Utterance:
    if not has_times(utterance.words):
        return utterance
    times = zip(utterance.words, filled_times(utterance), strict=True)
    return replace(utterance, words=tuple(replace(word, start=start, end=end) for word, (start, end) in times))


def _fields(sentence: Utterance, glyphs: Glyphs) -> Iterator[tuple[str, Any]]:
    yield "text", text_of_utterance(sentence, glyphs)
    if times := bounds(sentence.words):
        yield from zip(("start", "end"), (round(time, 3) for time in times), strict=True)
    for name in ("speaker", "recording", "language"):
        if value := getattr(sentence, name):
            yield name, value
    if sentence.channel != "1":
        yield "channel", sentence.channel
