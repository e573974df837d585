"""JSON of Whisper, whisper.cpp and transformers' pipeline: their words and times, and marks written back."""

import io as stdio
import json
from dataclasses import replace

import pytest
from dummies import read_value
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.errors import InputError
from asr_punct.formats.formats import FORMATS
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import annotate

DASHED = Labels(frozenset({Mark.DASH}), Case.FIRST_CAP)


def written(utterances, labels=None):
    """The value of the JSON, with these labels on every word."""
    out = stdio.StringIO()
    labelled = (annotate(value, labels=(labels,) * len(value.words)) if labels else value for value in utterances)
    FORMATS["whisper"].write(labelled, out, glyphs("es"))
    return json.loads(out.getvalue())


def rows(values):
    return [[(word.text, word.start, word.end) for word in value.words] for value in values]


def texts(segments):
    return [segment["text"] for segment in segments]


HOLA = {"word": " hola", "start": 0.0, "end": 0.30000000000000004, "probability": 0.5}
MUNDO = {"word": " mundo", "start": 0.5, "end": 1.2, "probability": 1}
SIR = [{"word": " - sí\u00a0", "start": 2.5, "end": 3.0}, {"word": "", "start": 3.0, "end": 3.0}]
SIR += [{"word": "señor", "start": 3.0, "end": 4.0}]
OPENAI = {
    "text": " hola mundo - sí\u00a0señor son tres",
    "segments": [
        {"id": 0, "start": 0.0, "end": 2.5, "text": " hola mundo", "avg_logprob": float("nan"), "words": [HOLA, MUNDO]},
        {"id": 1, "start": 2.5, "end": 4, "text": " - sí\u00a0señor", "words": SIR},
        {"id": 2, "start": 4, "end": 5, "text": " son tres", "temperature": 0.2},
        {"id": 3, "start": 5, "end": 5, "text": ""},
    ],
    "language": "es",
}
VAN = [
    {"word": "van", "start": 0.5, "end": 0.7, "score": 0.9, "speaker": "S1"},
    {"word": "3"},
    {"word": "casas", "start": 1.2, "end": 2.0, "score": 0.8, "speaker": "S1"},
]
WHISPERX = {
    "segments": [
        {"start": 0.5, "end": 2.0, "text": " van 3 casas", "words": VAN, "speaker": "S1"},
        {"start": 2.0, "end": 3.0, "text": " ya", "words": [], "speaker": "S2"},
    ],
    "word_segments": VAN,
    "language": "es",
}
API = {
    "task": "transcribe",
    "duration": 1.5,
    "text": "hola mundo",
    "words": [{"word": "hola", "start": 0, "end": 0.5}, {"word": "mundo", "start": 0.75, "end": 1.5}],
}
TIMESTAMPED = {"segments": [{"text": " hola", "words": [{"text": "hola", "start": 1, "end": 2, "confidence": 0.5}]}]}


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


def test_whisper_words_and_times(tmp_path):
    values = read_value(tmp_path, OPENAI)
    assert rows(values) == [
        [("hola", 0.0, 0.30000000000000004), ("mundo", 0.5, 1.2)],
        [("-", 2.5, None), ("sí", None, 3.0), ("señor", 3.0, 4.0)],
        [("son", 4.0, None), ("tres", None, 5.0)],
        [],
    ]
    assert [word.confidence for word in values[0].words] == [0.5, 1.0]
    assert [value.time_source for value in values] == ["whisper", "whisper", "segment", "none"]
    assert [(value.id, value.recording) for value in values[:2]] == [("talk-1", "talk"), ("talk-2", "talk")]


@pytest.mark.parametrize("content", [OPENAI, OPENAI["segments"]])
def test_marks_are_written_into_segments_words_and_text(tmp_path, content):
    values = read_value(tmp_path, content)
    assert json.dumps(written(values)) == json.dumps(content)
    assert read_value(tmp_path, content, "whisper") == values
    after = written(values, DASHED)
    segments = after if content is not OPENAI else after["segments"]
    assert texts(segments) == [" Hola– Mundo–", " -– Sí–\u00a0Señor–", " Son – Tres –", ""]
    words = [word["word"] for segment in segments[:2] for word in segment["words"]]
    assert words == [" Hola–", " Mundo–", " -– Sí–\u00a0", "", "Señor–"]
    assert content is not OPENAI or after["text"] == "".join(texts(segments))


