"""TextGrid and ELAN: tiers and times that are kept, encodings, and new files."""

import re
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from dummies import file, json_lines, refused_at, written

from asr_punct import formats
from asr_punct.errors import ArgumentError
from asr_punct.formats.source import Source
from asr_punct.formats.tiers.grid import INTERVALS, Grid, GridTier, parse_grid
from asr_punct.formats.tiers.textgrid import read_textgrid
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

ASKED = Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.FIRST_CAP)
((_, GRID, _, PUNCTUATED),) = [row for row in json_lines("format_outputs.jsonl") if row[0] == "a.TextGrid"]
"""A grid with words, other tiers and odd numbers, and the same with a tier of words with marks after the words."""


def read(folder, content, encoding="utf-8"):
    (utterance,) = read_textgrid(file(folder, "a.TextGrid", content.encode(encoding)))
    return utterance


def asked(utterance):
    return annotate(utterance, labels=(ASKED,) * len(utterance.words))


def test_marks_in_a_tier_can_be_removed(tmp_path):
    again = read(tmp_path, PUNCTUATED)
    assert again.words == read(tmp_path, GRID).words
    plain = PUNCTUATED.replace("¿Qué?", "qué").replace('¿Dijo? ¿""Ana""?', 'dijo ""ana""')
    assert written([annotate(again, labels=(Labels(),) * 3)], "textgrid") == plain


def short(content):
    """The same grid in Praat's short format: values alone."""
    values = re.findall(r'= (".*"|[\d.e-]+)$|(<exists>)', content.partition("\n\n")[2], re.MULTILINE)
    return "\n".join(['File type = "ooTextFile"', '"TextGrid"', "", *("".join(value) for value in values)])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_short_format_and_other_encodings(tmp_path, encoding):
    assert written([read(tmp_path, short(GRID), encoding)], "textgrid") == GRID
    assert written([read(tmp_path, GRID.replace("\n", ' ! a comment "3"\r\n'), encoding)], "textgrid") == GRID


def test_the_package_textgrid_reads_the_same(tmp_path):
    textgrid = pytest.importorskip("textgrid")
    words = tuple(Word(f'"p{i}', i / 8, (i + 0.75) / 8) for i in range(4))
    value = asked(Utterance(words, "u", recording="r"))
    grid = textgrid.TextGrid.fromFile(file(tmp_path, "a.TextGrid", written([value], "textgrid")))
    found = [[(item.minTime, item.maxTime, item.mark) for item in tier if item.mark] for tier in grid]
    assert found[0] == [(word.start, word.end, word.text) for word in words]
    assert found[1] == [(word.start, word.end, f'¿"P{i}?') for i, word in enumerate(words)]


def test_words_that_a_grid_reads_as_silence_keep_their_place_in_the_punctuated_tier(tmp_path):
    textgrid = pytest.importorskip("textgrid")
    words = tuple(Word(text, float(i), i + 0.5) for i, text in enumerate(["hola", "sp", "mundo"]))
    grid = textgrid.TextGrid.fromFile(file(tmp_path, "a.TextGrid", written([asked(Utterance(words, "u"))], "textgrid")))
    assert [item.mark for item in grid[1] if item.mark] == ["¿Hola?", "¿Sp?", "¿Mundo?"]


def test_channels_whose_names_become_the_same_keep_their_words():
    spoken = [Utterance((Word(name[0] + "x", 0.0, 1.0),), channel=name) for name in ("a b", "a_b")]
    text = written(spoken, "textgrid")
    assert '"channel 1 - words"' in text
    assert '"channel 2 - words"' in text
    assert text.count('"ax"') == 2


