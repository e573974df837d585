"""The text of a cue: its words, and between them tags, white space and line breaks.

SRT tags are those that players know (`<i>`, `<font …>`, `{\\an8}`); other text in angle brackets is a word (`<unk>`).
In WebVTT all angle brackets are tags, and `&lt;` is a literal bracket.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise

from asr_punct.marks import Glyphs, Labels, write_text

_VOICE = re.compile(r"</?v[\s.>]")
"""Start of a WebVTT voice tag: `<v Ana>`, `<v.loud Ana>` or `</v>`."""
_SPEAKER = re.compile(r"\s*<v(?:\.[^\s>]*)?[ \t]+([^<>\n]+)>")
_SPACE = r"\s|&nbsp;"
_SRT_TAG = r"</?(?:[bius]|em|strong|ruby|rt|(?:font|span|c|v|lang)(?:[\s.][^<>\n]*)?)>|\{\\[^{}\n]*\}"
_VTT_TAG = r"<[^<>\n]*>"


@dataclass(frozen=True, slots=True)
class CueText:
    """A cue's text split into words, and the text `between` them: before each word, and after the last one.

    The words have the tags inside them (`<b>l</b>a`) and their escaped characters.
    """

    between: tuple[str, ...] = ("",)
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Markup:
    """Tags and escaped characters of `SRT` or `VTT`.

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
        parts = _cut(text, spans)
        return CueText(tuple(parts[::2]), tuple(parts[1::2]))

    def without_tags(self, text: str) -> str:
        """Return the text without tags; escaped characters stay."""
        return self.tag.sub("", text)

    def plain(self, text: str) -> str:
        """Return the text without tags, its escaped characters decoded."""
        text = self.without_tags(text)
        return unescape(text) if self is VTT else text

    def token(self, word: str) -> str:
        """Return a word of `CueText` without tags and white space, its escaped characters decoded."""
        return "".join(self.plain(word).split())

    def escape(self, text: str) -> str:
        """Return plain text with reserved characters escaped; SRT reserves none."""
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
        return re.sub(_SPACE, lambda match: "\n" if match[0] == "\n" else " ", self.without_tags(between))

    def labelled(self, word: str, token: str, labels: Labels, glyphs: Glyphs) -> str:
        """Return a word of `CueText` with marks and case; unchanged if the labels change nothing.

        `token` is `token(word)`, or a new token that replaces it.
        """
        text, old = write_text([token], [labels], glyphs), self.token(word)
        if old.lower() != token.lower():
            return self.escape(text)
        if text == old:
            return word
        cased, before = glyphs.case(token, labels), glyphs.before(labels.marks)
        after = text[len(before) + len(cased) :]
        core = word if cased == old else self._with_case(word, cased)
        return self.escape(before) + core + self.escape(after)

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
    re.compile(rf"{_SRT_TAG}|(?P<space>\s)|(?P<text>[^\s<{{]+|.)", re.IGNORECASE),
)
VTT = Markup("vtt", re.compile(_VTT_TAG), re.compile(rf"{_VTT_TAG}|(?P<space>{_SPACE})|(?P<text>[^\s<&]+|.)"))
