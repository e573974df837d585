"""ASS and TTML, which are only written: read back by parsers of these tests."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.marks import Labels, Mark, glyphs
from asr_punct.subtitles import NETFLIX, make_cues
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")
TT, XML = "{http://www.w3.org/ns/ttml}", "{http://www.w3.org/XML/1998/namespace}"


def seconds(clock):
    hours, minutes, rest = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def read_ass(path):
    """Start, end, name and lines of each event."""
    found = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("Dialogue: "):
            _, start, end, _, name, _, _, _, _, text = line.removeprefix("Dialogue: ").split(",", 9)
            plain = re.sub(r"\\([{}])", r"\1", text.replace("\\N", "\n")).replace("\u2060", "")
            found.append((seconds(start), seconds(end), name, plain.split("\n")))
    return found


def read_ttml(path):
    found = []
    for p in ElementTree.parse(path).iter(f"{TT}p"):
        assert [child.tag.removeprefix(TT) for child in p] == (["span", "br"] * len(p))[: len(p)]
        lines = [child.text for child in p if child.tag == f"{TT}span"]
        found.append((seconds(p.get("begin")), seconds(p.get("end")), "", lines))
    return found


READERS = {"ass": read_ass, "ttml": read_ttml}


def written(utterances, tmp_path, name, **options):
    path = tmp_path / f"talk.{name}"
    formats.write(utterances, path, ES, **options)
    return path


def talk(*words, **more):
    timed = (Word(text, start, start + 0.4) for text, start in words)
    return Utterance(tuple(timed), recording="r", time_source="asr", **more)


@pytest.mark.parametrize("name", READERS)
def test_new_cues_have_marks_times_and_lines(tmp_path, name):
    labels = (Labels(), Labels(frozenset({Mark.PERIOD})), Labels())
    said = annotate(talk(("hola", 0.5), ("r&d<", 0.9), ("ya", 3600.0)), labels=labels)
    assert READERS[name](written([said], tmp_path, name)) == [
        (0.5, pytest.approx(1.333, abs=0.006), "", ["hola r&d<."]),
        (3600.0, pytest.approx(3600.833, abs=0.006), "", ["ya"]),
    ]


def test_ass_names_speakers_and_escapes_what_it_reserves(tmp_path):
    said = [talk(("{b}", 0.0), (r"a\Nb", 0.4), speaker="Gil, Ana"), talk(("sí", 0.8), speaker="Jon")]
    path = written(said, tmp_path, "ass", subtitles=NETFLIX)
    assert [cue[2:] for cue in read_ass(path)] == [("", [r"-{b} a\Nb", "-sí"])]
    assert r"-\{b\} a\⁠Nb\N-sí" in path.read_text(encoding="utf-8")
    assert [cue[2] for cue in read_ass(written(said[:1], tmp_path, "ass"))] == ["Gil Ana"]


def test_ttml_is_an_ebu_tt_d_document(tmp_path):
    root = ElementTree.parse(written([talk(("hola", 0.5))], tmp_path, "ttml")).getroot()
    assert root.get("{http://www.w3.org/ns/ttml#parameter}timeBase") == "media"
    assert root.get(f"{XML}lang") == "es"
    assert [child.tag for child in root.find(f"{TT}head")] == [f"{TT}{n}" for n in ("metadata", "styling", "layout")]
    standard = root.find(f"{TT}head/{TT}metadata/{{urn:ebu:tt:metadata}}conformsToStandard")
    assert standard.text == "urn:ebu:tt:distribution:2018-04"
    named = {each.get(f"{XML}id"): each.tag for each in root.iter() if each.get(f"{XML}id")}
    for element in root.find(f"{TT}body").iter():
        assert not [name for name in element.attrib if "styling" in name]
        assert named.get(element.get("style"), f"{TT}style") == f"{TT}style"
        assert named.get(element.get("region"), f"{TT}region") == f"{TT}region"


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("source", ["srt", "vtt"])
def test_cues_of_a_file_keep_times_and_lines_without_tags(tmp_path, name, source):
    text = "00:00:01.000 --> 00:00:02.500\n<i>hola</i>,\nana &amp; jon\n\n00:00:03.000 --> 00:00:04.000\n<b></b>\n"
    text = "WEBVTT\n\n" + text if source == "vtt" else "1\n" + text.replace(".", ",").replace("\n\n", "\n\n2\n")
    path = tmp_path / f"in.{source}"
    path.write_text(text.replace("&amp;", "&amp;" if source == "vtt" else "&"), encoding="utf-8")
    found = READERS[name](written(formats.read(path), tmp_path, name))
    assert found == [(1.0, 2.5, "", ["hola,", "ana & jon"])]


@pytest.mark.parametrize("name", READERS)
def test_errors_leave_no_file(tmp_path, name):
    with pytest.raises(InputError, match="words without times"):
        written([Utterance((Word("a"),), recording="r")], tmp_path, name)
    with pytest.raises(InputError, match=r"a .* file, expected a format that is read"):
        list(formats.read(tmp_path / f"a.{name}"))
    assert not list(tmp_path.iterdir())


@st.composite
def transcripts(draw):
    tokens = st.text(st.sampled_from("abñ3&'\"<-{}\\N,"), min_size=1, max_size=6)
    start, said = 0, []
    for speaker in draw(st.lists(st.sampled_from(["", "ana", "a,b"]), min_size=1, max_size=3)):
        words = []
        for token in draw(st.lists(tokens, min_size=1, max_size=6)):
            start += draw(st.integers(0, 2000))
            words.append(Word(token, start / 1000, (start + 300) / 1000))
            start += 300
        said.append(Utterance(tuple(words), recording="r", speaker=speaker, time_source="asr"))
    return said


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=30)
@given(utterances=transcripts())
def test_any_transcript_has_its_cues(tmp_path_factory, name, utterances):
    path = written(utterances, tmp_path_factory.mktemp("cues"), name)
    cues = sorted(make_cues(utterances, NETFLIX, ES), key=lambda cue: cue.start)
    found = READERS[name](path)
    assert [lines for *_, lines in found] == [list(cue.lines) for cue in cues]
    times = [time for start, end, *_ in found for time in (start, end)]
    assert times == pytest.approx([time for cue in cues for time in (cue.start, cue.end)], abs=0.0051)
