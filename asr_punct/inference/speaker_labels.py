"""Names of speakers at the starts of lines (`Ana: hola`, `SPEAKER_00: hi`): no words of the sentences.

A name is at most three words of which the last one ends with a colon. It is one if it has the form of a recogniser's
label (`Speaker 1:`), or a capital and

  * another line of the document begins with it, or
  * all lines of the document begin with such names, and there are two or more.

Headings (`Nota:`) are none. A dash or `>>` may be before a name, as a word of its own.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from asr_punct.text.turns import may_begin_turn
from asr_punct.words import Utterance

LINES = 40
"""Number of lines that are read ahead to see whether they begin with names."""
_LONGEST = 3
_LABEL = re.compile(r"(?:speaker|spk|hablante|hizlaria?|interlocutora?|locutora?)[ _-]?\w{0,3}", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}")
_HEADINGS = frozenset("nota notas note notes oharra ejemplo example adibidez pd ps".split())  # noqa: SIM905
_BRACKETS = "[](){}"
_WITHOUT_BRACKETS = str.maketrans("", "", _BRACKETS)


def with_speakers(document: Iterable[Utterance]) -> Iterator[tuple[Utterance, str, int]]:
    """Yield the utterances of a document, the speaker whom the line names or "", and how many words this name has."""
    left, ahead = iter(document), deque[Utterance]()
    names, only_names = set[str](), True
    while ahead or (ahead := deque(islice(left, 1))):
        utterance = ahead.popleft()
        name, words = _name(utterance)
        if name and name not in names:
            ahead.extend(islice(left, LINES - len(ahead)))
            others = [_name(each)[0] for each in ahead if each.words]
            is_cast = only_names and all(others) and (names or others)
            if _LABEL.fullmatch(name) or name in others or is_cast:
                names.add(name)
        only_names = only_names and (name in names or not utterance.words)
        yield (utterance, name, words) if name in names else (utterance, "", 0)


def _name(utterance: Utterance) -> tuple[str, int]:
    """Return the name with which an utterance may begin, and its number of words; "" and 0 if with none."""
    start = int(bool(utterance.words) and may_begin_turn(utterance.words[0].text))
    for count, word in enumerate(utterance.words[start : start + _LONGEST], start=start + 1):
        if not word.text.strip(_BRACKETS).endswith(":"):
            continue
        name = (
            " ".join(each.text for each in utterance.words[start:count]).translate(_WITHOUT_BRACKETS).removesuffix(":")
        )
        is_name = _NAME.fullmatch(name) and name != name.lower() and name.lower() not in _HEADINGS
        return (name, count) if is_name or _LABEL.fullmatch(name) else ("", 0)
    return "", 0
