"""Batches divided among processes and steps: fast tests of the parts, slow tests of runs of two processes."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from dummies import COMMAND_LINE, refused, tiny_config, write_corpus

pytest.importorskip("lightning")

import torch
import yaml
from safetensors.torch import load_file

from asr_punct.checkpoint import read_info
from asr_punct.config import as_mapping
from asr_punct.errors import ArgumentError
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.distributed import Process, launch
from asr_punct.training.fit import train
from asr_punct.training.lightning_module import PunctuationModule
from asr_punct.training.mapped import Corpora
from asr_punct.training.optim import SharedMuon
from asr_punct.training.start import start_model

NOISE = {"windows": 0.5, "substitution": 0.1, "deletion": 0.1, "fillers": "eh", "filler": 0.1}


def without_dropout(**training):
    """Return a tiny configuration in which only windows and their noise are random."""
    config = tiny_config(generated_pauses=True, subword_dropout=0.1, noise=NOISE, **training)
    model = config.model
    heads, context = (replace(part, dropout=0.0) for part in (model.heads, model.context))
    return replace(config, model=replace(model, heads=heads, context=context))


def content(batch):
    """Return each window of a batch as its sub-words and its labelled words' marks and cases."""
    windows = []
    for row in range(len(batch.cases)):
        tokens, labelled = batch.inputs["attention_mask"][row] > 0, batch.label_mask[row]
        values = batch.inputs["input_ids"][row][tokens], batch.marks[row][labelled], batch.cases[row][labelled]
        if labelled.any():
            windows.append(tuple(tuple(value.flatten().tolist()) for value in values))
    return sorted(windows)


@pytest.mark.parametrize(("processes", "accumulate"), [(2, 1), (3, 2), (1, 4), (40, 1)])
def test_each_window_is_in_one_part(corpus, tokenizer, processes, accumulate):
    config = without_dropout(accumulate=accumulate)
    whole = PunctuationData(Corpora.open(corpus), tokenizer, without_dropout(), 64)
    data = [
        PunctuationData(Corpora.open(corpus), tokenizer, config, 64, Process(rank, rank, processes, processes))
        for rank in range(processes)
    ]
    for loader, parts in (("train_dataloader", accumulate), ("val_dataloader", 1)):
        batches = list(getattr(whole, loader)())
        shares = [list(getattr(each, loader)()) for each in data]
        assert {len(share) for share in shares} == {parts * len(batches)}
        for i, batch in enumerate(batches):
            found = [part for share in shares for part in share[i * parts : (i + 1) * parts]]
            assert sorted(window for part in found for window in content(part)) == content(batch)
            assert np.mean([part.loss_scale for part in found]) == pytest.approx(1)
            assert {part.windows for part in found} == {len(batch.cases)}
            assert {part.number for part in found} == set(range(processes * parts))


@pytest.mark.parametrize("count", [2, 3, 50])
def test_the_mean_of_the_parts_is_the_loss_and_gradient_of_the_batch(corpus, count):
    config = without_dropout()
    torch.manual_seed(0)
    model, tokenizer = start_model(config, Corpora.open(corpus))
    module = PunctuationModule(model, config.training, steps_per_epoch=1)
    batch = PunctuationData(Corpora.open(corpus), tokenizer, config, 64).epoch(0)[0]

    def results(parts):
        module.zero_grad()
        losses = [module.batch_loss(part) / len(parts) for part in parts]
        for loss in losses:
            loss.backward()
        gradients = [parameter.grad.clone() for parameter in module.parameters() if parameter.grad is not None]
        return sum(loss.item() for loss in losses), gradients

    loss, gradients = results([batch])
    parts_loss, parts_gradients = results([batch.part(number, count) for number in range(count)])
    assert parts_loss == pytest.approx(loss, rel=1e-5)
    for one, other in zip(gradients, parts_gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-6)


def test_accumulated_steps_train_the_same_model(corpus, tmp_path):
    for accumulate in (1, 3):
        config = without_dropout(epochs=2, accumulate=accumulate, optimizer={"ema_decay": 0.9})
        train(config, corpus, tmp_path / f"{accumulate}", device="cpu")
    once, parts = (load_file(tmp_path / name / "model.safetensors") for name in ("1", "3"))
    assert all(torch.allclose(once[name], parts[name], atol=1e-3) for name in once)


def test_a_named_gpu_for_several_processes(corpus, tmp_path, monkeypatch):
    for name, value in {"RANK": 1, "LOCAL_RANK": 1, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2}.items():
        monkeypatch.setenv(name, str(value))
    with refused("device", "'cuda:1'", ArgumentError):
        train(tiny_config(), corpus, tmp_path / "m", device="cuda:1")


