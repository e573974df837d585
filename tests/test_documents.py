"""Sentences, paragraphs, and the formats of text for people: Markdown, .docx, sentences, labels, EBU STL."""

import io
import json
import os
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import ArgumentError, InputError
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.paragraphs import ParagraphSettings, paragraphs, parse_paragraphs, timed_paragraphs
from asr_punct.sentences import sentences
from asr_punct.words import Utterance, Word, text_of_utterance

ES, EN = glyphs("es"), glyphs("en")
PERIOD = Labels(frozenset({Mark.PERIOD}))


def spoken(text, start=0.0, **more):
    """An utterance of one word a second, each half a second long; the marks are in its words."""
    words = [Word(token, start + n, start + n + 0.5) for n, token in enumerate(text.split())]
    return Utterance(tuple(words), recording="r", **more)


def lines(utterances, written=EN):
    return [text_of_utterance(utterance, written) for utterance in utterances]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Ana came. She left."], ["Ana came.", "She left."]),
        (["Ana came and", "she left. Then"], ["Ana came and she left.", "Then"]),
        (["J. R. Smith came. No?"], ["J. R. Smith came.", "No?"]),
        (['He said "no." )', "Well."], ['He said "no." )', "Well."]),
        (["Yes. - No."], ["Yes.", "- No."]),
        (["Yes. >> No. >>Well."], ["Yes.", ">> No.", ">>Well."]),
    ],
)
def test_sentences_end_at_marks(texts, expected):
    assert lines(sentences([spoken(text, 10.0 * n) for n, text in enumerate(texts)], EN)) == expected


def test_sentences_end_at_labels_speakers_and_documents():
    first = replace(spoken("one two"), words=(Word("one", labels=PERIOD), Word("two")), speaker="a")
    others = [spoken("three", 5.0, speaker="b"), replace(spoken("four"), recording="s", speaker="b")]
    assert lines(sentences([first, *others], EN)) == ["one.", "two", "three", "four"]


def test_sentences_end_where_words_of_an_utterance_have_another_speaker():
    words = [
        Word(text, n, n + 0.5, speaker=name)
        for n, (text, name) in enumerate(zip("abcde", ["A", "B", "B", "", "A"], strict=True))
    ]
    found = list(sentences([Utterance(tuple(words), speaker="A")], EN))
    assert [(text, each.speaker) for text, each in zip(lines(found), found, strict=True)] == [
        ("a", "A"),
        ("b c", "B"),
        ("d e", "A"),
    ]


def test_a_sentence_goes_on_over_a_turn_of_another_channel():
    turns = [spoken("we went", 0.0, channel="1"), spoken("yes.", 1.2, channel="2"), spoken("home.", 3.0, channel="1")]
    assert lines(sentences(turns, EN)) == ["we went home.", "yes."]


def test_paragraphs_end_at_speakers_and_long_pauses():
    turns = [spoken("One. Two.", 0.0, speaker="a"), spoken("Three.", 9.0, speaker="a"), spoken("No.", 10, speaker="b")]
    found = paragraphs(turns, EN, ParagraphSettings(pause=2.0))
    assert lines(found) == ["One. Two.", "Three.", "No."]
    assert lines(paragraphs(turns, EN, ParagraphSettings(by_speaker=True))) == ["One. Two. Three.", "No."]


def test_paragraphs_end_where_the_topic_changes():
    about = ["the river floods the valley", "boats cross the river daily", "the valley floods again"]
    other = ["our tax pays teachers", "teachers want lower tax", "schools pay tax too"]
    text = " ".join(f"{sentence}." for topic in (about, other) for _ in range(4) for sentence in topic)
    assert f"{other[0]}." in {line[: len(other[0]) + 1] for line in lines(paragraphs([spoken(text)], EN))}


SENTENCE = st.lists(st.sampled_from(["river", "boat", "tax", "school", "ana", "the", "of"]), min_size=1, max_size=30)


@given(st.lists(SENTENCE, min_size=1, max_size=30), st.sampled_from(["auto", "speaker", "0.5"]), st.booleans())
def test_paragraphs_keep_all_words_and_are_whole_sentences(texts, rule, is_timed):
    text = " ".join(f"{' '.join(words)}." for words in texts)
    utterance = spoken(text) if is_timed else Utterance(tuple(map(Word, text.split())))
    found = list(paragraphs([utterance], EN, parse_paragraphs(rule)))
    assert [word for each in found for word in each.words] == list(utterance.words)
    assert all(each.words[-1].text.endswith(".") for each in found)


