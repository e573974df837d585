"""Heads of classes from training to text: graphs, the torch backend, decoding, weights."""

import dataclasses
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import bare_words, tiny_config  # noqa: E402

from asr_punct import Punctuator  # noqa: E402
from asr_punct.checkpoint import WEIGHTS, read_info, write_info  # noqa: E402
from asr_punct.errors import AsrPunctError, ModelError  # noqa: E402
from asr_punct.inference.backend import open_backend  # noqa: E402
from asr_punct.training.export import export, random_features  # noqa: E402
from asr_punct.training.fit import train  # noqa: E402
from asr_punct.words import Utterance, Word  # noqa: E402

TEXT = "ana mira la casa dónde está la mesa"


def class_config(crf, **training):
    config = tiny_config(**training)
    heads = dataclasses.replace(config.model.heads, kind="classes", crf=crf)
    return dataclasses.replace(config, model=dataclasses.replace(config.model, heads=heads))


@pytest.fixture(scope="module", params=["none", "marginals", "path"])
def directory(request, corpus, tmp_path_factory):
    """AutoPunct, its pauses included, with each kind of output layer, trained and exported."""
    directory = tmp_path_factory.mktemp("classes") / request.param
    train(class_config(request.param, epochs=14), corpus, directory, device="cpu")
    assert export(directory, int8=True) < 1e-4
    return directory


def test_graph_and_torch_give_the_classes_of_the_corpus(directory):
    info = read_info(directory)
    assert (info.model.pauses.kind, info.model.context.kind) == ("discrete-gaussian", "transformer")
    assert set(info.model.heads.classes) == {"O", "COMMA", "PERIOD", "QUESTION", "OPEN_QUES"}
    graph = open_backend(directory, info)
    weights = dataclasses.replace(info, files={WEIGHTS: info.files[WEIGHTS]})
    for seed in range(3):
        features = random_features(info, seed)
        real = features.word_index > 0
        found, expected = (backend.probabilities(features) for backend in (graph, open_backend(directory, weights)))
        assert found.labels.shape == (*features.word_index.shape, 5)
        np.testing.assert_allclose(found.labels[real], expected.labels[real], atol=1e-4)
        np.testing.assert_allclose(found.labels[real].sum(axis=-1), 1, atol=1e-4)
        np.testing.assert_allclose(found.cases[real], expected.cases[real], atol=1e-4)


def test_strings_are_punctuated(directory):
    assert Punctuator.from_pretrained(directory)(TEXT) == "Ana, mira la casa. ¿Dónde está la mesa?"
    chosen = Punctuator.from_pretrained(directory, marks=["COMMA"], case=False)
    assert chosen(TEXT) == "ana, mira la casa dónde está la mesa"


def test_class_weights_multiply_those_of_the_directory(directory, tmp_path):
    never = {"QUESTION": 1e-9, "OPEN_QUES": 1e-9}
    text = Punctuator.from_pretrained(directory, class_weights=never)(TEXT)
    assert "?" not in text
    assert "," in text
    info = read_info(directory)
    decoding = dataclasses.replace(info.decoding, class_weights={"QUESTION": 1e9, "OPEN_QUES": 1e9, "COMMA": 1e-6})
    shutil.copytree(directory, tmp_path, dirs_exist_ok=True)
    write_info(tmp_path, dataclasses.replace(info, decoding=decoding))
    assert read_info(tmp_path).decoding == decoding
    text = Punctuator.from_pretrained(tmp_path, class_weights=never)(TEXT)
    assert text == "Ana mira la casa. ¿Dónde está la mesa?"


def test_invalid_class_weights_are_refused(directory, tmp_path):
    with pytest.raises(AsrPunctError, match="--class-weights: found 'COLON', expected names from O,"):
        Punctuator.from_pretrained(directory, class_weights={"COLON": 2.0})
    with pytest.raises(AsrPunctError, match=r"--class-weights: found 0\.0 for COMMA, expected a number above 0"):
        Punctuator.from_pretrained(directory, class_weights={"COMMA": 0.0})
    info = read_info(directory)
    decoding = dataclasses.replace(info.decoding, class_weights={"COLON": 2.0})
    write_info(tmp_path, dataclasses.replace(info, decoding=decoding))
    with pytest.raises(ModelError, match="class_weights: found 'COLON', expected names from O "):
        read_info(tmp_path)


def test_class_weights_move_the_thresholds_of_a_multilabel_model(model):
    rare = dict.fromkeys(["COMMA", "PERIOD"], 1e-6)
    text = Punctuator.from_pretrained(model, class_weights=rare)(TEXT)
    assert text == "Ana mira la casa ¿Dónde está la mesa?"
    with pytest.raises(AsrPunctError, match="--class-weights: found 'O', expected names from COMMA,PERIOD"):
        Punctuator.from_pretrained(model, class_weights={"O": 2.0})


def test_several_windows_are_aggregated(directory, model):
    """On text of many windows, by models of both kinds, with the pauses between the words."""
    words = tuple(Word(word, start, start + 0.5) for start, word in enumerate(TEXT.split() * 30))
    for place in (directory, model):
        plain, aggregated = (
            next(Punctuator.from_pretrained(place, aggregate=windows).restore([Utterance(words, recording="r")]))
            for windows in (1, 3)
        )
        assert bare_words(aggregated) == bare_words(plain) == words
        assert np.mean([a == b for a, b in zip(aggregated.labels, plain.labels, strict=True)]) > 0.9


def test_the_command_line_weighs_and_aggregates(directory, tmp_path, run):
    (tmp_path / "in.txt").write_text(TEXT + "\n")
    options = ["--class-weights", "comma=1e-9,QUESTION=1e-9,OPEN_QUES=1e-9", "--aggregate", 3, "--no-case"]
    status, out, err = run("punctuate", tmp_path / "in.txt", "--model", directory, *options, "--quiet")
    assert (status, err) == (0, "")
    assert not {",", "?", "¿"} & set(out)
    for wrong, message in (
        (["--class-weights", "COMMA"], "--class-weights: found 'COMMA', expected a name and a number as COMMA=0.8"),
        (["--aggregate", 0], "--aggregate: found 0, expected 1 or more"),
    ):
        status, out, err = run("punctuate", tmp_path / "in.txt", "--model", directory, *wrong)
        assert (status, out) == (2, "")
        assert message in err
