"""A grown model gives what the model gave that it was, and can be trained on."""

import pytest
from dummies import tiny_config, utterances, write_corpus

pytest.importorskip("lightning")

from asr_punct.checkpoint import read_info
from asr_punct.config import Config, as_mapping, from_mapping
from asr_punct.errors import AsrPunctError
from asr_punct.inference.punctuator import Punctuator
from asr_punct.training.fit import train
from asr_punct.training.grow import grow
from asr_punct.words import without_labels


def config_of(kind):
    values = as_mapping(tiny_config(epochs=1))
    values["model"]["context"] |= {"kind": kind, "kernels": [3, 0, 3]}
    return from_mapping(Config, values, "tiny")


def probabilities(directory):
    bare = (without_labels(utterance) for utterance in utterances(5, seed=8))
    return [part.labels for part in Punctuator.from_pretrained(directory).predict(bare)]


def test_grown_model(tmp_path):
    data = write_corpus(tmp_path / "data")
    train(config_of("convolution"), data, tmp_path / "model", device="cpu")
    grow(tmp_path / "model", tmp_path / "grown", (0, 5))
    assert read_info(tmp_path / "grown").model.context.kernels == (3, 0, 3, 0, 5)
    before, after = probabilities(tmp_path / "model"), probabilities(tmp_path / "grown")
    assert all((one == other).all() for one, other in zip(before, after, strict=True))
    with pytest.raises(AsrPunctError, match="model: found files, expected a directory to make"):
        grow(tmp_path / "grown", tmp_path / "model", (3,))
    train(config_of("convolution"), data, tmp_path / "further", init=tmp_path / "grown", device="cpu")
    assert read_info(tmp_path / "further").model.context.kernels == (3, 0, 3, 0, 5)


def test_other_layers_cannot_grow(tmp_path):
    train(config_of("transformer"), write_corpus(tmp_path / "data"), tmp_path / "model", device="cpu")
    with pytest.raises(AsrPunctError, match="found context layers of kind transformer, expected convolution"):
        grow(tmp_path / "model", tmp_path / "grown", (3,))
    assert not (tmp_path / "grown").exists()