def test_untimed_lines_stay():
    untimed = [Utterance(tuple(map(Word, line.split())), document="1") for line in ("one. two.", "three")]
    assert list(timed_paragraphs(untimed, EN, ParagraphSettings())) == untimed


@pytest.mark.parametrize("text", ["", "0", "-1", "nan", "inf", "words"])
def test_paragraphs_need_a_rule(text):
    with pytest.raises(ArgumentError) as caught:
        parse_paragraphs(text)
    assert (caught.value.place, caught.value.found) == ("paragraphs", repr(text))


def written(utterances, name, language=ES):
    out = io.StringIO()
    formats.write_stream(utterances, out, language, name)
    return out.getvalue()


def test_markdown_has_speakers_times_and_links():
    turns = [
        spoken("Hola.", 65.2, speaker="Ana", audio="a b.wav"),
        spoken("Otra.", 70, speaker="Ana"),
        spoken("1. *No*", 3700.0, speaker="_Jon_"),
        replace(spoken("Fin."), recording="s"),
    ]
    assert written(turns, "markdown") == (
        "**Ana** [0:01:05](a%20b.wav#t=65.2)  \nHola.\n\n0:01:10  \nOtra.\n\n"
        "**\\_Jon\\_** 1:01:40  \n1\\. \\*No\\*\n\n* * *\n\n0:00:00  \nFin.\n"
    )


def test_markdown_escapes_what_would_be_markup_in_a_form_that_all_programs_read():
    assert written([Utterance((Word("a<b>"), Word("~c|"), Word("[d]")))], "markdown") == (
        "a&#60;b\\> &#126;c&#124; \\[d\\]\n"
    )


def test_sentences_have_times_and_places_of_words():
    turns = [spoken("Hola. Qué", speaker="Ana"), spoken("tal.", 2.0, speaker="Ana"), Utterance((Word("No."),))]
    rows = [json.loads(line) for line in written(turns, "sentences").splitlines()]
    about = {"speaker": "Ana", "recording": "r"}
    assert rows == [
        {"text": "Hola.", "start": 0.0, "end": 0.5, **about, "words": [0, 1]},
        {"text": "Qué tal.", "start": 1.0, "end": 2.5, **about, "words": [1, 3]},
        {"text": "No.", "words": [0, 1]},
    ]


def test_audacity_needs_times():
    assert (
        written([spoken("Hola. Qué tal.")], "audacity") == "0.000000\t0.500000\tHola.\n1.000000\t2.500000\tQué tal.\n"
    )
    with pytest.raises(InputError):
        written([Utterance((Word("hola"),))], "audacity")


def test_docx_names_its_recording_and_language(tmp_path):
    docx = pytest.importorskip("docx", reason="python-docx is not installed: pip install '.[docx]'")
    formats.write([spoken("Kaixo.", 1.0, language="eu")], tmp_path / "a.docx", ES)
    document = docx.Document(tmp_path / "a.docx")
    about = document.core_properties
    assert (about.title, about.author, about.comments) == ("r", "", "")
    assert document.styles.element.xpath(".//w:docDefaults//w:lang/@w:val") == ["eu-ES"]


def test_docx_has_styles(tmp_path):
    docx = pytest.importorskip("docx", reason="python-docx is not installed: pip install '.[docx]'")
    turns = [spoken("Hola.", 65.2, speaker="Ana"), spoken("Otra.", 70, speaker="Ana")]
    formats.write(turns, tmp_path / "a.docx", ES)
    paragraphs = docx.Document(tmp_path / "a.docx").paragraphs
    assert [paragraph.text.split() for paragraph in paragraphs] == [["Ana", "0:01:05", "Hola."], ["0:01:10", "Otra."]]
    styles = {run.style.name for paragraph in paragraphs for run in paragraph.runs}
    assert {"Speaker", "Time"} <= styles
    with pytest.raises(InputError):
        formats.write([spoken("a\x01b")], tmp_path / "b.docx", ES)
    assert not (tmp_path / "b.docx").exists()


def test_a_pipe_is_written_and_stays(tmp_path):
    os.mkfifo(tmp_path / "a.stl")
    with ThreadPoolExecutor(1) as pool:
        content = pool.submit((tmp_path / "a.stl").read_bytes)
        formats.write([spoken("Hola.", 1.0)], tmp_path / "a.stl", ES)
        assert cues_of_stl(content.result())
    assert (tmp_path / "a.stl").is_fifo()


