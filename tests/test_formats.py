"""TSV, CTM, text, data directories, and words read as labels."""

import io as stdio
from dataclasses import replace

import pytest
from dummies import LABELLED, file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.ctm import write_ctm
from asr_punct.formats.kaldi_tables import read_data_dir
from asr_punct.formats.labelled import labelled
from asr_punct.formats.text import write_text_lines
from asr_punct.formats.tsv import read_tsv, write_tsv
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")


def written(writer, utterances):
    out = stdio.StringIO()
    writer(utterances, out, ES)
    return out.getvalue()


# TSV

GOLDEN = """# id = u1
# recording = r
# pause_before = 0.500
# times = ctc
qué\tQUESTION+OPEN_QUES+OPEN_QUOTE+QUOTE\t0.250\tFIRST_CAP
dijo\tPERIOD\t-\tO

"""


def test_tsv_golden(tmp_path):
    assert written(write_tsv, [LABELLED]) == GOLDEN
    assert list(read_tsv(file(tmp_path, "a.tsv", GOLDEN))) == [LABELLED]


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
    path = file(tmp_path_factory.mktemp("tsv"), "a.tsv", written(write_tsv, values))
    assert list(read_tsv(path)) == values


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a\tO\t-", "3 columns"),
        ("a\tb\tO\t-\tO", "5 columns"),
        ("\tO\t-\tO", "word ''"),
        ("a b\tO\t-\tO", "word 'a b'"),
        ("a\tSTOP\t-\tO", "marks 'STOP'"),
        ("a\tO\tnan\tO", "pause 'nan'"),
        ("a\tO\t-1\tO", "pause '-1'"),
        ("a\tO\t-\tTITLE", "case 'TITLE'"),
        ("# times = guess", "times 'guess'"),
        ("# pause_before = x", "pause_before 'x'"),
    ],
)
def test_tsv_errors_name_the_place(tmp_path, line, found):
    path = file(tmp_path, "a.tsv", f"si\tO\t-\tO\n{line}\n")
    with pytest.raises(AsrPunctError, match=r"a\.tsv:2: .*found " + found):
        list(read_tsv(path))


def test_a_hash_is_a_word_where_there_is_a_tab(tmp_path):
    (utterance,) = read_tsv(file(tmp_path, "a.tsv", "# a comment\n#\tO\t-\tO\n"))
    assert [word.text for word in utterance.words] == ["#"]


# CTM


@pytest.mark.parametrize(
    ("row", "word", "times"),
    [
        ("u 1 0.10 0.30 hola", Word("hola", 0.1, 0.4), "asr"),
        ("u 1 0.10 0.30 hola 0.95", Word("hola", 0.1, 0.4, 0.95), "asr"),
        ("u A 0.10 0.30 hola NA lex NA", Word("hola", 0.1, 0.4), "ctc"),
        ("u A 0.10 0.30 hola 0.95 lex s1", Word("hola", 0.1, 0.4, 0.95), "asr"),
        ("u 1 1e-1 .3 <space>hola", Word("hola", 0.1, 0.4), "asr"),
    ],
)
def test_ctm_rows(tmp_path, row, word, times):
    silence = " ".join([*row.split()[:2], "0.5 0.1 <eps>"])
    (utterance,) = formats.read(file(tmp_path, "a.ctm", f";; comment\n\n{row}\n{silence}\n"))
    assert utterance.words == (word,)
    assert (utterance.id, utterance.recording, utterance.time_source) == ("u", "u", times)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("u 1 0.1", "3 columns"),
        ("u 1 0.1 0.2 a b c", "7 columns"),
        ("u 1 0.1 -0.2 a", "duration '-0.2'"),
        ("u 1 0.1 0.2 a high", "confidence 'high'"),
        ("u 1 0 1 a\nv 1 0 1 b\nu 1 5 1 c", "utterance 'u' again"),
    ],
)
def test_ctm_errors_name_the_place(tmp_path, rows, found):
    with pytest.raises(InputError, match=rf"a\.ctm:\d: found {found}"):
        list(formats.read(file(tmp_path, "a.ctm", rows + "\n")))


def test_ctm_golden():
    first, second = LABELLED.words
    words = (replace(first, start=0.1, end=0.4, confidence=0.9), replace(second, start=0.5, end=0.75))
    value = replace(LABELLED, words=words, recording="my  new\ntalk", channel="")
    assert written(write_ctm, [value]) == "my_new_talk 1 0.10 0.30 «¿Qué?» 0.9\nmy_new_talk 1 0.50 0.25 dijo.\n"


def test_a_ctm_needs_the_times_of_words():
    segment = Utterance((Word("a", 0.0, None), Word("b"), Word("c", None, 9.0)), "u")
    with pytest.raises(InputError, match="u: found word 'a' without times, expected times"):
        written(write_ctm, [segment])


def test_words_without_times_get_some_from_their_neighbours_in_a_ctm():
    """As WhisperX leaves numbers."""
    words = (Word("12"), Word("de", 1.0, 1.5), Word("2024"), Word("y", 1.9, 2.0, 0.5), Word("7"))
    rows = [line.split() for line in written(write_ctm, [Utterance(words, "u")]).splitlines()]
    assert [row[4] for row in rows] == ["12", "de", "2024", "y", "7"]
    assert [row[2:4] for row in rows[1:4]] == [["1.00", "0.50"], ["1.50", "0.40"], ["1.90", "0.10"]]
    ends = [float(row[2]) + float(row[3]) for row in rows]
    assert 0 < float(rows[0][2]) < ends[0] == pytest.approx(1.0)
    assert float(rows[4][2]) == pytest.approx(2.0)
    assert ends[4] > 2.0


# Text


def test_text_keeps_lines_and_documents(tmp_path):
    path = file(tmp_path, "a.txt", "hola  mundo\n\n\nadiós\n")
    values = list(formats.read(path))
    assert [value.document for value in values] == ["1", "1", "2", "3"]
    assert written(write_text_lines, values) == "hola mundo\n\n\nadiós\n"


def test_text_separates_recordings():
    values = [replace(LABELLED, recording=name) for name in "aab"]
    assert written(write_text_lines, values) == "«¿Qué?» dijo.\n«¿Qué?» dijo.\n\n«¿Qué?» dijo.\n"


def test_text_has_no_line_for_a_silence():
    """An empty line would end the document."""
    values = [replace(LABELLED, recording="a"), Utterance((), recording="a")]
    assert written(write_text_lines, [values[1], *values * 2]) == "«¿Qué?» dijo.\n" * 2


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
