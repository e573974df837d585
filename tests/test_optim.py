"""Optimisers, learning rates and a frozen encoder."""

import copy
import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

from dummies import tiny_config

from asr_punct.config import HeadConfig, OptimizerConfig, TrainingConfig
from asr_punct.marks import MARKS, parse_marks
from asr_punct.model.encoder import new_encoder
from asr_punct.model.tagger import Tagger, TaggerOutput
from asr_punct.training.batches import Batch
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.fit import train
from asr_punct.training.lightning_module import DEV_PERPLEXITY, PunctuationModule
from asr_punct.training.mapped import Corpora
from asr_punct.training.optim import Fp32Muon, SharedMuon, build_optimizer, build_schedule
from asr_punct.training.start import start_model

RATE = 0.01


class OneRow(torch.nn.Module):
    """Three weights in one row, in double precision."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(1.0, 4.0, dtype=torch.float64)[None])


def take_step(model, optimizer, gradient):
    model.weight.grad = torch.from_numpy(gradient)[None].clone()
    optimizer.step()
    return model.weight.detach().numpy()[0].copy()


@pytest.mark.parametrize("kind", ["adamw", "radam"])
@pytest.mark.parametrize(("period", "alpha"), [(0, 0.5), (4, 0.8), (1, 0.3)])
def test_lookahead_against_its_algorithm(kind, period, alpha):
    """Zhang et al. 2019, algorithm 1, around torch's own optimiser."""
    decay, options = 0.1, {"decoupled_weight_decay": True} if kind == "radam" else {}
    inner = torch.optim.RAdam if kind == "radam" else torch.optim.AdamW
    model, expected = OneRow(), OneRow()
    configured = OptimizerConfig(kind=kind, lookahead_steps=period, lookahead_rate=alpha, weight_decay=decay)
    chosen = build_optimizer(model, TrainingConfig(optimizer=configured, learning_rate=RATE))
    fast = inner(expected.parameters(), lr=RATE, weight_decay=decay, **options)
    slow = expected.weight.detach().clone()
    for step, gradient in enumerate(np.random.default_rng(0).normal(size=(14, 3)), 1):
        take_step(expected, fast, gradient)
        if period and step % period == 0:
            slow = slow + alpha * (expected.weight.detach() - slow)
            expected.weight.data = slow.clone()
        np.testing.assert_allclose(take_step(model, chosen, gradient), expected.weight.detach().numpy()[0], rtol=1e-9)


@pytest.mark.parametrize("shape", [(40, 24), (24, 40), (32, 32)])
@pytest.mark.parametrize(("kind", "tolerance"), [(SharedMuon, 0), (Fp32Muon, 5e-4)])
def test_muon_takes_the_steps_of_torch(kind, tolerance, shape):
    """torch rounds each product to bf16, 8 bits of precision."""
    torch.manual_seed(0)
    weights = [torch.nn.Parameter(torch.ones(shape)) for _ in range(2)]
    options = {"lr": 0.02, "weight_decay": 0.1, "momentum": 0.95}
    optimizers = [each([weight], **options) for each, weight in zip((torch.optim.Muon, kind), weights, strict=True)]
    for _ in range(5):
        gradient = torch.randn(shape)
        before = weights[0].detach().clone()
        for weight, optimizer in zip(weights, optimizers, strict=True):
            weight.grad = gradient.clone()
            optimizer.step()
        assert (weights[0].detach() - before).abs().max() > 0.001
        torch.testing.assert_close(weights[1], weights[0], atol=tolerance, rtol=0)
    torch.testing.assert_close(*(optimizer.state_dict()["state"][0] for optimizer in optimizers))


