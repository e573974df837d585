"""JSON: our own, Vosk's, Whisper's, manifests, and what all formats of one JSON value have in common."""

import json
from dataclasses import replace

import pytest
from dummies import file, marked, read_value, with_labels, written, written_lines, written_value
from format_samples import SAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.encoding import UTF8
from asr_punct.errors import InputError
from asr_punct.formats.entries import sorted_by_start
from asr_punct.formats.json.lhotse import read_lhotse
from asr_punct.formats.registry import FORMATS, JsonFormat
from asr_punct.glyphs import glyphs, write_word
from asr_punct.marks import Case, Labels, Mark
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


# Whisper


def written_whisper(utterances):
    return written_value(utterances, "whisper")


@pytest.mark.parametrize("name", ["whisper", "whisper/cpp", "whisper/chunks"])
def test_another_number_of_words_makes_a_new_segment(tmp_path, name):
    first, *others = read_value(tmp_path, json.loads(SAMPLES[name]))
    segment, *rest = written_whisper([replace(first, words=first.words[:1]), *others])["segments"]
    assert (segment["start"], segment["end"], segment["text"]) == (0.25, 0.5, " qué")
    assert rest == json.loads(SAMPLES[name]).get("segments", [{}, *rest])[1:]


tokens = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(st.lists(st.lists(tokens, min_size=1, max_size=3), min_size=1, max_size=5))
def test_tokens_make_up_any_words(tmp_path_factory, parts):
    """Each word in one to three tokens of a second each, the first with a space before it."""
    entries, clock = [], 0
    for word in parts:
        for i, part in enumerate(word):
            offsets = {"from": clock, "to": (clock := clock + 1000)}
            entries.append({"text": part if i else " " + part, "offsets": offsets, "id": 1, "p": 0.5, "t_dtw": -1})
    text = "".join(item["text"] for item in entries)
    content = {"transcription": [{"offsets": {"from": 0, "to": clock}, "text": text, "tokens": entries}]}
    (value,) = read_value(tmp_path_factory.mktemp("cpp"), content)
    assert [word.text for word in value.words] == ["".join(word) for word in parts]
    assert all(word.start is not None and word.end is not None for word in value.words)
    assert written_whisper([value]) == content


def letters(text):
    """A text without the characters of marks, in one case."""
    return "".join(filter(str.isalnum, text)).upper()


