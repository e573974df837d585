"""Names of speakers at the starts of lines (`Ana: hola`, `SPEAKER_00: hi`): no words of the sentences.

A name is at most three words of which the last one ends with a colon. It is one if it has the form of a recogniser's
label (`Speaker 1:`), or a capital and

  * one of the next 40 lines of the document begins with it, or any line before, or
  * all lines up to there begin with such names; if there is only one line, with a common first name.

Headings (`Nota:`, `El problema:`), function words (`Pero:`) and words that open an answer (`Bueno:`) are none, nor is a
name that they begin or end, nor one with a verb of saying (`Dijo Ana:`). A dash or `>>` may be before a name, as a word
of its own.

A stream has no lines: a name is one word. If a document begins with a label or a common first name, later words with a
colon may be names too.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from asr_punct.languages import any_language, facts_of
from asr_punct.text.reporting import is_reporting
from asr_punct.text.turns import may_begin_turn
from asr_punct.words import Utterance

LINES = 40
"""Number of lines that are read ahead, before any output, to see whether they begin with a name that is new."""
_LONGEST = 3
_ANY = any_language()
_LABEL = re.compile(rf"(?:{'|'.join(_ANY.speakers)})[ _-]?\w{{0,3}}", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}")
_BRACKETS = "[](){}"
_WITHOUT_BRACKETS = str.maketrans("", "", _BRACKETS)


def with_speakers(document: Iterable[Utterance], language: str) -> Iterator[tuple[Utterance, str, int]]:
    """Yield the utterances of a document, the speaker whom the line names or "", and how many words this name has.

    `language` is the code of the document's language or mixture.
    """
    no_names = _no_names(language)
    left, ahead = iter(document), deque[Utterance]()
    names, refused, only_names = set[str](), set[str](), True
    while ahead or (ahead := deque(islice(left, 1))):
        utterance = ahead.popleft()
        name, words = _name(utterance, no_names)
        if name and name not in names:
            is_name = name in refused or bool(_LABEL.fullmatch(name))
            if not is_name:
                ahead.extend(islice(left, LINES - len(ahead)))
                others = [_name(each, no_names)[0] for each in ahead if each.words]
                is_name = name in others or (
                    only_names and all(others) and bool(names or others or _begins_with_first_name(name))
                )
            (names if is_name else refused).add(name)
        only_names = only_names and (name in names or not utterance.words)
        yield (utterance, name, words) if name in names else (utterance, "", 0)


def names_speaker(word: str, language: str, is_first: bool) -> bool:
    """Whether a word of a stream may name its speaker; the first one must be a label or a common first name."""
    name = _name_before_colon(word, _no_names(language)) if word.endswith(":") else ""
    return bool(name) and (not is_first or _begins_with_first_name(name) or bool(_LABEL.fullmatch(name)))


@cache
def _no_names(language: str) -> frozenset[str]:
    return facts_of(language).never_names - _ANY.speaker_beginnings | _ANY.headings | _ANY.answers


def _name(utterance: Utterance, no_names: frozenset[str]) -> tuple[str, int]:
    """Return the name with which an utterance may begin, and its number of words; "" and 0 if with none."""
    start = int(bool(utterance.words) and may_begin_turn(utterance.words[0].text))
    for count, word in enumerate(utterance.words[start : start + _LONGEST], start=start + 1):
        if not word.text.strip(_BRACKETS).endswith(":"):
            continue
        name = _name_before_colon(" ".join(each.text for each in utterance.words[start:count]), no_names)
        return (name, count) if name else ("", 0)
    return "", 0


def _name_before_colon(text: str, no_names: frozenset[str]) -> str:
    """Return the name in a text that ends with a colon; "" if it is none."""
    name = text.translate(_WITHOUT_BRACKETS).removesuffix(":")
    is_name = _NAME.fullmatch(name) and name != name.lower() and not _is_sentence(name.lower().split(), no_names)
    return name if is_name or _LABEL.fullmatch(name) else ""


def _begins_with_first_name(name: str) -> bool:
    """Whether a name is surely a person's: `Ana`, not `Importante`."""
    return name.lower().split()[0] in _ANY.first_names


def _is_sentence(words: list[str], no_names: frozenset[str]) -> bool:
    """Whether words in lower case belong to a sentence; single letters may be names (`Q:`, `A:`)."""
    is_topic = len(words) > 1 and words[-1] in _ANY.topics
    edges = words[0], words[-1]
    return is_topic or any(map(is_reporting, words)) or any(len(word) > 1 and word in no_names for word in edges)
