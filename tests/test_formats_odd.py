"""Whatever is written is read again, with the same words, over utterances with every odd value."""

import json
import math
from dataclasses import replace
from io import BytesIO, StringIO
from xml.etree import ElementTree

import pytest
from dummies import file
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.encoding import visible
from asr_punct.errors import AsrPunctError
from asr_punct.files import MemoryFile
from asr_punct.formats.registry import FORMATS, READABLE, WRITABLE_FILES
from asr_punct.glyphs import glyphs
from asr_punct.words import Utterance, Word

READ_BACK = [name for name in WRITABLE_FILES if name in READABLE]
WRITTEN_ONLY = [name for name in WRITABLE_FILES if name not in READABLE]
SILENCE, TAGS = ["sil", "<eps>"], ["<i>", "</rt>", "{\\an8}"]
TOKENS = ["a", "Ñ", "-->", "<v", "&amp;", "&#160;", "&nbsp", '"', '""', "'", ";;", "#", "\\N", "\ufeff", "\0", "\x01",
          "\udc98", "\u200b", "7", "1:2", "NaN", "WEBVTT", "NOTE", "-", "/", "@", ",", "[0.00s", "->", "2.50s]", "{",
          "}", "<o>", "\u0130"]  # fmt: skip
LOSES = {"srt": TAGS, "ctm": SILENCE, "textgrid": SILENCE, "eaf": SILENCE}
"""Words that a format cannot hold: SubRip has no escapes, and in others these mean silence."""
TIMES = [None, None, 0.0, 0.1, 0.5, 1.0, 1.0, 2.25, 2.25, 3600.0, 1e9, -1.0, -0.0004, math.nan, math.inf, 1e12]
NAMES = st.sampled_from(["", "u", "u 1", "R&D <a>", "\udc98", ";;x", "-"])


def utterances(tokens, speakers):
    """Utterances of one recording."""
    word = st.builds(
        Word,
        st.lists(st.sampled_from(tokens), min_size=1, max_size=2).map("".join),
        st.sampled_from(TIMES),
        st.sampled_from(TIMES),
        st.sampled_from([None, 0.0, 0.5, 7.0, -1.0, math.nan]),
        st.sampled_from([None, 0.0, 0.25, -1.0, math.nan]),
    )
    utterance = st.builds(
        Utterance,
        st.lists(word, max_size=3).map(tuple),
        id=NAMES,
        document=st.sampled_from(["", "d"]),
        recording=st.just("r"),
        channel=st.sampled_from(["1", "2"]),
        speaker=speakers,
        time_source=st.sampled_from(["asr", "segment", "none"]),
        language=st.sampled_from(["", "es", "en"]),
    )
    return st.lists(utterance, min_size=1, max_size=2)


@pytest.mark.parametrize("name", READ_BACK)
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_written_is_read(name, data):
    tokens = [*TOKENS, *(each for each in (*SILENCE, *TAGS) if each not in LOSES.get(name, ()))]
    speakers = st.just("") if name in ("srt", "vtt", "ass") else NAMES  # they make dashes
    values = data.draw(utterances(tokens, speakers))
    words = sorted(visible(word.text) for value in values for word in value.words)
    out = StringIO()
    try:
        formats.write_stream(values, out, glyphs("es"), name)
    except AsrPunctError:
        return
    file = MemoryFile("r", visible(out.getvalue()).encode())
    if words:
        assert sorted(word.text for value in formats.read(file, name) for word in value.words) == words


@settings(max_examples=60)
@given(values=utterances([*TOKENS, *SILENCE, *TAGS], NAMES))
def test_a_directory_that_is_written_is_read(tmp_path_factory, values):
    words = sorted(visible(word.text) for value in values for word in value.words)
    path = tmp_path_factory.mktemp("odd") / "out"
    try:
        formats.write(values, path, glyphs("es"), "kaldi")
    except AsrPunctError:
        return
    if words:
        found = [visible(word.text) for value in formats.read(path, "kaldi") for word in value.words]
        assert sorted(found) == words


@pytest.mark.parametrize("name", WRITTEN_ONLY)
@settings(max_examples=30)
@given(values=utterances([*TOKENS, *SILENCE, *TAGS], NAMES))
def test_what_is_only_written_has_all_words(name, values):
    values = [replace(value, audio="a \udc98.wav") for value in values]
    out = StringIO()
    try:
        formats.write_stream(values, out, glyphs("es"), name)
    except AsrPunctError:
        return
    content = visible(out.getvalue())
    if name == "ttml":
        content = "".join(ElementTree.fromstring(content).itertext())
    if name == "sentences":
        content = "".join(json.loads(line)["text"] for line in content.splitlines())
    if name != "markdown":  # which escapes its signs
        for word in (word for value in values for word in value.words):
            assert visible(word.text).strip("\ufeff") in content


def test_a_document_has_bytes_that_are_not_utf8():
    docx = pytest.importorskip("docx")
    value = Utterance((Word("a\udc98"),), speaker="Jos\udce9", recording="r\udc98")
    content = formats.binary_content([value], glyphs("es"), FORMATS["docx"])
    assert "Jos\ufffd\na\ufffd" in [each.text for each in docx.Document(BytesIO(content)).paragraphs]


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("a.srt", "{0}\n00:00:0{0},000 --> 00:00:0{1},000\n{2}\n\n"),
        ("a.csv", '{0}000,{1}000,"{2}"\n'),
        ("a.txt", "[00:00:0{0}.000 --> 00:00:0{1}.000]  {2}\n"),
    ],
)
@pytest.mark.parametrize(
    ("texts", "count"), [([" super", "mar", "ket", " es"], 2), ([" el", " (mar)"], 0), (["el", "mar"], 0)]
)
def test_segments_that_are_tokens_are_reported(tmp_path, caplog, name, segment, texts, count):
    rows = "".join(segment.format(i, i + 1, text) for i, text in enumerate(texts))
    path = file(tmp_path, name, "start,end,text\n" * (name == "a.csv") + rows)
    assert [word.text for each in formats.read(path) for word in each.words] == [text.strip() for text in texts]
    found = f"{path}: {count} segments inside a word (first: 'mar')"
    assert [message.partition(", as")[0] for message in caplog.messages] == [found] * bool(count)
