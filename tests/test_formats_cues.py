"""SubRip and WebVTT, read and written; ASS and TTML, written, and read back by parsers of these tests."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from dummies import file, json_lines, refused_at, written
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import ArgumentError, InputError
from asr_punct.formats.cues import cue_reader
from asr_punct.formats.cues.cue_text import SRT, VTT
from asr_punct.formats.cues.writers import parse_limits_option
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.subtitles import BBC, NETFLIX, make_cues
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")

# Writing back


def test_tags_and_escapes_inside_a_word_are_kept_if_its_case_changes(tmp_path):
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<b>eu</b>ko r&amp;d a&lt;b\n"
    (cue,) = formats.read(file(tmp_path, "a.vtt", text))
    caps = Labels(frozenset({Mark.OPEN_QUES, Mark.QUESTION}), Case.ALL_CAPS)
    said = annotate(cue, labels=(caps, caps, Labels(frozenset({Mark.DASH}))))
    assert written([said], "vtt") == text.replace("<b>eu</b>ko r&amp;d a&lt;b", "<b>¿EU</b>KO? ¿R&amp;D? a&lt;b –")


def test_marks_inside_quotation_marks_are_inside_their_tags(tmp_path):
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<i>&quot;quién</i> es&quot; <i>dijo&quot;</i>\n"
    (cue,) = formats.read(file(tmp_path, "a.vtt", text))
    opened = Labels(frozenset({Mark.OPEN_QUES}), Case.FIRST_CAP, inside=True)
    closed = Labels(frozenset({Mark.QUESTION, Mark.COMMA}), inside=True)
    expected = '<i>"¿Quién</i> es?", <i>dijo?",</i>'
    found = written([annotate(cue, labels=(opened, closed, closed))], "vtt")
    assert found.replace("&quot;", '"') == text.split("<i>")[0] + expected + "\n"


def test_a_cue_with_other_words_is_an_error(tmp_path):
    (cue,) = formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\nintro\n00:01.000 --> 00:02.000\nhola ana\n"))
    with refused_at("utterance 'intro'", "1 word"):
        written([replace(cue, words=cue.words[:1])], "vtt")


@pytest.mark.parametrize(("name", "text", "expected"), json_lines("cue_examples.jsonl"))
def test_cues_are_read_as_players_do_and_all_lines_stay(tmp_path, name, text, expected):
    """Rows of name, content, and the words of each cue with the times that make sense."""
    cues = list(formats.read(file(tmp_path, name, text)))
    assert [[[word.text, word.start, word.end] for word in cue.words] for cue in cues] == expected
    assert written(cues, name[2:]) == text


@pytest.mark.parametrize(
    ("stray", "count"),
    [
        ("NOTE a\nb\n\nSTYLE\n::cue{}\n\nREGION\nid:a\n\n1\n\n", 0),
        ("suelto\nhola\n\n", 1),
        ("suelto\n\nNOTE a\n\notro\n\n", 2),
    ],
)
@pytest.mark.parametrize("is_first", [False, True])
def test_text_without_times_is_reported(tmp_path, caplog, stray, count, is_first):
    cue = "00:01.000 --> 00:02.000\nhola\n\n"
    text = f"WEBVTT x\n\n{stray}{cue}" if is_first else f"WEBVTT\nKind: captions\n\n{cue}{stray}"
    path = file(tmp_path, "a.vtt", text)
    assert [word.text for cue in formats.read(path) for word in cue.words] == ["hola"]
    blocks = f"{count} block{'s' * (count > 1)} of text without times (first: 'suelto'): no player shows them"
    assert caplog.messages == ([f"{path}: {blocks}, and they are not read"] if count else [])


def test_rolling_captions_may_overlap(tmp_path):
    lines = ["hola ana", "qué tal", "muy bien", "y tú"]
    cues = [f"{i}\n00:00:0{2 * i},000 --> 00:00:0{2 * i + 3},000\n{lines[i]}\n{lines[i + 1]}\n\n" for i in range(3)]
    found = formats.read(file(tmp_path, "a.srt", "".join(cues)))
    assert [word.text for cue in found for word in cue.words] == " ".join(lines).split()


LINES = ["", " ", "1", "hola", "a --> b", "<00:02.000>sí", "NOTE x", "\r", "00:01.000 --> 00:02.000", "0:9 -> 0:1",
         "00:00:03,000 --> 00:00:02,000", "00:99.000 --> 00:01.000", "-->", "&nbsp;", "WEBVTT"]  # fmt: skip


@pytest.mark.parametrize("name", ["srt", "vtt"])
@given(lines=st.lists(st.sampled_from(LINES), max_size=12))
def test_any_lines_around_a_cue_are_read_and_stay(tmp_path_factory, name, lines):
    text = "\n".join(["WEBVTT", *lines, "", "00:01.000 --> 00:02.000", "fin", ""])
    cues = list(formats.read(file(tmp_path_factory.mktemp("cues"), f"a.{name}", text)))
    assert cues[-1].words[-1].text == "fin"
    assert written(cues, name) == text.replace("\r\n", "\n").replace("\r", "\n")


# New cues


def test_with_limits_all_cues_are_new(tmp_path):
    cues = "WEBVTT\n\n00:00.000 --> 00:01.000\nla primera\n\n00:01.000 --> 00:02.000\nfrase.\n"
    said = list(formats.read(file(tmp_path, "a.vtt", cues)))
    formats.write(said, tmp_path / "b.vtt", ES, subtitles=NETFLIX)
    assert (tmp_path / "b.vtt").read_text() == "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nla primera frase.\n"


def test_subtitles_of_a_ctm(run, tmp_path, model):
    source, target = tmp_path / "a.ctm", tmp_path / "a.srt"
    source.write_text("".join(f"r 1 {at}.5 0.4 {word}\n" for at, word in enumerate(["ana", "mira", "la", "casa"])))
    options = ("--model", model, "--quiet", "--subtitles", "bbc,characters=9,lines=1")
    status, _, error = run("punctuate", source, "-o", target, *options)
    assert (status, error) == (0, "")
    said = [word.text.strip(",.?¿").lower() for cue in formats.read(target) for word in cue.words]
    assert said == ["ana", "mira", "la", "casa"]
    assert max(map(len, target.read_text().split("\n\n")[0].splitlines()[2:])) <= 9


def test_limits_are_only_for_subtitle_formats():
    assert parse_limits_option(None, "text") is None
    assert parse_limits_option("bbc", "vtt") == BBC
    for name in ("ctm", "kaldi"):
        with refused_at("subtitles", f"the output {name}", ArgumentError):
            formats.write([], "a", ES, name, subtitles=BBC)


# Malformed files

CUE = "00:00:01,000 --> 00:00:02,000\nhola\n"


@pytest.mark.parametrize("text", ["NOTE x\n\n" * 40 + CUE, CUE + "hola\n" * 90, "\n" * 400 + CUE])
def test_too_many_characters_without_a_cue_are_an_error(tmp_path, monkeypatch, text):
    monkeypatch.setattr(cue_reader, "MAX_CUE", 300)
    assert len(list(formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\n" + f"{CUE}\n" * 20)))) == 20
    with pytest.raises(InputError) as raised:
        list(formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\n" + text)))
    assert raised.value.found == "more than 300 characters without a cue"


@pytest.mark.parametrize(
    "text", ["<i>" * 50_000, "<" * 100_000, "{\\" * 50_000, "&#" + "0" * 9**5, "<v " * 40_000, "<rt>" * 40_000]
)
@pytest.mark.parametrize("markup", [SRT, VTT])
def test_many_tags_are_read_in_linear_time(text, markup):
    found = markup.split(text + " fin")
    assert found.words[-1] == "fin"


# Inverses

PAYLOADS = st.text(st.sampled_from("ab <>/i&;lt{}\\\n\t¿.-:0v"), max_size=40)


@given(PAYLOADS, st.sampled_from([SRT, VTT]))
def test_the_parts_of_a_cue_join_to_its_text(text, markup):
    found = markup.split(text)
    pieces = [piece for pair in zip(found.between, (*found.words, ""), strict=True) for piece in pair]
    assert "".join(pieces) == text
    tokens = [markup.token(word) for word in found.words]
    assert all(len(token.split()) == 1 for token in tokens)


@given(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=10))
def test_escaped_text_is_read_back(token):
    found = VTT.split(VTT.escape(token))
    assert [VTT.token(word) for word in found.words] == [token]


# ASS and TTML


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


def saved(utterances, folder, name, **options):
    path = folder / f"talk.{name}"
    formats.write(utterances, path, ES, **options)
    return path


def talk(*words, **more):
    timed = (Word(text, start, start + 0.4) for text, start in words)
    return Utterance(tuple(timed), recording="r", time_source="asr", **more)


@pytest.mark.parametrize("name", READERS)
def test_new_cues_have_marks_times_and_lines(tmp_path, name):
    labels = (Labels(), Labels(frozenset({Mark.PERIOD})), Labels())
    said = annotate(talk(("hola", 0.5), ("r&d<", 0.9), ("ya", 3600.0)), labels=labels)
    assert READERS[name](saved([said], tmp_path, name)) == [
        (0.5, pytest.approx(1.333, abs=0.006), "", ["hola r&d<."]),
        (3600.0, pytest.approx(3600.833, abs=0.006), "", ["ya"]),
    ]


def test_ass_names_speakers_and_escapes_what_it_reserves(tmp_path):
    said = [talk(("{b}", 0.0), (r"a\Nb", 0.4), speaker="Gil, Ana"), talk(("sí", 0.8), speaker="Jon")]
    path = saved(said, tmp_path, "ass", subtitles=NETFLIX)
    assert [cue[2:] for cue in read_ass(path)] == [("", [r"-{b} a\Nb", "-sí"])]
    assert r"-\{b\} a\⁠Nb\N-sí" in path.read_text(encoding="utf-8")
    assert [cue[2] for cue in read_ass(saved(said[:1], tmp_path, "ass"))] == ["Gil Ana"]


EVENTS = "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
LINE = "Dialogue: 0,0:00:01.00,0:00:02.50,Default,Ana,0,0,0,,"


def test_the_lines_of_ass_keep_their_tags(tmp_path):
    head = " [Script Info]\n [V4+ Styles]\n Format: Name\n "
    text = f"{head}{EVENTS}Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,nada\n"
    text += f"{LINE}{{\\i1}}hola{{\\i0}},\\Nr{{\\k9}}&d\n"
    text += f"{LINE}{{\\p1}}m 0 0 l 9 9{{\\p0}}\n[Fonts]\n{LINE}no\n"
    (cue,) = formats.read(file(tmp_path, "a.ass", text))
    assert [(word.text, word.start, word.end) for word in cue.words] == [("hola,", 1.0, None), ("r&d", None, 2.5)]
    assert cue.speaker == "Ana"
    labels = (Labels(frozenset(), Case.FIRST_CAP), Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.ALL_CAPS))
    changed = text.replace("}hola{", "}Hola{").replace("r{\\k9}&d", "¿R{\\k9}&D?")
    assert written([annotate(cue, labels=labels)], "ass") == changed
    assert "Hola,\n¿R&D?\n" in written([annotate(cue, labels=labels)], "srt")


@pytest.mark.parametrize("name", ["dialogue:", "DIALOGUE:", " Dialogue :"])
def test_the_name_of_a_line_of_ass_may_be_in_any_case(tmp_path, name):
    line = LINE.replace("Dialogue:", name)
    (cue,) = formats.read(file(tmp_path, "a.ass", f"{line}hola\n"))
    assert [(word.text, word.start, word.end) for word in cue.words] == [("hola", 1.0, 2.5)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"{\p1}m 0 0{\c&H0&}l 9 9{\p0}hola", ["hola"]),
        (r"{\p1\pos(1,2)}m 0 0{\pos(1,2)}l 9 9{\p2}l 4 4{\c&H0&\p0}hola{\i1} ana", ["hola", "ana"]),
        (r"hola{\p1}m 0 0{\c&H0&}l 9 9", ["hola"]),
    ],
)
def test_a_drawing_of_ass_ends_where_drawing_is_switched_off(tmp_path, text, words):
    (cue,) = formats.read(file(tmp_path, "a.ass", f"{LINE}{text}\n"))
    assert [word.text for word in cue.words] == words
    labels = (Labels(frozenset(), Case.FIRST_CAP), *[Labels()] * (len(words) - 1))
    assert written([annotate(cue, labels=labels)], "ass") == f"{LINE}{text}\n".replace("hola", "Hola")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The year was\n\n1984\n\nand then\n", ["The year was 1984 and then", "Two"]),
        ("Copyright\n\n2024\n", ["Copyright 2024", "Two"]),
        ("One\n\n2\nno times\n", ["One", "Two"]),
        ("One\n\n7 and 8\n", ["One 7 and 8", "Two"]),
    ],
)
def test_a_number_in_the_text_of_srt_is_not_the_next_cue(tmp_path, text, words):
    content = f"1\n00:00:00,500 --> 00:00:07,000\n{text}\n3\n00:00:07,000 --> 00:00:11,890\nTwo\n"
    found = list(formats.read(path := file(tmp_path, "a.srt", content)))
    assert [" ".join(word.text for word in each.words) for each in found] == words
    assert written(found, "srt") == path.read_text()


@pytest.mark.parametrize(
    "header", ["WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00", "WEBVTT\nKind: captions", "WEBVTT x\n\nREGION\nid:a"]
)
def test_webvtt_without_cues_is_silence(tmp_path, header):
    assert list(formats.read(file(tmp_path, "a.vtt", f"{header}\n\nNOTE no\n"), may_be_empty=True)) == []
    with refused_at(f"{tmp_path}/b.vtt:{header.count(chr(10)) + 3}", "'hola'"):
        list(formats.read(file(tmp_path, "b.vtt", f"{header}\n\nhola\n"), may_be_empty=True))


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [(EVENTS.replace("Effect, ", ""), 2, "9 columns"), (f"{EVENTS}{LINE[:-2]}hola\n", 3, "8 columns")],
)
def test_ass_has_ten_columns(tmp_path, text, line, found):
    with refused_at(f"{tmp_path}/a.ass:{line}", found):
        list(formats.read(file(tmp_path, "a.ass", text)))


def test_new_ass_is_read_again(tmp_path):
    said = [talk(("{b}", 0.0), (r"a\Nb", 0.4), speaker="Gil"), talk(("sí", 9.0))]
    found = list(formats.read(saved(said, tmp_path, "ass", subtitles=NETFLIX)))
    assert [[word.text for word in each.words] for each in found] == [["{b}", r"a\Nb"], ["sí"]]
    assert [each.speaker for each in found] == ["Gil", ""]


def test_ttml_is_an_ebu_tt_d_document(tmp_path):
    root = ElementTree.parse(saved([talk(("hola", 0.5))], tmp_path, "ttml")).getroot()
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
    found = READERS[name](saved(formats.read(path), tmp_path, name))
    assert found == [(1.0, 2.5, "", ["hola,", "ana & jon"])]


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
    path = saved(utterances, tmp_path_factory.mktemp("cues"), name)
    cues = sorted(make_cues(utterances, NETFLIX, ES), key=lambda cue: cue.start)
    found = READERS[name](path)
    assert [lines for *_, lines in found] == [list(cue.lines) for cue in cues]
    times = [time for start, end, *_ in found for time in (start, end)]
    assert times == pytest.approx([time for cue in cues for time in (cue.start, cue.end)], abs=0.0051)
