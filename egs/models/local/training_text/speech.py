"""Read transcribed speech with speakers and word times: earnings calls (Earnings-21, -22), meetings (AMI), interviews.

A file has one recording a line, JSON with `doc` and either `words` or `utterances`, lists of words; a word is `[token
with marks, start, end, speaker]`, seconds or null.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import read_lines
from asr_punct.formats.labelled import labelled
from asr_punct.marks import SENTENCE_ENDS
from asr_punct.pauses import with_pauses
from asr_punct.words import Seconds, Utterance, Word, annotate
from training_text.sources import Source

Turn = list[Utterance]
"""Words of one speaker, with labels and pauses; more than one utterance if some sentences are left out."""

_SHAPE = '{"doc": …, "words" or "utterances": […]} with words [token, start, end, speaker]'
_UNHEARD = re.compile(r"(?<![a-z])(?:inaudible|crosstalk|<unk>)", re.IGNORECASE)
"""Stands for words that the transcriber did not understand."""
_REMARK = re.compile(r"[(\[<][^)\]>]*[)\]>]?|^[^(\[<]*[)\]>]")
"""Sound that is no word, or the part of a remark in one token: `<laugh>`, `yes.(`, `laughs)`."""
_GLUED = re.compile(r"(?<=[a-z][.?!])(?=[A-Z])")
"""Place between two words that were written without a space: `yes.And`."""
_SENTENCE_END = re.compile(r"[.?!…]\W*$")
_FRAGMENT = re.compile(r"(?<=\w)-$")
"""Hyphen of a word that was broken off: no mark."""
_LOWER_I = re.compile(r"^i(?=['’]|\W*$)")
_MAX_PAUSE_S: Seconds = 3.0
"""Longest pause that is believed inside a sentence; longer ones are errors of the alignment."""


def find_recordings(corpus: Path, source: Source) -> Path:
    """Return the file of a source of speech, `.jsonl` or `.jsonl.xz` in the folder `corpus`."""
    plain = corpus / f"{source.file}.jsonl"
    packed = plain.with_name(f"{plain.name}.xz")
    return packed if packed.exists() else plain


def read_recordings(path: Path) -> Iterator[tuple[str, list[Turn]]]:
    """Yield the name and the turns of each recording of a file, labelled, with pauses where both times are known.

    Sentences with words that were not understood are left out; the pause before such a gap is unknown. So are pauses
    beside times that go back, and pauses above 3 s within a sentence. Raises InputError for another form.
    """
    for number, line in read_lines(path):
        try:
            row = json.loads(line)
            name, words = str(row["doc"]), [word for token in _tokens(row) for word in _words(token)]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}:{number}", f"{type(error).__name__} {error}", _SHAPE) from None
        yield name, _turns(name, _in_order(words))


def _tokens(row: dict[str, Any]) -> list[list[Any]]:
    return list(row["words"]) if "words" in row else [word for words in row["utterances"] for word in words]


def _words(token: list[Any]) -> Iterator[tuple[Word, str]]:
    """Yield the words of a token, with their marks, and the speaker. Words of a glued token have no times."""
    text, start, end, speaker = token[:4]
    if _UNHEARD.search(text):
        yield Word(text), str(speaker)
        return
    texts = _GLUED.split(_FRAGMENT.sub("", _LOWER_I.sub("I", _REMARK.sub("", text).replace("..", "…"))))
    known = len(texts) == 1 and start is not None and end is not None and 0 <= float(start) <= float(end) < math.inf
    for text in (each for each in texts if any(map(str.isalnum, each))):
        yield Word(text, float(start), float(end)) if known else Word(text), str(speaker)


def _in_order(words: Sequence[tuple[Word, str]]) -> list[tuple[Word, str]]:
    """Remove the times of words that begin before an earlier word."""
    latest, kept = -math.inf, list[tuple[Word, str]]()
    for word, speaker in words:
        if word.start is not None and word.start < latest:
            kept.append((replace(word, start=None, end=None), speaker))
        else:
            latest = latest if word.start is None else word.start
            kept.append((word, speaker))
    return kept


def _turns(name: str, words: Sequence[tuple[Word, str]]) -> list[Turn]:
    parts, gaps = list[Utterance](), 0
    for speaker, group in groupby(words, key=lambda word: word[1]):
        for part in _understood([word for word, _ in group]):
            if part:
                # another recording after a gap, so that no pause is computed across it
                spoken = Utterance(tuple(part), recording=f"{name}-{gaps}", speaker=speaker, time_source="aligner")
                parts.append(labelled(spoken, "en"))
            else:
                gaps += 1
    timed = [_believed(part) for part in with_pauses(each for each in parts if each.words)]
    return [list(turn) for _, turn in groupby(timed, key=lambda part: part.speaker)]


def _understood(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield the consecutive sentences of a turn, and an empty list for each sentence that was not understood."""
    part = list[Word]()
    for sentence in _sentences(words):
        if any(_UNHEARD.search(word.text) for word in sentence):
            yield from (part, []) if part else ([],)
            part = []
        else:
            part += sentence
    if part:
        yield part


def _sentences(words: Sequence[Word]) -> Iterator[list[Word]]:
    sentence = list[Word]()
    for word in words:
        sentence.append(word)
        if _SENTENCE_END.search(word.text):
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _believed(utterance: Utterance) -> Utterance:
    """Return the utterance without long pauses where no sentence ends: errors of the alignment."""
    pauses = (
        None if pause is not None and pause > _MAX_PAUSE_S and SENTENCE_ENDS.isdisjoint(labels.marks) else pause
        for pause, labels in zip(utterance.pauses, utterance.labels, strict=True)
    )
    return annotate(utterance, pauses=tuple(pauses))
