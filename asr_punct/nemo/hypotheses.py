"""What `transcribe` of a NeMo model gives, with marks and capitals.

A `Hypothesis` has `text` and, with `timestamps=True`, a dictionary `timestamp` whose `word` and `segment` are lists of
`{"word"|"segment", "start_offset", "end_offset", "start", "end"}`: offsets in frames of the encoder, seconds beside
them. Nothing here imports NeMo: any object with these two attributes will do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from asr_punct.errors import InputError
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import SENTENCE_ENDS, Glyphs, Labels, write_text, write_word
from asr_punct.pauses import with_pauses
from asr_punct.text import read_marks, split_token
from asr_punct.words import Seconds, Utterance, Word

Entry = Mapping[str, Any]
LONGEST_PAUSE: Seconds = 1.0
"""A pause of so many seconds ends a segment that no mark has ended."""
_Hypothesis = TypeVar("_Hypothesis")


def punctuate_hypotheses(
    hypotheses: Sequence[_Hypothesis],
    punctuator: Punctuator,
    *,
    consecutive: bool = False,
    longest_pause: Seconds = LONGEST_PAUSE,
) -> list[_Hypothesis]:
    """Copies of the hypotheses with marks and capitals in `text` and in the entries of `timestamp["word"]`.

    `timestamp["segment"]` is made anew: a segment ends with a sentence, or before a long pause. All else is as it was;
    without word times only `text` changes.

    Args:
        hypotheses: one for each audio file, or for consecutive pieces of one recording.
        punctuator: the model.
        consecutive: whether they are such pieces, and so context for each other.
        longest_pause: the shortest pause in seconds that ends a segment.

    Raises:
        InputError: one of them has no `text`, words with times that are none, or as many in `text` that differ.
    """
    found = [_read(hypothesis, f"hypothesis {number}") for number, hypothesis in enumerate(hypotheses, start=1)]
    recordings = (0 if consecutive else number for number in range(len(found)))
    utterances = (
        utterance
        for hypothesis, recording in zip(found, recordings, strict=True)
        for utterance in with_pauses([hypothesis.utterance(str(recording))])  # their clocks are not one clock
    )
    restored = punctuator.restore(utterances)
    return [
        _written(hypothesis, known, utterance, punctuator.glyphs, longest_pause)
        for hypothesis, known, utterance in zip(hypotheses, found, restored, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """What a hypothesis holds.

    Attributes:
        tokens: its words.
        entries: those of `timestamp["word"]` that hold a word, with their places there; None without word times.
    """

    tokens: tuple[str, ...]
    entries: dict[int, Entry] | None

    def utterance(self, recording: str) -> Utterance:
        """The words with their times."""
        if self.entries is None:
            return Utterance(tuple(map(Word, self.tokens)), recording=recording)
        pairs = zip(self.tokens, self.entries.values(), strict=True)
        words = tuple(Word(token, entry.get("start"), entry.get("end")) for token, entry in pairs)
        return Utterance(words, recording=recording, times="asr")


def _read(hypothesis: Any, place: str) -> _Found:
    text, timestamp = getattr(hypothesis, "text", None), getattr(hypothesis, "timestamp", None)
    entries = timestamp.get("word") if isinstance(timestamp, Mapping) else None
    if not isinstance(text, str):
        raise InputError(place, f"{type(hypothesis).__name__} with text {text!r}", "a Hypothesis of decoded text")
    tokens = tuple(text.split())
    if entries is None:
        return _Found(tokens, None)
    kept = {i: _checked(entry, f"{place}: word {i + 1}") for i, entry in enumerate(entries) if entry["word"].strip()}
    if len(kept) != len(tokens):
        raise InputError(place, f"{len(kept)} words with times and {len(tokens)} in text", "as many")
    return _Found(tokens, kept)


def _checked(entry: Entry, place: str) -> Entry:
    """The entry with plain numbers of seconds. Raises InputError where they are none."""
    if len(entry["word"].split()) != 1:
        raise InputError(place, repr(entry["word"]), "one word")
    times = {key: float(entry[key]) for key in ("start", "end") if entry.get(key) is not None}
    for key, value in times.items():
        if not math.isfinite(value) or value < 0:
            raise InputError(place, f"{key} {value}", "a number of seconds, 0 or more")
    return {**entry, **times}


def _written(
    hypothesis: _Hypothesis, found: _Found, utterance: Utterance, glyphs: Glyphs, longest_pause: Seconds
) -> _Hypothesis:
    result: Any = copy(hypothesis)
    labels = utterance.labels or (Labels(),) * len(found.tokens)
    result.text = write_text(found.tokens, labels, glyphs)
    if found.entries is not None:
        entries = list(result.timestamp["word"])
        for (place, _), label in zip(found.entries.items(), labels, strict=True):
            entries[place] = {**entries[place], "word": _rewritten(entries[place]["word"], label, glyphs)}
        words = [entries[place] for place in found.entries]
        cuts = _cuts(utterance, labels, glyphs, longest_pause)
        segments = [_segment(found.tokens[cut], labels[cut], words[cut], glyphs) for cut in cuts]
        result.timestamp = {**result.timestamp, "word": entries, "segment": segments}
    return result  # type: ignore[no-any-return]


def _rewritten(text: str, label: Labels, glyphs: Glyphs) -> str:
    """The text of an entry with its marks; white space around the word stays."""
    token = text.strip()
    return text.replace(token, write_word(token, label, glyphs))


def _cuts(utterance: Utterance, labels: Sequence[Labels], glyphs: Glyphs, longest_pause: Seconds) -> Iterator[slice]:
    """The words of each segment."""
    first, last = 0, len(labels) - 1
    pauses = utterance.pauses or (None,) * len(labels)
    for i, (word, label, pause) in enumerate(zip(utterance.words, labels, pauses, strict=True)):
        before, _, after = split_token(word.text, glyphs.name)
        ends = SENTENCE_ENDS & (label.marks | read_marks(before, after))
        if ends or i == last or (pause is not None and pause >= longest_pause):
            yield slice(first, i + 1)
            first = i + 1


def _segment(tokens: Sequence[str], labels: Sequence[Labels], words: Sequence[Entry], glyphs: Glyphs) -> Entry:
    first, last = words[0], words[-1]
    keys = {"start_offset": first, "end_offset": last, "start": first, "end": last}
    return {
        "segment": write_text(tokens, labels, glyphs),
        **{key: entry[key] for key, entry in keys.items() if key in entry},
    }
