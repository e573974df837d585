"""Labels of files: written words read as labels, and NeMo's corpus of labels."""

import pytest
from dummies import refused_at
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.corpora.written import prepare_nemo_labels
from asr_punct.formats.labelled import labelled
from asr_punct.formats.lines.nemo_labels import format_labels, read_nemo_labels
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word

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
    ("text", "labels", "place", "found"),
    [
        ("ana mira\n", "OU\n", "labels.txt:1", "1 label"),
        ("ana\nmira\n", "OU\n", "labels.txt", "1 line"),
        ("ana\n", "OU\nOO\n", "text.txt", "1 line"),
        *(("ana\n", f"{label}\n", "labels.txt:1", f"label {label!r}") for label in ("OX", "U", "xO")),
    ],
)
def test_what_is_no_pair(tmp_path, text, labels, place, found):
    with refused_at(tmp_path / place, found):
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
    assert "words: train 32 in 1 document, dev 8 in 1 document" in output
    assert sum(len(utterance.words) for utterance in read_tsv(tmp_path / "out" / "dev.tsv")) == 8