def test_whisperx_words_without_times_and_repeated_words(tmp_path):
    values = read_value(tmp_path, WHISPERX)
    assert rows(values) == [[("van", 0.5, 0.7), ("3", None, None), ("casas", 1.2, 2.0)], [("ya", 2.0, 3.0)]]
    assert [value.time_source for value in values] == ["ctc", "segment"]
    assert written(values) == WHISPERX
    after = written(values, DASHED)
    assert [word["word"] for word in after["word_segments"]] == ["Van–", "3–", "Casas–"]
    assert after["word_segments"] == after["segments"][0]["words"]


@pytest.mark.parametrize(("content", "text"), [(API, "Hola– Mundo–"), (TIMESTAMPED, " Hola–")])
def test_whisper_variants(tmp_path, content, text):
    values = read_value(tmp_path, content)
    assert written(values) == content
    after = written(values, DASHED)
    assert (after if "words" in after else after["segments"][0])["text"] == text


def test_a_segment_without_word_entries_has_its_own_times(tmp_path):
    segments = [{"start": 0.1, "end": 1.0, "text": " hola ya"}, {"start": 1.5, "end": 1.2, "text": " sí"}]
    values = read_value(tmp_path, {"segments": segments})
    assert rows(values) == [[("hola", 0.1, None), ("ya", None, 1.0)], [("sí", 1.5, None)]]
    assert [value.time_source for value in values] == ["segment"] * 2
    assert written(values) == {"segments": segments}
    assert written([replace(values[0], origin=None)])["segments"] == [{"id": 0, **segments[0]}]


def test_a_whisper_file_without_segments(tmp_path):
    silent = {"text": "", "segments": [], "language": "es"}
    assert written(read_value(tmp_path, silent, may_be_empty=True)) == silent
    content = {**silent, "text": " hola mundo"}
    assert written(read_value(tmp_path, content), DASHED) == {**content, "text": " Hola – Mundo –"}


def test_new_segments_have_times_and_a_text_without_gaps(tmp_path):
    vosk = {"result": [{"word": "hola", "start": 0.12, "end": 1}], "text": "hola"}
    content = written(read_value(tmp_path, [{"text": ""}, vosk, {"text": ""}, {"text": "ya"}]))
    assert content["text"] == "hola ya"
    times = [(segment.get("start"), segment.get("end")) for segment in content["segments"]]
    assert times == [(0.0, 0.0), (0.12, 1.0), (1.0, 1.0), (None, None)]


def test_another_number_of_words_makes_a_new_segment(tmp_path):
    first, *others = read_value(tmp_path, WHISPERX)
    content = written([replace(first, words=first.words[:1]), *others])
    words = [{"word": " van", "start": 0.5, "end": 0.7, "probability": 0.9}]
    new = {"id": 0, "start": 0.5, "end": 0.7, "text": " van", "words": words, "speaker": "S1"}
    assert content["segments"] == [new, WHISPERX["segments"][1]]
    assert (content["text"], content["language"]) == ("van ya", "es")
    for other in (CPP, CHUNKS):
        values = read_value(tmp_path, other)
        assert "segments" in written([replace(values[0], words=values[0].words[:1]), *values[1:]])


def test_words_of_whisper_cpp_have_the_times_of_their_tokens(tmp_path):
    values = read_value(tmp_path, CPP)
    assert rows(values) == [
        [("mañana,", 0.0, 0.5), ("vuelvo", 1.0, 1.25)],
        [("a", 1.25, None), ("las", None, None), ("tres", None, 2.5)],
        [("ya", 2.5, 2.75)],
    ]
    assert [word.confidence for word in values[0].words] == [pytest.approx(2 / 3), 0.5]
    assert {value.time_source for value in values} == {"whisper"}
    assert {value.recording for value in values} == {"talk"}


def test_only_the_texts_of_whisper_cpp_change(tmp_path):
    values = read_value(tmp_path, CPP)
    assert written(values) == CPP
    after = written(values, DASHED)
    assert texts(after["transcription"]) == [" Mañana,– Vuelvo–", " A –  Las – Tres –", " Ya –"]
    assert [{**segment, "text": ""} for segment in after["transcription"]] == [
        {**segment, "text": ""} for segment in CPP["transcription"]
    ]


