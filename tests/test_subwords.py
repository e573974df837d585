import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from asr_punct.errors import ModelError
from asr_punct.subwords import SubwordTokenizer, train_tokenizer

WORDS = ["la", "casa", "de", "la", "familia", "y", "el", "caserío", "de", "las", "familias", "etxea", "etxeko"]


@pytest.fixture(scope="module")
def tokenizer():
    return SubwordTokenizer(train_tokenizer(WORDS * 5, 60), max_subwords=4)


@given(st.lists(st.text(min_size=1)))
def test_every_word_has_a_few_subwords(tokenizer, words):
    encoded = tokenizer.encode(words)
    assert len(encoded) == len(words)
    assert all(1 <= len(ids) <= 4 for ids in encoded)
    assert encoded == [tokenizer.encode([word])[0] for word in words]


def test_a_long_word_keeps_its_first_subwords_and_the_last():
    tokenizer = SubwordTokenizer(train_tokenizer(["abcdefgh"], 14), max_subwords=4)
    whole = SubwordTokenizer(train_tokenizer(["abcdefgh"], 14), max_subwords=40).encode(["abcdefgh"])[0]
    assert len(whole) == 9
    assert tokenizer.encode(["abcdefgh"]) == [(*whole[:3], whole[-1])]


def test_the_same_words_give_the_same_tokenizer_in_every_process():
    """A run that is resumed, or repeated elsewhere, must not number its sub-words in another way."""
    script = f"from asr_punct.subwords import train_tokenizer; print(train_tokenizer({WORDS * 5}, 60).to_str())"
    outputs = {subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout for _ in range(3)}
    assert len(outputs) == 1


def test_saved_and_loaded(tokenizer, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer.to_json(), encoding="utf-8")
    loaded = SubwordTokenizer.from_file(path, 4)
    assert loaded.encode(WORDS) == tokenizer.encode(WORDS)
    assert (loaded.start, loaded.end, loaded.pad) == (tokenizer.start, tokenizer.end, tokenizer.pad)


def test_what_is_no_tokenizer_is_told(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(ModelError, match="found no tokenizer"):
        SubwordTokenizer.from_file(path, 4)


def test_a_tokenizer_without_special_tokens_is_told(tmp_path):
    tokenizer = Tokenizer(models.WordPiece({"a": 0}, unk_token="a"))
    with pytest.raises(ModelError, match="no token"):
        SubwordTokenizer(tokenizer, 4)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    with pytest.raises(ModelError) as error:
        SubwordTokenizer.from_file(path, 4)
    assert str(error.value).startswith(f"{path}: found no token")
