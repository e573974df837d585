"""Write subtitles: the cues of a subtitle file with new text, or new cues from words with times.

SubRip and WebVTT files that were read keep everything but the words. ASS (Advanced SubStation Alpha,
http://www.tcax.org/docs/ass-specs.htm) and TTML (EBU-TT-D, EBU Tech 3380, version 1.0.1 of 2018) are only written:
their cues have the times and lines of the input's cues, without tags.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TextIO, cast

from asr_punct.errors import ArgumentError, InputError, Setting, plural
from asr_punct.formats.cues.cue_reader import CueOrigin
from asr_punct.formats.cues.cue_text import ASS, MARKUPS, SRT, VTT, Markup
from asr_punct.formats.values import escape_xml, format_clock, xml_attributes
from asr_punct.glyphs import Glyphs
from asr_punct.subtitles import NETFLIX, Cue, Limits, make_cues, parse_limits
from asr_punct.words import Seconds, Utterance

OnCue = Callable[[Cue], object]
"""Receives each cue that is written."""
_MARKUPS = {"srt": SRT, "vtt": VTT, "ass": SRT, "ttml": SRT}
"""How the text of cues is made for each format; ASS and TTML are made from plain lines."""
SUBTITLE_FORMATS = (*_MARKUPS, "stl")


def write_subtitles(
    utterances: Iterable[Utterance],
    out: TextIO,
    glyphs: Glyphs,
    format_name: str,
    limits: Limits | None = None,
    on_cue: OnCue | None = None,
) -> None:
    """Write a file of subtitles: utterances of one recording, those of each channel in the order of time.

    Utterances that were cues of a file keep their times and lines; in the same format (SubRip or WebVTT) also their
    numbers, settings and tags, but not line ends and byte order mark. In other formats, cues without text and lines
    that repeat those of the cue before are left out. Other utterances become cues by `subtitles.make_cues`, in the
    order of time; cues of different channels may overlap.

    `limits` are those of new cues, which then replace the cues of a file; if None, `NETFLIX`, and cues are kept.
    `on_cue` is called with each cue. Raises InputError if a channel has no times, or an utterance belongs to another
    recording.
    """
    remaining = iter(utterances)
    first = list(islice(remaining, 1))
    is_kept = limits is None and any(
        isinstance(each.origin, CueOrigin) and each.origin.format == format_name for each in first
    )
    markup = MARKUPS[format_name] if is_kept else _MARKUPS[format_name]
    cues = _Cues(format_name, glyphs, markup).make(chain(first, remaining), limits)
    if on_cue:
        cues = _reported(cues, on_cue)
    if format_name == markup.format:
        out.writelines(_blocks(markup, cues))
    else:
        plain = (written.cue for written in cues)
        language = (first[0].language if first else "") or glyphs.name
        out.writelines(_ass_lines(plain) if format_name == "ass" else _ttml_lines(plain, language))


def plain_cues(utterances: Iterable[Utterance], glyphs: Glyphs, limits: Limits | None = None) -> Iterator[Cue]:
    """Yield the cues that `write_subtitles` would write, without tags; those without text are left out."""
    return (written.cue for written in _Cues("", glyphs).make(utterances, limits))


write_srt = partial(write_subtitles, format_name="srt")
write_vtt = partial(write_subtitles, format_name="vtt")
write_ass = partial(write_subtitles, format_name="ass")
write_ttml = partial(write_subtitles, format_name="ttml")


def check_subtitle_format(format_name: str, parameter: str) -> None:
    """Raise ArgumentError at the parameter, which is only for subtitles, if the output has another format."""
    if format_name not in SUBTITLE_FORMATS:
        expected = f"one of the formats {' '.join(SUBTITLE_FORMATS)}"
        raise ArgumentError(parameter, f"the output {format_name}", expected, Setting("target_format", "srt"))


def parse_limits_option(text: str | None, format_name: str) -> Limits | None:
    """Parse limits of subtitles. Raises ArgumentError if they are invalid, or the format has no cues."""
    limits = None if text is None else parse_limits(text)
    if limits is not None:
        check_subtitle_format(format_name, "subtitles")
    return limits


@dataclass(frozen=True, slots=True)
class _Written:
    """A cue to write: its times and plain lines, its text in the format of the file, and where it was read, if it was.

    Every line of `text` ends with a line break.
    """

    cue: Cue
    text: str
    origin: CueOrigin | None = None


class _Cues:
    """Makes the cues of one file, in this format.

    `_last_line` is the last line made, without tags, for cues that repeat it, and `_last_end` the end of the last cue;
    `_recording` is that of the new cues.
    """

    def __init__(self, format_name: str, glyphs: Glyphs, markup: Markup = SRT) -> None:
        self._format, self._markup, self._glyphs = format_name, markup, glyphs
        self._last_line, self._last_end = "", 0.0
        self._recording: str | None = None

    def make(self, utterances: Iterable[Utterance], limits: Limits | None) -> Iterator[_Written]:
        """Yield the cues of utterances: without limits, those of the input if it has any; else new ones."""
        for is_kept, group in groupby(utterances, key=lambda u: limits is None and isinstance(u.origin, CueOrigin)):
            if is_kept:
                cues = map(self._kept_cue, group)
                yield from (cue for cue in cues if cue.cue.lines or cast(CueOrigin, cue.origin).format == self._format)
            else:
                yield from self._new_cues(group, limits or NETFLIX)

    def _kept_cue(self, utterance: Utterance) -> _Written:
        origin = cast(CueOrigin, utterance.origin)
        text = self._text(origin, utterance)
        plain = (" ".join(self._markup.plain(line).split()) for line in text.split("\n"))
        start, end = self._shown(origin)
        repeated = int(bool(origin.head.strip()) and origin.format == self._format)
        cue = Cue(start, end, tuple(filter(None, plain)), utterance.recording, (utterance.speaker,), repeated)
        return _Written(cue, text, origin)

    def _shown(self, origin: CueOrigin) -> tuple[Seconds, Seconds]:
        """Return the times of a cue; instead of an unknown start, the last end; of an end before it, a short time."""
        start = origin.start if origin.start >= 0 else self._last_end
        self._last_end = origin.end if origin.end >= start else start + NETFLIX.min_seconds
        return start, self._last_end

    def _text(self, cue: CueOrigin, utterance: Utterance) -> str:
        words, labels, keeps_markup = cue.text.words, utterance.labels, cue.markup is self._markup
        if len(words) != len(labels):
            found, expected = plural(len(labels), "word"), f"the {len(words)} of its cue"
            raise InputError(f"utterance {utterance.id!r}", found, expected)
        repeated = cue.head.strip()
        head = cue.head.replace(repeated, self._last_line) if self._last_line and repeated else cue.head
        parts = [head] if cue.format == self._format else []
        between = cue.text.between if keeps_markup else [cue.markup.spaces(text) for text in cue.text.between]
        parts.append(between[0])
        for word, token, label, after in zip(words, utterance.words, labels, between[1:], strict=True):
            text = cue.markup.labelled(word, token.text, label, self._glyphs.of(utterance.language))
            parts += [text if keeps_markup else self._markup.escape(cue.markup.plain(text)), after]
        lines = "".join(parts).removesuffix("\n").split("\n") if any(parts) else []
        plain_lines = [self._markup.without_tags(line).strip() for line in lines]
        self._last_line = next(filter(None, reversed(plain_lines)), self._last_line)
        return "".join(line + "\n" for line in (lines if keeps_markup else filter(None, plain_lines)))

    def _new_cues(self, utterances: Iterable[Utterance], limits: Limits) -> Iterator[_Written]:
        cues = list(make_cues(utterances, limits, self._glyphs))
        for cue in cues:
            if self._recording not in (None, cue.recording):
                found = f"recordings {self._recording!r} and {cue.recording!r}"
                raise InputError("subtitles", found, "one recording per file")
            self._recording = cue.recording
        for cue in sorted(cues, key=attrgetter("start")):
            # a single speaker is named only on the first line
            speakers = cue.speakers if len(cue.speakers) > 1 else (*cue.speakers, *[""] * (len(cue.lines) - 1))
            lines = zip(speakers, cue.lines, strict=True)
            text = (f"{self._markup.voice_tag(speaker)}{self._markup.escape(line)}\n" for speaker, line in lines)
            yield _Written(cue, "".join(text))


def _reported(cues: Iterable[_Written], on_cue: OnCue) -> Iterator[_Written]:
    for written in cues:
        on_cue(written.cue)
        yield written


def _blocks(markup: Markup, cues: Iterable[_Written]) -> Iterator[str]:
    header = "WEBVTT\n\n" if markup is VTT else ""
    count = 0
    for written in cues:
        origin = written.origin if written.origin and written.origin.markup is markup else None
        if origin is not None:  # with the lines around it in its file
            if not count and header and not origin.before[0].startswith("WEBVTT"):
                yield header
            yield "".join(f"{line}\n" for line in origin.before)
            yield "".join([written.text, *(f"{line}\n" for line in origin.after)])
        else:
            yield "\n" if count else header
            number, point = (f"{count + 1}\n", ",") if markup is SRT else ("", ".")
            start, end = (format_clock(time, point) for time in (written.cue.start, written.cue.end))
            yield f"{number}{start} --> {end}\n{written.text}"
        count += 1
    if not count:
        yield header.removesuffix("\n")


_ASS_HEAD = """[Script Info]
ScriptType: v4.00+
PlayResX: 1920
PlayResY: 1080
WrapStyle: 2
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, \
StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,64,&H00FFFFFF,&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,3,1,2,96,96,64,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