@given(
    st.lists(st.tuples(st.lists(tokens, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(Case),
    st.frozensets(st.sampled_from(Mark)),
)
def test_words_in_parts_survive_with_any_labels(tmp_path_factory, parts, case, marks):
    """Each word in one to three parts, or in the text alone."""
    entries = [
        {"word": part if place else " " + part, "start": number, "end": number + 1, "probability": 0.5}
        for number, (word, timed) in enumerate(parts)
        if timed
        for place, part in enumerate(word)
    ]
    text = "".join(" " + "".join(word) for word, _ in parts)
    content = {"text": text, "segments": [{"id": 0, "start": 0, "end": 9, "text": text, "words": entries}]}
    (value,) = read_value(tmp_path_factory.mktemp("parts"), content)
    assert [word.text for word in value.words] == ["".join(word) for word, _ in parts]
    assert written_whisper([value]) == content
    labelled = annotate(value, labels=(Labels(marks, case),) * len(value.words))
    (segment,) = written_whisper([labelled])["segments"]
    assert len(segment["words"]) == len(entries)
    assert all(letters(old["word"]) == letters(new["word"]) for old, new in zip(entries, segment["words"], strict=True))
    if len(entries) == sum(len(word) for word, _ in parts):
        assert "".join(new["word"] for new in segment["words"]) == segment["text"]


@pytest.mark.parametrize("parts", [(" a", "—", " a"), (" —", "a", " a")])
def test_punctuation_that_a_corrected_text_lacks_leaves_no_empty_entry(tmp_path, parts):
    entries = [{"word": part, "start": i, "end": i + 1} for i, part in enumerate(parts)]
    segment = {"start": 0, "end": 3, "text": "a", "words": entries}
    content = {"text": "a", "segments": [segment], "word_segments": entries}
    (value,) = read_value(tmp_path, content)
    left = [{"word": " a", "start": 0, "end": 2}, {"word": " a", "start": 2, "end": 3}]
    assert written_whisper([value]) == {**content, "segments": [{**segment, "words": left}], "word_segments": left}


# Manifests


STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
seconds = st.integers(0, 10**9).map(lambda value: value / 10**6)
symbols = st.text(st.sampled_from("abñ.,'<>"), min_size=1, max_size=4) | st.sampled_from(["", "<eps>", "a b"])
scores = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=1)
entries = st.builds(lambda text, start, long, score: [text, start, long, *score], symbols, seconds, seconds, scores)
supervisions = st.fixed_dictionaries(
    {"id": st.sampled_from(["", "a", 'ñ"']), "recording_id": st.just("r"), "start": seconds, "duration": seconds},
    optional={
        "text": st.none() | st.text(st.sampled_from("ab., ñ"), max_size=9),
        "alignment": st.fixed_dictionaries({"word": st.lists(entries, max_size=5), "x": st.just([])}),
        "custom": st.dictionaries(st.text(max_size=3), st.none() | st.booleans() | st.integers(), max_size=2),
    },
)


@given(st.lists(supervisions, max_size=4))
def test_any_supervisions_are_written_as_they_were_read(tmp_path_factory, items):
    def read(items):
        lines = "".join(json.dumps(item) + "\n" for item in items)
        return list(read_lhotse(file(tmp_path_factory.mktemp("lhotse"), "a.jsonl", lines)))

    found = read(items)
    assert written_lines(found, "lhotse") == items
    again = read(written_lines(with_labels(found, STOP), "lhotse"))
    assert [[(word.start, word.end, word.confidence) for word in value.words] for value in again] == [
        [(word.start, word.end, word.confidence) for word in value.words] for value in found
    ]


def manifest(tmp_path, *lines):
    return file(tmp_path, "a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


@given(st.floats(1e-9, 1e7), st.floats(0, 1e4))
def test_times_survive_writing_and_reading(tmp_path_factory, start, length):
    value = Utterance((Word("hola", start, start + length),), recording="a.wav", time_source="asr")
    (line,) = written_lines([value], "nemo")
    assert 0 <= start - line["offset"] < 1e-3
    (back,) = formats.read(manifest(tmp_path_factory.mktemp("manifest"), line))
    assert back.words == value.words


def test_another_number_of_words_makes_a_new_line(tmp_path):
    (value,) = formats.read(manifest(tmp_path, {"audio_filepath": "a.wav", "text": "uno dos", "x": 1}))
    fewer = replace(value, words=(Word("uno"),))
    assert written_lines([fewer], "nemo") == [{"audio_filepath": "a.wav", "pred_text": "uno"}]


# All formats of one JSON value


@pytest.mark.parametrize("format_name", [name for name, each in FORMATS.items() if isinstance(each, JsonFormat)])
@pytest.mark.parametrize("content", [None, 3, "a", [], {}, [[]], {"results": 3}, {"segments": {}}, {"utterances": {}}])
def test_a_given_format_refuses_another_form(tmp_path, format_name, content):
    with pytest.raises(InputError) as raised:
        read_value(tmp_path, content, format_name)
    assert raised.value.place.startswith(f"{tmp_path}/talk.json")


def hostile(content):
    """Malformed variants of a file."""
    return {
        "truncated": content.rstrip()[:-1],
        "twice": content.rstrip() + " " + content,
        "nested": "[" * 10**6,
        "UTF-16": content.encode("utf-16-le")[:-1],
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


def test_a_character_in_two_tokens_of_whisper_cpp_is_whole_in_its_word_and_cut_again_in_the_file(tmp_path):
    pieces = b'" el"', b'" caf\xc3"', b'"\xa9"', b'" ya"'
    tokens = b", ".join(
        b'{"offsets": {"from": %d, "to": %d}, "text": %s}' % (i, i + 9, p) for i, p in enumerate(pieces)
    )
    path = tmp_path / "a.json"
    path.write_bytes(b'{"transcription": [' + tokens + b"]}\n")
    found = list(formats.read(path))
    assert [word.text for each in found for word in each.words] == ["el", "café", "ya"]
    formats.write(found, tmp_path / "b.json", ES, "whisper", form=UTF8)
    assert (tmp_path / "b.json").read_bytes() == path.read_bytes()
    labelled = [annotate(each, labels=[Labels(frozenset({Mark.COMMA}))] * len(each.words)) for each in found]
    formats.write(labelled, tmp_path / "c.json", ES, "whisper", form=UTF8)
    assert (tmp_path / "c.json").read_bytes() == path.read_bytes().replace(b'l"', b'l,"').replace(
        b'\xa9"', b'\xa9,"'
    ).replace(b'ya"', b'ya,"')
