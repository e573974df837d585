"""Focal loss and weights of classes, against the formulas in literal loops."""

import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

from dummies import tiny_config  # noqa: E402

from asr_punct.config import Config, HeadConfig, TrainingConfig, as_mapping, from_mapping  # noqa: E402
from asr_punct.errors import ConfigError  # noqa: E402
from asr_punct.marks import MARKS, Mark, parse_marks  # noqa: E402
from asr_punct.model.encoder import new_encoder  # noqa: E402
from asr_punct.model.heads import ClassHead, PunctuationHead  # noqa: E402
from asr_punct.model.losses import focal_classes, focal_marks  # noqa: E402
from asr_punct.model.tagger import TaggerOutput, build_tagger  # noqa: E402
from asr_punct.training.lightning_module import DEV_PERPLEXITY, PunctuationModule  # noqa: E402
from asr_punct.training.sampling import Batch  # noqa: E402

WIDTH, WORDS = 6, 40
WEIGHTS = {"O": 0.5, "COMMA": 1.5, "QUESTION": 5.0, "PERIOD": 0.25}
CLASSES = ("O", *MARKS, "PERIOD+QUOTE", "COMMA+QUESTION", "QUOTE+DASH")


def multilabel():
    return PunctuationHead(HeadConfig(), WIDTH)


def of_classes():
    return ClassHead(HeadConfig(kind="classes", classes=CLASSES), WIDTH, 8)


def drawn(outputs, seed=0):
    """Logits (words, outputs), and the marks of words as sets."""
    rng = np.random.default_rng(seed)
    logits = torch.from_numpy(4 * rng.normal(size=(WORDS, outputs)))
    return logits, [parse_marks(CLASSES[number]) for number in rng.integers(0, len(CLASSES), WORDS)]


def as_tensor(sets):
    return torch.tensor([[float(mark in marks) for mark in MARKS] for marks in sets], dtype=torch.float64)


def literal_marks(logits, sets, gamma, weights):
    """FL(p_t) = -w (1 - p_t)^gamma log p_t of each mark of each word (Lin et al. 2018, equations 2 and 4)."""
    total = 0.0
    for row, marks in zip(logits.tolist(), sets, strict=True):
        for logit, mark in zip(row, MARKS, strict=True):
            p = 1 / (1 + math.exp(-logit))
            right = p if mark in marks else 1 - p
            weight = weights.get(str(mark) if mark in marks else "O", 1.0)
            total -= weight * (1 - right) ** gamma * math.log(right)
    return total


def literal_classes(logits, sets, gamma, weights):
    """The same of the one class of each word."""
    total = 0.0
    for row, marks in zip(logits.tolist(), sets, strict=True):
        powers = [math.exp(logit) for logit in row]
        right = powers[[parse_marks(name) for name in CLASSES].index(marks)] / sum(powers)
        names = [str(mark) for mark in marks] or ["O"]
        weight = max(weights.get(name, 1.0) for name in names)
        total -= weight * (1 - right) ** gamma * math.log(right)
    return total


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("weights", [{}, WEIGHTS], ids=["plain", "weighted"])
def test_losses_are_the_formulas(gamma, weights):
    for head, literal in ((multilabel(), literal_marks), (of_classes(), literal_classes)):
        outputs = head.layers[-1].out_features
        logits, sets = drawn(outputs)
        found = head.focal_loss(logits, as_tensor(sets), gamma, head.label_weights(weights).double())
        assert float(found) == pytest.approx(literal(logits, sets, gamma, weights), rel=1e-9)


def test_without_gamma_and_weights_it_is_cross_entropy():
    for head in (multilabel(), of_classes()):
        logits, sets = drawn(head.layers[-1].out_features)
        marks = as_tensor(sets)
        plain = head.focal_loss(logits, marks, 0.0, head.label_weights({}).double())
        assert float(plain) == pytest.approx(float(head.loss(logits, marks)), rel=1e-12)


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_gradients_are_finite_where_all_is_right_and_where_all_is_wrong(gamma):
    logits = torch.tensor([[200.0, -200.0], [-200.0, 200.0], [0.0, 0.0]], requires_grad=True)
    marks = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for loss in (
        focal_marks(logits, marks, gamma, torch.ones(2, 2)),
        focal_classes(logits, torch.zeros(3, dtype=torch.long), gamma, torch.ones(2)),
    ):
        (gradient,) = torch.autograd.grad(loss, logits)
        assert torch.isfinite(loss)
        assert torch.isfinite(gradient).all()
        assert float(gradient[0].abs().sum()) < 1e-6 < float(gradient[1].abs().sum())


def test_weights_of_classes_are_the_largest_of_their_marks():
    weights = dict(zip(CLASSES, of_classes().label_weights(WEIGHTS).tolist(), strict=True))
    assert [weights[name] for name in ("O", "COMMA", "PERIOD", "QUESTION", "QUOTE")] == [0.5, 1.5, 0.25, 5.0, 1.0]
    assert [weights[name] for name in CLASSES[-3:]] == [1.0, 5.0, 1.0]


