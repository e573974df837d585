"""JSON of whisper.cpp and of transformers' pipeline: words, their times, and everything else back as it was."""

import io as stdio
import json
from dataclasses import replace

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.formats import FORMATS
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import annotate

ES = glyphs("es")
DASHED = Labels(frozenset({Mark.DASH}), Case.FIRST_CAP)


def token(text, start=None, end=None, **more):
    times = {} if start is None else {"offsets": {"from": start, "to": end}}
    return {"text": text, **times, "id": 1, "p": 0.5, "t_dtw": -1, **more}


TOKENS = [
    token("[_BEG_]", 0, 0),
    token(" ma", 0, 200),
    token("ñana", 200, 500, p=1.0),
    token(",", 500, 900),
    token(" vuel"),
    token("vo", 1000, 1250),
    token("[_TT_62]", 1250, 1250),
]
CPP = {
    "systeminfo": "AVX = 1",
    "result": {"language": "es"},
    "transcription": [
        {"offsets": {"from": 0, "to": 1250}, "text": " mañana, vuelvo", "tokens": TOKENS, "speaker": "1"},
        {"offsets": {"from": 1250, "to": 2500}, "text": " a  las tres"},
        {"timestamps": {"from": "", "to": ""}, "offsets": {"from": 2500, "to": 2750}, "text": " ya"},
    ],
}
CHUNKS = {
    "text": " Mañana vuelvo.",
    "chunks": [{"text": " Mañana", "timestamp": [0.1, 0.5]}, {"text": " vuelvo.", "timestamp": [0.9, None]}],
    "language": [None],
}
SENTENCES = {"text": " Ya voy. Sí", "chunks": [{"text": " Ya voy.", "timestamp": [0.0, 2]}, {"text": " Sí"}]}
CTC = {"text": "YA VOY", "chunks": [{"text": "YA", "timestamp": [0.0, 0.5]}, {"text": "VOY", "timestamp": [0.5, 1]}]}


def read(folder, content):
    return list(formats.read(file(folder, "talk.json", json.dumps(content))))


def written(utterances):
    out = stdio.StringIO()
    FORMATS["whisper"].write(utterances, out, ES)
    return json.loads(out.getvalue())


def rows(values):
    return [[(word.text, word.start, word.end) for word in value.words] for value in values]


def labelled(values, labels):
    return [annotate(value, labels=(labels,) * len(value.words)) for value in values]


def test_words_of_whisper_cpp_have_the_times_of_their_tokens(tmp_path):
    values = read(tmp_path, CPP)
    assert rows(values) == [
        [("mañana,", 0.0, 0.5), ("vuelvo", 1.0, 1.25)],
        [("a", 1.25, None), ("las", None, None), ("tres", None, 2.5)],
        [("ya", 2.5, 2.75)],
    ]
    assert [word.confidence for word in values[0].words] == [pytest.approx(2 / 3), 0.5]
    assert {value.time_source for value in values} == {"whisper"}
    assert {value.recording for value in values} == {"talk"}


def test_whisper_cpp_comes_back_with_new_texts_alone(tmp_path):
    values = read(tmp_path, CPP)
    assert written(values) == CPP
    after = written(labelled(values, DASHED))
    texts = [segment["text"] for segment in after["transcription"]]
    assert texts == [" Mañana,– Vuelvo–", " A –  Las – Tres –", " Ya –"]
    assert [{**segment, "text": ""} for segment in after["transcription"]] == [
        {**segment, "text": ""} for segment in CPP["transcription"]
    ]
    (first, *_) = rows(read(tmp_path, after))
    assert [times for _, *times in first] == [times for _, *times in rows(values)[0]]


def test_tokens_that_are_other_words_than_the_text_give_no_times(tmp_path):
    content = {"transcription": [{**CPP["transcription"][0], "text": " mañana, vuelvo aquí"}]}
    assert rows(read(tmp_path, content)) == [[("mañana,", 0.0, None), ("vuelvo", None, None), ("aquí", None, 1.25)]]