def test_several_machines_need_an_address(monkeypatch):
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    with refused("nodes", "no MASTER_ADDR", ArgumentError):
        launch(["train"], devices=1, nodes=2)


# Two processes


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A corpus and a configuration without dropout."""
    folder = tmp_path_factory.mktemp("distributed")
    write_corpus(folder / "data")
    config = without_dropout(epochs=4, accumulate=2, optimizer={"ema_decay": 0.9})
    (folder / "tiny.yaml").write_text(yaml.safe_dump(as_mapping(config)))
    return folder


def arguments(files, output, *options):
    config = ["--config", files / "tiny.yaml", "--data", files / "data", "--device", "cpu"]
    return ["train", *map(str, [*config, "-o", output]), *options]


def losses(text):
    """Return the numbers of the lines of all epochs."""
    return [
        [float(number) for number in re.findall(r"\d\.\d{4}", line)] for line in text.splitlines() if "loss" in line
    ]


def finished(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stderr


@pytest.mark.slow
def test_two_processes_train_like_one(files, tmp_path):
    """With --devices and under torchrun: loss, scores and weights are those of one process within rounding."""
    one = finished([*COMMAND_LINE, *arguments(files, tmp_path / "one")])
    two = finished([*COMMAND_LINE, *arguments(files, tmp_path / "two", "--devices", "2")])
    script = tmp_path / "run.py"
    script.write_text(COMMAND_LINE[-1])
    launcher = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    finished([*launcher, script, *arguments(files, tmp_path / "torchrun")])
    assert len(losses(one)) == len(losses(two)) == 4
    assert np.allclose(losses(one), losses(two), atol=0.002)
    single, *pairs = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two", "torchrun"))
    for pair in pairs:
        assert all(torch.allclose(single[name], pair[name], atol=1e-3) for name in single)
        assert all(torch.equal(pairs[0][name], pair[name]) for name in pair)
    assert read_info(tmp_path / "two").training["finished"]


def muon_steps(rank, folder, processes):
    """Take steps of Muon in one of several processes and write the weights to a file."""
    if processes > 1:
        torch.distributed.init_process_group("gloo", f"file://{folder}/meet", rank=rank, world_size=processes)
    torch.manual_seed(0)
    weights = [torch.nn.Parameter(torch.randn(shape)) for shape in ((40, 24), (24, 40), (8, 8))]
    optimizer = SharedMuon(weights, lr=0.02)
    for _ in range(3):
        for weight in weights:
            weight.grad = torch.randn_like(weight)
        optimizer.step()
    torch.save([weight.detach() for weight in weights], f"{folder}/{processes}_{rank}.pt")
    if processes > 1:
        torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_processes_share_the_steps_of_muon(tmp_path):
    muon_steps(0, tmp_path, 1)
    torch.multiprocessing.spawn(muon_steps, (tmp_path, 2), 2)
    single = torch.load(tmp_path / "1_0.pt")
    for rank in range(2):
        torch.testing.assert_close(torch.load(tmp_path / f"2_{rank}.pt"), single, atol=0, rtol=0)


def children(process):
    return [int(child) for child in subprocess.check_output(["pgrep", "-P", str(process.pid)], text=True).split()]


@pytest.mark.slow
def test_a_run_resumes_after_a_killed_process(files, tmp_path):
    finished([*COMMAND_LINE, *arguments(files, tmp_path / "unbroken", "--devices", "2")])
    words = [*COMMAND_LINE, *arguments(files, tmp_path / "killed", "--devices", "2", "--resume")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        while not process.stderr.readline().startswith("epoch 1"):
            assert process.poll() is None
        time.sleep(0.1)
        os.kill(max(children(process)), signal.SIGKILL)
        rest = process.stderr.read()
    assert process.returncode == 2
    assert re.search(r"process \d of the training: found status -\d+.*resume", rest)
    finished(words)
    unbroken, resumed = (load_file(tmp_path / name / "model.safetensors") for name in ("unbroken", "killed"))
    assert all(torch.equal(unbroken[name], resumed[name]) for name in unbroken)


@pytest.mark.slow
def test_an_error_is_one_line(files, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.txt").touch()
    words = [*COMMAND_LINE, *arguments(files, tmp_path / "model", "--devices", "2")]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == f"asr-punct: {tmp_path / 'model'}: found other files, expected a new directory\n"
