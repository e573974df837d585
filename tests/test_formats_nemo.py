"""NeMo manifests, in and out."""

import json
from dataclasses import replace

import pytest
from dummies import file, written_lines
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.corpora.written import prepare_nemo_labels
from asr_punct.errors import InputError
from asr_punct.formats.lines.nemo_labels import format_labels, read_nemo_labels
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word


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


# NeMo's pairs of labels


SPANISH = glyphs("es")


def read_pair(folder, text, labels):
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
    assert format_labels(labels, SPANISH) == "OU OO ,O ?U .O"


@pytest.mark.parametrize(
    ("pair", "mark"), [("!O", "EXCLAMATION"), ("-O", "DASH"), ("—O", "DASH"), ("…O", "ELLIPSIS"), ('"O', "QUOTE")]
)
def test_other_marks_than_three_are_read(tmp_path, pair, mark):
    (utterance,) = read_pair(tmp_path, "ana\n", pair + "\n")
    assert utterance.labels[0].marks == {Mark(mark)}


@pytest.mark.parametrize(
    ("text", "labels", "message"),
    [
        ("ana mira\n", "OU\n", "labels.txt:1: found 1 label, expected 2"),
        ("ana\nmira\n", "OU\n", "labels.txt: found 1 line"),
        ("ana\n", "OU\nOO\n", "text.txt: found 1 line"),
        ("ana\n", "OX\n", "labels.txt:1: found label 'OX'"),
        ("ana\n", "U\n", "labels.txt:1: found label 'U'"),
        ("ana\n", "xO\n", "labels.txt:1: found label 'xO'"),
    ],
)
def test_what_is_no_pair(tmp_path, text, labels, message):
    with pytest.raises(InputError, match=message):
        read_pair(tmp_path, text, labels)


@given(st.lists(st.tuples(st.sampled_from(["O", *"?!.…;:,–»"]), st.sampled_from("OU")), min_size=1))
def test_what_is_written_is_read_back(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("pairs")
    line = " ".join(mark + case for mark, case in pairs)
    (utterance,) = read_pair(folder, "a " * len(pairs) + "\n", line + "\n")
    assert format_labels(utterance.labels, SPANISH) == line


def write_part(folder, text, labels):
    for path, line in ((text, "ana mira\nno\n"), (labels, ",U OO\n.O\n")):
        (folder / path).parent.mkdir(exist_ok=True, parents=True)
        (folder / path).write_text(line)


@pytest.mark.parametrize("names", ["text_{}.txt labels_{}.txt", "{}/text.txt {}/labels.txt"])
def test_parts_become_training_files(tmp_path, names):
    for part in ("train", "dev"):
        write_part(tmp_path / "in", *names.format(part, part).split())
    summary = prepare_nemo_labels(tmp_path / "in", tmp_path / "out")
    assert summary.words == {"train": 3, "dev": 3}
    assert summary.problems == [f"{tmp_path / 'in'}: no files of test"]
    first, second = read_tsv(tmp_path / "out" / "train.tsv")
    assert first.labels == (Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP), Labels())
    assert second.labels == (Labels(frozenset({Mark.PERIOD})),)
    assert first.document == second.document


def test_files_without_parts_are_divided(tmp_path, run):
    (tmp_path / "text.txt").write_text("ana mira\n" * 20)
    (tmp_path / "labels.txt").write_text(",U .O\n" * 20)
    status, _, output = run("prepare", "nemo-labels", tmp_path, tmp_path / "out", "--dev", "0.2", "--test", "0")
    assert status == 0
    assert "words: train 32, dev 8" in output
    assert sum(len(utterance.words) for utterance in read_tsv(tmp_path / "out" / "dev.tsv")) == 8
