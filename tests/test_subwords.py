import json
import os
import subprocess
import sys

import pytest
from dummies import refused
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from asr_punct.errors import ModelError
from asr_punct.subwords import SubwordTokenizer, train_tokenizer

WORDS = ["la", "casa", "de", "la", "familia", "y", "el", "caserío", "de", "las", "familias", "etxea", "etxeko"]


@pytest.fixture(scope="module", params=["bpe", "unigram"])
def tokenizer(request):
    return SubwordTokenizer(train_tokenizer(WORDS * 5, 60, request.param), max_subwords=4)


@given(st.lists(st.text(min_size=1)))
def test_every_word_has_one_to_max_subwords(tokenizer, words):
    encoded = tokenizer.encode(words)
    assert len(encoded) == len(words)
    assert all(1 <= len(ids) <= 4 for ids in encoded)
    assert encoded == [tokenizer.encode([word])[0] for word in words]


def test_a_long_word_keeps_its_first_subwords_and_the_last():
    tokenizer = SubwordTokenizer(train_tokenizer(["abcdefgh"], 14), max_subwords=4)
    whole = SubwordTokenizer(train_tokenizer(["abcdefgh"], 14), max_subwords=40).encode(["abcdefgh"])[0]
    assert len(whole) == 9
    assert tokenizer.encode(["abcdefgh"]) == [(*whole[:3], whole[-1])]


@pytest.mark.parametrize("kind", ["bpe", "unigram", "word"])
def test_training_is_deterministic_across_processes(kind):
    """A resumed or repeated run needs the same token ids."""
    script = f"from asr_punct.subwords import train_tokenizer as t; print(t({WORDS * 5}, 60, {kind!r}).to_str())"
    outputs = set()
    for seed in "01":
        environment = os.environ | {"PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": seed}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=environment)
        outputs.add(done.stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize(("kind", "same"), [("bpe", True), ("word", True), ("unigram", False)])
def test_digits_stay_only_in_unigrams(kind, same):
    tokenizer = SubwordTokenizer(train_tokenizer([*WORDS, "1976", "2012"] * 5, 60, kind), max_subwords=8)
    assert (tokenizer.encode(["1976"]) == tokenizer.encode(["2012"])) is same


def test_unigram_tokens_are_sorted_by_score():
    trained = train_tokenizer(WORDS * 5, 60, "unigram")
    assert [trained.id_to_token(number) for number in range(5)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    rows = json.loads(trained.to_str())["model"]["vocab"][5:]
    assert rows == sorted(rows, key=lambda row: (-row[1], row[0]))
    assert trained.get_vocab_size() <= 60
    tokenizer = SubwordTokenizer(trained, max_subwords=4)
    assert tokenizer.encode(["漢"])[0][-1] == tokenizer.unknown


def test_saved_and_loaded(tokenizer, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer.to_json(), encoding="utf-8")
    loaded = SubwordTokenizer.from_file(path, 4)
    assert loaded.encode(WORDS) == tokenizer.encode(WORDS)
    assert (loaded.start, loaded.end, loaded.pad) == (tokenizer.start, tokenizer.end, tokenizer.pad)


def test_rare_words_are_unknown_to_a_word_tokenizer():
    words = ["bai", "ez", "bai", "ez", "bai", "etxea", "1999", "2024", "etc.", "etc"]
    tokenizer = SubwordTokenizer(train_tokenizer(words, 100, "word"), max_subwords=2)
    asked = ["bai", "ez", "1492", "3456", "etxea", "inoiz", "etc."]
    bai, ez, year, other_year, etxea, never, etc = tokenizer.encode(asked)
    assert etxea == never == (tokenizer.unknown,)
    assert year == other_year
    assert len({bai, ez, year, etc, etxea}) == 5
    most_frequent = SubwordTokenizer(train_tokenizer(words, 1, "word"), max_subwords=2)
    assert most_frequent.encode(["ez"]) == [(most_frequent.unknown,)] != most_frequent.encode(["bai"])


def test_invalid_tokenizer_files(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with refused(path, "no tokenizer", ModelError):
        SubwordTokenizer.from_file(path, 4)
    Tokenizer(models.WordPiece({"a": 0}, unk_token="a")).save(str(path))
    with refused(path, "no token [CLS]", ModelError):
        SubwordTokenizer.from_file(path, 4)
