"""Training runs: their directories, starts and resumes; averaged weights; configurations; exported graphs."""

import json
import os
import pickle
import re
import resource
import shutil
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from dummies import refused, tiny_config, write_corpus

pytest.importorskip("lightning")

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import load_file

from asr_punct.checkpoint import read_info, write_info
from asr_punct.errors import ArgumentError, ConfigError, InputError
from asr_punct.marks import MARKS
from asr_punct.progress import progress_bar, step
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.callbacks import SafeCheckpointIO
from asr_punct.training.configuration import read_config
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.export import export
from asr_punct.training.fit import train
from asr_punct.training.mapped import Corpora
from asr_punct.training.quantise import quantise


def test_a_trained_model(model, corpus):
    facts = read_info(model).training
    assert facts["finished"]
    assert min(facts["dev_f1"], facts["dev_case_f1"]) > 0.9
    names = {path.name for path in model.iterdir()}
    files = {"config.json", "tokenizer.json", "model.safetensors", "model.onnx", "model.int8.onnx", "README.md"}
    assert names == files | {"training"}
    assert list((model / "training" / "tensorboard").iterdir())
    card = (model / "README.md").read_text()
    assert card.startswith("# tiny\n")
    assert "* languages: Spanish\n" in card
    assert f"\n* output: {len(MARKS)} marks and case, from words and the pauses between them" in card
    before = (model / "config.json").read_bytes()
    assert train(tiny_config(epochs=14), corpus, model, resume=True).training["finished"]
    assert (model / "config.json").read_bytes() == before


def test_a_run_says_how_far_it_is(corpus, tmp_path, monkeypatch, caplog):
    """Without a terminal a line now and then; here after each batch."""
    caplog.set_level("INFO", logger="asr_punct")
    monkeypatch.setattr("asr_punct.training.epoch_report.LINE_EVERY", 0.0)
    train(tiny_config(epochs=1, accumulate=2), corpus, tmp_path / "run", device="cpu")
    lines = [line for line in caplog.messages if line.startswith("epoch 1/1: ")]
    form = r"epoch 1/1: \d+%, [\d,]+ words/s, loss \d+\.\d{4}, about \d+ min to its end"
    assert len(lines) > 2
    assert all(re.fullmatch(form, line) for line in lines[:-1])
    assert lines[-2].startswith("epoch 1/1: 100%")
    end = re.match(r"epoch 1/1: loss (\S+),", lines[-1])
    assert float(re.search(r"loss ([\d.]+)", lines[-2])[1]) == pytest.approx(float(end[1]), rel=0.05)


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_run_says_how_far_it_is_where_no_bar_does(corpus, tmp_path, monkeypatch, caplog, is_busy):
    """A bar that shows another task shows nothing of the run."""
    caplog.set_level("INFO", logger="asr_punct")
    monkeypatch.setattr("asr_punct.training.epoch_report.LINE_EVERY", 0.0)
    monkeypatch.setattr("asr_punct.progress._is_terminal", lambda stream: stream is sys.stderr)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(), step("another task") if is_busy else nullcontext():
        train(tiny_config(epochs=1), corpus, tmp_path / "run", device="cpu")
    assert any("min to its end" in line for line in caplog.messages) == is_busy


def test_a_run_says_nothing_within_an_epoch_of_seconds(corpus, tmp_path, caplog):
    caplog.set_level("INFO", logger="asr_punct")
    train(tiny_config(epochs=1), corpus, tmp_path / "run", device="cpu")
    assert len([line for line in caplog.messages if line.startswith("epoch")]) == 1


def test_a_run_is_not_overwritten(model, corpus, tmp_path):
    with refused(model, "a training run"):
        train(tiny_config(epochs=14), corpus, model)
    changes = "training.epochs=14 (now 13), training.seed=1 (now 2), training.optimizer.ema_decay=0.0 (now 0.9)"
    with refused(model / "training" / "config.json", changes, ConfigError):
        train(tiny_config(epochs=13, seed=2, optimizer={"ema_decay": 0.9}), corpus, model, resume=True)
    (tmp_path / "thesis.txt").write_text("mine")
    with refused(tmp_path, "other files"):
        train(tiny_config(), corpus, tmp_path)
    with refused("thesis.txt", "a file"):
        train(tiny_config(), corpus, tmp_path / "thesis.txt", device="cpu")
    with refused("model", kind=InputError):
        train(tiny_config(), corpus, tmp_path / "thesis.txt" / "model", device="cpu")


