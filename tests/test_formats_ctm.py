"""CTM: rows come back as they were written."""

from dataclasses import replace

import pytest
from dummies import file, with_labels, written

from asr_punct.errors import InputError
from asr_punct.formats import files
from asr_punct.formats.ctm import RowsById, read_ctm
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word

ES = glyphs("es")
ASKED = Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.FIRST_CAP)
CTM = """;; a recogniser's output

talk A 0.10 0.20 qué
talk A 0.30 0.50 <eps>
talk\tA  1e-1 .30 dijo 0.9500 lex   speaker-1
talk A 0.90 0.1000001 hola 1
;; the other side

talk B 0.5 0 ho<space>la NA lex NA
;; the end
"""


def test_everything_in_a_ctm_is_kept(tmp_path):
    content = CTM.replace("1e-1", "0.81")
    read = list(read_ctm(file(tmp_path, "a.ctm", content)))
    assert written(read, "ctm") == content
    marked = content.replace(" qué", " ¿Qué?").replace("dijo", "¿Dijo?").replace(" hola", " ¿Hola?")
    assert written(with_labels(read, ASKED), "ctm") == marked.replace("ho<space>la", "¿Ho?<space>¿La?")


def test_words_of_one_row_share_its_times(tmp_path):
    (utterance,) = read_ctm(file(tmp_path, "a.ctm", "s 1 0.5 2 <space>una<space><space>casa<space>grande<space> 0.7\n"))
    assert utterance.words == (
        Word("una", 0.5, None, 0.7),
        Word("casa", None, None, 0.7),
        Word("grande", None, 2.5, 0.7),
    )
    expected = "s 1 0.5 2 <space>una<space><space>casa<space>grande<space> 0.7\n"
    assert written([utterance], "ctm") == expected
    (alone,) = read_ctm(file(tmp_path, "a.ctm", "s 1 0.5 2 <space>\n"))
    assert alone.words == (Word("<space>", 0.5, 2.5),)


def test_rows_of_another_format_are_written_with_those_of_a_ctm(tmp_path):
    (utterance,) = read_ctm(file(tmp_path, "a.ctm", "s 1 0.50 2.000 una 0.70\n"))
    mixed = replace(utterance, words=(*utterance.words, Word("casa", 3.0, 3.5)))
    assert written([mixed], "ctm") == "s 1 0.50 2.000 una 0.70\ns 1 3.00 0.50 casa\n"


def test_rows_are_named_by_the_recording_of_their_times(tmp_path):
    said = [
        Utterance((Word("sí", 1.0, 1.5), Word("no", 2.5, 2.75)), "talk-1", recording="talk", channel="2"),
        Utterance((), "talk-0", recording="talk"),
        Utterance((Word("hola", 0.5, 0.75),), "talk-2", recording="talk", channel="1"),
        Utterance((Word("ya", 2.0, 2.25),), "talk-3", recording="talk", channel="2"),
    ]
    content = "talk 1 0.50 0.25 hola\ntalk 2 1.00 0.50 sí\ntalk 2 2.00 0.25 ya\ntalk 2 2.50 0.25 no\n"
    assert written(said, "ctm") == content
    assert [utterance.channel for utterance in read_ctm(file(tmp_path, "a.ctm", content))] == ["1", "2"]
    assert written(said[::-1], "ctm") == content


def test_rows_of_data_directories_are_named_by_their_utterances():
    said = [
        Utterance((Word("sí", start, start + 0.5),), f"u{start}", recording="talk", origin=RowsById())
        for start in (3, 1)
    ]
    assert written(said, "ctm") == "u3 1 3.00 0.50 sí\nu1 1 1.00 0.50 sí\n"


def test_lines_without_words_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_KEPT", 3)
    assert list(read_ctm(file(tmp_path, "a.ctm", ";;\n" * 3 + "u 1 0 1 a\n")))
    for content in (";;\n" * 4, "u 1 0 1 <eps>\n\n" * 2):
        with pytest.raises(InputError, match=r"a\.ctm:4: found more than 3 lines without a word"):
            list(read_ctm(file(tmp_path, "a.ctm", content)))


def test_rows_of_a_recording_in_two_places_are_errors():
    one, two = (Utterance((Word("ya", 0.0, 1.0),), recording=name) for name in "ab")
    with pytest.raises(InputError, match="recording 'a': found utterances in two places"):
        written([one, two, one], "ctm")


@pytest.mark.parametrize(
    ("recording", "name"), [("d/a.wav", "a"), ("d/a.b", "d/a.b"), ("talk.FLAC", "talk"), ("a", "a")]
)
def test_audio_files_are_named_without_folder_and_suffix(recording, name):
    assert written([Utterance((Word("ya", 0.0, 1.0),), recording=recording)], "ctm") == f"{name} 1 0.00 1.00 ya\n"
