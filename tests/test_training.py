import dataclasses
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from dummies import tiny_config

pytest.importorskip("lightning")

import lightning
import torch
from safetensors.torch import load_file

from asr_punct.checkpoint import read_info
from asr_punct.config import as_mapping
from asr_punct.errors import AsrPunctError, ConfigError, InputError
from asr_punct.training.callbacks import AverageWeights, SafeCheckpointIO
from asr_punct.training.configuration import read_config
from asr_punct.training.export import export, random_features
from asr_punct.training.fit import train
from asr_punct.training.optim import build_optimizer, build_schedule


def test_a_model_learns(model):
    facts = read_info(model).training
    assert facts["finished"]
    assert facts["dev_f1"] > 0.9
    assert facts["dev_case_f1"] > 0.9


def test_a_model_directory_is_complete(model):
    names = {path.name for path in model.iterdir()}
    files = {"config.json", "tokenizer.json", "model.safetensors", "model.onnx", "model.int8.onnx", "README.md"}
    assert names == files | {"training"}
    assert list((model / "training" / "tensorboard").iterdir())


def test_a_finished_run_is_left_as_it_is(model, corpus):
    before = (model / "config.json").read_bytes()
    assert train(tiny_config(epochs=25), corpus, model, resume=True).training["finished"]
    assert (model / "config.json").read_bytes() == before


def test_a_run_is_not_written_over(model, corpus, tmp_path):
    with pytest.raises(AsrPunctError, match="found a training run, expected a new directory"):
        train(tiny_config(epochs=25), corpus, model)
    with pytest.raises(ConfigError, match="another configuration"):
        train(tiny_config(epochs=26), corpus, model, resume=True)
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(AsrPunctError, match="found files of another origin"):
        train(tiny_config(), corpus, tmp_path)


@pytest.mark.parametrize("device", ["foo", "cpu:0", "cuda:99", "meta", "cuda:x"])
def test_a_start_on_a_wrong_device_leaves_nothing(corpus, tmp_path, device):
    with pytest.raises(AsrPunctError, match=f"^--device: .*'{device}'") as error:
        train(tiny_config(), corpus, tmp_path / "deep" / "model", device=device)
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_start_on_wrong_data_leaves_nothing(corpus, tmp_path):
    data = tmp_path / "data"
    config = tiny_config()
    named = dataclasses.replace(config.model.encoder, name=str(tmp_path / "no-encoder"))
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, encoder=named))
    with pytest.raises(InputError, match=r"train\.tsv: found no such file"):  # told before an encoder is loaded
        train(config, data, tmp_path / "deep" / "model", device="cpu")
    data.mkdir()
    (data / "train.tsv").write_bytes((corpus / "train.tsv").read_bytes())
    with pytest.raises(InputError, match=r"dev\.tsv: found no such file"):
        train(tiny_config(), data, tmp_path / "deep" / "model", device="cpu")
    assert list(tmp_path.iterdir()) == [data]


def test_an_output_that_is_no_directory_is_told(corpus, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(AsrPunctError, match="file: found a file, expected a new directory"):
        train(tiny_config(), corpus, tmp_path / "file", device="cpu")
    with pytest.raises(InputError, match="expected a place for a new directory"):
        train(tiny_config(), corpus, tmp_path / "file" / "model", device="cpu")


def test_training_goes_on_from_another_model(model, corpus, tmp_path, caplog):
    config = tiny_config(epochs=1, learning_rate=1e-6)
    info = train(config, corpus, tmp_path / "tuned", init=model, device="cpu")
    assert info.training["dev_f1"] == pytest.approx(read_info(model).training["dev_f1"], abs=0.02)
    assert "--init" not in caplog.text

    other = dataclasses.replace(config.model.encoder, layers=3, width=64)
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, encoder=other))
    train(config, corpus, tmp_path / "again", init=model, device="cpu")
    told = f"--init: the model stays as in {model}; not used: model.encoder.layers model.encoder.width"
    assert [record.message for record in caplog.records if "--init" in record.message] == [told]


def test_a_checkpoint_that_would_run_code_is_refused(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path}/ran",)

    torch.save({"state_dict": Evil()}, tmp_path / "last.ckpt", pickle_module=pickle)
    with pytest.raises(InputError, match="expected a checkpoint of asr-punct train"):
        SafeCheckpointIO().load_checkpoint(tmp_path / "last.ckpt")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("decay", "factors"), [("none", [0.25, 0.5, 0.75, 1, 1, 1]), ("linear", [0.25, 0.5, 0.75, 1, 1, 7 / 8])]
)
def test_schedule(decay, factors):
    config = tiny_config(decay=decay, warmup_epochs=2, epochs=6, learning_rate=0.1).training
    optimizer = build_optimizer(torch.nn.Linear(2, 2), config)
    schedule = build_schedule(optimizer, config, steps_per_epoch=2)
    rates = []
    for _ in factors:
        rates.append(optimizer.param_groups[0]["lr"] / 0.1)
        optimizer.step()
        schedule.step()
    assert rates == pytest.approx(factors)