def test_tokens_of_other_words_than_the_text_give_no_times(tmp_path):
    content = {"transcription": [{**CPP["transcription"][0], "text": " mañana, vuelvo aquí"}]}
    assert rows(read_value(tmp_path, content)) == [
        [("mañana,", 0.0, None), ("vuelvo", None, None), ("aquí", None, 1.25)]
    ]


def test_chunks_are_words_or_segments(tmp_path):
    assert rows(read_value(tmp_path, CHUNKS)) == [[("Mañana", 0.1, 0.5), ("vuelvo.", 0.9, None)]]
    assert rows(read_value(tmp_path, SENTENCES)) == [[("Ya", 0.0, None), ("voy.", None, 2.0), ("Sí", None, None)]]
    assert rows(read_value(tmp_path, {"text": "ya voy", "chunks": []})) == [[("ya", None, None), ("voy", None, None)]]


@pytest.mark.parametrize(
    ("content", "source"), [(CHUNKS, "whisper"), (SENTENCES, "whisper"), (CTC, "ctc"), ({**CTC, "chunks": []}, "none")]
)
def test_chunks_with_a_space_are_of_whisper(tmp_path, content, source):
    assert [value.time_source for value in read_value(tmp_path, content)] == [source]


@pytest.mark.parametrize("content", [CHUNKS, SENTENCES, CTC, {**CTC, "chunks": []}])
def test_only_the_texts_of_chunks_change(tmp_path, content):
    values = read_value(tmp_path, content)
    assert written(values) == content
    after = written(values, DASHED)
    assert [{**chunk, "text": ""} for chunk in after["chunks"]] == [
        {**chunk, "text": ""} for chunk in content["chunks"]
    ]
    assert list(after) == list(content)
    assert " ".join(texts(after["chunks"])).split() in ([], after["text"].split())


def with_word(**word):
    return {"segments": [{"text": "a", "words": [{"word": "a", **word}]}]}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"segments": [3]}, "segment 1: found 3, expected an object"),
        ({"segments": [{"words": 3}]}, "segment 1: found words 3, expected a list"),
        (
            {"segments": [{"words": [{"start": 1}]}]},
            "segment 1: word 1: found no key 'word', expected an object with 'word'",
        ),
        (with_word(start=-1), "word 1: found start -1"),
        (with_word(start=float("nan")), "word 1: found start nan"),
        (with_word(start="soon"), "word 1: found start 'soon'"),
        (with_word(start=2, end=1), "word 1: found end 1.0 before start 2.0"),
        (with_word(probability="high"), "word 1: found probability 'high'"),
        ({"segments": [{"words": [{"word": "a", "start": 2}, {"word": "b", "start": 1}]}]}, "start 1.0 after 2.0"),
        ({"segments": [{"text": "ya", "start": -1}]}, "segment 1: found start -1"),
        ({"transcription": [{"text": "a", "tokens": [3]}]}, "token 1: found 3, expected an object"),
        ({"transcription": [{"text": "a", "offsets": [3]}]}, r"found \[3\], expected an object"),
        ({"transcription": [{"text": "a", "offsets": {"from": -1}}]}, "segment 1: found from -1"),
        ({"text": "a", "chunks": [3]}, "chunk 1: found 3, expected an object"),
        ({"text": "a", "chunks": [{"text": "a", "timestamp": [3]}]}, r"found timestamp \[3\], expected a start and"),
        ({"text": "a", "chunks": [{"text": "a", "timestamp": [3, 1]}]}, "chunk 1: found end 1.0 before start 3.0"),
    ],
)
def test_errors_name_the_place(tmp_path, content, found):
    with pytest.raises(InputError, match=rf"^{tmp_path}/talk\.json.*{found}"):
        read_value(tmp_path, content)


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
    (value,) = read_value(tmp_path_factory.mktemp("cpp"), content)
    assert [word.text for word in value.words] == ["".join(word) for word in parts]
    assert all(word.start is not None and word.end is not None for word in value.words)
    assert written([value]) == content
