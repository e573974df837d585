"""The recurrent network of Tilk and Alumäe 2016: classes of marks, sparse gradients, training."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import tiny_config

from asr_punct.checkpoint import read_info
from asr_punct.config import Config, ContextConfig, HeadConfig, OptimizerConfig, PauseConfig
from asr_punct.marks import MARKS, Mark, parse_marks
from asr_punct.model.heads import ClassHead
from asr_punct.training.fit import train
from asr_punct.training.optim import build_optimizer, clip_gradients
from asr_punct.training.start import find_classes

WIDTH = 6
COMMA, PERIOD, QUESTION, QUOTE = Mark.COMMA, Mark.PERIOD, Mark.QUESTION, Mark.QUOTE


def test_classes_are_ordered_by_frequency():
    words = Counter([frozenset()] * 9 + [frozenset({PERIOD})] * 5 + [frozenset({COMMA})] * 3)
    words.update([frozenset({PERIOD, QUOTE})] * 2 + [frozenset({QUOTE, QUESTION})])
    classes = find_classes(words, 2)
    assert classes[:5] == ("O", "PERIOD", "COMMA", "QUOTE", "QUESTION")
    assert classes[5:] == ("PERIOD+QUOTE",)
    assert find_classes(words, 1)[5:] == ("PERIOD+QUOTE", "QUESTION+QUOTE")
    assert find_classes(Counter(), 1) == ("O",)


@pytest.fixture
def head():
    words = Counter({frozenset({PERIOD, QUOTE}): 3, frozenset({PERIOD}): 3, frozenset({COMMA}): 1})
    classes = find_classes(words, 2)
    return ClassHead(HeadConfig(kind="classes", classes=classes), WIDTH, 16), classes


@pytest.mark.parametrize(
    ("marks", "target"),
    [
        ((), "O"),
        ((COMMA,), "COMMA"),
        ((PERIOD, QUOTE), "PERIOD+QUOTE"),
        ((PERIOD, COMMA), "COMMA"),
        ((QUOTE, COMMA, PERIOD), "COMMA"),
        ((PERIOD, QUESTION), "PERIOD"),
        ((QUESTION,), "O"),
    ],
)
def test_a_set_without_a_class_counts_as_its_rarest_mark(head, marks, target):
    module, classes = head
    logits = torch.randn(1, len(classes))
    expected = -torch.log_softmax(logits, -1)[0, classes.index(target)]
    true = torch.tensor([[float(mark in marks) for mark in MARKS]])
    assert float(module.loss(logits, true)) == pytest.approx(float(expected), abs=1e-5)


def test_the_probability_of_a_mark_is_summed_over_its_classes(head):
    module, classes = head
    logits = 3 * torch.randn(2, 5, len(classes), generator=torch.Generator().manual_seed(1))
    probabilities = module.probabilities(logits, torch.ones(2, 5))
    found = module.mark_logits(logits, probabilities).sigmoid().numpy()
    weights = np.exp(logits.numpy()) / np.exp(logits.numpy()).sum(-1, keepdims=True)
    for i, mark in enumerate(MARKS):
        has_mark = [mark in parse_marks(name) for name in classes]
        np.testing.assert_allclose(found[..., i], weights[..., has_mark].sum(-1), atol=1e-5)


def brnn_config(**training):
    config = tiny_config(**training)
    model = dataclasses.replace(
        config.model,
        encoder=dataclasses.replace(config.model.encoder, kind="table", tokenizer="word", vocabulary=500),
        pauses=PauseConfig(kind="late-gru"),
        context=ContextConfig(kind="brnn"),
        heads=HeadConfig(kind="classes", class_count=2, hidden=0, dropout=0.0, case_vectors="context"),
    )
    options = dataclasses.replace(
        config.training,
        optimizer=OptimizerConfig(kind="adagrad", clip_norm=2.0),
        learning_rate=0.05,
        warmup_epochs=0.0,
        monitor="perplexity",
    )
    return Config(model, options)


@pytest.mark.parametrize("largest", [0.5, 1e6])
def test_sparse_gradients_equal_dense_ones(largest):
    results = []
    for sparse in (False, True):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Embedding(10, 4), torch.nn.Linear(4, 3)).double()
        optimizer = build_optimizer(model, brnn_config().training)
        model[0].sparse = sparse
        for words in ([1, 2, 2, 5], [2, 7]):
            optimizer.zero_grad()
            model(torch.tensor(words)).square().sum().backward()
            assert model[0].weight.grad.is_sparse == sparse
            (clip_gradients if sparse else torch.nn.utils.clip_grad_norm_)(model.parameters(), largest)
            optimizer.step()
        results.append(model.state_dict())
    assert all(torch.allclose(results[0][name], results[1][name]) for name in results[0])


def test_a_brnn_learns(corpus, tmp_path):
    directory = tmp_path / "brnn"
    info = train(brnn_config(epochs=12), corpus, directory, device="cpu")
    assert info.model.heads.classes[0] == "O"
    assert info.training["dev_f1"] > 0.8
    assert 1 <= info.training["dev_perplexity"] < 1.3
    assert read_info(directory).model == info.model
    assert train(brnn_config(epochs=12), corpus, directory, device="cpu", resume=True) == info
