"""NeMo manifests, in and out."""

import io as stdio
import json
from dataclasses import replace

import pytest
from dummies import file
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.nemo import write_nemo
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word, annotate

FIRST, LAST = Labels(frozenset(), Case.FIRST_CAP), Labels(frozenset({Mark.PERIOD}))


def manifest(tmp_path, *lines):
    return file(tmp_path, "a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def lines_of(utterances):
    out = stdio.StringIO()
    write_nemo(utterances, out, glyphs("es"))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def marked(utterance):
    """The utterance with a capital on its first word and a period on its last."""
    middle = (Labels(),) * (len(utterance.words) - 2)
    return annotate(utterance, labels=(FIRST, *middle, LAST))


def test_nemo_transcription_manifest(tmp_path):
    timed = {"word": "hola", "start": 0.08, "end": 0.4}
    lines = [
        {"audio_filepath": "d/a.wav", "duration": 1, "offset": 10, "pred_text": "hola", "word": [timed]},
        {"audio_filepath": "d/b.wav", "duration": 1, "pred_text": "sin  tiempos", "text": "otra"},
    ]
    path = file(tmp_path, "a.json", "".join(json.dumps(line) + "\n" for line in lines))
    first, second = formats.read(path)
    assert first.words == (Word("hola", 10.08, 10.4),)
    assert (first.time_source, first.recording) == ("asr", "d/a.wav")
    assert [word.text for word in second.words] == ["sin", "tiempos"]
    assert second.time_source == "none"


def test_nemo_alignment_manifest(tmp_path):
    line = {"text": "hola mundo", "words": ["", "hola", "", "mundo"], "alignments": [0.5, 1.0, 1.25, 2.0], "x": 1}
    (value,) = formats.read(manifest(tmp_path, line))
    assert value.words == (Word("hola", 0.5, 1.0), Word("mundo", 1.25, 2.0))
    assert value.time_source == "ctc"
    assert lines_of([value]) == [line]
    assert lines_of([marked(value)]) == [{**line, "text": "Hola mundo.", "words": ["", "Hola", "", "mundo."]}]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("3", "3, expected an object"),
        ("{}", "keys"),
        ('{"word": "hola"}', "keys word"),
        ('{"words": ["a"], "alignments": []}', "1 word and 0 alignments"),
        ('{"words": ["a", "b"], "alignments": [2, 1]}', "alignment 1"),
        ('{"word": [{"word": "a", "start": 2}, {"word": "b", "start": 1}]}', "start 1.0 after 2.0"),
        ('{"word": [3]}', "3, expected an object"),
        ('{"words": [3], "alignments": [1]}', "the word 3"),
        ('{"text": "a", "audio_filepath": 3}', "audio_filepath 3"),
        (f'{{"word": [{{"word": "a", "start": 1{"0" * 400}}}]}}', "start 1000"),
    ],
)
def test_nemo_errors(tmp_path, line, found):
    with pytest.raises(InputError, match=rf"a\.jsonl:1.*found {found}"):
        list(formats.read(file(tmp_path, "a.jsonl", line)))


def test_a_line_keeps_everything_but_its_words(tmp_path):
    word = {"word": "hola", "start_offset": 1, "end_offset": 5, "start": 0.08, "end": 0.4, "conf": 0.5}
    line = {
        "segment": [{"segment": "hola mundo", "start": 0.08, "end": 0.9}],
        "word": [word, {**word, "word": "mundo", "start": 0.5, "end": 0.9}],
        "audio_filepath": "d/a.wav",
        "text": "Hola al mundo",
        "duration": 1,
        "offset": 10.25,
        "pred_text": " hola  mundo",
        "char": [{"char": "h"}],
        "none": float("nan"),
    }
    values = list(formats.read(manifest(tmp_path, line)))
    assert json.dumps(lines_of(values)) == json.dumps([line])
    (written,) = lines_of(map(marked, values))
    assert list(written) == list(line)
    assert written["pred_text"] == " Hola  mundo."
    assert written["text"] == "Hola al mundo"
    assert written["segment"] == [{"segment": "Hola mundo.", "start": 0.08, "end": 0.9}]
    assert written["word"] == [{**word, "word": "Hola"}, {**word, "word": "mundo.", "start": 0.5, "end": 0.9}]
    assert written["char"] == line["char"]


@pytest.mark.parametrize("key", ["pred_text", "pred_text_ctc", "text"])
def test_a_line_without_times_has_its_text_marked(tmp_path, key):
    line = {"audio_filepath": "a.wav", key: "hola el mundo", "lang": "es", "segment": [{"segment": "otra cosa"}]}
    (value,) = formats.read(manifest(tmp_path, line))
    assert lines_of([value]) == [line]
    assert lines_of([marked(value)]) == [{**line, key: "Hola el mundo."}]


def test_other_utterances_become_lines_of_a_transcription(tmp_path):
    value = Utterance((Word("hola", 0.5, 0.75, 0.5), Word("mundo", 1.0)), recording="d/a.wav", time_source="asr")
    golden = {
        "audio_filepath": "d/a.wav",
        "offset": 0.5,
        "duration": 0.5,
        "pred_text": "Hola mundo.",
        "word": [{"word": "Hola", "start": 0.0, "end": 0.25, "confidence": 0.5}, {"word": "mundo.", "start": 0.5}],
    }
    (line,) = lines_of([marked(value)])
    assert json.dumps(line) == json.dumps(golden)
    (back,) = formats.read(manifest(tmp_path, line))
    assert [(word.start, word.end, word.confidence) for word in back.words] == [(0.5, 0.75, 0.5), (1.0, None, None)]
    untimed = replace(value, words=(Word("hola"), Word("mundo")), time_source="none")
    assert lines_of([untimed]) == [{"audio_filepath": "d/a.wav", "pred_text": "hola mundo"}]


@settings(deadline=None)
@given(st.floats(1e-9, 1e7), st.floats(0, 1e4))
def test_times_survive_writing_and_reading(tmp_path_factory, start, length):
    value = Utterance((Word("hola", start, start + length),), recording="a.wav", time_source="asr")
    (line,) = lines_of([value])
    assert 0 <= start - line["offset"] < 1e-3
    (back,) = formats.read(manifest(tmp_path_factory.mktemp("manifest"), line))
    assert back.words == value.words


def test_another_number_of_words_makes_a_new_line(tmp_path):
    (value,) = formats.read(manifest(tmp_path, {"audio_filepath": "a.wav", "text": "uno dos", "x": 1}))
    fewer = replace(value, words=(Word("uno"),))
    assert lines_of([fewer]) == [{"audio_filepath": "a.wav", "pred_text": "uno"}]
