"""Sounds in a transcript, which are not words of a sentence: `[noise]`, `%hesitation`, `[door opens]`, `♪ … ♪`.

A sound of several words is one of:

  * words in square, curly or angle brackets, at most `LONGEST_SOUND`;
  * words in round brackets where a sentence begins, without marks inside, or anywhere if one of them is the name of a
    sound (`(risas del público)`): a remark (`vino Ana (mi hermana)`) is part of its sentence;
  * words between two notes, at most `LONGEST_SONG`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from asr_punct.characters import MARK_SHAPES, characters_of, shape_of
from asr_punct.languages import any_language
from asr_punct.marks import END_OR_BREAK_OFF

LONGEST_SOUND, LONGEST_SONG = 12, 80
"""Maximum number of tokens of a sound in brackets, and between notes."""
# regular expressions of shapes (`characters`); < and > count as brackets
_TAG = re.compile(r"\(/?[0m_-]*[aAo][aAo0m_-]*\)")
_SYMBOLS = re.compile("m*x[xm]*")
_ANGLES = str.maketrans("<>", "()")
# %HESITATION of IBM's recogniser; MFA writes spn for speech without words
_CODE = re.compile(r"\(?%[A-Za-z][A-Za-z_-]*\)?|spn")
_CLOSING = {"[": "]", "{": "}", "<": ">", "(": ")"}
_NOTES = frozenset("♪♫♬♩🎵🎶")
_SENTENCE_ENDS = frozenset(characters_of(END_OR_BREAK_OFF))
_HESITATIONS = any_language().hesitations
_SOUND_NAME = re.compile("|".join(any_language().sounds), re.IGNORECASE)


def split_sound(token: str) -> tuple[str, str, str] | None:
    """Return the marks before a sound, the sound, and the marks after it; None for all other tokens.

    A sound, or a remark (see `is_remark`), is one word in brackets, with a letter (`[noise]`, `<unk>`, `(laughs)`,
    `{breath}`), a code (`%hesitation`, `spn`), or symbols that nobody pronounces (`♪`).
    """
    if token.isalpha() and token != "spn":
        return None
    shape = shape_of(token)
    start, end = len(shape) - len(shape.lstrip(MARK_SHAPES)), len(shape.rstrip(MARK_SHAPES))
    is_sound = (
        _SYMBOLS.fullmatch(shape, start, end)
        or _TAG.fullmatch(shape_of(token.translate(_ANGLES)), start, end)
        or _CODE.fullmatch(token, start, end)
    )
    return (token[:start], token[start:end], token[end:]) if is_sound else None


def is_remark(token: str, begins_sentence: bool) -> bool:
    """Whether a word in round brackets is part of its sentence (`vive en Irun (Gipuzkoa)`), as several words are."""
    if begins_sentence or "(" not in token or not (sound := split_sound(token)):
        return False
    word = sound[1].strip("()").lower()
    return sound[1].startswith("(") and word.isalpha() and word not in _HESITATIONS and not _SOUND_NAME.match(word)


def may_begin_sound(token: str) -> bool:
    """Whether a sound of several words may begin with this token."""
    return bool(_closing(token))


def sound_length(tokens: Sequence[str], begins_sentence: bool, longest: int = LONGEST_SONG) -> int | None:
    """Return the number of tokens, two or more, of the sound that the first one begins; else 0.

    None: that depends on the tokens that follow. `begins_sentence` is whether no word of a sentence is before them;
    `longest` is the maximum number of tokens.
    """
    closing = _closing(tokens[0]) if tokens else frozenset()
    if not closing:
        return 0
    is_song = closing is _NOTES
    limit = longest if is_song else min(longest, LONGEST_SOUND)
    for count, token in enumerate(tokens[1:limit], start=2):
        if _stripped(token)[-1:] in closing:
            return count if is_song or _is_sound(tokens[:count], begins_sentence) else 0
        if not is_song and any(char in token for char in (*_CLOSING, *_CLOSING.values())):
            return 0
    return None if len(tokens) < limit else 0


def marks_beside_sound(token: str) -> tuple[str, str]:
    """Return the marks before and after a sound of several tokens, of which this is one."""
    right = _stripped(token, left=False)
    left = len(right) - len(_stripped(token))
    opens = token[left : left + 1] in _CLOSING or token[left : left + 1] in _NOTES
    closes = right[-1:] in _CLOSING.values() or right[-1:] in _NOTES
    return token[:left] if opens else "", token[len(right) :] if closes else ""


def sentence_begins_after(token: str, before: bool) -> bool:
    """Whether a sentence begins after a token; `before` is whether one begins at it, where it may consist of marks."""
    marks = token[len(_stripped(token, left=False)) :]
    return not _SENTENCE_ENDS.isdisjoint(marks) or (before and not _stripped(token))


def _stripped(token: str, left: bool = True) -> str:
    """Return a token without the marks at its right edge, and if wanted at its left."""
    shape = shape_of(token)
    start = len(shape) - len(shape.lstrip(MARK_SHAPES)) if left else 0
    return token[start : len(shape.rstrip(MARK_SHAPES))]


def _closing(token: str) -> frozenset[str]:
    """Return the characters that close the sound that begins with a token and does not end in it; none: it is none."""
    body = _stripped(token)
    first = body[:1]
    if first in _NOTES:
        return _NOTES if len(body) == 1 or body[-1] not in _NOTES else frozenset()
    closing = _CLOSING.get(first)
    is_markup = first == "<" and not body[1:2].isalpha()  # a < b
    return frozenset(closing) if closing and closing not in body and not is_markup else frozenset()


def _is_sound(tokens: Sequence[str], begins_sentence: bool) -> bool:
    """Whether words in brackets are a sound."""
    words = [_stripped(token).strip("()[]{}<>") for token in tokens]
    if not any(char.isalpha() for word in words for char in word):
        return False
    if not _stripped(tokens[0]).startswith("("):
        return True
    inner = [tokens[0].partition("(")[2], *tokens[1:-1], tokens[-1].partition(")")[0]]
    has_marks = any(_stripped(token) != token for token in inner)
    return (begins_sentence and not has_marks) or any(_SOUND_NAME.match(word) for word in words)