@pytest.mark.parametrize("optimizer", ["radam", "muon"])
def test_a_killed_run_ends_with_the_same_weights(corpus, tmp_path, optimizer, monkeypatch):
    class KilledError(Exception):
        pass

    def killed(module):
        if module.current_epoch == 1:
            raise KilledError

    settings = {"kind": optimizer, "lookahead_steps": 5, "ema_decay": 0.9}
    config = tiny_config(epochs=2, optimizer=settings, learning_rate=0.003, decay="linear")
    train(config, corpus, tmp_path / "unbroken", device="cpu")
    monkeypatch.setattr(PunctuationModule, "on_train_epoch_start", killed)
    with pytest.raises(KilledError):
        train(config, corpus, tmp_path / "killed", device="cpu")
    monkeypatch.undo()
    train(config, corpus, tmp_path / "killed", resume=True, device="cpu")
    states = [torch.load(tmp_path / name / "training" / "last.ckpt") for name in ("unbroken", "killed")]
    one, other = (state["state_dict"] | averages(state) for state in states)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def averages(checkpoint):
    return next(state for name, state in checkpoint["callbacks"].items() if "AverageWeights" in name)


# Learning rates


def stairs(every, rate):
    """The rate falls after `every` batches, from the second pass over the corpus on."""
    optimizer = OptimizerConfig(staircase_steps=every, staircase_rate=rate)
    return {"decay": "staircase", "optimizer": optimizer, "warmup_epochs": 0}


@pytest.mark.parametrize(
    ("config", "factors"),
    [
        ({"warmup_epochs": 2, "epochs": 6}, [0.25, 0.5, 0.75, 1, 1, 1]),
        ({"warmup_epochs": 2, "epochs": 6, "decay": "linear"}, [0.25, 0.5, 0.75, 1, 1, 7 / 8]),
        (stairs(3, 0.95), [1] * 5 + [0.95] * 3 + [0.95**2] * 3),
        (stairs(7, 0.5) | {"epochs_per_pass": 3}, [1] * 13 + [0.5] * 7 + [0.25] * 2),
    ],
)
def test_the_schedule(config, factors):
    training = TrainingConfig(learning_rate=0.1, **config)
    optimizer = build_optimizer(OneRow(), training)
    schedule = build_schedule(optimizer, training, steps_per_epoch=2)
    rates = []
    for _ in factors:
        rates.append(optimizer.param_groups[0]["lr"] / 0.1)
        optimizer.step()
        schedule.step()
    assert rates == pytest.approx(factors)


def module_of(kind="transformer", heads=None, **training):
    torch.manual_seed(0)
    config = tiny_config(**training)
    encoder = dataclasses.replace(config.model.encoder, kind=kind, pairs=50)
    model = dataclasses.replace(config.model, encoder=encoder, heads=heads or config.model.heads)
    tagger = Tagger(model, new_encoder(encoder, 60, 0))
    return PunctuationModule(tagger.eval(), config.training, steps_per_epoch=10)


ENCODER_PARAMETERS = tuple(f"model.encoder.{part}." for part in ("encoder", "table", "pairs", "mix"))


@pytest.mark.parametrize(
    ("kind", "optimizer", "lookahead"),
    [("electra", "adamw", 0), ("lookup", "radam", 6), ("transformer", "adagrad", 0), ("table", "adagrad", 0)],
)
def test_the_encoder_has_its_own_rate(kind, optimizer, lookahead):
    module = module_of(
        kind,
        optimizer={"kind": optimizer, "lookahead_steps": lookahead},
        encoder_learning_rate=3e-5,
        learning_rate=1e-4,
    )
    built = module.configure_optimizers()["optimizer"]
    rates = {id(weight): group["initial_lr"] for group in built.param_groups for weight in group["params"]}
    decays = {id(weight): group["weight_decay"] for group in built.param_groups for weight in group["params"]}
    for name, weight in module.named_parameters():
        assert rates[id(weight)] == (3e-5 if name.startswith(ENCODER_PARAMETERS) else 1e-4)
        assert decays[id(weight)] == (0.01 if weight.ndim >= 2 and optimizer != "adagrad" else 0.0)


# A frozen encoder

UNREAD = "model.context.layers.embeddings.tok_embeddings.weight"
"""The context's transformer reads vectors, and no table of its own."""


