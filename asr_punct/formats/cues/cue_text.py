"""The text of a cue: its words, and between them tags, white space and line breaks.

SRT tags are those that players know (`<i>`, `<font …>`, `{\\an8}`); other text in angle brackets is a word (`<unk>`).
In WebVTT all angle brackets are tags, and character references (`&lt;`, `&#160;`) are the characters that they stand
for. In both `<br>` is a line break, and the annotations of ruby (`<rt>…</rt>`) belong to their tags. In SubStation
Alpha the columns before a line's text are a tag too, and so are drawings; `\\N` is a line break.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape, unescape
from html.entities import html5
from itertools import pairwise

from asr_punct.glyphs import Glyphs, added_marks, write_text
from asr_punct.marks import Labels, Mark

_VOICE = re.compile(r"</?v[\s.>]")
"""Start of a WebVTT voice tag: `<v Ana>`, `<v.loud Ana>` or `</v>`."""
_SPEAKER = re.compile(r"\s*<v(?:\.[^\s>]*)?[ \t]+([^<>\n]+)>")
_BREAK = r"(?i:<br\s*/?\s*>)"
_ANY_BREAK = rf"{_BREAK}|\\[Nnh]"
_NUMBERS = [number for number in range(0x3001) if unescape(f"&#{number};").isspace()]
_SPACE_NAMES = (name for name, value in html5.items() if value.isspace())
_SPACE = r"\s|{}|&(?:{}|#0{{0,4}}(?:{})(?![0-9]);?|#[xX]0*(?i:{})(?![0-9a-fA-F]);?)".format(
    _BREAK,
    "|".join(sorted(_SPACE_NAMES, key=len, reverse=True)),
    "|".join(map(str, _NUMBERS)),
    "|".join(f"{number:x}" for number in _NUMBERS),
)
"""White space, its character references, or a line break."""
_LONG_NUMBER = re.compile(r"&#[0-9]{9,};?")
"""A character reference with more digits than any character has."""
_RUBY = r"<r[tp](?:[\s.][^<>\n]*)?>[^<]*(?:<(?!/?r[tp]\b|/?ruby\b)[^<]*)*(?:</r[tp]>|(?=</ruby>|<r[tp]\b))"
_SRT_TAG = (
    rf"{_RUBY}|{_BREAK}|</?(?:[bius]|em|strong|ruby|rt|rp|sub|sup|big|small|(?:font|span|c|v|lang)(?:[\s.][^<>\n]*)?"
    r"|[A-Za-z]+\s[^<>\n=]*=[^<>\n]*)\s*/?>|\{\\[^{}\n]*\}"
)
ASS_COLUMNS = 10
"""Number of columns of a line of SubStation Alpha; the last one is its text, which may have commas."""
_ASS_BREAK = r"\\[Nnh]"
_NO_DRAWING = r"\{[^{}]*\\p(?![1-9a-z])"
"""Ends a drawing: `{\\p0}`, also after other tags (`{\\pos(1,2)\\p0}`)."""
_ASS_TAG = (
    rf"^\s*(?i:dialogue)\s*:(?:[^,\n]*,){{{ASS_COLUMNS - 1}}}"
    rf"|(?<!\\)\{{[^{{}}]*\\p[1-9][^{{}}]*\}}(?:(?!{_NO_DRAWING}).)*"
    rf"|(?<!\\)\{{[^{{}}]*\}}|{_ASS_BREAK}"
)
WORD_JOINER = "\u2060"
"""Inserted after a backslash, because SubStation Alpha cannot escape the `\\N` of a text."""
_VTT_TAG = rf"{_RUBY}|<[^<>\n]*>"


@dataclass(frozen=True, slots=True)
class CueText:
    """A cue's text split into words, and the text `between` them: before each word, and after the last one.

    The words have the tags inside them (`<b>l</b>a`) and their escaped characters.
    """

    between: tuple[str, ...] = ("",)
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Markup:
    """Tags and escaped characters of `SRT`, `VTT` or `ASS`.

    Attributes:
        format: name of the format.
        tag: matches a tag.
        part: matches a tag (no group), white space (`space`), or text (`text`).
    """

    format: str
    tag: re.Pattern[str]
    part: re.Pattern[str]

    def split(self, text: str) -> CueText:
        """Split a cue's text into words and the text between them; joined in turn they give the text."""
        spans: list[tuple[int, int]] = []
        in_word = False
        for part in self.part.finditer(text):
            if part["text"]:
                first = spans.pop()[0] if in_word else part.start()
                spans.append((first, part.end()))
                in_word = True
            elif part["space"] or _VOICE.match(part[0]):
                in_word = False
        parts = _cut(text, [span for span in spans if text[slice(*span)].isalnum() or self.token(text[slice(*span)])])
        return CueText(tuple(parts[::2]), tuple(parts[1::2]))

    def without_tags(self, text: str) -> str:
        """Return the text without tags, a space for a line break; escaped characters stay."""
        return self.tag.sub(lambda match: " " if re.fullmatch(_ANY_BREAK, match[0]) else "", text)

    def plain(self, text: str) -> str:
        """Return the text without tags, its escaped characters decoded."""
        text = self.without_tags(text)
        if self is ASS:
            return re.sub(r"\\([{}])", r"\1", text).replace(f"\\{WORD_JOINER}", "\\")
        return unescape(_LONG_NUMBER.sub("\ufffd", text)) if self is VTT else text

    def token(self, word: str) -> str:
        """Return a word of `CueText` without tags and white space, its escaped characters decoded."""
        return "".join(self.plain(word).split())

    def escape(self, text: str) -> str:
        """Return plain text with reserved characters escaped; SRT reserves none."""
        if self is ASS:
            return text.replace("\\", f"\\{WORD_JOINER}").replace("{", r"\{").replace("}", r"\}")
        return escape(text, quote=False) if self is VTT else text

    def voice_tag(self, speaker: str) -> str:
        """Return the tag before a speaker's text; SRT has none."""
        return f"<v {self.escape(' '.join(speaker.split()))}>" if speaker and self is VTT else ""

    def speaker(self, text: CueText) -> str:
        """Return the speaker of a cue, or "" if it names none or several."""
        tags = [match[0] for part in text.between for match in _VOICE.finditer(part) if match[0][1] != "/"]
        found = _SPEAKER.match(text.between[0]) if self is VTT and len(tags) == 1 else None
        return unescape(found[1]).strip() if found else ""

    def spaces(self, between: str) -> str:
        """Return the white space and line breaks between two words, for a file of the other format."""
        if self is ASS:
            return self.without_tags(re.sub(r"\\[Nn]", "\n", between))
        spaced = re.sub(_SPACE, lambda match: "\n" if match[0][0] in "\n<" else " ", between)
        return self.without_tags(spaced)

    def labelled(self, word: str, token: str, labels: Labels, glyphs: Glyphs) -> str:
        """Return a word of `CueText` with marks and case; unchanged if the labels change nothing.

        `token` is `token(word)`, or a new token that replaces it.
        """
        text, old = write_text([token], [labels], glyphs), self.token(word)
        if old.lower() != token.lower():
            before, after = self._tags_around(word)
            return before + self.escape(text) + after
        if text == old:
            return word
        cased = glyphs.case(token, labels)
        core = word if cased == old else self._with_case(word, cased)
        marks = labels.marks - {Mark.DASH}
        (left, before), *inner, (_, after) = added_marks(cased, replace(labels, marks=marks), glyphs)
        after += f" {glyphs.glyph[Mark.DASH]}" if Mark.DASH in labels.marks else ""
        for place, added in reversed(inner):
            ends = (cut for cut in range(len(core), -1, -1) if self.plain(core[cut:]) == cased[place:])
            cut = next(ends, len(core))
            core = core[:cut] + self.escape(added) + core[cut:]
        starts = (cut for cut in range(len(core)) if self.plain(core[:cut]) == cased[:left])
        cut = next(starts, 0) if left else 0
        return core[:cut] + self.escape(before) + core[cut:] + self.escape(after)

    def _tags_around(self, word: str) -> tuple[str, str]:
        """Return the tags before a word's text, and those inside and after it."""
        parts = _cut(word, [match.span() for match in self.tag.finditer(word)])
        first = next(i for i in range(0, len(parts), 2) if parts[i] or i == len(parts) - 1)
        return "".join(parts[1:first:2]), "".join(parts[first + 1 :: 2])

    def _with_case(self, word: str, cased: str) -> str:
        """Replace the characters of a word by those of `cased`, and keep its tags: `<b>eu</b>ko` → `<b>EU</b>KO`."""
        parts = _cut(word, [match.span() for match in self.tag.finditer(word)])
        for i in range(0, len(parts), 2):
            length = len(self.plain(parts[i])) if i < len(parts) - 1 else len(cased)
            parts[i], cased = self.escape(cased[:length]), cased[length:]
        return "".join(parts)


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return the spans of the text, and the text before, between and after them."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [text[first:last] for first, last in pairwise(edges)]


SRT = Markup(
    "srt",
    re.compile(_SRT_TAG, re.IGNORECASE),
    re.compile(rf"(?P<space>\s|{_BREAK})|{_SRT_TAG}|(?P<text>[^\s<{{]+|.)", re.IGNORECASE),
)
VTT = Markup("vtt", re.compile(_VTT_TAG), re.compile(rf"(?P<space>{_SPACE})|{_VTT_TAG}|(?P<text>[^\s<&]+|.)"))
ASS = Markup(
    "ass",
    re.compile(_ASS_TAG),
    re.compile(rf"{_ASS_TAG.removesuffix('|' + _ASS_BREAK)}|(?P<space>\s|{_ASS_BREAK})|(?P<text>[^\s\\{{]+|.)"),
)
MARKUPS = {each.format: each for each in (SRT, VTT, ASS)}
