"""The JSON of cloud services, which is only read."""

import pytest
from dummies import read_value

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.words import Word


def texts(utterances):
    return [[word.text for word in utterance.words] for utterance in utterances]


def aws(*items):
    return {"jobName": "j", "results": {"transcripts": [], "items": list(items)}}


def aws_word(text, start, end):
    best = {"confidence": "0.5", "content": text}
    return {"type": "pronunciation", "start_time": start, "end_time": end, "alternatives": [best]}


def aws_mark(text):
    return {"type": "punctuation", "alternatives": [{"confidence": None, "content": text}]}


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("¿ Qué ?", ["¿Qué?"]),
        ("« Sí » .", ["«Sí»."]),
        (". sí", [".sí"]),
        ("sí ¿", ["sí", "¿"]),
        (".", ["."]),
    ],
)
def test_aws_punctuation_is_attached_to_words(tmp_path, items, words):
    content = [aws_word(text, "0.1", "0.25") if text.isalpha() else aws_mark(text) for text in items.split()]
    (value,) = read_value(tmp_path, aws(*content))
    assert texts([value]) == [words]
    assert all(word == Word(word.text, 0.1, 0.25, 0.5) for word in value.words if word.start is not None)
    assert (value.id, value.time_source) == ("talk", "asr" if any(map(str.isalpha, items)) else "none")


def test_aws_channels(tmp_path):
    channels = [{"items": [aws_word("sí", "0", "1")]}, {"items": [aws_word("no", "0", "1")]}]
    values = read_value(tmp_path, {"results": {"channel_labels": {"channels": channels}, "items": []}})
    assert [(value.id, value.channel, texts([value])) for value in values] == [
        ("talk-1", "1", [["sí"]]),
        ("talk-2", "2", [["no"]]),
    ]


@pytest.mark.parametrize(
    "word",
    [
        {"startTime": "12.900s", "endTime": "13s"},
        {"startTime": {"seconds": "12", "nanos": 900000000}, "endTime": {"seconds": "13"}},
        {"start_time": {"seconds": 12, "nanos": 900000000}, "end_time": {"seconds": 13}},
        {"startOffset": "12.9s", "endOffset": "13.0s"},
    ],
)
def test_google_times(tmp_path, word):
    result = {"alternatives": [{"transcript": "hola", "words": [{**word, "word": "hola"}]}, {}], "channelTag": 2}
    for content in ({"results": [result]}, {"done": True, "response": {"results": [result]}}):
        (value,) = read_value(tmp_path, content)
        assert value.words == (Word("hola", 12.9, 13.0),)
        assert (value.channel, value.time_source) == ("2", "asr")


def test_google_speaker_labels_do_not_double_the_words(tmp_path):
    words = [{"word": "hola", "endTime": "1s"}, {"word": "ya", "startTime": "1s", "endTime": "2s"}]
    results = [{"alternatives": [{"transcript": word["word"], "words": [word]}]} for word in words]
    repeated = {"alternatives": [{"words": [{**word, "speakerTag": 1} for word in words]}]}
    values = read_value(tmp_path, {"results": [*results, repeated]})
    assert texts(values) == [["hola"], ["ya"]]
    assert [(word.start, word.end) for value in values for word in value.words] == [(0.0, 1.0), (1.0, 2.0)]
    assert texts(read_value(tmp_path, {"results": [repeated]})) == [["hola", "ya"]]


def test_google_without_times(tmp_path):
    (value,) = read_value(tmp_path, {"results": [{"alternatives": [{"transcript": "hola ya"}]}]})
    assert (value.words, value.time_source) == ((Word("hola"), Word("ya")), "none")
    (value,) = read_value(tmp_path, {"results": [{"alternatives": [{"words": [{"word": "hola"}]}]}]})
    assert (value.words, value.time_source) == ((Word("hola"),), "none")


def test_ibm(tmp_path):
    best = {
        "transcript": "hola ya ",
        "timestamps": [["hola", 0.5, 1], ["ya", 1, 1.5]],
        "word_confidence": [["hola", 0.5], ["ya", 1]],
    }
    result = {"final": True, "alternatives": [best, {"transcript": "ola ya "}]}
    response = {"result_index": 0, "results": [{**result, "final": False}, result]}
    for content in (response, {"status": "completed", "results": [response]}):
        (value,) = read_value(tmp_path, content)
        assert value.words == (Word("hola", 0.5, 1.0, 0.5), Word("ya", 1.0, 1.5, 1.0))
    plain = {"results": [{"final": True, "alternatives": [{"transcript": "hola ya "}]}]}
    assert texts(read_value(tmp_path, plain)) == [["hola", "ya"]]