@pytest.mark.parametrize(
    ("kind", "optimizer"), [("electra", "adamw"), ("transformer", "muon"), ("lookup", "adagrad"), ("table", "muon")]
)
def test_a_frozen_encoder_does_not_change(corpus, tmp_path, kind, optimizer):
    config = tiny_config(frozen_encoder=True, optimizer={"kind": optimizer}, learning_rate=0.01, boundary_dropout=0.0)
    encoder = dataclasses.replace(config.model.encoder, kind=kind, pairs=50, dropout=0.3)
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, encoder=encoder))
    model, tokenizer = start_model(config, Corpora.open(corpus))
    module = PunctuationModule(model, config.training, steps_per_epoch=1)
    before = copy.deepcopy(module.state_dict())
    module.train()
    assert module.model.context.training
    assert not any(inner.training for part in module.model.encoder.backbone for inner in part.modules())
    chosen = module.configure_optimizers()["optimizer"]
    batches = PunctuationData(Corpora.open(corpus), tokenizer, config, max_tokens=64).epoch(0)
    for index in range(3):
        chosen.zero_grad()
        module.batch_loss(batches[index]).backward()
        chosen.step()
    for name, parameter in module.named_parameters():
        if name != UNREAD:
            frozen = name.startswith(ENCODER_PARAMETERS)
            assert torch.equal(before[name], parameter) == frozen, name
            assert (parameter.grad is None) == frozen, name


@pytest.mark.parametrize("frozen", [False, True])
def test_a_loaded_model_is_trained_with_dropout(model, corpus, tmp_path, monkeypatch, frozen):
    """Models come from their directories in evaluation mode."""
    modes, loss = set(), PunctuationModule.batch_loss

    def watched(module, batch):
        modes.add((module.model.context.training, module.model.encoder.encoder.training))
        return loss(module, batch)

    monkeypatch.setattr(PunctuationModule, "batch_loss", watched)
    train(tiny_config(epochs=2, frozen_encoder=frozen), corpus, tmp_path / "next", init=model, device="cpu")
    assert modes == {(True, not frozen)}


# The loss of a batch and the perplexity of the development set, against literal loops


WORDS = 40
CLASSES = ("O", *MARKS, "PERIOD+QUOTE", "COMMA+QUESTION")


def marks_loss(logits, marks):
    """Binary cross-entropy of each mark."""
    return sum(math.log1p(math.exp(-x if mark in marks else x)) for x, mark in zip(logits, MARKS, strict=True))


def class_loss(logits, marks):
    """Cross-entropy of the class."""
    right = next(x for x, name in zip(logits, CLASSES, strict=True) if parse_marks(name) == marks)
    return math.log(sum(map(math.exp, logits))) - right


@pytest.mark.parametrize(
    ("kind", "outputs", "literal"), [("multilabel", len(MARKS), marks_loss), ("classes", len(CLASSES), class_loss)]
)
def test_the_loss_and_the_perplexity(kind, outputs, literal):
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(size=(WORDS, outputs)))
    sets = [parse_marks(CLASSES[number]) for number in rng.integers(0, len(CLASSES), WORDS)]
    marks = torch.tensor([[float(mark in found) for mark in MARKS] for found in sets]).view(2, WORDS // 2, -1)
    label_mask = torch.arange(WORDS).view(2, -1) % 3 > 0
    cases = torch.zeros(2, WORDS // 2, dtype=torch.long)
    given = logits.float().view(2, WORDS // 2, -1)
    output = TaggerOutput(given[..., :13], torch.zeros(*cases.shape, 3), given, given.softmax(dim=-1))
    batch = Batch({"word_index": torch.ones_like(cases)}, marks, cases, label_mask, windows=2)
    losses = [literal(logits[i].tolist(), sets[i]) for i in range(WORDS) if label_mask.view(-1)[i]]
    mean = sum(losses) / len(losses)
    module = module_of(heads=HeadConfig(kind=kind, classes=CLASSES if kind == "classes" else ()))
    assert float(module.loss(output, batch)) == pytest.approx(mean + math.log(3), rel=1e-5)  # the case logits are 0
    module.model.forward = lambda **_: output
    module.validation_step(batch, 0)
    assert module.scores()[DEV_PERPLEXITY] == pytest.approx(math.exp(mean), rel=1e-5)
