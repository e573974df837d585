"""Punctuation of NeMo's hypotheses, without importing NeMo."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, TypeVar

from asr_punct.asr.nemo_data import read_hypothesis
from asr_punct.formats.entries import written_words
from asr_punct.formats.json.nodes import replace_entries
from asr_punct.formats.time_sources import time_source_of
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.inference.punctuator import Punctuator
from asr_punct.text.sentence_ends import ends_sentence
from asr_punct.words import Seconds, Utterance

LONGEST_PAUSE: Seconds = 1.0
"""A pause of this length or more ends a segment, also without a mark."""
_Hypothesis = TypeVar("_Hypothesis")


def punctuate_hypotheses(
    hypotheses: Sequence[_Hypothesis],
    punctuator: Punctuator,
    *,
    consecutive: bool = False,
    longest_pause: Seconds = LONGEST_PAUSE,
) -> list[_Hypothesis]:
    """Copy the hypotheses, with marks and capitals in `text` and in the entries of `timestamp["word"]`.

    `timestamp["segment"]` is replaced: a segment ends at the end of a sentence or at a long pause. All else stays.
    Without word times only `text` changes.

    Args:
        hypotheses: one for each audio file, or one for each segment of a recording.
        punctuator: the model.
        consecutive: whether they are consecutive segments of one recording and context for each other.
        longest_pause: a pause of this many seconds or more ends a segment.

    Raises InputError if a hypothesis has no `text` or invalid times, or its `text` and `timestamp` differ in the number
    of words.
    """
    read = [
        read_hypothesis(hypothesis, f"hypothesis {number}") for number, hypothesis in enumerate(hypotheses, start=1)
    ]
    document = "all" if consecutive else ""
    utterances = [
        Utterance(
            words,
            document=document,
            recording=str(number),  # its times start at 0
            time_source=time_source_of(words, "asr"),
        )
        for number, (words, _) in enumerate(read)
    ]
    restored = punctuator.restore(utterances)
    return [
        _write(hypothesis, entries, utterance, punctuator.glyphs, longest_pause)
        for hypothesis, (_, entries), utterance in zip(hypotheses, read, restored, strict=True)
    ]


def _write(
    hypothesis: _Hypothesis, entries: list[Object] | None, utterance: Utterance, glyphs: Glyphs, longest_pause: Seconds
) -> _Hypothesis:
    """Copy a hypothesis with the words of the punctuated utterance."""
    result: Any = copy(hypothesis)
    glyphs = glyphs.of(utterance.language)
    running = written_words(utterance, glyphs, running=True)
    result.text = " ".join(running)
    if entries is not None:
        entries = replace_entries(entries, "word", written_words(utterance, glyphs))
        entry_of_word = [entry for entry in entries for _ in entry["word"].split()]
        segments = [
            {"segment": " ".join(running[words]), **_segment_times(entry_of_word[words])}
            for words in _segments(utterance, glyphs, longest_pause)
        ]
        result.timestamp = {**result.timestamp, "word": entries, "segment": segments}
    return result  # type: ignore[no-any-return]


def _segments(utterance: Utterance, glyphs: Glyphs, longest_pause: Seconds) -> Iterator[slice]:
    first, count = 0, len(utterance.words)
    for end, word in enumerate(utterance.words, start=1):
        is_long = word.pause is not None and word.pause >= longest_pause
        if is_long or end == count or ends_sentence(word, glyphs.name):
            yield slice(first, end)
            first = end


def _segment_times(entries: Sequence[Object]) -> Object:
    """Return the start of the first entry and the end of the last, in the keys that the entries have."""
    first, last = entries[0], entries[-1]
    keys = {"start_offset": first, "end_offset": last, "start": first, "end": last}
    return {key: entry[key] for key, entry in keys.items() if key in entry}
