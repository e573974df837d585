"""`train --init`: models that start from another model, with its heads or new ones."""

import dataclasses
import shutil

import numpy as np
import pytest
import yaml

torch = pytest.importorskip("torch")

from dummies import refused, tiny_config
from model_dummies import inputs, write_model

from asr_punct.checkpoint import CASING, WEIGHTS, ModelInfo, read_info, write_info
from asr_punct.config import ModelConfig, as_mapping
from asr_punct.decode.settings import Calibration
from asr_punct.errors import ConfigError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, TURN_END, TURN_START, WordInput, turns_as_edges
from asr_punct.inference.backend import open_backend
from asr_punct.marks import MARKS
from asr_punct.model.encoder import new_encoder
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import load_parts, load_tagger, save_tagger
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.export import random_features
from asr_punct.training.fit import train
from asr_punct.training.mapped import Corpora
from asr_punct.training.start import start_config, start_model

CLASSES = ("O", "COMMA", "PERIOD")


@pytest.fixture(scope="module")
def start(corpus, tmp_path_factory):
    """A tiny trained model of a multi-label head, with pauses."""
    directory = tmp_path_factory.mktemp("start") / "model"
    train(tiny_config(epochs=12), corpus, directory, device="cpu")
    return directory


def configured(**heads):
    config = tiny_config()
    model = dataclasses.replace(config.model, heads=dataclasses.replace(config.model.heads, **heads))
    return dataclasses.replace(config, model=model)


def same(first, second):
    one, two = first.state_dict(), second.state_dict()
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def test_a_new_crf_is_trained_on_another_models_vectors(start, corpus, tmp_path, run, caplog):
    config, output = tmp_path / "tiny.yaml", tmp_path / "crf"
    config.write_text(yaml.safe_dump(as_mapping(tiny_config(epochs=4))))
    options = "--config", config, "--data", corpus, "--init", start, "--device", "cpu", "-o", output
    settings = "model.heads.kind=classes", "model.heads.crf=path"
    assert run("train", *options, *settings)[0] == 0
    messages = [record.message for record in caplog.records if "are new" in record.message]
    assert messages == [f"parts not in {start} are new: punctuation"]
    made, was = read_info(output), read_info(start).model
    assert (made.model.heads.kind, made.model.heads.crf) == ("classes", "path")
    assert set(made.model.heads.classes) == {"O", "COMMA", "PERIOD", "QUESTION", "OPEN_QUES"}
    assert dataclasses.replace(made.model, heads=was.heads) == was
    assert made.training["dev_f1"] > 0.9
    assert run("train", *options, "--resume", *settings)[0] == 0
    features = random_features(made, 0)
    probabilities = [
        open_backend(output, read_info(output))
        .probabilities(dataclasses.replace(features, pauses=np.full_like(features.pauses, pause)))
        .labels
        for pause in (60, UNKNOWN_PAUSE)
    ]
    assert np.abs(probabilities[0] - probabilities[1]).max() > 0.01, "the pauses are not read"


def test_without_named_head_keys_the_model_stays(start, corpus, caplog):
    asked = configured(kind="classes", crf="path")
    assert start_config(start, asked.model) == read_info(start).model
    told = [f"the model stays as in {start}; not used: model.heads.kind model.heads.crf"]
    assert [record.message for record in caplog.records] == told
    model, _ = start_model(tiny_config(), Corpora.open(corpus), start)
    assert same(model, load_tagger(start / WEIGHTS, read_info(start)))
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("heads", "casing", "told"),
    [((), True, "weights, thresholds, calibration, casing list"), (["hidden"], False, "weights")],
)
def test_what_tuning_added_is_inherited(start, corpus, tmp_path, caplog, heads, casing, told):
    """Unless the head is another one, whose probabilities the thresholds do not fit."""
    tuned, info = shutil.copytree(start, tmp_path / "tuned"), read_info(start)
    scale = dict.fromkeys(MARKS, 1.5)
    decoding = dataclasses.replace(
        info.decoding, thresholds=dict.fromkeys(MARKS, 0.3), calibration=Calibration(scale), sentence_capitals=True
    )
    if casing:
        (tuned / CASING).write_text("EiTB\n")
    write_info(tuned, dataclasses.replace(info, decoding=decoding))
    config = dataclasses.replace(configured(hidden=7), training=tiny_config(epochs=1).training)
    with caplog.at_level("INFO", logger="asr_punct.training.start"):
        made = train(config, corpus, tmp_path / "next", init=tuned, heads=heads, device="cpu")
    assert f"from {tuned}: {told}" in [record.message for record in caplog.records]
    assert (made.decoding == decoding) == (not heads)
    assert (CASING in made.files) == (tmp_path / "next" / CASING).exists() == casing


def test_a_configuration_without_a_model_ignores_nothing(start, caplog):
    assert start_config(start, ModelConfig()) == read_info(start).model
    assert not caplog.records