def test_speechmatics(tmp_path):
    rows = [("Hola", "0.5", "0.25"), (",", "0.75", "0.01"), ("ya", "1.0", "0.5"), (".", "1.5", "0.1")]
    words = [{"name": name, "time": time, "duration": length, "confidence": "0.5"} for name, time, length in rows]
    (value,) = read_value(tmp_path, {"job": {}, "speakers": [], "words": words})
    assert value.words == (Word("Hola,", 0.5, 0.75, 0.5), Word("ya.", 1.0, 1.5, 0.5))


def test_speechmatics_second_version(tmp_path):
    def item(kind, text, start, end, **more):
        best = [{"content": text, "confidence": 0.5}]
        return {"type": kind, "start_time": start, "end_time": end, "alternatives": best, **more}

    results = [
        item("punctuation", "*", 0.5, 0.5, attaches_to="next"),
        item("word", "Hola", 0.5, 0.75),
        item("punctuation", ",", 0.75, 0.75, attaches_to="previous"),
        {"type": "speaker_change"},
        item("entity", "20 de mayo", 1.0, 1.5),
        item("punctuation", ".", 1.5, 1.5),
    ]
    content = {"format": "2.9", "job": {}, "metadata": {}, "results": results}
    (value,) = read_value(tmp_path, content)
    assert value.words == (
        Word("*Hola,", 0.5, 0.75, 0.5),
        Word("20", 1.0, None, 0.5),
        Word("de", None, None, 0.5),
        Word("mayo.", None, 1.5, 0.5),
    )
    channels = [{**result, "channel": f"c{number % 2}"} for number, result in enumerate(results)]
    assert [value.channel for value in read_value(tmp_path, {**content, "results": channels})] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (aws({"type": "pronunciation"}), "item 1: found no alternatives"),
        (aws(aws_word("a", "x", "1")), "item 1: found start_time 'x'"),
        ({"results": {"items": [], "channel_labels": 3}}, "channel_labels: found 3, expected an object"),
        ({"results": [{"alternatives": [{"words": [{"word": "a", "startTime": 3}]}]}]}, "found startTime 3"),
        ({"results": [{"alternatives": [{"words": [{"word": "a", "startTime": {"nanos": -1}}]}]}]}, "found startTime"),
        ({"results": [{"final": True, "alternatives": [{"timestamps": [["a", 1]]}]}]}, r"word 1: found \['a', 1\]"),
        ({"results": [{"results": 3}]}, "found results 3, expected a list"),
        ({"job": 1, "words": [{"name": "a", "time": "-1"}]}, "word 1: found time '-1'"),
        ({"format": "2.1", "results": [{"type": "word"}]}, "result 1: found no alternatives"),
    ],
)
def test_errors_name_the_place(tmp_path, content, found):
    with pytest.raises(InputError, match=rf"^{tmp_path}/talk\.json.*{found}"):
        read_value(tmp_path, content)


@pytest.mark.parametrize("name", ["aws", "google", "ibm", "speechmatics", "deepgram", "assemblyai", "azure"])
def test_cloud_formats_cannot_be_written(name):
    with pytest.raises(ValueError, match=f"--to: found '{name}'"):
        formats.output_format("-", name)


@pytest.mark.parametrize(
    ("name", "utterances", "words"),
    [
        ("amazonTranscribe", 1, 1791),
        ("gcpSttPunctuation", 57, 1767),
        ("ibmTedTalkTranscript", 87, 1780),
        ("speechmaticsTedTalkTranscript", 1, 1791),
    ],
)
def test_real_files(real_data, name, utterances, words):
    values = list(formats.read(real_data / "speech" / "asr_formats" / f"{name}.sample.json"))
    found = [word for value in values for word in value.words]
    assert (len(values), len(found)) == (utterances, words)
    assert all(None not in (word.start, word.end) and any(map(str.isalnum, word.text)) for word in found)
