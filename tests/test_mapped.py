"""Corpora as memory-mapped arrays: made once for each content of a file, in blocks."""

import os
import shutil

import numpy as np
import pytest

pytest.importorskip("torch")

from dummies import tiny_config, utterances, write_corpus

from asr_punct.errors import InputError
from asr_punct.formats.tsv import write_tsv
from asr_punct.training import corpus as corpus_module
from asr_punct.training import mapped, windows
from asr_punct.training.confusions import Confusions
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.mapped import count_marks, find_arrays, read_corpus, read_words

COLUMNS = ("words", "marks", "cases", "pauses", "boundaries")


@pytest.fixture
def tsv(tmp_path):
    path = tmp_path / "train.tsv"
    write(path, utterances(25, seed=3))
    return path


def write(path, values):
    with open(path, "w", encoding="utf-8") as out:
        write_tsv(values, out)


def test_words_and_marks_are_those_of_the_file(tsv):
    words = [word for value in utterances(25, seed=3) for word in value.words]
    assert list(read_words(tsv)) == [word.text for word in words]
    counts = count_marks(tsv)
    assert sum(counts.values()) == len(words)
    assert all(counts[word.labels.marks] for word in words)


def test_arrays_are_used_again_until_the_file_changes(tsv, tokenizer):
    directory = find_arrays(tsv)
    status, made = tsv.stat(), directory.stat().st_ino
    assert find_arrays(tsv).stat().st_ino == made
    mapped_before = read_corpus(tsv, tokenizer).words
    tsv.write_text(tsv.read_text().replace("mira", "miro"))  # equal size and time
    os.utime(tsv, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert tsv.stat().st_size == status.st_size
    assert find_arrays(tsv) != directory
    assert "miro" in set(read_words(tsv))
    assert not directory.exists()
    assert len(mapped_before) == len(read_corpus(tsv, tokenizer))  # a run that has the old arrays keeps them


def test_ten_bytes_a_word(tsv):
    arrays = find_arrays(tsv)
    headers = 128 * len(COLUMNS)
    assert sum((arrays / f"{name}.npy").stat().st_size for name in COLUMNS) - headers == 10 * len(list(read_words(tsv)))


def test_arrays_without_their_file(tsv, tokenizer):
    before = read_corpus(tsv, tokenizer)
    arrays = find_arrays(tsv)
    tsv.unlink()
    assert read_corpus(tsv, tokenizer).words.tolist() == before.words.tolist()
    shutil.copytree(arrays, arrays.with_name("train.other.arrays"))
    with pytest.raises(InputError, match=r"train\.tsv: found no such file"):
        find_arrays(tsv)


@pytest.mark.parametrize("content", ["la\tO\t-\tO\nla\tO\n", "\n"])
def test_a_bad_file_leaves_no_arrays(tmp_path, content):
    (tmp_path / "train.tsv").write_text(content)
    with pytest.raises(InputError, match=r"train\.tsv"):
        find_arrays(tmp_path / "train.tsv")
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["train.tsv"]
    assert not list(tmp_path.glob(".*partial"))


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x")])
def test_damaged_arrays(tsv, tokenizer, damage):
    damage(find_arrays(tsv) / "marks.npy")
    with pytest.raises(InputError, match=r"marks\.npy: found no array"):
        read_corpus(tsv, tokenizer)


@pytest.mark.parametrize("kind", ["passes", "uniform", "sliding", "sentences"])
def test_blocks_do_not_change_anything(tmp_path, tokenizer, monkeypatch, kind):
    noise = {"windows": 0.5, "substitution": 0.2, "fillers": "eh", "filler": 0.1}
    config = tiny_config(windows={"kind": kind, "cut_share": 0.5}, noise=noise)
    results = []
    for name, size in (("large", 2**16), ("small", 5)):
        for module in (corpus_module, mapped, windows):
            monkeypatch.setattr(module, "BLOCK_WORDS", size)
        monkeypatch.setattr(windows, "_BLOCK_SPANS", size)
        data = PunctuationData(write_corpus(tmp_path / name), tokenizer, config, 64)
        epoch = data.epoch(0)
        arrays = [getattr(data.train, column) for column in COLUMNS]
        arrays += [data.train.documents(), Confusions.from_corpus(data.train, "es").cumulative, data.confusions.names]
        arrays += [epoch[i].inputs["input_ids"].numpy() for i in range(len(epoch))]
        results.append(arrays)
    for large, small in zip(*results, strict=True):
        assert np.array_equal(large, small)