@pytest.mark.parametrize(
    ("speakers", "names"),
    [
        (("ana", "luis"), ("ana", "luis")),
        (("", "luis"), ("channel A", "channel 7")),
        (("a", "a"), ("channel A", "channel 7")),
    ],
)
def test_a_new_grid_has_a_tier_for_each_channel(tmp_path, speakers, names):
    call = [
        Utterance((Word(text, start, start + 0.5),), recording="r", channel=channel, speaker=speaker, time_source="asr")
        for text, start, channel, speaker in zip(["hola", "adiós"], [0.0, 0.25], "A7", speakers, strict=True)
    ]
    grid = read_textgrid(path := file(tmp_path, "r.TextGrid", written([asked(each) for each in call], "textgrid")))
    tiers = re.findall('name = "(.*)"', path.read_text(encoding="utf-8"))
    assert tiers == [f"{name} - {kind}" for name in names for kind in ("words", "punctuated")] + ["times"]
    expected = [replace(each, id=f"r-{i}") for i, each in enumerate(call, start=1)]
    if names == speakers:
        expected = [replace(each, channel=str(i)) for i, each in enumerate(expected, start=1)]
    else:
        expected = [replace(each, speaker="") for each in expected]
    assert list(grid) == expected


def test_a_tier_names_the_time_source(tmp_path):
    spoken = [
        Utterance((Word("hola", 0.0, 0.5),), time_source="aligner"),
        Utterance((Word("ya", 0.5, 1.0),), time_source="asr"),
    ]
    content = written(spoken, "textgrid").replace('"words"', '"Mary"')
    utterance = read(tmp_path, content)
    last = utterance.origin.grid.tiers[-1]
    assert (last.name, last.rows, utterance.time_source) == ("times", (("0.0", "1.0", "asr"),), "asr")
    named = read(tmp_path, written([replace(asked(utterance), time_source="aligner")], "textgrid"))
    assert (named.time_source, [tier.name for tier in named.origin.grid.tiers]) == (
        "aligner",
        ["Mary", "punctuated", "times"],
    )
    assert "times" not in written(spoken[:1], "textgrid")


@pytest.mark.parametrize(
    ("old", "new", "place", "found"),
    [
        ("size = 3", "size = " + "9" * 100_000, "7", "the size 99999999999999999999"),
        ('"qué"', '"' * 100_001, "32", "no number where value 22 should be one"),
    ],
)
def test_large_malformed_grids_are_errors(tmp_path, old, new, place, found):
    with refused_at(f"{tmp_path}/a.TextGrid:{place}", found):
        read(tmp_path, GRID.replace(old, new))


@pytest.mark.parametrize(("name", "place"), [("", "utterance 1"), ("b", "b")])
def test_a_grid_has_one_recording(name, place):
    spoken = [Utterance((Word("ya", 0.0, 0.5),), id=name, recording=recording) for recording in "rs"]
    with refused_at(place, "2 recordings"):
        written(spoken, "textgrid")


def test_a_new_grid_has_words():
    with refused_at("TextGrid", "no words"):
        written([], "textgrid")


@pytest.mark.parametrize("old", ["xmin = 1\n            xmax = 2\n", "xmin = 0.5000\n            xmax = 1\n"])
def test_intervals_may_overlap_and_silence_may_have_no_length(tmp_path, old):
    start = old.split("\n")[0]
    changed = old.replace(start, "xmin = 0") if "= 2" in old else old.replace("0.5000", "1")
    assert len(read(tmp_path, GRID.replace(old, changed)).words) == 3


# ELAN


def test_a_new_file_has_two_tiers_for_each_speaker(tmp_path):
    words = (Word("qué", 0.5, 1.0), Word("tal", 0.9, 0.9), Word("hoy", 0.9, 1.2))
    said = [
        Utterance(words, "u", recording="r", speaker='Ana "A"', audio="/data/r.wav", time_source="asr"),
        Utterance((Word("ya", 1.1), Word("sí", None, 2.0)), "v", recording="r", time_source="segment"),
    ]
    path = file(tmp_path, "new.eaf", written(said, "eaf"))
    root = ElementTree.parse(path).getroot()
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
    assert [u.speaker for u in formats.read(path)] == ['Ana "A"', ""]