def cues_of_stl(content):
    """The times in frames and the lines of an EBU STL file, read by the rules of EBU Tech 3264."""
    assert content[:14] == b"850STL25.01000"
    assert (len(content) - 1024) % 128 == 0
    blocks = [content[first : first + 128] for first in range(1024, len(content), 128)]
    assert int(content[238:243]) == len(blocks)
    cues = {}
    for block in blocks:
        number, times = int.from_bytes(block[1:3], "little"), (tuple(block[5:9]), tuple(block[9:13]))
        cues.setdefault(number, [times, b""])[1] += block[16:].rstrip(b"\x8f")
    assert int(content[243:248]) == len(cues)
    return [(times, text.split(b"\x8a")) for times, text in cues.values()]


def test_stl_has_cues_and_accents(tmp_path):
    formats.write([spoken("«¿Qué?», dijo el niño… (señor)", 3661.0)], tmp_path / "a.stl", ES)
    cues = cues_of_stl((tmp_path / "a.stl").read_bytes())
    assert cues[0][0][0] == (1, 1, 1, 0)
    assert (
        b" ".join(line for _, text in cues for line in text) == b"\xab\xbfQu\xc2e?\xbb, dijo el ni\xc4no... (se\xc4nor)"
    )


def test_stl_is_read_by_another_program(tmp_path):
    reader = pytest.importorskip("ttconv.stl.reader", reason="ttconv is not installed: pip install '.[dev]'")
    long = "Ñandú pingüino çedilla À Ê ö " * 3 + "Æ ª Ħ Ł Ø Œ º Þ Ŧ Ŋ æ đ ð ħ ı ł ø œ ß þ ŧ ŋ § µ ¼ ½ ¾ £ ¥ © ® ™"
    formats.write([spoken(f"Hola. {long}", 3.0)], tmp_path / "a.stl", ES)
    with open(tmp_path / "a.stl", "rb") as file:
        model = reader.to_model(file)
    texts = [e.get_text() for e in model.get_body().dfs_iterator() if type(e).__name__ == "Text"]
    assert " ".join(texts).split() == unicodedata.normalize("NFC", f"Hola. {long}").split()


def test_a_turn_without_times_gets_those_between_its_neighbours(tmp_path):
    said = [spoken("Hola.", 1.0), Utterance((Word("ya."),), recording="r"), spoken("Adiós.", 4.0)]
    said = [replace(each, recording="r") for each in said]
    formats.write(said, tmp_path / "a.audacity", ES, "audacity")
    lines = (tmp_path / "a.audacity").read_text().splitlines()
    starts, ends = zip(*(map(float, line.split("\t")[:2]) for line in lines), strict=True)
    assert starts[1] == ends[0]
    assert ends[1] == 4.0


TWO_CHANNELS = """1
00:00:01,000 --> 00:00:01,010
Sí.

2
00:00:01,011 --> 00:00:01,018
No.

3
00:00:01,020 --> 00:00:03,000
Una.

4
00:00:01,030 --> 00:00:04,000
Dos.

5
00:00:05,000 --> 00:00:06,000
Tres.
"""


def test_stl_keeps_cues_that_are_short_or_overlap(tmp_path):
    """Every cue has a frame of its own, and none begins before the one before it has ended."""
    (tmp_path / "a.srt").write_text(TWO_CHANNELS)
    formats.write(formats.read(tmp_path / "a.srt"), tmp_path / "a.stl", ES)
    times = [times for times, _ in cues_of_stl((tmp_path / "a.stl").read_bytes())]
    frames = [tuple(((h * 60 + m) * 60 + s) * 25 + f for h, m, s, f in each) for each in times]
    assert frames == [(25, 26), (26, 27), (27, 39), (39, 100), (125, 150)]


def test_stl_says_how_long_its_lines_are(tmp_path):
    for text, characters in (("Corta.", b"40"), ("x" * 41 + ".", b"42")):
        formats.write([spoken(text)], tmp_path / "a.stl", ES)
        assert (tmp_path / "a.stl").read_bytes()[251:253] == characters


def test_stl_refuses_other_letters(tmp_path):
    with pytest.raises(InputError) as caught:
        formats.write([spoken("это")], tmp_path / "a.stl", ES)
    assert "э" in caught.value.found
    assert list(tmp_path.iterdir()) == []


def test_a_labelled_initial_ends_no_sentence():
    initial = Word("j", labels=Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP))
    assert len(list(sentences([Utterance((initial, Word("smith")))], EN))) == 1
