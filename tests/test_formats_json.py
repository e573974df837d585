"""Our own JSON, Vosk's, and what all formats of one JSON value have in common."""

import json
from dataclasses import replace

import pytest
from dummies import file, marked, read_value, written, written_lines, written_value
from format_samples import SAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.entries import sorted_by_start
from asr_punct.formats.registry import FORMATS, JsonFormat
from asr_punct.marks import Case, Labels, Mark, glyphs, write_word
from asr_punct.pauses import with_pauses
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")


def texts(utterances):
    return [[word.text for word in utterance.words] for utterance in utterances]


def times(utterances):
    return [[(word.start, word.end) for word in utterance.words] for utterance in utterances]


# Our own


WORDS = [
    {"lang": "es", "word": "hola", "start": 1, "end": 1.5, "phones": [["o", 1]]},
    {"word": "ya", "start": 2, "end": None, "confidence": 1},
]
ITEM = {"speaker": "S1", "id": 7, "recording": "r", "channel": "1", "times": "asr", "text": "hola ya", "words": WORDS}
OWN = {"version": 1, "utterances": [ITEM], "model": {"name": "x"}}


def test_json_keeps_unknown_keys(tmp_path):
    (value,) = read_value(tmp_path, OWN)
    assert json.dumps(written_value([value], "json")) == json.dumps(OWN)
    after = written_value([marked(value)], "json")
    (item,) = after["utterances"]
    assert list(after) == list(OWN)
    assert (item["speaker"], item["id"], item["text"]) == ("S1", 7, "Hola ya.")
    ours = {"marks": [], "case": "FIRST_CAP", "written": "Hola"}
    assert list(item["words"][0].items()) == [*WORDS[0].items(), *ours.items()]
    stripped = annotate(read_value(tmp_path, after)[0], labels=None)
    assert written_value([stripped], "json") == OWN


@pytest.mark.parametrize("speaker", [" S 1 ", 7, "", None, {"name": "ana"}])
def test_a_speaker_is_kept_unless_it_changes(tmp_path, speaker):
    content = {"utterances": [{**ITEM, "speaker": speaker}]}
    (value,) = read_value(tmp_path, content)
    assert written_value([value], "json") == content
    (item,) = written_value([replace(value, speaker="S2")], "json")["utterances"]
    assert item["speaker"] == "S2"


# Vosk

VOSK = {
    "result": [
        {"conf": 0.5, "end": 0.6, "start": 0.12, "word": "hola"},
        {"conf": 1.0, "end": 1.0, "start": 0.7, "word": "mundo"},
    ],
    "spk": [0.25, -1.5],
    "text": "hola mundo",
}


def test_vosk_results_one_after_the_other(tmp_path):
    """As a program prints `Result()` and `FinalResult()`: each on several lines."""
    results = [VOSK, {"text": ""}, {"text": "y ya"}]
    path = file(tmp_path, "talk.json", "\n".join(json.dumps(result, indent=2) for result in results) + "\n\n")
    values = list(formats.read(path))
    assert texts(values) == [["hola", "mundo"], [], ["y", "ya"]]
    assert list(formats.read(path, "vosk")) == values
    assert written_lines(values, "vosk") == results
    after = file(tmp_path, "after.json", written(map(marked, values), "vosk"))
    assert texts(formats.read(after)) == [["Hola", "mundo."], [], ["Y", "ya."]]
    with pytest.raises(InputError, match=r"talk\.json: found 3 JSON values one after the other, expected one$"):
        list(formats.read(path, "whisper"))


WHISPER = {
    "segments": [
        {"text": " hola", "words": [{"word": " hola", "start": 0.5, "end": 1}]},
        {"text": "", "words": []},
        {"text": " ya", "words": [{"word": " ya", "start": 3, "end": 4}]},
    ]
}
RESULTS = [
    {"result": [{"word": "hola", "start": 0.5, "end": 1}]},
    {"text": ""},
    {"result": [{"word": "ya", "start": 3, "end": 4}]},
]


@pytest.mark.parametrize(("name", "content"), [("whisper", WHISPER), ("vosk", RESULTS)])
def test_a_segment_without_words_is_part_of_the_pause(tmp_path, name, content):
    values = list(with_pauses(read_value(tmp_path, content)))
    assert [value.pauses for value in values] == [(2.0,), (), (None,)]
    assert written_value(values, name) == content
    assert written(values, "text") == "hola\nya\n"


