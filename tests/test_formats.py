"""TSV, CTM, text, data directories, and words read as labels."""

import pytest
from dummies import file, written
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.formats.labelled import labelled
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

# TSV

words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8).filter(
    lambda text: text.split() == [text]
)
labels = st.builds(Labels, st.frozensets(st.sampled_from(Mark)), st.sampled_from(Case))
milliseconds = st.none() | st.integers(0, 20_000).map(lambda value: value / 1000)


@st.composite
def utterances(draw):
    rows = draw(st.lists(st.tuples(words, labels, milliseconds), min_size=1, max_size=6))
    texts, label, pauses = zip(*rows, strict=True)
    name = draw(st.sampled_from(["", "a", "b-1"]))
    before = draw(milliseconds)
    return annotate(
        Utterance(tuple(map(Word, texts)), name, recording=name, pause_before=before), labels=label, pauses=pauses
    )


@given(st.lists(utterances(), max_size=4))
def test_tsv_round_trip(tmp_path_factory, values):
    path = file(tmp_path_factory.mktemp("tsv"), "a.tsv", written(values, "tsv"))
    assert list(read_tsv(path)) == values


def test_a_hash_is_a_word_where_there_is_a_tab(tmp_path):
    (utterance,) = read_tsv(file(tmp_path, "a.tsv", "# a comment\n#\tO\t-\tO\n"))
    assert [word.text for word in utterance.words] == ["#"]


# Text


def test_text_keeps_lines_and_documents(tmp_path):
    path = file(tmp_path, "a.txt", "hola  mundo\n\n\nadiós\n")
    values = list(formats.read(path))
    assert [value.document for value in values] == ["1", "1", "2", "3"]
    assert written(values, "text") == "hola mundo\n\n\nadiós\n"


# Files read as labels


def timed(*tokens):
    return Utterance(tuple(Word(token, i, i + 0.5) for i, token in enumerate(tokens)), time_source="asr")


def test_labelled_words_keep_the_times_of_their_tokens():
    value = labelled(timed("¿Qué", "dijo", "el", "Sr.", "niño(s)?"), "es")
    assert [word.text for word in value.words] == ["qué", "dijo", "el", "sr.", "niños"]
    assert [word.start for word in value.words] == [0, 1, 2, 3, 4]
    assert value.time_source == "asr"


def test_as_many_words_as_tokens_by_chance_get_no_times():
    value = labelled(timed("Uno,dos", "-", "tres."), "es")
    assert [word.text for word in value.words] == ["uno", "dos", "tres"]
    assert {word.start for word in value.words} == {None}
    assert value.time_source == "none"


# Data directories


def test_data_dir(tmp_path):
    file(tmp_path, "wav.scp", "u1 /a/u1.m4a\nu2 /a/u2.m4a\n")
    file(tmp_path, "utt2doc", "u2 d\nu1 d\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, value.document, value.start, value.end) for value in values] == [
        ("u2", "d", 0.0, None),
        ("u1", "d", 0.0, None),
    ]


def test_data_dir_with_segments(tmp_path):
    file(tmp_path, "wav.scp", "r\t/a/my talk.wav \n\n")
    file(tmp_path, "segments", "r-1 r 0.5 1.5\nr-2 r 2 3\n")
    file(tmp_path, "text", "r-1\tHola,\tAna.\nr-2\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, value.start, value.end, value.document, value.text) for value in values] == [
        ("r-1", 0.5, 1.5, "r", "Hola,\tAna."),
        ("r-2", 2.0, 3.0, "r", ""),
    ]
    assert {str(value.audio) for value in values} == {"/a/my talk.wav"}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, "neither wav.scp nor text"),
        ({"wav.scp": "u a.wav\nu b.wav\n"}, "'u' again"),
        ({"wav.scp": "u sox a.wav |\n"}, "the command"),
        ({"wav.scp": "u a.wav\n", "text": "v hola\n"}, "no recording 'v'"),
        ({"wav.scp": "r a.wav\n", "segments": "u r 2 1\n"}, "end 1.0 before start 2.0"),
    ],
)
def test_data_dir_errors(tmp_path, files, found):
    for name, content in files.items():
        file(tmp_path, name, content)
    with pytest.raises(InputError, match=found):
        list(read_data_dir(tmp_path))
