"""The words that benchmarks draw from a model's vocabulary."""

import json
import random
import sys
from pathlib import Path

import pytest

from asr_punct.checkpoint import TOKENIZER
from asr_punct.hub import find_model, shipped_models

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import speed

VOCABULARIES = {
    "WordPiece": {"[CLS]": 0, "good": 1, "##ing": 2, "day": 3, ".": 4},
    "SentencePiece": {"<s>": 0, "▁good": 1, "ing": 2, "▁day": 3, "▁.": 4, "▁": 5},
    "RoBERTa": {"<s>": 0, "Ġgood": 1, "ing": 2, "Ġday": 3, "Ġ.": 4},
    "unigrams with scores": [["[CLS]", 0.0], ["▁good", -1.0], ["ing", -2.0], ["▁day", -3.0]],
}


@pytest.mark.parametrize("vocabulary", VOCABULARIES.values(), ids=VOCABULARIES)
def test_only_complete_words_are_drawn(vocabulary, tmp_path):
    (tmp_path / TOKENIZER).write_text(json.dumps({"model": {"vocab": vocabulary}}), encoding="utf-8")
    words, weights = speed.frequent_words(tmp_path, random.Random(0))
    assert sorted(words) == ["day", "good"]
    assert weights == [1, 1 / 2]
    assert set(speed.drawn_words(tmp_path, 50)) == {"day", "good"}


@pytest.mark.parametrize("name", shipped_models())
def test_words_are_drawn_from_the_vocabulary_of_each_shipped_model(name):
    words = speed.drawn_words(find_model(name), 100)
    assert len(words) == 100
    assert len(set(words)) > 10
