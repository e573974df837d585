"""The text of a cue: its words, and between them tags, white space and line breaks.

SRT tags are those that players know (`<i>`, `<font …>`, `{\\an8}`); other text in angle brackets is a word (`<unk>`).
In WebVTT all angle brackets are tags, and `&lt;` is a literal bracket.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from typing import Literal

from asr_punct.marks import Glyphs, Labels, write_text

Kind = Literal["srt", "vtt"]
_TAGS: dict[Kind, re.Pattern[str]] = {
    "srt": re.compile(
        r"</?(?:[bius]|em|strong|ruby|rt|(?:font|span|c|v|lang)(?:[\s.][^<>\n]*)?)>|\{\\[^{}\n]*\}", re.IGNORECASE
    ),
    "vtt": re.compile(r"<[^<>\n]*>"),
}
_VOICE = re.compile(r"</?v[\s.>]")
"""Start of a WebVTT voice tag: `<v Ana>`, `<v.loud Ana>` or `</v>`."""
_SPEAKER = re.compile(r"\s*<v(?:\.[^\s>]*)?[ \t]+([^<>\n]+)>")
_SPACE = r"\s|&nbsp;"
_PARTS: dict[Kind, re.Pattern[str]] = {
    "srt": re.compile(rf"{_TAGS['srt'].pattern}|(?P<space>\s)|(?P<text>[^\s<{{]+|.)", re.IGNORECASE),
    "vtt": re.compile(rf"{_TAGS['vtt'].pattern}|(?P<space>{_SPACE})|(?P<text>[^\s<&]+|.)"),
}
"""A tag (no group), white space, or text."""


@dataclass(frozen=True, slots=True)
class CueText:
    """A cue's text split into words, and the text `between` them: before each word, and after the last one.

    The words have the tags inside them (`<b>l</b>a`) and their escaped characters.
    """

    between: tuple[str, ...] = ("",)
    words: tuple[str, ...] = ()


def split_cue_text(text: str, kind: Kind) -> CueText:
    """Split a cue's text into words and the text between them; joined in turn they give the text."""
    spans: list[tuple[int, int]] = []
    in_word = False
    for part in _PARTS[kind].finditer(text):
        if part["text"]:
            first = spans.pop()[0] if in_word else part.start()
            spans.append((first, part.end()))
            in_word = True
        elif part["space"] or _VOICE.match(part[0]):
            in_word = False
    parts = _cut(text, spans)
    return CueText(tuple(parts[::2]), tuple(parts[1::2]))


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return the spans of the text, and the text before, between and after them."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [text[first:last] for first, last in pairwise(edges)]


def strip_tags(text: str, kind: Kind) -> str:
    """Return the text without tags; escaped characters stay."""
    return _TAGS[kind].sub("", text)


def plain_text(text: str, kind: Kind) -> str:
    """Return the text without tags, its escaped characters decoded."""
    return unescape(strip_tags(text, kind)) if kind == "vtt" else strip_tags(text, kind)


def token_of(word: str, kind: Kind) -> str:
    """Return a word of `CueText` without tags and white space, its escaped characters decoded."""
    return "".join(plain_text(word, kind).split())


def escape(text: str, kind: Kind) -> str:
    """Return plain text with reserved characters escaped; SRT reserves none."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if kind == "vtt" else text


def voice_tag(speaker: str, kind: Kind) -> str:
    """Return the tag before a speaker's text; SRT has none."""
    return f"<v {escape(' '.join(speaker.split()), kind)}>" if speaker and kind == "vtt" else ""


def speaker_of(text: CueText, kind: Kind) -> str:
    """Return the speaker of a cue, or "" if it names none or several."""
    tags = [match[0] for part in text.between for match in _VOICE.finditer(part) if match[0][1] != "/"]
    found = _SPEAKER.match(text.between[0]) if kind == "vtt" and len(tags) == 1 else None
    return unescape(found[1]).strip() if found else ""


def keep_space(between: str, kind: Kind) -> str:
    """Return the white space and line breaks between two words, for a file of the other format."""
    return re.sub(_SPACE, lambda match: "\n" if match[0] == "\n" else " ", strip_tags(between, kind))


def labelled_word(word: str, token: str, labels: Labels, glyphs: Glyphs, kind: Kind) -> str:
    """Return a word of `CueText` with marks and case; unchanged if the labels change nothing.

    `token` is `token_of(word)`, or a new token that replaces it.
    """
    text, old = write_text([token], [labels], glyphs), token_of(word, kind)
    if old.lower() != token.lower():
        return escape(text, kind)
    if text == old:
        return word
    cased, before = glyphs.cased(token, labels.case), glyphs.before(labels.marks)
    after = text[len(before) + len(cased) :]
    core = word if cased == old else _with_case(word, cased, kind)
    return escape(before, kind) + core + escape(after, kind)


def _with_case(word: str, cased: str, kind: Kind) -> str:
    """Replace the characters of a word by those of `cased`, and keep its tags: `<b>eu</b>ko` → `<b>EU</b>KO`."""
    parts = _cut(word, [match.span() for match in _TAGS[kind].finditer(word)])
    for i in range(0, len(parts), 2):
        length = len(plain_text(parts[i], kind)) if i < len(parts) - 1 else len(cased)
        parts[i], cased = escape(cased[:length], kind), cased[length:]
    return "".join(parts)