@pytest.mark.parametrize(
    ("before", "asked", "classes"),
    [
        ({}, {"kind": "classes"}, ()),
        ({}, {"hidden": 7}, ()),
        ({"kind": "classes", "classes": CLASSES}, {"kind": "classes", "crf": "path"}, CLASSES),
        ({"kind": "classes", "classes": CLASSES}, {"class_count": 9}, ()),
        ({"kind": "classes", "classes": CLASSES}, {"classes": ("O", "PERIOD")}, ("O", "PERIOD")),
    ],
)
def test_only_the_named_keys_change(before, asked, classes, monkeypatch, tmp_path):
    """Another kind of head has the classes of its corpus."""
    info = ModelInfo(configured(**before, dropout=0.3).model, {})
    monkeypatch.setattr("asr_punct.training.start.read_info", lambda _: info)
    found = start_config(tmp_path, configured(**asked).model, asked).heads
    assert found == dataclasses.replace(info.model.heads, **{**asked, "classes": classes})


def test_a_crf_of_a_head_without_classes_is_refused(start):
    with refused("model.heads.kind", "'multilabel'", ConfigError):
        start_config(start, configured(kind="classes", crf="path").model, ["crf"])


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ({}, {"kind": "classes", "classes": CLASSES}, ["punctuation"]),
        ({"kind": "classes", "classes": CLASSES}, {"kind": "multilabel", "classes": ()}, ["punctuation"]),
        ({"kind": "classes", "classes": CLASSES}, {"classes": ("O", "PERIOD", "COMMA")}, ["punctuation"]),
        ({"kind": "classes", "classes": CLASSES}, {"crf": "marginals"}, ["punctuation"]),
        ({"kind": "classes", "classes": CLASSES, "crf": "marginals"}, {"crf": "path"}, []),
        ({}, {"dropout": 0.5}, []),
        ({}, {"hidden": 7}, ["punctuation", "case"]),
        ({}, {"case_context": "own"}, ["case"]),
        ({}, {"case_vectors": "context"}, ["case"]),
    ],
)
def test_a_part_is_kept_where_it_fits(before, after, new, tmp_path):
    assert changed(configured(**before).model, after, tmp_path) == new


def test_a_sequence_layer_of_other_classes_is_new(tmp_path):
    config = configured(kind="classes", classes=CLASSES, hidden=0).model
    encoder = dataclasses.replace(config.encoder, sequence_hidden=8)
    parts = {"context": "none", "pauses": "none"}
    parts = {name: dataclasses.replace(getattr(config, name), kind=kind) for name, kind in parts.items()}
    config = dataclasses.replace(config, encoder=encoder, **parts)
    assert changed(config, {"classes": ("O", "PERIOD")}, tmp_path) == ["sequence", "punctuation"]
    assert changed(config, {"crf": "path"}, tmp_path) == ["punctuation"]


def changed(config, heads, directory):
    """The new parts of a random model that is given other heads; all others are those that it had."""
    trained = Tagger(config, new_encoder(config.encoder, 60, 0))
    save_tagger(trained, directory / WEIGHTS)
    wanted = dataclasses.replace(config, heads=dataclasses.replace(config.heads, **heads))
    model, new = load_parts(directory / WEIGHTS, ModelInfo(config, trained.encoder.settings), wanted)
    for name, part in trained.named_children():
        assert same(part, getattr(model, name)) == (name not in new), name
    assert model.case_reads_context == (wanted.heads.case_vectors == "context")
    assert model.punctuation.layers[-2].p == wanted.heads.dropout
    return new


def test_turns_are_learnt_from_the_edges_of_documents(tmp_path):
    old = write_model(tmp_path / "old", configured().model)
    old.encoder.boundary.weight.data[1:].normal_()
    save_tagger(old, tmp_path / "old" / WEIGHTS)
    config = start_config(tmp_path / "old", dataclasses.replace(configured().model, speakers=True))
    assert config.speakers
    grown, new = load_parts(tmp_path / "old" / WEIGHTS, read_info(tmp_path / "old"), config)
    assert new == []
    flags = DOCUMENT_START, TURN_END, TURN_START | TURN_END, TURN_START | DOCUMENT_END
    words = [WordInput((5 + i,), i, flag) for i, flag in enumerate(flags)]
    edges = [dataclasses.replace(word, boundary=turns_as_edges(word.boundary)) for word in words]
    expected = old(**inputs([edges])).mark_logits
    assert grown(**inputs([words])).mark_logits.equal(expected)
    save_tagger(grown, tmp_path / WEIGHTS)
    again = load_tagger(tmp_path / WEIGHTS, ModelInfo(config, old.encoder.settings)).fold()
    torch.testing.assert_close(again(**inputs([words])).mark_logits, expected, atol=1e-6, rtol=0)
