"""ELAN files: which tiers are read, what is kept, and hostile XML."""

import re
from xml.etree import ElementTree

import pytest

from asr_punct import formats
from asr_punct.marks import Labels, Mark, glyphs
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")
QUESTION = Labels(frozenset({Mark.QUESTION}))


def annotation(number, start, end, text):
    """An annotation whose time slots are named by their times; `None` is a slot without a time."""
    return (
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts{start}" '
        f'TIME_SLOT_REF2="ts{end}"><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>'
    )


def tier(name, kind, rows, **more):
    attributes = "".join(f' {key}="{value}"' for key, value in more.items())
    rows = "".join(annotation(number, *row) for number, row in enumerate(rows))
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}"{attributes}>{rows}</TIER>'


def document(*tiers, units="milliseconds", head='<?xml version="1.0" encoding="UTF-8"?>'):
    body = "".join(tiers)
    times = sorted({time for time in re.findall(r"ts(\w+)", body) if time.isdigit()}, key=int)
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{time}" TIME_VALUE="{time}"/>' for time in times)
    return (
        f'{head}\n<ANNOTATION_DOCUMENT VERSION="3.0"><HEADER TIME_UNITS="{units}"/><TIME_ORDER>{slots}'
        f'<TIME_SLOT TIME_SLOT_ID="tsNone"/></TIME_ORDER>{body}</ANNOTATION_DOCUMENT>\n'
    )


def put(tmp_path, content):
    path = tmp_path / "talk.eaf"
    path.write_text(content, encoding="utf-8")
    return path


def found(utterances):
    return [(u.speaker, u.time_source, [(w.text, w.start, w.end) for w in u.words]) for u in utterances]


ANA = tier("A", "default-lt", [(0, 900, "qué tal"), (2000, 2500, "bien")], PARTICIPANT="Ana")
JON = tier("J-Spch", "default-lt", [(1000, 1500, "oso ondo &amp; zu")])
GESTURES = tier("A-hands", "gesture", [(0, 500, "points up")])
BIEN = ("Ana", "segment", [("bien", 2.0, 2.5)])
OSO = [("oso", 1.0, None), ("ondo", None, None), ("&", None, None), ("zu", None, 1.5)]


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        ([ANA], [("Ana", "segment", [("qué", 0.0, None), ("tal", None, 0.9)]), BIEN]),
        (
            [ANA, JON, GESTURES],
            [("Ana", "segment", [("qué", 0.0, None), ("tal", None, 0.9)]), ("J-Spch", "segment", OSO), BIEN],
        ),
        (
            [ANA, tier("A-Words", "words", [(0, 400, "qué"), (400, "None", "tal")], PARENT_REF="A"), GESTURES],
            [("Ana", "aligner", [("qué", 0.0, 0.4), ("tal", 0.4, None)]), BIEN],
        ),
        (
            [tier("ORT-MAU", "x", [(0, 400, "qué"), (400, 500, "&lt;p:&gt;"), (500, 700, "tal")])],
            [("", "aligner", [("qué", 0.0, 0.4), ("tal", 0.5, 0.7)])],
        ),
        (
            [tier("words@a", "w", [(0, 400, "qué"), (3000, 3500, "sí")]), tier("words@b", "w", [(1000, 1500, "ya")])],
            [("", "aligner", [row]) for row in (("qué", 0.0, 0.4), ("ya", 1.0, 1.5), ("sí", 3.0, 3.5))],
        ),
    ],
)
def test_tiers_of_words_or_of_utterances_are_read(tmp_path, tiers, expected):
    assert found(formats.read(put(tmp_path, document(*tiers)))) == expected


def test_utterances_keep_all_else_in_the_file(tmp_path):
    words = tier("A-Words", "words", [(0, 400, "qué"), (400, 900, "tal")], PARENT_REF="A")
    source = document(ANA, words, GESTURES).replace(">qué tal<", "><![CDATA[qué]]>  tal<").replace("<TIER", "\n  <TIER")
    utterances = list(formats.read(put(tmp_path, source)))
    asked = [annotate(u, labels=(*(Labels(),) * (len(u.words) - 1), QUESTION)) for u in utterances]
    formats.write(asked, tmp_path / "out.eaf", ES)
    written = (tmp_path / "out.eaf").read_text(encoding="utf-8")
    assert written == source.replace("<![CDATA[qué]]>  tal<", "qué  tal?<").replace(">tal<", ">tal?<").replace(
        ">bien<", ">bien?<"
    )
    formats.write(utterances, tmp_path / "same.eaf", ES)
    assert (tmp_path / "same.eaf").read_text(encoding="utf-8") == source


def test_a_new_file_has_two_tiers_for_each_speaker(tmp_path):
    words = (Word("qué", 0.5, 1.0), Word("tal", 0.9, 0.9), Word("hoy", 0.9, 1.2))
    said = [
        Utterance(words, "u", recording="r", speaker='Ana "A"', audio="/data/r.wav", time_source="asr"),
        Utterance((Word("ya", 1.1), Word("sí", None, 2.0)), "v", recording="r", time_source="segment"),
    ]
    formats.write(said, tmp_path / "new.eaf", ES)
    root = ElementTree.parse(tmp_path / "new.eaf").getroot()
    slots = {slot.get("TIME_SLOT_ID"): int(slot.get("TIME_VALUE")) for slot in root.iter("TIME_SLOT")}
    assert list(slots.values()) == sorted(slots.values())
    tiers = {}
    for each in root.iter("TIER"):
        found = list(each.iter("ALIGNABLE_ANNOTATION"))
        rows = [(slots[a.get("TIME_SLOT_REF1")], slots[a.get("TIME_SLOT_REF2")], a[0].text) for a in found]
        tiers[each.get("TIER_ID")] = (each.get("PARTICIPANT"), each.get("PARENT_REF"), rows)
    assert tiers == {
        'Ana "A"': ('Ana "A"', None, [(500, 1200, "qué tal hoy")]),
        'words@Ana "A"': ('Ana "A"', 'Ana "A"', [(500, 900, "qué"), (900, 901, "tal"), (901, 1200, "hoy")]),
        "utterances": (None, None, [(1100, 2000, "ya sí")]),
    }
    assert root.find("HEADER/MEDIA_DESCRIPTOR").get("MEDIA_URL") == "file:///data/r.wav"
    assert [u.speaker for u in formats.read(tmp_path / "new.eaf")] == ['Ana "A"', ""]
