"""NeMo's pairs of labels, in and out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.errors import InputError
from asr_punct.io.nemo_labels import read_nemo_labels, write_pairs
from asr_punct.marks import Case, Labels, Mark, glyphs

SPANISH = glyphs("es")


def read(folder, text, labels):
    (folder / "text.txt").write_text(text, encoding="utf-8")
    (folder / "labels.txt").write_text(labels, encoding="utf-8")
    return list(read_nemo_labels(folder / "text.txt", folder / "labels.txt"))


def test_a_pair_is_a_mark_and_a_capital():
    labels = [
        Labels(frozenset(), Case.FIRST_CAP),
        Labels(),
        Labels(frozenset({Mark.COMMA})),
        Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.ALL_CAPS),
        Labels(frozenset({Mark.QUOTE, Mark.PERIOD})),
    ]
    assert write_pairs(labels, SPANISH) == "OU OO ,O ?U .O"


def test_lines_of_words_and_pairs_are_utterances(tmp_path):
    first, empty, second = read(tmp_path, "Ana mira\n\ndónde está\n", ",U OO\n\nOU ?O\n")
    assert [word.text for word in first.words] == ["ana", "mira"]
    assert first.labels == (Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP), Labels())
    assert second.labels == (Labels(frozenset(), Case.FIRST_CAP), Labels(frozenset({Mark.QUESTION})))
    assert first.recording == empty.recording != second.recording


@pytest.mark.parametrize(
    ("pair", "mark"), [("!O", "EXCLAMATION"), ("-O", "DASH"), ("—O", "DASH"), ("…O", "ELLIPSIS"), ('"O', "QUOTE")]
)
def test_other_marks_than_three_are_read(tmp_path, pair, mark):
    (utterance,) = read(tmp_path, "ana\n", pair + "\n")
    assert utterance.labels[0].marks == {Mark(mark)}


@pytest.mark.parametrize(
    ("text", "labels", "told"),
    [
        ("ana mira\n", "OU\n", "labels.txt:1: found 1 labels, expected 2"),
        ("ana\nmira\n", "OU\n", "labels.txt: found 1 lines"),
        ("ana\n", "OU\nOO\n", "text.txt: found 1 lines"),
        ("ana\n", "OX\n", "labels.txt:1: found label 'OX'"),
        ("ana\n", "U\n", "labels.txt:1: found label 'U'"),
        ("ana\n", "xO\n", "labels.txt:1: found label 'xO'"),
    ],
)
def test_what_is_no_pair_is_told(tmp_path, text, labels, told):
    with pytest.raises(InputError, match=told):
        read(tmp_path, text, labels)


@given(st.lists(st.tuples(st.sampled_from(["O", *"?!.…;:,–»"]), st.sampled_from("OU")), min_size=1))
def test_what_is_written_is_read_back(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("pairs")
    line = " ".join(mark + case for mark, case in pairs)
    (utterance,) = read(folder, "a " * len(pairs) + "\n", line + "\n")
    assert write_pairs(utterance.labels, SPANISH) == line