def test_the_average_is_what_is_scored():
    module = lightning.LightningModule()
    module.weight = torch.nn.Parameter(torch.zeros(2))
    average = AverageWeights(0.5)
    expected = torch.zeros(2)
    for step in range(1, 30):
        module.weight.data += step
        average.on_train_batch_end(None, module, None, None, 0)
        share = min(0.5, step / (step + 10))
        expected = module.weight.detach().clone() if step == 1 else share * expected + (1 - share) * module.weight.data
    weights = module.weight.detach().clone()
    average.on_validation_start(None, module)
    torch.testing.assert_close(module.weight.data, expected)
    average.on_validation_end(None, module)
    assert torch.equal(module.weight.data, weights)
    resumed = AverageWeights(0.5)
    resumed.load_state_dict(average.state_dict())
    resumed.on_train_start(None, module)
    for each in (average, resumed):
        each.on_train_batch_end(None, module, None, None, 0)
    assert torch.equal(average.average[0], resumed.average[0])


def test_an_average_is_kept(corpus, tmp_path):
    train(tiny_config(epochs=3, optimizer={"ema_decay": 0.99}), corpus, tmp_path / "m", device="cpu")
    checkpoint = torch.load(tmp_path / "m" / "training" / "last.ckpt", weights_only=True)
    state = next(state for name, state in checkpoint["callbacks"].items() if "AverageWeights" in name)
    kept = load_file(tmp_path / "m" / "model.safetensors")
    last = {name.removeprefix("model."): weights for name, weights in checkpoint["state_dict"].items()}
    averages = dict(zip((name for name in last if name in kept), state["average"], strict=True))
    same = [torch.equal(kept[name], averages[name]) for name in kept]
    assert all(same) == (read_info(tmp_path / "m").training["best_epoch"] == 3)
    assert not all(torch.equal(kept[name], last[name]) for name in kept)


def test_vectors_do_not_decay():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.LayerNorm(3))
    groups = build_optimizer(model, tiny_config().training).param_groups
    assert [(group["weight_decay"], len(group["params"])) for group in groups] == [(0.01, 1), (0.0, 3)]


# Configurations


def test_settings_change_a_configuration():
    config = read_config("autopunct_mini", ["training.epochs=3", "model.pauses.kind=none"])
    assert (config.training.epochs, config.model.pauses.kind) == (3, "none")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("no_such", [], "found 'no_such', expected a YAML file or one of autopunct"),
        ("autopunct", ["training.epochs"], "settings: found 'training.epochs', expected key=value"),
        ("autopunct", ["training=3"], "settings: training: found 3, expected keys and values"),
        ("autopunct", ["training.seed=-1"], "settings: training: seed is 0 or more"),
        ("autopunct", ["training.seed=["], "settings: "),
        ("autopunct", ["training.seed=${nothing}"], "settings: "),
        ("autopunct", ["training.epoch=3"], "settings: training: found unknown key 'epoch'"),
    ],
)
def test_configuration_errors(name, settings, message):
    with pytest.raises(ConfigError) as error:
        read_config(name, settings)
    assert message in str(error.value)


def test_a_broken_yaml_is_told(tmp_path):
    (tmp_path / "a.yaml").write_text("model: [")
    with pytest.raises(ConfigError, match=r"a\.yaml"):
        read_config(str(tmp_path / "a.yaml"))


@pytest.mark.parametrize("content", ["- model\n", "3", "model", "training:\n  epochs: ${nothing}\n"])
@pytest.mark.parametrize("settings", [[], ["training.seed=2"]])
def test_a_yaml_of_another_form_is_told(tmp_path, content, settings):
    path = tmp_path / "a.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError) as error:
        read_config(str(path), settings)
    assert str(error.value).startswith(f"{path}: ")


def test_a_fault_of_the_file_is_told_there_in_spite_of_settings(tmp_path):
    (tmp_path / "a.yaml").write_text("training:\n  epoch: 3\n")
    with pytest.raises(ConfigError, match=r"a\.yaml: training: found unknown key 'epoch'"):
        read_config(str(tmp_path / "a.yaml"), ["training.seed=2"])


def test_a_configuration_builds_on_another(tmp_path):
    (tmp_path / "first.yaml").write_text("training:\n  epochs: 3\n  seed: 5\n")
    (tmp_path / "second.yaml").write_text("base: first\ntraining:\n  epochs: 4\n")
    training = read_config(str(tmp_path / "second.yaml"), ["training.batch_size=2"]).training
    assert (training.epochs, training.seed, training.batch_size) == (4, 5, 2)
    (tmp_path / "third.yaml").write_text("base: second\n")
    with pytest.raises(ConfigError, match="found unknown key 'base'"):
        read_config(str(tmp_path / "third.yaml"))
    (tmp_path / "fourth.yaml").write_text("base: no_such\n")
    with pytest.raises(ConfigError, match="found 'no_such', expected a YAML file or one of"):
        read_config(str(tmp_path / "fourth.yaml"))


