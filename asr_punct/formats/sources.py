"""Where the times of words come from: what a file of each format is taken for, and the key that tells another source.

Formats of JSON take a key that they do not know. It is written only where the file would be taken for something else
without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from asr_punct.formats.entries import Object
from asr_punct.words import TIME_SOURCES, TimeSource, Utterance, Word, has_times

USUAL: Mapping[str, TimeSource] = {
    "aws": "asr",
    "ctm": "asr",
    "ctm/forced aligner": "ctc",
    "google": "asr",
    "ibm": "asr",
    "kaldi": "asr",
    "lhotse": "aligner",
    "nemo": "asr",
    "nemo/alignment": "ctc",
    "speechmatics": "asr",
    "textgrid": "aligner",
    "vosk": "asr",
    "vtt": "asr",
    "whisper": "whisper",
    "whisper/chunks without spaces": "ctc",
    "whisper/whisperx": "ctc",
}
"""The source of times by format, or after a / by a form of its files, where they tell none."""
SOURCE = "times"
"""The key that tells it, and the name of a TextGrid's tier."""


def source_of(words: Iterable[Word], source: TimeSource) -> TimeSource:
    """The source of the words' times, where they have any."""
    return source if has_times(words) else "none"


def told_source(item: Object, words: Iterable[Word], usual: TimeSource) -> TimeSource:
    """The source that an object tells of its words' times, else the usual one, where they have any."""
    told: TimeSource = item[SOURCE] if item.get(SOURCE) in TIME_SOURCES else usual
    return source_of(words, told)


def telling_source(item: Object, utterance: Utterance, usual: TimeSource) -> Object:
    """The object, which tells the source of its words' times where it would be read as another.

    A value under the key that is no source has a meaning of its own, and stays.
    """
    source = source_of(utterance.words, utterance.time_source)
    is_other = item.get(SOURCE, usual) not in TIME_SOURCES
    if is_other or source in ("none", "segment", told_source(item, utterance.words, usual)):
        return item
    return {**item, SOURCE: source}
