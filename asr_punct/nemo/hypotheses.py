"""Punctuation of NeMo's transcripts, hypotheses (see `asr.hypotheses`) and manifests; needs no NeMo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, TypeVar

from asr_punct import formats
from asr_punct.asr.hypotheses import HypothesisWords, read_hypothesis
from asr_punct.formats.files import Pathlike
from asr_punct.formats.json_values import Object
from asr_punct.formats.tokens import replace_entries, written_words
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import SENTENCE_ENDS, Glyphs
from asr_punct.pauses import with_pauses
from asr_punct.text import read_marks, split_token
from asr_punct.words import Seconds, Utterance

LONGEST_PAUSE: Seconds = 1.0
"""A pause of this length ends a segment even without a mark."""
_Hypothesis = TypeVar("_Hypothesis")


def punctuate_hypotheses(
    hypotheses: Sequence[_Hypothesis],
    punctuator: Punctuator,
    *,
    consecutive: bool = False,
    longest_pause: Seconds = LONGEST_PAUSE,
) -> list[_Hypothesis]:
    """Copy the hypotheses, with marks and capitals in `text` and in the entries of `timestamp["word"]`.

    `timestamp["segment"]` is replaced: a segment ends with a sentence or before a long pause. Everything else stays;
    without word times only `text` changes.

    Args:
        hypotheses: one for each audio file, or for each of consecutive segments of one recording.
        punctuator: the model.
        consecutive: whether they are such segments, and so context for each other.
        longest_pause: the shortest pause in seconds that ends a segment.

    Raises:
        InputError: a hypothesis without `text`, with invalid times, or with another number of words in `text`.
    """
    found = [
        read_hypothesis(hypothesis, f"hypothesis {number}") for number, hypothesis in enumerate(hypotheses, start=1)
    ]
    utterances = (
        utterance
        for number, hypothesis in enumerate(found)
        for utterance in with_pauses(
            [hypothesis.utterance(str(number), "all" if consecutive else "")]
        )  # each has a clock starting at 0
    )
    restored = punctuator.restore(utterances)
    return [
        _written(hypothesis, known, utterance, punctuator.glyphs, longest_pause)
        for hypothesis, known, utterance in zip(hypotheses, found, restored, strict=True)
    ]


def punctuate_manifest(source: Pathlike, output: Pathlike, punctuator: Punctuator) -> None:
    """Write a manifest with marks and capitals in its texts and words; everything else stays.

    Consecutive lines of one audio file are context for each other. The output appears when it is complete.

    Args:
        source: manifest of transcriptions (`pred_text`, `word`) or alignments (`words`, `alignments`); `-` is standard
            input.
        output: the manifest to write; `-` is standard output.
        punctuator: the model.

    Raises:
        InputError: `source` is not a manifest, or `output` cannot be written.
    """
    restored = punctuator.restore(formats.read(source, "nemo"))
    formats.write(restored, output, punctuator.glyphs, "nemo")


def _written(
    hypothesis: _Hypothesis, found: HypothesisWords, utterance: Utterance, glyphs: Glyphs, longest_pause: Seconds
) -> _Hypothesis:
    result: Any = copy(hypothesis)
    running = written_words(utterance, glyphs, running=True)
    result.text = " ".join(running)
    if found.entries is not None:
        entries = replace_entries(found.entries, "word", written_words(utterance, glyphs))
        holders = [entry for entry in entries for _ in entry["word"].split()]
        segments = [
            {"segment": " ".join(running[cut]), **_span(holders[cut])}
            for cut in _cuts(utterance, glyphs, longest_pause)
        ]
        result.timestamp = {**result.timestamp, "word": entries, "segment": segments}
    return result  # type: ignore[no-any-return]


def _cuts(utterance: Utterance, glyphs: Glyphs, longest_pause: Seconds) -> Iterator[slice]:
    """The words of each segment."""
    first, count = 0, len(utterance.words)
    labels, pauses = utterance.labels, utterance.pauses
    for i, (word, label, pause) in enumerate(zip(utterance.words, labels, pauses, strict=True), start=1):
        before, _, after = split_token(word.text, glyphs.name)
        ends = SENTENCE_ENDS & (label.marks | read_marks(before, after))
        if ends or i == count or (pause is not None and pause >= longest_pause):
            yield slice(first, i)
            first = i


def _span(entries: Sequence[Object]) -> Object:
    """Where consecutive entries begin and end, in the keys that they have."""
    first, last = entries[0], entries[-1]
    keys = {"start_offset": first, "end_offset": last, "start": first, "end": last}
    return {key: entry[key] for key, entry in keys.items() if key in entry}