def test_a_finished_run_gets_more_epochs(corpus, tmp_path):
    """With a constant learning rate the weights are those of one longer run; graphs of the old ones are removed."""
    configs = [tiny_config(epochs=epochs, decay="none") for epochs in (2, 4)]
    train(configs[0], corpus, tmp_path / "extended", device="cpu")
    (tmp_path / "extended" / "model.onnx").touch()
    for name in ("extended", "unbroken"):
        info = train(configs[1], corpus, tmp_path / name, resume=name == "extended", device="cpu")
        assert info.training["finished"]
        assert info.training["best_epoch"] > 2
    assert not (tmp_path / "extended" / "model.onnx").exists()
    extended, unbroken = (load_file(tmp_path / name / "model.safetensors") for name in ("extended", "unbroken"))
    assert all(torch.equal(extended[name], unbroken[name]) for name in unbroken)
    with refused("config.json", "training.epochs=4 (now 2)", ConfigError):
        train(configs[0], corpus, tmp_path / "extended", resume=True)


def test_a_corpus_with_few_batches_gets_all_epochs(corpus, tmp_path):
    train(tiny_config(epochs=3, epochs_per_pass=1000), corpus, tmp_path / "run", device="cpu")
    checkpoint = torch.load(tmp_path / "run" / "training" / "last.ckpt", weights_only=True)
    assert checkpoint["epoch"] == 2


def test_epochs_without_better_weights_keep_the_tuning(corpus, tmp_path):
    config = tiny_config(epochs=1, learning_rate=1e-12, decay="none")
    info = train(config, corpus, tmp_path / "run", device="cpu")
    tuned = replace(info.decoding, thresholds={**info.decoding.thresholds, "PERIOD": 0.25})
    write_info(tmp_path / "run", replace(info, decoding=tuned))
    more = replace(config, training=replace(config.training, epochs=2))
    again = train(more, corpus, tmp_path / "run", resume=True, device="cpu")
    assert (again.training["best_epoch"], again.decoding.thresholds["PERIOD"]) == (1, 0.25)


def test_a_run_goes_on_with_the_same_data_only(corpus, tmp_path):
    data, output = shutil.copytree(corpus, tmp_path / "data"), tmp_path / "run"
    train(tiny_config(epochs=1), data, output, device="cpu")
    shutil.copytree(data, tmp_path / "moved")
    train(tiny_config(epochs=2), tmp_path / "moved", output, resume=True, device="cpu")
    write_corpus(data, train=50)
    with refused("train.tsv", "another text", InputError):
        train(tiny_config(epochs=3), data, output, resume=True, device="cpu")


def test_a_directory_has_one_run(corpus, tmp_path, monkeypatch):
    """Another one is refused while the first trains, and not after it."""
    refusals = []

    def epoch_end(*_):
        for resume in (False, True):
            with refused(tmp_path / "run", "a run that is still training"):
                train(tiny_config(), corpus, tmp_path / "run", resume=resume, device="cpu")
            refusals.append(resume)

    with monkeypatch.context() as patched:
        patched.setattr("asr_punct.training.epoch_report.EpochReport.on_train_epoch_end", epoch_end)
        train(tiny_config(epochs=1), corpus, tmp_path / "run", device="cpu")
    assert refusals == [False, True]
    with refused(tmp_path / "run", "a training run"):
        train(tiny_config(), corpus, tmp_path / "run", device="cpu")


def test_a_loss_that_is_no_number_ends_the_run(corpus, tmp_path):
    with refused("training step 2", "a loss of nan"):
        train(tiny_config(learning_rate=1e30, warmup_epochs=0), corpus, tmp_path / "run", device="cpu")


@pytest.mark.parametrize("name", ["model.safetensors", "training/last.ckpt"])
def test_a_full_disk_is_one_line(corpus, tmp_path, name):
    """A limit on the size of files stands for the disk's end."""
    train(tiny_config(epochs=1), corpus, tmp_path / "run", device="cpu")
    size = (tmp_path / "run" / name).stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, before[1]))
    try:
        with refused(Path(name).name, "File too large", InputError):
            train(tiny_config(epochs=1), corpus, tmp_path / "full", device="cpu")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("limit", "epochs", "scored"), [(0, 1, 1.0), (10**6, 1, 1.0), (60, 4, 0.8)])