def module_of(kind, **training):
    torch.manual_seed(0)
    config = tiny_config(**training)
    heads = HeadConfig(kind=kind, classes=CLASSES if kind == "classes" else ())
    model = dataclasses.replace(config.model, heads=heads)
    return PunctuationModule(build_tagger(model, new_encoder(model.encoder, 60, 0)), config.training, 1)


def output_and_batch(outputs):
    """Two windows of words, of which not all count."""
    logits, sets = drawn(outputs)
    counted = torch.arange(WORDS).view(2, -1) % 3 > 0
    shape = (2, WORDS // 2, -1)
    cases = torch.zeros(2, WORDS // 2, dtype=torch.long)
    marks = as_tensor(sets).view(shape)
    given = logits.float().view(shape)
    output = TaggerOutput(given[..., :13], torch.zeros(*cases.shape, 3), logits.view(shape), given.softmax(dim=-1))
    used = [number for number in range(WORDS) if counted.view(-1)[number]]
    inputs = {"word_index": torch.ones_like(cases)}
    return output, Batch(inputs, marks.float(), cases, counted), logits[used], [sets[number] for number in used]


@pytest.mark.parametrize(
    ("kind", "outputs", "literal"),
    [("multilabel", len(MARKS), literal_marks), ("classes", len(CLASSES), literal_classes)],
)
def test_training_has_the_loss_and_the_perplexity_has_not(kind, outputs, literal):
    module = module_of(kind, focal_gamma=2.0, class_weights=WEIGHTS)
    output, batch, logits, sets = output_and_batch(outputs)
    case = math.log(3)  # of logits that are all 0
    expected = literal(logits, sets, 2.0, WEIGHTS) / len(sets) + case
    assert float(module.loss(output, batch)) == pytest.approx(expected, rel=1e-5)
    module.model.forward = lambda **_: output
    module.validation_step(batch, 0)
    perplexity = math.exp(literal(logits, sets, 0.0, {}) / len(sets))
    assert module.scores()[DEV_PERPLEXITY] == pytest.approx(perplexity, rel=1e-5)
    assert "_label_weights" not in module.state_dict()


def test_weights_are_read_from_a_mapping():
    training = from_mapping(Config, {"training": {"class_weights": {"COMMA": 2, "O": 0.5}}}, "x").training
    assert training.class_weights == {"COMMA": 2.0, "O": 0.5}
    config = Config(training=training)
    assert from_mapping(Config, as_mapping(config), "x") == config
    assert TrainingConfig().class_weights == {}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"class_weights": 3}, "x: training: class_weights: found 3, expected keys and values"),
        ({"class_weights": {"COMA": 3}}, "x: training: class_weights: found 'COMA', expected one of O, COMMA"),
        ({"class_weights": {3: 3}}, "x: training: class_weights: found 3, expected str"),
        ({"class_weights": {"COMMA": "much"}}, "x: training: class_weights: COMMA: found 'much', expected float"),
        ({"class_weights": {"COMMA": 0}}, "x: training: class_weights: COMMA is above 0, found 0"),
        ({"class_weights": {"O": float("nan")}}, "x: training: class_weights: O is above 0, found nan"),
        ({"focal_gamma": -1}, "x: training: focal_gamma is 0 or more, found -1"),
        ({"optimizer": {"lookahead_steps": -1}}, "x: training: optimizer: lookahead_steps is 0 or more, found -1"),
        ({"optimizer": {"lookahead_rate": 1.5}}, "x: training: optimizer: lookahead_rate is a probability, found 1.5"),
        ({"optimizer": {"lookahead_rate": 0}}, "x: training: optimizer: lookahead_rate is above 0, found 0"),
        ({"optimizer": {"staircase_steps": 0}}, "x: training: optimizer: staircase_steps is 1 or more, found 0"),
        ({"optimizer": {"staircase_rate": 2}}, "x: training: optimizer: staircase_rate is a probability, found 2"),
        (
            {"optimizer": "muon"},
            "x: training: optimizer: found 'muon', expected keys and values",
        ),
        ({"average": 0.9}, "x: training: found unknown key 'average', expected optimizer.ema_decay"),
        ({"encoder_learning_rate": 0}, "x: training: encoder_learning_rate is above 0, found 0"),
        (
            {"encoder_learning_rate": 0.1, "optimizer": {"kind": "muon"}},
            "x: training: encoder_learning_rate goes with every optimizer but muon",
        ),
    ],
)
def test_errors_name_the_key(values, message):
    with pytest.raises(ConfigError) as error:
        from_mapping(Config, {"training": values}, "x")
    assert str(error.value).startswith(message)


def test_weights_are_set_on_the_command_line():
    pytest.importorskip("omegaconf")
    from asr_punct.training.configuration import read_config

    weights = read_config("autopunct", ["training.class_weights.COMMA=1.5"]).training.class_weights
    assert weights == {Mark.COMMA: 1.5}