# All formats of one JSON value


@pytest.mark.parametrize("format_name", [name for name, each in FORMATS.items() if isinstance(each, JsonFormat)])
@pytest.mark.parametrize("content", [None, 3, "a", [], {}, [[]], {"results": 3}, {"segments": {}}, {"utterances": {}}])
def test_a_given_format_refuses_another_form(tmp_path, format_name, content):
    with pytest.raises(InputError, match=r"talk\.json"):
        read_value(tmp_path, content, format_name)


def test_a_long_value_in_an_error_is_cut_visibly(tmp_path):
    path = file(tmp_path, "a.json", json.dumps([{"start": 1}] * 20))
    with pytest.raises(InputError, match=r"a\.json: found \[\{'start': 1\}, .{64}…, expected JSON of one of"):
        list(formats.read(path))


def hostile(content):
    """Malformed variants of a file."""
    return {
        "truncated": content.rstrip()[:-1],
        "twice": content.rstrip() + " " + content,
        "nested": "[" * 10**6,
        "encodings": content.replace("h", "\udcf1", 1).encode("utf-8", "surrogateescape"),
        "UTF-16": content.encode("utf-16-le"),
        "NUL": content.replace("hola", "ho\x00la", 1),
        "too large": content.rstrip()[:-1] + ', "more": 1e999}',
        "empty": "",
        "white space": " \n",
    }


@pytest.mark.parametrize("name", ["json", "nemo", "whisper", "vosk", "aws"])
def test_hostile_files_are_errors_of_one_line(run, tmp_path, name):
    out = tmp_path / "out.tsv"
    for case, content in hostile(SAMPLES[name]).items():
        if (name, case) == ("vosk", "twice"):  # two results
            continue
        for source in (tmp_path / "a.json", tmp_path / "a"):
            source.write_bytes(content if isinstance(content, bytes) else content.encode())
            choice = [] if source.suffix else ["--from", name]
            status, text, error = run("pauses", source, "-o", out, *choice)
            assert (status, text, error.count("\n")) == (2, "", 1), (case, choice, error)
            assert error.startswith(f"asr-punct: {source}"), case
            source.unlink()
            assert list(tmp_path.iterdir()) == [], case


words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8).filter(
    lambda text: text.split() == [text]
)
labels = st.builds(Labels, st.frozensets(st.sampled_from(Mark)), st.sampled_from(Case))
rows = st.tuples(words, st.integers(0, 10**6), st.integers(0, 3), st.none() | st.floats(0, 1), labels)


@st.composite
def labelled_utterances(draw):
    """Words in the order of time, some of them without times; the first has some."""
    clock, found = 0.0, []
    is_labelled = draw(st.booleans())
    for text, step, kind, confidence, label in draw(st.lists(rows, max_size=6)):
        start = clock + step / 1e5
        clock = start + step / 7e5
        times = start if kind < 3 or not found else None, clock if kind < 2 else None
        found.append(Word(text, *times, confidence, labels=label if is_labelled else None))
    source = "asr" if found else "none"
    return Utterance(tuple(found), "u", document="d", recording="r", channel="2", time_source=source)


@pytest.mark.parametrize("name", ["json", "nemo", "whisper", "vosk"])
@settings(max_examples=25)
@given(values=st.lists(labelled_utterances(), min_size=1, max_size=4).filter(lambda some: any(u.words for u in some)))
def test_words_and_times_survive_writing_and_reading(tmp_path_factory, name, values):
    values = sorted_by_start(values) if name in ("whisper", "vosk") else values
    path = tmp_path_factory.mktemp("trip") / "talk"
    path.write_text(written(values, name), encoding="utf-8")
    back = list(formats.read(path, name))
    assert times(back) == times(values)
    pairs = [pair for old, new in zip(values, back, strict=True) for pair in zip(old.words, new.words, strict=True)]
    assert all(old.confidence == new.confidence for old, new in pairs)
    if name == "json":
        assert back == values
    else:
        assert all(new.text == write_word(old.text, old.labels or Labels(), ES) for old, new in pairs)
    assert written(back, name) == path.read_text(encoding="utf-8")