def test_chunks_are_words_or_segments(tmp_path):
    assert rows(read(tmp_path, CHUNKS)) == [[("Mañana", 0.1, 0.5), ("vuelvo.", 0.9, None)]]
    assert rows(read(tmp_path, SENTENCES)) == [[("Ya", 0.0, None), ("voy.", None, 2.0), ("Sí", None, None)]]
    assert rows(read(tmp_path, {"text": "ya voy", "chunks": []})) == [[("ya", None, None), ("voy", None, None)]]


@pytest.mark.parametrize(
    ("content", "source"), [(CHUNKS, "whisper"), (SENTENCES, "whisper"), (CTC, "ctc"), ({**CTC, "chunks": []}, "none")]
)
def test_the_space_before_a_chunk_tells_the_source_of_times(tmp_path, content, source):
    assert [value.time_source for value in read(tmp_path, content)] == [source]


@pytest.mark.parametrize("content", [CHUNKS, SENTENCES, CTC, {**CTC, "chunks": []}])
def test_chunks_come_back_with_new_texts_alone(tmp_path, content):
    values = read(tmp_path, content)
    assert written(values) == content
    after = written(labelled(values, DASHED))
    assert [{**chunk, "text": ""} for chunk in after["chunks"]] == [
        {**chunk, "text": ""} for chunk in content["chunks"]
    ]
    assert list(after) == list(content)
    texts = [token for chunk in after["chunks"] for token in chunk["text"].split()]
    assert texts in ([], after["text"].split())


def test_words_that_are_no_longer_those_of_the_file_become_segments(tmp_path):
    for content in (CPP, CHUNKS):
        values = read(tmp_path, content)
        assert "segments" in written([replace(values[0], words=values[0].words[:1]), *values[1:]])
    assert "segments" in written([*read(tmp_path, CPP), *read(tmp_path, CHUNKS)])


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"transcription": [3]}, "segment 1: found 3, expected an object"),
        ({"transcription": [{"text": 3}]}, "segment 1: found text 3, expected a string"),
        ({"transcription": [{"text": "a", "tokens": [3]}]}, "token 1: found 3, expected an object"),
        ({"transcription": [{"text": "a", "offsets": [3]}]}, r"found \[3\], expected an object"),
        ({"transcription": [{"text": "a", "offsets": {"from": 2000, "to": 1000}}]}, "found end 1.0 before start 2.0"),
        ({"transcription": [{"text": "a", "offsets": {"from": -1}}]}, "segment 1: found from -1"),
        ({"text": "a", "chunks": [3]}, "chunk 1: found 3, expected an object"),
        ({"text": "a", "chunks": [{"text": "a", "timestamp": 3}]}, "chunk 1: found timestamp 3, expected a list"),
        ({"text": "a", "chunks": [{"text": "a", "timestamp": [3]}]}, r"found timestamp \[3\], expected a start and"),
        ({"text": "a", "chunks": [{"text": "a", "timestamp": [3, 1]}]}, "chunk 1: found end 1.0 before start 3.0"),
        ({"text": "a", "chunks": [{"timestamp": [3, 4]}]}, "chunk 1: found the word None"),
        ({"text": "", "chunks": []}, "found no words"),
    ],
)
def test_malformed_files_are_told(tmp_path, content, found):
    with pytest.raises(InputError, match=rf"^{tmp_path}/talk\.json.*{found}"):
        read(tmp_path, content)


words = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(st.lists(st.lists(words, min_size=1, max_size=3), min_size=1, max_size=5))
def test_tokens_make_up_any_words(tmp_path_factory, parts):
    """Each word in one to three tokens of a second each, the first with a space before it."""
    tokens, clock = [], 0
    for word in parts:
        for i, part in enumerate(word):
            tokens.append(token(part if i else " " + part, clock, clock := clock + 1000))
    text = "".join(item["text"] for item in tokens)
    content = {"transcription": [{"offsets": {"from": 0, "to": clock}, "text": text, "tokens": tokens}]}
    (value,) = read(tmp_path_factory.mktemp("cpp"), content)
    assert [word.text for word in value.words] == ["".join(word) for word in parts]
    assert all(word.start is not None and word.end is not None for word in value.words)
    assert written([value]) == content