def eaf(*tiers):
    """An ELAN file of tiers: name, linguistic type, participant, parent, texts; a child refers to its parent's."""
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{i}" TIME_VALUE="{i}000"/>' for i in range(9))
    out = f'<ANNOTATION_DOCUMENT FORMAT="3.0"><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>{slots}</TIME_ORDER>'
    for name, kind, participant, parent, *texts in tiers:
        out += f'\n<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}" PARTICIPANT="{participant}"'
        out += f' PARENT_REF="{parent}">' if parent else ">"
        for i, text in enumerate(texts):
            place = f'TIME_SLOT_REF1="t{i}" TIME_SLOT_REF2="t{i + 1}"'
            tag, place = ("REF", f'ANNOTATION_REF="{parent}{i}"') if parent else ("ALIGNABLE", place)
            out += f'\n<ANNOTATION><{tag}_ANNOTATION ANNOTATION_ID="{name}{i}" {place}><ANNOTATION_VALUE>{text}'
            out += f"</ANNOTATION_VALUE></{tag}_ANNOTATION></ANNOTATION>"
        out += "\n</TIER>"
    return f"{out}\n</ANNOTATION_DOCUMENT>\n"


SPEECH = ("Ana", "main", "Ana", "", "dónde está la casa", "no la veo")


@pytest.mark.parametrize(
    ("tiers", "speech"),
    [
        ([SPEECH, ("code", "main", "", "", "nada")], ["Ana"]),
        ([SPEECH, ("on_off", "main", "Ana", "", "0_1200", "7")], ["Ana"]),
        ([SPEECH, ("Gaze", "main", "Ana", "", "al plato", "al suelo")], ["Ana"]),
        ([("Ana", "utterances", "Ana", "", "sí"), ("utterances", "utterances", "", "", "no")], ["Ana", "utterances"]),
        ([("ref@A", "ref", "A", "", "L_1", "L_2"), ("tx@A", "tx", "A", "ref@A", "hola ana", "ya voy")], ["tx@A"]),
        ([SPEECH, ("MOT", "main", "MOT", "", "mira la casa")], ["Ana", "MOT"]),
        ([("A", "utt", "", "", "hola ana"), ("ft", "ft", "", "A", "hi ana")], ["A"]),
    ],
)
def test_tiers_of_speech_are_chosen_and_the_others_stay(tmp_path, caplog, tiers, speech):
    path = file(tmp_path, "a.eaf", eaf(*tiers))
    found = list(formats.read(path))
    texts = [text.split() for name, _, _, _, *own in tiers for text in own if name in speech]
    assert sorted([word.text for word in each.words] for each in found) == sorted(texts)
    assert found[0].words[0].start == 0.0
    left_out = [name for name, _, _, parent, *_ in tiers if not parent and name not in speech]
    assert [repr(name) in caplog.text for name in left_out] == [True] * len(left_out)
    assert written(found, "eaf") == path.read_text()
    lines = zip(written(map(asked, found), "eaf").splitlines(), path.read_text().splitlines(), strict=True)
    assert sum(before != after for before, after in lines) == len(texts)


def test_tiers_can_be_named(tmp_path):
    path = file(tmp_path, "a.eaf", eaf(SPEECH, ("code", "main", "", "", "nada")))
    (found,) = formats.read(Source(path, tiers=["code"]))
    assert [word.text for word in found.words] == ["nada"]
    with refused_at(path, "no tier 'x'"):
        list(formats.read(Source(path, tiers=["x"])))
    with refused_at("tiers", "a file of the format text", ArgumentError):
        list(formats.read(Source(file(tmp_path, "a.txt", "hola"), tiers=["x"])))
    grid = file(tmp_path, "b.TextGrid", GRID)
    with refused_at(grid, "no interval tier 'x'"):
        list(formats.read(Source(grid, tiers=["x"])))


def test_each_speaker_of_a_grid_has_words_and_a_punctuated_tier(tmp_path):
    both = [GRID.replace('"Words"', f'"{name} - words"') for name in ("ana", "leo")]
    tiers = both[1].partition("item []:\n")[2]
    path = file(tmp_path, "a.TextGrid", both[0].replace("size = 3", "size = 6", 1) + tiers)
    found = list(formats.read(path))
    assert Counter(each.speaker for each in found for _ in each.words) == {"ana": 3, "leo": 3}
    again = read_textgrid(file(tmp_path, "b.TextGrid", written(list(map(asked, found)), "textgrid")))
    names = [tier.name for tier in next(again).origin.grid.tiers]
    assert [name for name in names if " - " in name] == [
        *("ana - words", "ana - punctuated", "leo - words", "leo - punctuated"),
    ]