def _ass_lines(cues: Iterable[Cue]) -> Iterator[str]:
    """Yield the lines of an ASS file; times are hundredths of a second."""
    yield _ASS_HEAD
    for cue in cues:
        name = " ".join(cue.speakers[0].replace(",", " ").split()) if len(cue.speakers) == 1 else ""
        text = r"\N".join(map(ASS.escape, cue.lines))
        yield f"Dialogue: 0,{_ass_time(cue.start)},{_ass_time(cue.end)},Default,{name},0,0,0,,{text}\n"


def _ass_time(seconds: Seconds) -> str:
    minutes, hundredths = divmod(round(seconds * 100), 6000)
    return f"{minutes // 60}:{minutes % 60:02}:{hundredths // 100:02}.{hundredths % 100:02}"


_ROOT = {
    "xmlns": "http://www.w3.org/ns/ttml",
    "xmlns:ttp": "http://www.w3.org/ns/ttml#parameter",
    "xmlns:tts": "http://www.w3.org/ns/ttml#styling",
    "xmlns:ebuttm": "urn:ebu:tt:metadata",
    "xmlns:ebutts": "urn:ebu:tt:style",
    "ttp:timeBase": "media",
    "ttp:cellResolution": "32 15",
}
_TTML_HEAD = """  <head>
    <metadata>
      <ebuttm:conformsToStandard>urn:ebu:tt:distribution:2018-04</ebuttm:conformsToStandard>
    </metadata>
    <styling>
      <style xml:id="cue" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:lineHeight="125%"
        tts:textAlign="center" ebutts:linePadding="0.5c"/>
      <style xml:id="text" tts:color="#ffffff" tts:backgroundColor="#000000c2"/>
    </styling>
    <layout>
      <region xml:id="bottom" tts:origin="10% 10%" tts:extent="80% 80%" tts:displayAlign="after"/>
    </layout>
  </head>
"""


def _ttml_lines(cues: Iterable[Cue], language: str) -> Iterator[str]:
    """Yield the lines of an EBU-TT-D file. Raises InputError for a character that XML cannot contain."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<tt{xml_attributes({**_ROOT, "xml:lang": language})}>\n{_TTML_HEAD}'
    yield "  <body>\n    <div>\n"
    for number, cue in enumerate(cues, start=1):
        about = {"xml:id": f"c{number}", "region": "bottom", "style": "cue"}
        about |= {"begin": format_clock(cue.start), "end": format_clock(cue.end)}
        text = "<br/>".join(f'<span style="text">{escape_xml(line)}</span>' for line in cue.lines)
        yield f"      <p{xml_attributes(about)}>{text}</p>\n"
    yield "    </div>\n  </body>\n</tt>\n"
