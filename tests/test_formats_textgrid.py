"""TextGrid: all tiers and times are kept, and a tier with marks follows the words."""

import re
from dataclasses import replace

import pytest
from dummies import file, written

from asr_punct.errors import InputError
from asr_punct.formats.tiers.textgrid import read_textgrid
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

ASKED = Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.FIRST_CAP)
GRID = '''File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2.50
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "phones ""x"""
        xmin = 0
        xmax = 2.50
        intervals: size = 1
        intervals [1]:
            xmin = 1e-1
            xmax = 0.1
            text = "a"
    item [2]:
        class = "IntervalTier"
        name = "Words"
        xmin = 0
        xmax = 2.50
        intervals: size = 4
        intervals [1]:
            xmin = 0
            xmax = 0.5000
            text = "qué"
        intervals [2]:
            xmin = 0.5000
            xmax = 1
            text = "sil"
        intervals [3]:
            xmin = 1
            xmax = 2
            text = "dijo  ""ana"""
        intervals [4]:
            xmin = 2
            xmax = 2.50
            text = ""
    item [3]:
        class = "TextTier"
        name = "bell"
        xmin = 0
        xmax = 2.50
        points: size = 1
        points [1]:
            number = 1.10
            mark = "ding"
'''
WORDS = GRID[GRID.index("    item [2]:") : GRID.index("    item [3]:")]
TIER = WORDS.replace("item [2]", "item [3]").replace("Words", "punctuated").replace("qué", "¿Qué?")
TIER = TIER.replace('dijo  ""ana""', '¿Dijo? ¿""Ana""?')
"""The tier of words with marks that follows the words."""


def read(folder, content, encoding="utf-8"):
    (utterance,) = read_textgrid(file(folder, "a.TextGrid", content.encode(encoding)))
    return utterance


def asked(utterance):
    return annotate(utterance, labels=(ASKED,) * len(utterance.words))


def test_words_with_marks_are_a_tier(tmp_path):
    expected = GRID.replace("size = 3\n", "size = 4\n", 1).replace("    item [3]:", TIER + "    item [4]:")
    utterance = read(tmp_path, GRID)
    assert written([asked(utterance)], "textgrid") == expected
    again = read(tmp_path, expected)
    assert again.words == utterance.words
    plain = annotate(again, labels=(Labels(),) * 3)
    assert written([plain], "textgrid") == expected.replace("¿Qué?", "qué").replace('¿Dijo? ¿""Ana""?', 'dijo ""ana""')


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


def test_a_tier_names_the_time_source(tmp_path):
    spoken = [
        Utterance((Word("hola", 0.0, 0.5),), time_source="aligner"),
        Utterance((Word("ya", 0.5, 1.0),), time_source="asr"),
    ]
    content = written(spoken, "textgrid").replace('"words"', '"Mary"')
    utterance = read(tmp_path, content)
    last = utterance.origin.tiers[-1]
    assert (last.name, last.rows, utterance.time_source) == ("times", (("0.0", "1.0", "asr"),), "asr")
    named = read(tmp_path, written([replace(asked(utterance), time_source="aligner")], "textgrid"))
    assert (named.time_source, [tier.name for tier in named.origin.tiers]) == (
        "aligner",
        ["Mary", "punctuated", "times"],
    )
    assert "times" not in written(spoken[:1], "textgrid")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("size = 3", "size = 3000000000", ":49: found no string"),
        ("size = 3", "size = " + "9" * 100_000, ":7: found the size 99999999999999999999,"),
        ("size = 4", "size = 9", ":42: found no number where value"),
        ("size = 4", "size = 3", ":38: found no string where value"),
        ('"TextTier"', '"PitchTier"', ":42: found a tier of the class 'PitchTier'"),
        ('"ding"', '"ding', ":49: found no string"),
        ("ooTextFile", "ooBinaryFile", ": found no TextGrid"),
        (GRID[:50], '<!DOCTYPE x [<!ENTITY a "b">]>', ": found no TextGrid"),
        ('"qué"', '"' * 100_001, ":32: found no "),
        ("xmin = 1\n", "xmin = -1\n", ": tier 'Words': interval 3: found .* from -1.0 to 2.0"),
        ("xmax = 0.5000", "xmax = nan", ": tier 'Words': interval 1: found 'qué' from 0.0 to nan"),
        ("xmax = 0.5000\n            text", "xmax = 0\n            text", ": interval 1: found 'qué' from 0.0 to 0.0"),
        ("xmin = 0\n            xmax = 0.5", "xmin = 1.5\n            xmax = 1.75", "from 1.0 after one from 1.5"),
    ],
)
def test_malformed_grids_are_errors(tmp_path, old, new, found):
    assert old in GRID
    with pytest.raises(InputError, match=rf"a\.TextGrid.*{found}"):
        read(tmp_path, GRID.replace(old, new))


@pytest.mark.parametrize("old", ["xmin = 1\n            xmax = 2\n", "xmin = 0.5000\n            xmax = 1\n"])
def test_intervals_may_overlap_and_silence_may_have_no_length(tmp_path, old):
    start = old.split("\n")[0]
    changed = old.replace(start, "xmin = 0") if "= 2" in old else old.replace("0.5000", "1")
    assert len(read(tmp_path, GRID.replace(old, changed)).words) == 3


@pytest.mark.parametrize(
    ("content", "found"), [(b"File\n\xff", ":2: found byte 0xff .*UTF-8"), (b"\xff\xfea", ": found byte 0x61 .*UTF-16")]
)
def test_other_encodings_are_errors(tmp_path, content, found):
    with pytest.raises(InputError, match=rf"a\.TextGrid{found}"):
        list(read_textgrid(file(tmp_path, "a.TextGrid", content)))