@pytest.mark.parametrize(
    ("name", "marks"),
    [("words", "punctuated"), ("ana - words", "ana - punctuated"), ("turn", "turn - punctuated")],
)
def test_two_tiers_of_one_name_keep_the_words_of_both(tmp_path, name, marks):
    rows = {0: ["hola", "ana"], 1: ["la nota x"], 2: ["hola", "luis"]}
    texts = [[(f"{number}.{i}", f"{number}.{i + 1}", text) for i, text in enumerate(rows[number])] for number in rows]
    tiers = [
        GridTier(INTERVALS, each, "0", "3", tuple(row)) for each, row in zip((name, "note", name), texts, strict=True)
    ]
    path = file(tmp_path, "a.TextGrid", "".join(Grid("0", "3", tuple(tiers)).lines()))
    for _ in range(2):  # the second time the older tiers of marks are replaced
        found = list(read_textgrid(path))
        assert [[word.text for word in each.words] for each in found] == [rows[0], rows[2]]
        file(tmp_path, "a.TextGrid", written(list(map(asked, found)), "textgrid"))
        grid = parse_grid(path.read_text(encoding="utf-8"), "")
        assert [tier.name for tier in grid.tiers] == [name, marks, "note", name, marks]
        assert [row[-1] for row in grid.tiers[4].rows] == ["¿Hola?", "¿Luis?"]


def test_an_elan_tier_in_two_parts_is_one_tier(tmp_path):
    both = eaf(("ref", "ref", "A", "", "L_1", "L_2"), ("tx", "tx", "A", "ref", "hola ana", "hola luis"))
    between = '\n</TIER>\n<TIER TIER_ID="{0}" LINGUISTIC_TYPE_REF="{0}" PARTICIPANT="A"{1}>'
    parts = both
    for name, parent in (("ref", ""), ("tx", ' PARENT_REF="ref"')):
        second = f'\n<ANNOTATION><{"REF" if parent else "ALIGNABLE"}_ANNOTATION ANNOTATION_ID="{name}1"'
        parts = parts.replace(second, between.format(name, parent) + second)
    assert parts.count('TIER_ID="tx"') == 2
    whole, cut = (list(formats.read(file(tmp_path, "a.eaf", content))) for content in (both, parts))
    assert [[word.text for word in each.words] for each in cut] == [["hola", "ana"], ["hola", "luis"]]
    assert [(each.words, each.speaker) for each in cut] == [(each.words, each.speaker) for each in whole]


@pytest.mark.parametrize(
    ("tiers", "read"),
    [
        ({"speaker1": ["hola ana", ""], "speaker2": ["", "hola luis"]}, ["speaker1", "speaker2"]),
        (
            {"ana": ["hola luis", ""], "laugh": ["", "x"], "phones": ["o", "l"], "luis": ["", "hola ana"]},
            ["ana", "luis"],
        ),
        ({"ana": ["hola luis", ""], "stress": ["T-x", "x"], "luis": ["", "hola ana"]}, ["ana", "luis"]),
        ({"spa": ["hola ana", "sí"], "eng": ["hello ana", "yes"]}, None),
        ({"trs@a": ["hola ana", ""], "eng@a": ["hello ana", ""], "trs@b": ["", "ya voy"]}, ["trs@a", "trs@b"]),
    ],
)
def test_tiers_of_a_grid_that_may_be_speech_are_read(tmp_path, tiers, read):
    rows = {name: [(f"{i}", f"{i + 1}", text) for i, text in enumerate(texts)] for name, texts in tiers.items()}
    grid = Grid("0", "2", tuple(GridTier(INTERVALS, name, "0", "2", tuple(each)) for name, each in rows.items()))
    path = file(tmp_path, "a.TextGrid", "".join(grid.lines()))
    if read is None:
        with refused_at(path, f"tiers {', '.join(map(repr, tiers))}"):
            list(read_textgrid(path))
    else:
        assert [(each.speaker, each.channel) for each in read_textgrid(path)] == [
            (name, str(i)) for i, name in enumerate(read, start=1)
        ]
