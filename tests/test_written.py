"""`prepare text`: no part is empty without a word, and nothing is left behind where it fails."""

import pytest

from asr_punct.corpora.written import prepare_text
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.tsv import read_tsv

PARTS = ("train", "dev", "test")


def file(folder, text):
    path = folder / "a.txt"
    path.write_text(text, encoding="utf-8")
    return path


def parts_of(folder):
    return [[u.recording for u in read_tsv(folder / f"{name}.tsv")] for name in PARTS]


@pytest.mark.parametrize("seed", range(5))
def test_no_part_is_empty_and_a_seed_decides(tmp_path, seed):
    source = file(tmp_path, "\n\n\n".join(f"Uno {i}.\nDos." for i in range(3)) + "\n\n…\n")
    made = []
    for name in ("one", "two"):
        summary = prepare_text(source, tmp_path / name, language="es", seed=seed)
        assert sum(summary.words.values()) == 9
        assert summary.problems == []
        made.append(parts_of(tmp_path / name))
    assert made[0] == made[1]
    assert [len(part) for part in made[0]] == [2, 2, 2]
    assert [len(set(part)) for part in made[0]] == [1, 1, 1]
    prepare_text(source, tmp_path / "three", language="es", seed=seed, test=0)
    assert [bool(part) for part in parts_of(tmp_path / "three")] == [True, True, False]


def test_shares_are_those_of_the_documents(tmp_path):
    source = file(tmp_path, "\n\n".join(f"Es el número {i}." for i in range(400)))
    prepare_text(source, tmp_path / "out", language="es", dev=0.2, test=0.3)
    train, dev, test = map(len, parts_of(tmp_path / "out"))
    assert train + dev + test == 400
    assert abs(dev - 80) < 30
    assert abs(test - 120) < 30


def test_one_document_is_divided_by_lines(tmp_path):
    source = file(tmp_path, "".join(f"Es la línea {i}.\n" for i in range(40)))
    summary = prepare_text(source, tmp_path / "out", language="es")
    (problem,) = summary.problems
    assert problem.startswith("documents: found 1, expected 3 or more for train, dev, test: divided by blocks of lines")
    words = [u.words[-1].text for name in PARTS for u in read_tsv(tmp_path / "out" / f"{name}.tsv")]
    assert words == [str(i) for i in range(40)]
    assert [len(part) for part in parts_of(tmp_path / "out")] == [36, 2, 2]


def test_a_failure_leaves_nothing(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(InputError, match="found no such file"):
        prepare_text(tmp_path / "none", out, language="es")
    with pytest.raises(
        InputError, match=r"a\.txt: found 2 lines with words, expected at least 3, for train, dev, test"
    ):
        prepare_text(file(tmp_path, "Uno.\nDos.\n"), out, language="es")
    with pytest.raises(AsrPunctError, match="found no words"):
        prepare_text(file(tmp_path, "…\n"), out, language="es")
    with pytest.raises(AsrPunctError, match="--dev nan"):
        prepare_text(file(tmp_path, "Uno.\n"), out, language="es", dev=float("nan"))
    assert not out.exists()


def test_the_source_is_no_place_to_write(tmp_path):
    source = file(tmp_path, "Uno.\nDos.\nTres.\n")
    for target in (source, source / "below"):
        with pytest.raises(InputError, match="expected a directory to write into"):
            prepare_text(source, target, language="es")
    assert source.read_text() == "Uno.\nDos.\nTres.\n"