def test_epochs_are_short_whatever_the_corpus(corpus, limit, epochs, scored):
    """`epoch_words` divides a pass, and limits the words of dev."""
    tokenizer = SubwordTokenizer(train_tokenizer(["ana"], 60), 16)
    config = tiny_config(epoch_words=limit, batch_size=2)
    data = PunctuationData(Corpora.open(corpus), tokenizer, config, 64)
    assert data.epochs_per_pass >= epochs
    words = sum(int(batch.label_mask.sum()) for batch in data.val_dataloader())
    assert words == len(data.dev) if scored == 1.0 else limit <= words < scored * len(data.dev)


@pytest.mark.parametrize("device", ["foo", "cuda:99", "meta"])
def test_a_wrong_device_leaves_nothing(corpus, tmp_path, device):
    with refused("device", repr(device), ArgumentError):
        train(tiny_config(), corpus, tmp_path / "deep" / "model", device=device)
    assert not list(tmp_path.iterdir())


def test_missing_data_leave_nothing(corpus, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for name in ("train.tsv", "dev.tsv"):
        with refused(name, "no such file", InputError):
            train(tiny_config(), data, tmp_path / "deep" / "model", device="cpu")
        shutil.copy(corpus / name, data)
    assert list(tmp_path.iterdir()) == [data]


def test_a_checkpoint_with_code_is_refused(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path}/ran",)

    torch.save({"state_dict": Evil()}, tmp_path / "last.ckpt", pickle_module=pickle)
    with refused("last.ckpt", kind=InputError):
        SafeCheckpointIO().load_checkpoint(tmp_path / "last.ckpt")
    assert not (tmp_path / "ran").exists()


def test_the_averaged_weights_are_kept(corpus, tmp_path):
    train(tiny_config(epochs=3, optimizer={"ema_decay": 0.99}), corpus, tmp_path / "m", device="cpu")
    checkpoint = torch.load(tmp_path / "m" / "training" / "last.ckpt", weights_only=True)
    state = next(state for name, state in checkpoint["callbacks"].items() if "AverageWeights" in name)
    kept = load_file(tmp_path / "m" / "model.safetensors")
    same = [torch.equal(kept[name], state[f"module.{name}"]) for name in kept]
    assert all(same) == (read_info(tmp_path / "m").training["best_epoch"] == 3)
    assert not all(torch.equal(kept[name], checkpoint["state_dict"][f"model.{name}"]) for name in kept)


# Configurations


@pytest.mark.parametrize(
    ("name", "settings", "place", "found"),
    [
        ("no_such", [], "config", "'no_such'"),
        ("autopunct", ["training.epochs"], "settings", "'training.epochs'"),
        ("autopunct", ["training=3"], "training", "3"),
        ("autopunct", ["training.seed=-1"], "training.seed", "-1"),
        ("autopunct", ["training.seed=["], "settings", ""),
        ("autopunct", ["training.seed=${nothing}"], "settings", ""),
        ("autopunct", ["training.epoch=3"], "training", "unknown key 'epoch'"),
    ],
)
def test_wrong_settings(name, settings, place, found):
    with refused(place, found):
        read_config(name, settings)


@pytest.mark.parametrize(
    "content", ["model: [", "- model\n", "3", "model", "training:\n  epochs: ${nothing}\n", "training:\n  epoch: 3\n"]
)
@pytest.mark.parametrize("settings", [[], ["training.seed=2"]])
def test_a_wrong_yaml(tmp_path, content, settings):
    path = tmp_path / "a.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError) as error:
        read_config(str(path), settings)
    assert str(error.value).startswith(f"{path}: ")


def test_a_configuration_extends_another(tmp_path):
    (tmp_path / "first.yaml").write_text("training:\n  epochs: 3\n  seed: 5\n")
    (tmp_path / "second.yaml").write_text("base: first\ntraining:\n  epochs: 4\n")
    training = read_config(str(tmp_path / "second.yaml"), ["training.batch_size=2"]).training
    assert (training.epochs, training.seed, training.batch_size) == (4, 5, 2)
    (tmp_path / "third.yaml").write_text("base: second\n")
    with refused("third.yaml", "unknown key 'base'", ConfigError):
        read_config(str(tmp_path / "third.yaml"))
    (tmp_path / "fourth.yaml").write_text("base: no_such\n")
    with refused("config", "'no_such'", ArgumentError):
        read_config(str(tmp_path / "fourth.yaml"))


# Graphs


@pytest.mark.parametrize("words", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_models_of_tiny_windows_are_exported(model, tmp_path, words):
    directory = shutil.copytree(model, tmp_path / "copy")
    content = json.loads((directory / "config.json").read_text())
    content["model"]["window"] = {"words": words, "margin": 0}
    (directory / "config.json").write_text(json.dumps(content))
    assert export(directory) < 1e-4


def test_graphs_name_no_file_of_this_machine(model):
    assert b".py" not in (model / "model.onnx").read_bytes()


def test_the_int8_graph_is_compared_with_the_fp32_graph(model, tmp_path, caplog):
    directory = shutil.copytree(model, tmp_path / "copy")
    with caplog.at_level("INFO", logger="asr_punct"):
        export(directory, int8=True)
    assert re.search(r"int8 and fp32 graphs are \S+ apart on average, [\d.]+% of decisions equal", caplog.text)
    assert not list(directory.glob(".*partial"))


@pytest.mark.parametrize(("text", "error"), [("dev.tsv", None), ("missing.tsv", "no such file")])
def test_the_int8_graph_is_compared_on_a_text(model, corpus, tmp_path, caplog, text, error):
    directory = shutil.copytree(model, tmp_path / "copy", ignore=shutil.ignore_patterns("*.onnx"))
    expected = pytest.raises(InputError, match=error) if error else nullcontext()
    with caplog.at_level("INFO", logger="asr_punct"), expected:
        export(directory, int8=True, text=corpus / text)
    assert ("100.00% of decisions equal" in caplog.text) == (not error)
    assert len(list(directory.glob("*.onnx"))) == (0 if error else 2)


def test_the_text_of_the_int8_graph_may_be_short(model, tmp_path):
    directory = shutil.copytree(model, tmp_path / "copy")
    text = tmp_path / "short.tsv"
    text.write_text("hola\tPERIOD\t-\tFIRST_CAP\n")
    export(directory, int8=True, text=text)
    with refused("text", kind=ArgumentError):
        export(directory, text=text)


def test_each_row_of_a_table_has_its_own_scale(tmp_path):
    table = np.array([[1000, -500], [0.001, 0.002], [0, 0]], dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "rows"], ["read"], name="read")],
        "one table",
        [helper.make_tensor_value_info("rows", TensorProto.INT64, [1, 3])],
        [helper.make_tensor_value_info("read", TensorProto.FLOAT, [1, 3, 2])],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, tmp_path / "fp32.onnx")
    quantise(tmp_path / "fp32.onnx", tmp_path / "int8.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "int8.onnx", providers=["CPUExecutionProvider"])
    [[*rows]] = session.run(None, {"rows": np.array([[2, 1, 0]])})[0]
    for found, expected in zip(rows, table[::-1], strict=True):
        assert np.abs(found - expected).max() <= np.abs(expected).max() / 253 + 1e-5


def test_a_channel_of_large_values_does_not_cost_the_others_their_precision(tmp_path):
    rng = np.random.default_rng(1)
    sizes = np.array([100, *[1] * 31], dtype=np.float32)
    values = rng.uniform(-1, 1, (1, 50, 32)).astype(np.float32) * sizes
    weights = rng.uniform(-1, 1, (32, 8)).astype(np.float32) / sizes[:, None]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["values", "weights"], ["products"], name="product")],
        "one product",
        [helper.make_tensor_value_info("values", TensorProto.FLOAT, [1, 50, 32])],
        [helper.make_tensor_value_info("products", TensorProto.FLOAT, [1, 50, 8])],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, tmp_path / "fp32.onnx")
    quantise(tmp_path / "fp32.onnx", tmp_path / "int8.onnx", [SimpleNamespace(inputs=lambda: {"values": values})])
    session = onnxruntime.InferenceSession(tmp_path / "int8.onnx", providers=["CPUExecutionProvider"])
    [products] = session.run(None, {"values": values})
    assert np.abs(products - values @ weights).max() < 1