# Graphs


@pytest.mark.parametrize("words", [1, 2, 16])
def test_random_features_try_every_input(model, words):
    info = read_info(model)
    info = dataclasses.replace(
        info,
        model=dataclasses.replace(info.model, window=dataclasses.replace(info.model.window, words=words, margin=0)),
    )
    batches = [random_features(info, seed) for seed in range(20)]
    assert {flag for batch in batches for flag in batch.boundaries.ravel().tolist()} == {0, 1, 2, 3}
    assert all(batch.input_ids.shape[1] <= info.max_tokens for batch in batches)
    assert all((batch.word_index > 0).any(axis=1).all() for batch in batches)
    assert random_features(info, 0, [1]).word_index.shape == (1, 1)


@pytest.mark.parametrize("words", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_models_of_tiny_windows_are_exported(model, tmp_path, words):
    directory = shutil.copytree(model, tmp_path / "copy")
    content = json.loads((directory / "config.json").read_text())
    content["model"]["window"] = {"words": words, "margin": 0}
    (directory / "config.json").write_text(json.dumps(content))
    assert export(directory) < 1e-4


def test_graphs_name_no_file_of_the_machine_that_made_them(model):
    assert b".py" not in (model / "model.onnx").read_bytes()


def write_constant_graph(path):
    """A graph that never sets a mark."""

    class Constant(torch.nn.Module):
        def forward(self, word_index):
            marks = torch.zeros_like(word_index, dtype=torch.float32).unsqueeze(-1)
            return marks.expand(-1, -1, 13) * 1.0, marks.expand(-1, -1, 3) + 1 / 3

    shapes = {"word_index": {0: torch.export.Dim("batch"), 1: torch.export.Dim("words")}}
    example = (torch.ones(3, 5, dtype=torch.long),)
    names = {"input_names": ["word_index"], "output_names": ["marks", "cases"]}
    torch.onnx.export(
        Constant().eval(), example, path, **names, dynamic_shapes=shapes, dynamo=True, external_data=False
    )


def test_an_int8_graph_is_held_against_the_fp32_one(model, tmp_path, monkeypatch, caplog):
    directory = shutil.copytree(model, tmp_path / "copy")
    with caplog.at_level("INFO", logger="asr_punct"):
        export(directory, int8=True)
    assert re.search(r"int8 and fp32 graphs are \S+ apart on average, 9[\d.]+% of decisions equal", caplog.text)
    before = (directory / "model.int8.onnx").read_bytes()
    monkeypatch.setattr("asr_punct.training.export._quantise", lambda _, target: write_constant_graph(target))
    with pytest.raises(AsrPunctError, match="int8 and fp32 graphs"):
        export(directory, int8=True)
    assert (directory / "model.int8.onnx").read_bytes() == before
    assert not list(directory.glob(".*partial"))


# Resuming


def command(corpus, config, output):
    arguments = ["train", "--config", config, "--data", corpus, "-o", output, "--resume", "--device", "cpu"]
    return [sys.executable, "-c", "from asr_punct.cli import main; main()", *map(str, arguments)]


def run_and_kill(arguments, environment, seconds_after_first_epoch):
    """Run until its first epoch line, and kill it a while later; False where it had finished by then."""
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stderr:
            if line.startswith("epoch"):
                break
        time.sleep(seconds_after_first_epoch)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_killed_run_goes_on(corpus, tmp_path, precision):
    """Kill a run twice with SIGKILL: identical weights in fp32, the same development F1 within 0.001 in bf16."""
    import yaml

    config = tmp_path / "tiny.yaml"
    config.write_text(
        yaml.safe_dump(as_mapping(tiny_config(epochs=8, precision=precision, optimizer={"ema_decay": 0.9})))
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command(corpus, config, tmp_path / "whole"), check=True, env=environment)
    kills = [run_and_kill(command(corpus, config, tmp_path / "cut"), environment, wait) for wait in (0.05, 0.3)]
    subprocess.run(command(corpus, config, tmp_path / "cut"), check=True, env=environment)
    assert any(kills)
    whole, cut = (json.loads((tmp_path / name / "config.json").read_text()) for name in ("whole", "cut"))
    assert cut["training"]["dev_f1"] == pytest.approx(whole["training"]["dev_f1"], abs=0.001)
    if precision == "fp32":
        first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "cut"))
        assert first.keys() == second.keys()
        assert all(torch.equal(first[name], second[name]) for name in first)
