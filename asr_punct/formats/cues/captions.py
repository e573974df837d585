"""Files of cues in ASS (Advanced SubStation Alpha) and TTML (EBU-TT-D, the profile of the EBU for distribution).

ASS: http://www.tcax.org/docs/ass-specs.htm; TTML: EBU Tech 3380, version 1.0.1 of 2018.
"""

from collections.abc import Iterable, Iterator

from asr_punct.formats.values import escape_xml, format_clock, xml_attributes
from asr_punct.subtitles import Cue
from asr_punct.words import Seconds

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
_WORD_JOINER = "\u2060"
"""Inserted after a backslash, because ASS cannot escape the `\\N` of a text."""


def ass_lines(cues: Iterable[Cue]) -> Iterator[str]:
    """Yield the lines of an ASS file; times are hundredths of a second."""
    yield _ASS_HEAD
    for cue in cues:
        name = " ".join(cue.speakers[0].replace(",", " ").split()) if len(cue.speakers) == 1 else ""
        text = r"\N".join(map(_ass_text, cue.lines))
        yield f"Dialogue: 0,{_ass_time(cue.start)},{_ass_time(cue.end)},Default,{name},0,0,0,,{text}\n"


def _ass_text(line: str) -> str:
    return line.replace("\\", "\\" + _WORD_JOINER).replace("{", r"\{").replace("}", r"\}")


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


def ttml_lines(cues: Iterable[Cue], language: str) -> Iterator[str]:
    """Yield the lines of an EBU-TT-D file. Raises InputError for a character that XML cannot contain."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<tt{xml_attributes({**_ROOT, "xml:lang": language})}>\n{_TTML_HEAD}'
    yield "  <body>\n    <div>\n"
    for number, cue in enumerate(cues, start=1):
        about = {"xml:id": f"c{number}", "region": "bottom", "style": "cue"}
        about |= {"begin": format_clock(cue.start), "end": format_clock(cue.end)}
        text = "<br/>".join(f'<span style="text">{escape_xml(line)}</span>' for line in cue.lines)
        yield f"      <p{xml_attributes(about)}>{text}</p>\n"
    yield "    </div>\n  </body>\n</tt>\n"
